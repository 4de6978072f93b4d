"""From runs to cells: mean and spread over the repeats that succeeded, and the choice among a grid."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sgpmic_cli.experiments.plan.cells import Cell, Run
from sgpmic_cli.experiments.run.records import Record
from sgpmic_cli.scores import SCORES


@dataclass(frozen=True)
class Stat:
    """Mean and population standard deviation; both None when nothing succeeded."""

    mean: float | None = None
    std: float | None = None

    @classmethod
    def of(cls, values: Sequence[float]) -> "Stat":
        """The statistic of some values, in the order of the repeats so that the last digit is always the same."""
        return cls(float(np.mean(values)), float(np.std(values))) if values else cls()


@dataclass(frozen=True)
class Outcome:
    """What the runs behind one cell, or behind one point of its grid, gave."""

    cell: Cell
    settings: dict[str, Any]
    repeats: int
    failed: int
    stats: dict[str, Stat]  # by the names of the scores
    duration: Stat  # of a successful run, in seconds
    reasons: tuple[str, ...] = ()  # why runs failed, or why there are no data
    warnings: tuple[str, ...] = ()
    grid: tuple["Outcome", ...] = field(default=())
    records: tuple[Record, ...] = ()  # of all repeats, in their order

    @property
    def seconds(self) -> float | None:
        """Mean seconds of a successful run."""
        return self.duration.mean

    @property
    def available(self) -> bool:
        """Whether there were data to run on."""
        return self.cell.data is not None

    @property
    def failed_anywhere(self) -> int:
        """Failed runs of the cell, at any point of its grid."""
        return sum(point.failed for point in self.grid) if self.grid else self.failed

    @property
    def ok(self) -> bool:
        """Whether at least one run succeeded."""
        return self.repeats > self.failed


def aggregate_runs(cell: Cell, behind: Sequence[Run], records: Mapping[str, Record]) -> Outcome:
    """The outcome of a cell from the records of its runs.

    Of a grid the point with the best mean ACC is shown (the first of equals): the labels choose it.
    Only points with the fewest failed runs are candidates: a mean over the repeats that went well is no fair rival of
    a mean over all.
    """
    if cell.data is None:
        return Outcome(
            cell, cell.settings, 0, 0, dict.fromkeys(SCORES, Stat()), Stat(), reasons=(cell.reason,)
        )
    points = [
        _point(cell, settings, [records[run.key] for run in behind if run.settings == settings])
        for settings in cell.candidates()
    ]
    if len(points) == 1:
        return points[0]
    best = max(points, key=_merit)
    return Outcome(**{**vars(best), "grid": tuple(points)})


def _merit(point: Outcome) -> tuple[int, float]:
    """Fewer failures before a higher mean ACC."""
    acc = point.stats["acc"].mean
    return -point.failed, -1.0 if acc is None else acc


def _point(cell: Cell, settings: dict[str, Any], records: Sequence[Record]) -> Outcome:
    good = [record for record in records if record.ok]
    return Outcome(
        cell=cell,
        settings=settings,
        repeats=len(records),
        records=tuple(records),
        failed=len(records) - len(good),
        stats={name: Stat.of([record.scores[name] for record in good]) for name in SCORES},
        duration=Stat.of([record.seconds for record in good]),
        reasons=tuple(dict.fromkeys(record.reason for record in records if not record.ok)),
        warnings=tuple(dict.fromkeys(text for record in good for text in record.warnings)),
    )
