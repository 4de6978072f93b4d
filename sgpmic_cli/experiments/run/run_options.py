"""How and where the runs of a study are computed. Nothing here changes a number."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sgpmic_cli._typing import PathLike
from sgpmic_cli.errors import UsageError
from sgpmic_cli.experiments.run.dask_backend import scheduler_of
from sgpmic_cli.experiments.run.records import Record
from sgpmic_cli.experiments.run.separate_process import Limits

MOST_JOBS_PER_CORE = 32  # beyond that processes only take memory from each other


class Watcher:
    """Is told how the work goes on. This one does nothing with it; a command line shows a progress bar."""

    def planned(self, total: int, kept: int, costs: Mapping[str, float] | None = None) -> None:
        """The number of runs, how many of them the store already has, and rough costs of the others by key."""

    def finished(self, record: Record) -> None:
        """A run was computed."""

    def warn(self, sentence: str) -> None:
        """Something is not as it should be, but the work goes on."""


@dataclass(frozen=True)
class RunOptions:
    """Where records and data lie, who computes, and which records are not trusted."""

    store: PathLike | None = (
        None  # folder of run records; None for the folder `runs` beside the tables
    )
    n_jobs: int = -1  # processes of this machine, -1 for one per core
    backend: str = "loky"  # or "dask", with the address of its scheduler
    scheduler: str | None = None
    limits: Limits = field(default_factory=Limits)  # of time and memory for one run
    force: bool = False  # compute every run again
    retry_failed: bool = False  # compute failed runs again
    data_dir: PathLike | None = None  # folder of downloaded data
    mirror: str | None = None  # folder or server with the publishers' files
    offline: bool = False
    watcher: Watcher = field(default_factory=Watcher)

    def __post_init__(self) -> None:
        """Refuse what cannot work before anything is loaded."""
        if self.n_jobs == 0:
            raise UsageError(
                "n_jobs=0 means no process at all: give 1 or more, or -1 for all cores."
            )
        most = MOST_JOBS_PER_CORE * (os.cpu_count() or 1)
        if self.n_jobs > most:
            raise UsageError(
                f"n_jobs={self.n_jobs} is more than this machine can start: give at most {most}, or -1."
            )
        scheduler_of(self.backend, self.scheduler)

    def arguments(self) -> dict[str, Any]:
        """What was asked for as plain values, for the manifest.

        Where data lie on somebody's machine is nobody else's business: the manifest has their hashes.
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
