"""Run sweeps: the same methods along a range of inducing points or clusters (Figures 8 and 7)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sgpmic_cli._typing import PathLike
from sgpmic_cli.benchmark.compare.comparison import Result
from sgpmic_cli.benchmark.compare.paper import Stat
from sgpmic_cli.benchmark.plan.cells import Cell, Study
from sgpmic_cli.benchmark.plan.table_data import USUAL_VARIANCE
from sgpmic_cli.benchmark.run.pipeline import FinishedStudy, RunOptions, run_study, write_study
from sgpmic_cli.benchmark.tables.benchmark_summary import caveat_sentences, caveats
from sgpmic_cli.benchmark.tables.formats import (
    TITLES,
    as_json,
    csv_text,
    digits,
    markdown_table,
    plain,
)
from sgpmic_cli.benchmark.tables.result_tables import notes_of
from sgpmic_cli.data.registry import find
from sgpmic_cli.errors import UsageError
from sgpmic_cli.paper.sweep_ranges import INDUCING, SweepRange

MIN_COVARIANCE_FLOOR = 1e-7


@dataclass(frozen=True)
class Sweep:
    """A finished sweep."""

    axis: SweepRange
    runs: FinishedStudy

    @property
    def points(self) -> list[Result]:
        """Return the results of the available data sets."""
        return [result for result in self.runs.results if result.available]

    def _value(self, point: Result) -> int:
        return point.runs[0].cell.parameter(self.axis.parameter)

    def _stats(self, point: Result) -> dict[str, Stat]:
        every = {**point.ours, "seconds": point.duration}
        return {metric: every[metric] for metric in self.axis.metrics}

    def grids(self) -> Iterator[tuple[str, list[str], list[list[str]]]]:
        """Yield tables as (title, heading, rows) with a row for each value.

        The columns are the methods, or the metrics if there is one method.
        """
        first, metrics = self.axis.parameter, self.axis.metrics
        for dataset in dict.fromkeys(point.dataset for point in self.points):
            points = [point for point in self.points if point.dataset == dataset]
            where = f"{dataset}, {points[0].variance} % of the variance (Q = {points[0].q})"
            methods = list(dict.fromkeys(point.method_name for point in points))
            texts = {
                (self._value(point), point.method_name, metric): plain(stat)
                for point in points
                for metric, stat in self._stats(point).items()
            }
            values = sorted({self._value(point) for point in points})
            if len(methods) == 1:
                body = [[str(n), *(texts[n, methods[0], each] for each in metrics)] for n in values]
                yield f"{methods[0]} on {where}", [first, *(TITLES[each] for each in metrics)], body
                continue
            for metric in metrics:
                body = [[str(n), *(texts[n, each, metric] for each in methods)] for n in values]
                yield f"{TITLES[metric]} on {where}", [first, *methods], body

    def notes(self) -> list[str]:
        """Return the notes below the tables: failures, warnings and unavailable data."""
        name = self.axis.parameter
        found = notes_of(self.points, lambda each: f"at {name} = {self._value(each)}")
        lines = [f"{', '.join(where)}: {note}" for note, where in found.items()]
        fitted = caveats(self.points)["fitted_to_print"]
        unavailable = self.document()["unavailable"].values()
        return [*lines, *unavailable, *caveat_sentences({"fitted_to_print": fitted})]

    def document(self) -> dict[str, Any]:
        """Return the JSON document of the command."""
        study = self.runs.prepared.study
        missing = (result for result in self.runs.results if not result.available)
        return {
            "sweep": self.axis.name,
            "protocol": study.protocol,
            "repeats": study.repeats,
            "seed": study.seed,
            "points": [
                {
                    "dataset": point.dataset,
                    "variance": point.variance,
                    "q": point.q,
                    "method": point.method_name,
                    self.axis.parameter: self._value(point),
                    "settings": point.settings,
                    "repeats": point.repeats,
                    "failed": point.failed,
                    **{metric: vars(stat) for metric, stat in self._stats(point).items()},
                    "reasons": list(point.reasons),
                    "note": point.note,
                }
                for point in self.points
            ],
            "unavailable": {result.dataset: result.reasons[0] for result in missing},
        }

    def files(self) -> dict[str, str]:
        """Return the tidy CSV, the Markdown tables and the JSON document by file name."""
        head = ["dataset", "method", self.axis.parameter, "metric", "mean", "std", "n"]
        rows: list[list[Any]] = []
        for point in self.points:
            place = point.dataset, point.method_name, self._value(point)
            n = point.repeats - point.failed
            for metric, stat in self._stats(point).items():
                rows.append([*place, metric, digits(stat.mean, 4), digits(stat.std, 4), n])
        parts = [
            f"### {title}\n\n{markdown_table(head, body)}" for title, head, body in self.grids()
        ]
        if notes := self.notes():
            parts.append("".join(f"- {line}\n" for line in notes))
        return {
            "sweep.csv": csv_text(head, rows),
            "sweep.md": "\n".join(parts),
            "sweep.json": as_json(self.document()),
        }


def sweep(
    axis: SweepRange,
    values: Sequence[str],
    study: Study,
    options: RunOptions = RunOptions(),
    *,
    out: PathLike,
    variance: int | None = None,
) -> Sweep:
    """Run or resume a sweep and write its tables and manifest into `out`."""
    runs = run_study(sweep_study(axis, values, study, variance), options, out, axis.name)
    finished = Sweep(axis, runs)
    write_study(Path(out), finished.files(), runs, {"values": values}, axis.name)
    return finished


def sweep_study(
    axis: SweepRange, values: Sequence[str], study: Study, variance: int | None = None
) -> Study:
    """Return the study with its cells varied along the sweep.

    The row of a data set is that of `variance`, or if it is None that of the paper's figure.
    """
    if not values:
        raise UsageError(
            f"{axis.name} has no value to try: give a list such as {','.join(axis.values)}."
        )
    for value in values:
        if not (value.isdecimal() and int(value) > 0) and not (axis is INDUCING and value == "N"):
            rows = ", or N for all rows" if axis is INDUCING else ""
            raise UsageError(f"{axis.name} cannot try {value!r}: give positive integers{rows}.")
    along = _inducing if axis is INDUCING else _clusters

    def vary(cell: Cell) -> list[Cell]:
        if cell.variance != (_row(cell.dataset) if variance is None else variance):
            return []
        return [cell] if cell.data is None else along(cell, values)

    return replace(study, variances=["all"] if variance is None else [variance], vary=vary)


def _row(dataset: str) -> int:
    """Return 95 %, or the only row of a data set in the paper (Yale)."""
    known = find(dataset)
    rows = known.variances if known else (USUAL_VARIANCE,)
    return USUAL_VARIANCE if USUAL_VARIANCE in rows else rows[0]


def _inducing(cell: Cell, values: Sequence[str]) -> list[Cell]:
    """Return the cell with different numbers of inducing points, at most the number of rows."""
    if "n_inducing" not in cell.method.accepts():
        raise UsageError(
            f"method {cell.method.name!r} has no inducing points to vary: it takes no n_inducing."
        )
    assert cell.data is not None
    rows = len(cell.data.Y)
    counts = sorted({rows if value == "N" else min(int(value), rows) for value in values})
    return [replace(cell, settings={**cell.settings, "n_inducing": count}) for count in counts]


def _clusters(cell: Cell, values: Sequence[str]) -> list[Cell]:
    """Return the cell with multiples of its number of classes, always fewer than rows.

    Each of M clusters has a volume proportional to 1/M, and the covariance floor is a squared
    width, so it is scaled by M^(-2/Q). With a fixed floor, neighbouring clusters would merge.
    """
    assert cell.data is not None
    classes, most = cell.data.n_classes, len(cell.data.Y) - 1
    cells = []
    for count in sorted({min(int(value) * classes, most) for value in values}):
        settings = dict(cell.settings)
        if cell.q is not None and settings.get("covariance_floor") is not None:
            floor = settings["covariance_floor"] * (classes / count) ** (2.0 / cell.q)
            settings["covariance_floor"] = max(floor, MIN_COVARIANCE_FLOOR)
        cells.append(replace(cell, n_clusters=count, settings=settings))
    return cells
