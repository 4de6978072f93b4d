"""Finished runs on disk, one small JSON file each, so that a killed experiment loses only what was under way."""

import contextlib
import json
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from sgpmic_cli._typing import PathLike
from sgpmic_cli.atomic import TEMPORARY, write_whole
from sgpmic_cli.errors import SgpmicError
from sgpmic_cli.scores import SCORES

STALE_SECONDS = 3600  # a temporary file this old belongs to a process that was killed


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
    trace: dict[str, list[float]] = field(default_factory=dict)  # what the fit watched, step by step

    @property
    def ok(self) -> bool:
        """Whether the run gave labels."""
        return self.status == "ok"


class Store:
    """A folder of records. Any number of processes may use it at once: every write is whole or absent."""

    def __init__(self, folder: PathLike, warn: Callable[[str], None] = lambda _: None):
        self.folder = Path(folder)
        self.warn = warn

    @property
    def memory(self) -> Path:
        """Where methods keep intermediate results that several runs share."""
        return self.folder / "memory"

    def open(self) -> None:
        """Make the folder and clear away what killed processes left half-written."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            for leftover in self.folder.rglob(f"*{TEMPORARY}"):
                with contextlib.suppress(FileNotFoundError):  # another process has just finished with it
                    if time.time() - leftover.stat().st_mtime > STALE_SECONDS:
                        leftover.unlink()
        except OSError as error:
            raise SgpmicError(f"cannot keep run records in '{self.folder}': {error.strerror}.") from error

    def read(self, key: str) -> Record | None:
        """The record of a run, or None when there is none that can be trusted."""
        path = self.folder / f"{key}.json"
        try:
            content = path.read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise SgpmicError(f"cannot read the run record '{path}': {error.strerror}.") from error
        try:
            record = Record(**json.loads(content))
            _check(record, key)
        except (ValueError, TypeError, KeyError, AttributeError):
            self.warn(f"the run record '{path}' is damaged; the run is computed again.")
            return None
        return record

    def write(self, record: Record) -> None:
        """Keep a record: written aside, flushed to the disk, then renamed into place."""
        write_whole(self.folder / f"{record.key}.json", json.dumps(asdict(record), sort_keys=True) + "\n")


def _check(record: Record, key: str) -> None:
    if record.key != key or record.status not in ("ok", "failed"):
        raise ValueError("not the record of this run")
    if record.ok and not all(abs(record.scores[name]) <= 100.0 + 1e-9 for name in SCORES):
        raise ValueError("a score is missing, or is no percentage")
