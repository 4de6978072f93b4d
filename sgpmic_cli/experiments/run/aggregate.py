"""Aggregate runs to cells: mean and standard deviation over the successful repeats."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sgpmic_cli.experiments.plan.cells import Cell, Run
from sgpmic_cli.experiments.run.records import Record
from sgpmic_cli.scores import SCORES


@dataclass(frozen=True)
class Stat:
    """Mean and population standard deviation; both None if no run succeeded."""

    mean: float | None = None
    std: float | None = None

    @classmethod
    def of(cls, values: Sequence[float]) -> "Stat":
        """Compute the statistic of values in the order of the repeats."""
        return cls(float(np.mean(values)), float(np.std(values))) if values else cls()


@dataclass(frozen=True)
class Outcome:
    """The results of a cell, or of one point of its grid."""

    cell: Cell
    settings: dict[str, Any]
    repeats: int
    failed: int
    stats: dict[str, Stat]  # by the name of the score
    duration: Stat  # seconds of a successful run
    reasons: tuple[str, ...] = ()  # why runs failed, or why the data are unavailable
    warnings: tuple[str, ...] = ()
    grid: tuple["Outcome", ...] = ()
    records: tuple[Record, ...] = ()  # of all repeats, in their order

    @property
    def available(self) -> bool:
        """Return whether there were data to run on."""
        return self.cell.data is not None

    @property
    def failed_anywhere(self) -> int:
        """Return the number of failed runs at all points of the grid."""
        return sum(point.failed for point in self.grid) if self.grid else self.failed

    @property
    def ok(self) -> bool:
        """Return whether at least one run succeeded."""
        return self.repeats > self.failed


def aggregate_runs(cell: Cell, behind: Sequence[Run], records: Mapping[str, Record]) -> Outcome:
    """Aggregate the records of a cell's runs.

    With a grid, the labels choose the point with the best mean ACC, the first one of equals. Only
    points with the fewest failed runs are candidates, because a mean over fewer repeats is not
    comparable.
    """
    if cell.data is None:
        stats = dict.fromkeys(SCORES, Stat())
        return Outcome(cell, cell.settings, 0, 0, stats, Stat(), reasons=(cell.reason,))
    points = [
        _point(cell, settings, [records[run.key] for run in behind if run.settings == settings])
        for settings in cell.candidates()
    ]
    if len(points) == 1:
        return points[0]
    best = max(points, key=lambda point: (-point.failed, point.stats["acc"].mean or 0.0))
    return replace(best, grid=tuple(points))


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
