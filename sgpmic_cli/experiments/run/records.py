"""Finished runs on disk, one small JSON file each, so that a killed experiment loses only what was under way."""

import hashlib
import json
import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from sgpmic_cli._typing import PathLike
from sgpmic_cli.errors import SgpmicError
from sgpmic_cli.files.atomic import read_regular, settle, write_whole
from sgpmic_cli.files.json_file import strict_json
from sgpmic_cli.scores import SCORES

MOST_BYTES = 1 << 24  # of a record, traces and all


@dataclass(frozen=True)
class Record:
    """What one run left behind."""

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
    warnings: list[str] = field(default_factory=list)
    n_iter: int | None = None
    trace: dict[str, list[float]] = field(
        default_factory=dict
    )  # what the fit watched, step by step

    @property
    def ok(self) -> bool:
        """Whether the run gave labels."""
        return self.status == "ok"


class Store:
    """A folder of records. Any number of processes may use it at once: every write is whole or absent."""

    def __init__(self, folder: PathLike, warn: Callable[[str], None] = lambda _: None):
        self.folder = Path(folder)
        self.warn = warn
        self._warned = False

    @property
    def memory(self) -> Path:
        """Where methods keep intermediate results that several runs share."""
        return self.folder / "memory"

    def open(self) -> None:
        """Make the folder and clear away what killed processes left half-written."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise SgpmicError(
                f"cannot keep run records in '{self.folder}': {error.strerror}."
            ) from error
        settle(self.folder)
        settle(self.memory)

    def read(self, key: str) -> Record | None:
        """The record of a run, or None when there is none that can be trusted; the first such is warned of."""
        path = self.folder / f"{key}.json"
        try:
            if path.exists() and not path.is_file():
                raise ValueError("no file")
            return parse_record(read_regular(path, MOST_BYTES), key)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise SgpmicError(f"cannot read the run record '{path}': {error.strerror}.") from error
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            if not self._warned:
                self.warn(
                    f"the run record '{path}' is damaged; its run is computed again, as is any other like it."
                )
            self._warned = True
            return None

    def write(self, record: Record) -> None:
        """Keep a record: written aside, flushed to the disk, then renamed into place."""
        write_whole(self.folder / f"{record.key}.json", record_text(record) + "\n")


def record_text(record: Record) -> str:
    """A record as a line of JSON, with a checksum of everything else in it."""
    content = asdict(record)
    return json.dumps({**content, "checksum": _checksum(content)}, sort_keys=True, allow_nan=False)


def parse_record(text: str | bytes, key: str) -> Record:
    """The record of the run `key` in a text; ValueError, TypeError or KeyError where it is anything else."""
    content = strict_json(text)
    checksum = content.pop("checksum")
    if checksum != _checksum(content):
        raise ValueError("the checksum is another")
    record = Record(**content)
    _check(record, key)
    return record


def _checksum(content: Mapping[str, Any]) -> str:
    return hashlib.sha256(
        json.dumps(content, sort_keys=True, allow_nan=False).encode()
    ).hexdigest()[:16]


def _check(record: Record, key: str) -> None:
    """Every field is of its kind; the checksum proves only that nobody has changed it since."""
    if record.key != key or record.status not in ("ok", "failed"):
        raise ValueError("not the record of this run")
    counts = (
        record.q,
        record.n_clusters,
        record.repeat,
        record.seed,
        0 if record.n_iter is None else record.n_iter,
    )
    texts = (record.dataset, record.method, record.reason, *record.warnings, *record.trace)
    sound = (
        all(type(count) is int and count >= 0 for count in counts)
        and all(isinstance(text, str) for text in texts)
        and all(isinstance(part, dict) for part in (record.settings, record.scores, record.trace))
        and isinstance(record.warnings, list)
        and _number(record.seconds)
        and record.seconds >= 0
        and all(
            isinstance(curve, list) and all(map(_number, curve)) for curve in record.trace.values()
        )
        and all(_number(score) and abs(score) <= 100.0 + 1e-9 for score in record.scores.values())
        and (not record.ok or set(record.scores) == set(SCORES))
    )
    if not sound:
        raise ValueError("a field is missing, or holds what cannot stand there")


def _number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
