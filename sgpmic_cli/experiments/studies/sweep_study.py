"""Run sweeps: the same methods along a range of inducing points or clusters (Figures 8 and 7)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sgpmic_cli._typing import PathLike
from sgpmic_cli.data.registry import entry, names
from sgpmic_cli.errors import UsageError
from sgpmic_cli.experiments.compare.comparison import note_of
from sgpmic_cli.experiments.plan.cells import Cell
from sgpmic_cli.experiments.plan.study import Study, Vary
from sgpmic_cli.experiments.run.aggregate import Outcome, Stat
from sgpmic_cli.experiments.run.pipeline import FinishedStudy, RunOptions, run_study, write_study
from sgpmic_cli.experiments.studies.sweep_ranges import INDUCING, SweepRange
from sgpmic_cli.experiments.tables.benchmark_summary import fitted_to_print, remarks
from sgpmic_cli.experiments.tables.formats import (
    TITLES,
    as_json,
    csv_text,
    digits,
    markdown_table,
    plain,
)

USUAL_VARIANCE = 95
MIN_COVARIANCE_FLOOR = 1e-7
FILES = ("sweep.csv", "sweep.md", "sweep.json")


@dataclass(frozen=True)
class Sweep:
    """A finished sweep."""

    axis: SweepRange
    runs: FinishedStudy
    values: tuple[str, ...] = ()  # as the user gave them

    @property
    def points(self) -> list[Outcome]:
        """Return the outcomes of the available data sets."""
        return [outcome for outcome in self.runs.outcomes if outcome.available]

    @property
    def unavailable(self) -> dict[str, str]:
        """Return the unavailable data sets with the reason."""
        missing = (outcome for outcome in self.runs.outcomes if not outcome.available)
        return {outcome.cell.dataset: outcome.reasons[0] for outcome in missing}

    def stat(self, outcome: Outcome, metric: str) -> Stat:
        """Return one metric of one point: a score by the protocol's definition, or the run time."""
        if metric == "seconds":
            return outcome.duration
        return outcome.stats[outcome.cell.scores[metric]]

    def rows(self) -> Iterator[list[Any]]:
        """Yield the rows of the tidy table."""
        for outcome in self.points:
            cell = outcome.cell
            place = [cell.dataset, cell.method.name, cell.parameter(self.axis.parameter)]
            for metric in self.axis.metrics:
                stat = self.stat(outcome, metric)
                numbers = [digits(stat.mean, 4), digits(stat.std, 4)]
                yield [*place, metric, *numbers, outcome.repeats - outcome.failed]

    def grids(self) -> Iterator[tuple[str, list[str], list[list[str]]]]:
        """Yield tables as (title, heading, rows) with a row for each value.

        The columns are the methods, or the metrics if there is one method.
        """
        by_dataset: dict[str, dict[str, dict[int, Outcome]]] = {}
        for outcome in self.points:
            curves = by_dataset.setdefault(outcome.cell.dataset, {})
            value = outcome.cell.parameter(self.axis.parameter)
            curves.setdefault(outcome.cell.method.name, {})[value] = outcome
        for dataset, curves in by_dataset.items():
            first = next(iter(next(iter(curves.values())).values())).cell
            where = f"{dataset}, {first.variance} % of the variance (Q = {first.q})"
            columns = {
                (method, metric): {value: plain(self.stat(o, metric)) for value, o in along.items()}
                for method, along in curves.items()
                for metric in self.axis.metrics
            }
            if len(curves) == 1:
                (method,) = curves
                titles = [TITLES[metric] for metric in self.axis.metrics]
                yield f"{method} on {where}", *self._table(titles, list(columns.values()))
                continue
            for metric in self.axis.metrics:
                chosen = [columns[method, metric] for method in curves]
                yield f"{TITLES[metric]} on {where}", *self._table(list(curves), chosen)

    def _table(
        self, titles: list[str], columns: list[dict[int, str]]
    ) -> tuple[list[str], list[list[str]]]:
        values = sorted({value for column in columns for value in column})
        body = [[str(value), *(column.get(value, "") for column in columns)] for value in values]
        return [self.axis.parameter, *titles], body

    def notes(self) -> list[str]:
        """Return the notes below the tables: chosen settings, failures and unavailable data."""
        places: dict[str, list[str]] = {}
        for outcome in self.points:
            cell, name = outcome.cell, self.axis.parameter
            if note := note_of(outcome):
                where = f"{cell.method.name} on {cell.dataset} at {name} = {cell.parameter(name)}"
                places.setdefault(note, []).append(where)
        fitted = fitted_to_print(outcome.cell.method for outcome in self.points)
        lines = [f"{', '.join(where)}: {note}" for note, where in places.items()]
        return [*lines, *self.unavailable.values(), *self.cut_short(), *remarks([], fitted)]

    def cut_short(self) -> list[str]:
        """Return a note for each data set with too few rows for some values."""
        cells: dict[str, list[Cell]] = {}
        for outcome in self.points:
            cells.setdefault(outcome.cell.dataset, []).append(outcome.cell)
        lines = []
        for dataset, ran in cells.items():
            most = max(cell.parameter(self.axis.parameter) for cell in ran)
            data = ran[0].data
            factor = 1 if self.axis is INDUCING or data is None else data.n_classes
            over = [v for v in self.values if v.isdecimal() and int(v) * factor > most]
            if over:
                lines.append(
                    f"{dataset} has too few rows for {', '.join(over)}: {most} was run instead"
                )
        return lines

    def document(self) -> dict[str, Any]:
        """Return the JSON document of the command."""
        study = self.runs.prepared.study
        return {
            "sweep": self.axis.name,
            "protocol": study.protocol,
            "repeats": study.repeats,
            "seed": study.seed,
            "points": [self._point(outcome) for outcome in self.points],
            "unavailable": self.unavailable,
        }

    def _point(self, outcome: Outcome) -> dict[str, Any]:
        cell = outcome.cell
        return {
            "dataset": cell.dataset,
            "variance": cell.variance,
            "q": cell.q,
            "method": cell.method.name,
            self.axis.parameter: cell.parameter(self.axis.parameter),
            "settings": outcome.settings,
            "repeats": outcome.repeats,
            "failed": outcome.failed,
            **{metric: vars(self.stat(outcome, metric)) for metric in self.axis.metrics},
            "reasons": list(outcome.reasons),
            "note": note_of(outcome),
        }

    def files(self) -> dict[str, str]:
        """Return the tidy CSV, the Markdown tables and the JSON document by file name."""
        heading = ["dataset", "method", self.axis.parameter, "metric", "mean", "std", "n"]
        tables = [
            f"### {title}\n\n{markdown_table(head, body)}" for title, head, body in self.grids()
        ]
        notes = "".join(f"- {line}\n" for line in self.notes())
        return {
            "sweep.csv": csv_text(heading, self.rows()),
            "sweep.md": "\n".join([*tables, notes] if notes else tables),
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
    runs = run_study(sweep_study(axis, values, study, variance), options, out, FILES)
    finished = Sweep(axis, runs, tuple(values))
    write_study(Path(out), finished.files(), runs, {"values": values})
    return finished


def sweep_study(
    axis: SweepRange, values: Sequence[str], study: Study, variance: int | None = None
) -> Study:
    """Return the study with its cells varied along the sweep; `variance` replaces its rows."""
    rows: list[str | int] = ["all"] if variance is None else [variance]
    return replace(study, variances=rows, vary=varying(axis, values, variance))


def varying(axis: SweepRange, values: Sequence[str], variance: int | None = None) -> Vary:
    """Return a function that replaces a cell of the table by the cells along the sweep.

    If `variance` is None, the row is that of the paper's figure.
    """
    if not values:
        raise UsageError(
            f"{axis.name} has no value to try: give a list such as {','.join(axis.values)}."
        )
    for value in values:
        if not (value.isdecimal() and int(value) > 0) and not (axis is INDUCING and value == "N"):
            rows = ", or N for all rows" if axis is INDUCING else ""
            raise UsageError(f"{axis.name} cannot try {value!r}: give whole numbers from 1{rows}.")
    along = _inducing if axis is INDUCING else _clusters

    def vary(cell: Cell) -> list[Cell]:
        if cell.variance != (_row(cell.dataset) if variance is None else variance):
            return []
        return [cell] if cell.data is None else along(cell, values)

    return vary


def _row(dataset: str) -> int:
    """Return 95 %, or the only row of a data set in the paper (Yale)."""
    rows = entry(dataset).variances if dataset in names() else (USUAL_VARIANCE,)
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
    """Return the cell with multiples of its number of classes, always fewer than rows."""
    assert cell.data is not None
    most = len(cell.data.Y) - 1
    counts = sorted({min(int(value) * cell.data.n_classes, most) for value in values})
    return [replace(cell, n_clusters=count, settings=_with_floor(cell, count)) for count in counts]


def _with_floor(cell: Cell, count: int) -> dict[str, Any]:
    """Return the settings with the covariance floor scaled for `count` clusters.

    Each of M clusters has a volume proportional to 1/M, and the floor is a squared width, so it
    scales as M^(-2/Q). With a fixed floor, neighbouring clusters would merge.
    """
    floor = cell.settings.get("covariance_floor")
    if floor is None or cell.q is None:
        return cell.settings
    assert cell.data is not None
    scaled = floor * (cell.data.n_classes / count) ** (2.0 / cell.q)
    return {**cell.settings, "covariance_floor": max(scaled, MIN_COVARIANCE_FLOOR)}
