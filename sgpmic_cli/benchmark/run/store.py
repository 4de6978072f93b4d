"""Store finished runs on disk, one small JSON file each, so that a killed benchmark can resume.

A stored run is a row of the results frame:

| field | content |
|---|---|
| key, dataset, method, q, n_clusters, settings, repeat, seed | what was run |
| status | "ok" or "failed" |
| seconds, n_iter | time and iterations of the fit |
| scores | of a run that succeeded, by name |
| reason, traceback | of a run that failed |
| warnings | of the fit |
| trace | losses or bounds by iteration |
"""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sgpmic_cli._typing import PathLike
from sgpmic_cli.errors import SgpmicError
from sgpmic_cli.files.atomic import read_regular, strict_json, write_whole
from sgpmic_cli.files.output_folder import settle

MAX_BYTES = 1 << 24  # of a run with its traces
Row = dict[str, Any]  # of the results frame
# The fields of every row, with the values of those that a fit may leave out.
DEFAULTS: Row = {"scores": {}, "reason": "", "traceback": "", "warnings": [], "n_iter": None}
FIELDS = [
    *("key", "dataset", "method", "q", "n_clusters", "settings", "repeat", "seed", "status"),
    *("seconds", "trace", *DEFAULTS),
]


class Store:
    """A folder of runs that several processes may use at once, because writes are atomic."""

    def __init__(self, folder: PathLike, warn: Callable[[str], None] = lambda _: None):
        self.folder = Path(folder)
        self.warn = warn
        self._warned = False

    @property
    def memory(self) -> Path:
        """Return the folder where methods keep intermediate results that several runs share."""
        return self.folder / "memory"

    def open(self) -> None:
        """Create the folder and remove unfinished files of killed processes."""
        self.folder.mkdir(parents=True, exist_ok=True)
        settle(self.folder)
        settle(self.memory)

    def read(self, key: str) -> Row | None:
        """Return a stored run, or None if it is missing or damaged.

        Warn of the first damaged one.
        """
        path = self.folder / f"{key}.json"
        try:
            if path.exists() and not path.is_file():
                raise ValueError("not a regular file")
            row = strict_json(read_regular(path, MAX_BYTES))
            if row.pop("checksum") != _checksum(row) or row["key"] != key:
                raise ValueError("the checksum or the key differs")
            if row.keys() != set(FIELDS):
                raise ValueError("the fields are those of another version")
            return row
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise SgpmicError(f"cannot read the run record '{path}': {error.strerror}.") from error
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            if not self._warned:
                self.warn(
                    f"the run record '{path}' is damaged; this run and any other damaged one are "
                    "computed again."
                )
            self._warned = True
            return None

    def write(self, row: Row) -> None:
        """Write a run with a checksum of its content."""
        text = _canonical({**row, "checksum": _checksum(row)})
        write_whole(self.folder / f"{row['key']}.json", f"{text}\n")


def _checksum(row: Row) -> str:
    return hashlib.sha256(_canonical(row).encode()).hexdigest()[:16]


def _canonical(row: Row) -> str:
    return json.dumps(row, sort_keys=True, allow_nan=False)
