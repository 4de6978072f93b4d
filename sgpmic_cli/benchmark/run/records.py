"""Store finished runs on disk, one small JSON file each, so that a killed experiment can resume."""

import hashlib
import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from sgpmic_cli._typing import PathLike
from sgpmic_cli.errors import SgpmicError
from sgpmic_cli.files.atomic import read_regular, strict_json, write_whole
from sgpmic_cli.files.output_folder import settle

MAX_BYTES = 1 << 24  # of a record with its traces


@dataclass(frozen=True)
class Record:
    """The result of one run."""

    key: str
    dataset: str
    method: str
    q: int
    n_clusters: int
    settings: dict[str, Any]
    repeat: int
    seed: int
    status: str  # "ok" or "failed"
    seconds: float
    scores: dict[str, float] = field(default_factory=dict)
    reason: str = ""
    traceback: str = ""
    warnings: list[str] = field(default_factory=list)
    n_iter: int | None = None
    trace: dict[str, list[float]] = field(default_factory=dict)  # losses or bounds by iteration

    @property
    def ok(self) -> bool:
        """Return whether the run succeeded."""
        return self.status == "ok"


class Store:
    """A folder of records that several processes may use at once, because writes are atomic."""

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

    def read(self, key: str) -> Record | None:
        """Return the record of a run, or None if it is missing or damaged.

        Warn of the first damaged record.
        """
        path = self.folder / f"{key}.json"
        try:
            if path.exists() and not path.is_file():
                raise ValueError("not a regular file")
            content = strict_json(read_regular(path, MAX_BYTES))
            if content.pop("checksum") != _checksum(content) or content["key"] != key:
                raise ValueError("the checksum or the key differs")
            return Record(**content)
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

    def write(self, record: Record) -> None:
        """Write a record with a checksum of its content."""
        content = asdict(record)
        text = _canonical({**content, "checksum": _checksum(content)})
        write_whole(self.folder / f"{record.key}.json", f"{text}\n")


def _checksum(content: dict[str, Any]) -> str:
    return hashlib.sha256(_canonical(content).encode()).hexdigest()[:16]


def _canonical(content: dict[str, Any]) -> str:
    return json.dumps(content, sort_keys=True, allow_nan=False)
