"""Options that say how and where the runs of a study are computed. They change no number."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sgpmic_cli._typing import PathLike
from sgpmic_cli.errors import UsageError
from sgpmic_cli.experiments.plan.methods import unknown
from sgpmic_cli.experiments.run.one_run import Limits
from sgpmic_cli.experiments.run.records import Record

BACKENDS = ("loky", "dask")
MAX_JOBS_PER_CORE = 32


class Watcher:
    """Callbacks for the progress of a study, which do nothing unless overridden."""

    def planned(self, total: int, kept: int, costs: Mapping[str, float] | None = None) -> None:
        """Receive the number of runs, how many have a record, and the other costs by key."""

    def finished(self, record: Record) -> None:
        """Receive the record of a computed run."""

    def warn(self, sentence: str) -> None:
        """Receive a warning."""


@dataclass(frozen=True)
class RunOptions:
    """Folders of records and data, executor, and which records are computed again."""

    store: PathLike | None = None  # folder of run records; None for `runs` beside the tables
    n_jobs: int = -1  # processes of this machine; -1 for one per core
    backend: str = "loky"  # or "dask", with the address of its scheduler
    scheduler: str | None = None
    limits: Limits = field(default_factory=Limits)
    force: bool = False  # compute every run again
    retry_failed: bool = False  # compute failed runs again
    data_dir: PathLike | None = None  # folder of downloaded data
    mirror: str | None = None  # folder or server with the publishers' files
    offline: bool = False
    watcher: Watcher = field(default_factory=Watcher)

    def __post_init__(self) -> None:
        """Check the options before any data are loaded."""
        most = MAX_JOBS_PER_CORE * (os.cpu_count() or 1)
        if self.n_jobs == 0:
            raise UsageError(
                "n_jobs=0 means no process at all: give 1 or more, or -1 for all cores."
            )
        if self.n_jobs > most:
            raise UsageError(
                f"n_jobs={self.n_jobs} is too many for this machine: give at most {most}, or -1."
            )
        if self.backend not in BACKENDS:
            raise UsageError(unknown("backend", self.backend, BACKENDS))
        if self.backend == "dask" and not self.scheduler:
            raise UsageError(
                "backend=dask needs the address of a scheduler: add scheduler=tcp://HOST:8786."
            )
        if self.backend != "dask" and self.scheduler:
            raise UsageError(
                f"scheduler={self.scheduler} is the address of a Dask cluster: add backend=dask."
            )

    def arguments(self) -> dict[str, Any]:
        """Return the options as plain values, for the manifest.

        Paths on the user's machine are left out; the manifest has hashes of the data.
        """
        places = {"data_dir": self.data_dir, "mirror": self.mirror}
        return {
            "n_jobs": self.n_jobs,
            "backend": self.backend,
            "force": self.force,
            "retry_failed": self.retry_failed,
            "offline": self.offline,
            **{name: None if place is None else "given" for name, place in places.items()},
        }
