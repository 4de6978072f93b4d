"""Sweeps: the same methods along a range of inducing points or of clusters (the paper's figures 8 and 7)."""

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
from sgpmic_cli.experiments.run.pipeline import FinishedStudy, run_study, write_study
from sgpmic_cli.experiments.run.run_options import RunOptions
from sgpmic_cli.experiments.studies.sweep_ranges import INDUCING, SweepRange
from sgpmic_cli.experiments.tables.formats import TITLES, as_json, csv_text, markdown_table, plain
from sgpmic_cli.experiments.tables.summary import fitted_to_print, remarks

USUAL_VARIANCE = 95
FILES = ("sweep.csv", "sweep.md", "sweep.json")


@dataclass(frozen=True)
class Sweep:
    """A finished sweep."""

    axis: SweepRange
    runs: FinishedStudy
    values: tuple[str, ...] = ()  # as they were asked for

    @property
    def points(self) -> list[Outcome]:
        """The outcomes along the sweep; data sets that could not be had are left out."""
        return [outcome for outcome in self.runs.outcomes if outcome.available]

    @property
    def unavailable(self) -> dict[str, str]:
        """Data sets that could not be had, with the reason."""
        missing = (outcome for outcome in self.runs.outcomes if not outcome.available)
        return {outcome.cell.dataset: outcome.reasons[0] for outcome in missing}

    def stat(self, outcome: Outcome, metric: str) -> Stat:
        """One metric of one point: a score under the protocol's name for it, or the run time."""
        if metric == "seconds":
            return outcome.duration
        return outcome.stats[outcome.cell.scores[metric]]

    def rows(self) -> Iterator[list[Any]]:
        """The tidy table: data set, method, value, metric, mean, standard deviation, successful runs."""
        for outcome in self.points:
            cell = outcome.cell
            for metric in self.axis.metrics:
                stat = self.stat(outcome, metric)
                numbers = [
                    "" if number is None else f"{number:.4f}" for number in (stat.mean, stat.std)
                ]
                value = cell.parameter(self.axis.parameter)
                yield [
                    cell.dataset,
                    cell.method.name,
                    value,
                    metric,
                    *numbers,
                    outcome.repeats - outcome.failed,
                ]

    def grids(self) -> Iterator[tuple[str, list[str], list[list[str]]]]:
        """Tables for people as (title, heading, rows): values down, methods across; for one method, metrics across."""
        by_place: dict[tuple[str, str], dict[int, Outcome]] = {}
        for outcome in self.points:
            along = by_place.setdefault((outcome.cell.dataset, outcome.cell.method.name), {})
            along[outcome.cell.parameter(self.axis.parameter)] = outcome
        for dataset in dict.fromkeys(dataset for dataset, _ in by_place):
            curves = {
                method: along for (place, method), along in by_place.items() if place == dataset
            }
            values = sorted({value for along in curves.values() for value in along})
            first = next(iter(next(iter(curves.values())).values())).cell
            where = f"{dataset}, {first.variance} % of the variance (Q = {first.q})"
            if len(curves) == 1:
                ((method, along),) = curves.items()
                head = [self.axis.parameter, *(TITLES[metric] for metric in self.axis.metrics)]
                body = [
                    [str(v), *(plain(self.stat(along[v], metric)) for metric in self.axis.metrics)]
                    for v in values
                ]
                yield f"{method} on {where}", head, body
                continue
            for metric in self.axis.metrics:
                body = [
                    [
                        str(v),
                        *(
                            plain(self.stat(along[v], metric)) if v in along else ""
                            for along in curves.values()
                        ),
                    ]
                    for v in values
                ]
                yield f"{TITLES[metric]} on {where}", [self.axis.parameter, *curves], body

    def notes(self) -> list[str]:
        """What must stand under the tables: what the labels chose, what failed and why, which data were missing."""
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
        """Values that a data set has too few rows for, and what was run in their place."""
        lines = []
        for dataset in dict.fromkeys(outcome.cell.dataset for outcome in self.points):
            ran = [outcome.cell for outcome in self.points if outcome.cell.dataset == dataset]
            most = max(cell.parameter(self.axis.parameter) for cell in ran)
            factor = (
                ran[0].data.n_classes
                if self.axis is not INDUCING and ran[0].data is not None
                else 1
            )
            over = [
                value for value in self.values if value.isdecimal() and int(value) * factor > most
            ]
            if over:
                lines.append(
                    f"{dataset} has too few rows for {', '.join(over)}: {most} was run in their place"
                )
        return lines

    def document(self) -> dict[str, Any]:
        """The one JSON document of the command."""
        study = self.runs.prepared.study
        return {
            "sweep": self.axis.name,
            "protocol": study.protocol,
            "repeats": study.repeats,
            "seed": study.seed,
            "points": [
                {
                    "dataset": outcome.cell.dataset,
                    "variance": outcome.cell.variance,
                    "q": outcome.cell.q,
                    "method": outcome.cell.method.name,
                    self.axis.parameter: outcome.cell.parameter(self.axis.parameter),
                    "settings": outcome.settings,
                    "repeats": outcome.repeats,
                    "failed": outcome.failed,
                    **{metric: vars(self.stat(outcome, metric)) for metric in self.axis.metrics},
                    "reasons": list(outcome.reasons),
                    "note": note_of(outcome),
                }
                for outcome in self.points
            ],
            "unavailable": self.unavailable,
        }

    def files(self) -> dict[str, str]:
        """The tidy CSV, the tables for people and the document, by the names of their files."""
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


def varying(axis: SweepRange, values: Sequence[str], variance: int | None = None) -> Vary:
    """Turn a cell of the table into the cells along the sweep; `variance` None takes the row of the paper's figure."""
    along = _inducing if axis is INDUCING else _clusters
    if not values:
        raise UsageError(
            f"{axis.name} has no value to try: give a list such as {','.join(axis.values)}."
        )
    for value in values:
        if not (value.isdecimal() and int(value) > 0) and not (axis is INDUCING and value == "N"):
            allowed = (
                "whole numbers from 1, or N for all rows"
                if axis is INDUCING
                else "whole numbers from 1"
            )
            raise UsageError(f"{axis.name} cannot try {value!r}: give {allowed}.")

    def vary(cell: Cell) -> list[Cell]:
        if cell.variance != (_row(cell.dataset) if variance is None else variance):
            return []
        return [cell] if cell.data is None else along(cell, values)

    return vary


def _row(dataset: str) -> int:
    """95 %, or the only row that the paper has of a data set (Yale)."""
    rows = entry(dataset).variances if dataset in names() else (USUAL_VARIANCE,)
    return USUAL_VARIANCE if USUAL_VARIANCE in rows else rows[0]


def _inducing(cell: Cell, values: Sequence[str]) -> list[Cell]:
    """The cell with other numbers of inducing points, at most one for each row."""
    if "n_inducing" not in cell.method.accepts():
        raise UsageError(
            f"method {cell.method.name!r} has no inducing points to vary: it takes no n_inducing."
        )
    assert cell.data is not None
    rows = len(cell.data.Y)
    counts = sorted({rows if value == "N" else min(int(value), rows) for value in values})
    return [replace(cell, settings={**cell.settings, "n_inducing": count}) for count in counts]


def _clusters(cell: Cell, values: Sequence[str]) -> list[Cell]:
    """The cell with multiples of its number of classes, always fewer clusters than rows."""
    assert cell.data is not None
    most = len(cell.data.Y) - 1
    counts = sorted({min(int(value) * cell.data.n_classes, most) for value in values})
    return [replace(cell, n_clusters=count, settings=_narrowed(cell, count)) for count in counts]


def _narrowed(cell: Cell, count: int) -> dict[str, Any]:
    """The settings with a covariance floor that goes with the number of clusters, where there is a floor.

    M clusters in one space have a volume of 1/M each, and the floor is the square of a width: it shrinks like M^(-2/Q)
    from the floor of the table, which holds at as many clusters as classes. At a fixed floor neighbouring clusters are
    one: Australian at 160 clusters has an ACC of 65 with it and of 69 without.
    """
    floor = cell.settings.get("covariance_floor")
    if floor is None or cell.q is None:
        return cell.settings
    assert cell.data is not None
    return {
        **cell.settings,
        "covariance_floor": max(floor * (cell.data.n_classes / count) ** (2.0 / cell.q), 1e-7),
    }


def sweep_study(
    axis: SweepRange, values: Sequence[str], study: Study, variance: int | None = None
) -> Study:
    """The study with its cells varied along the sweep; the rows are those of `varying`, whatever the study says."""
    rows: list[str | int] = ["all"] if variance is None else [variance]
    return replace(study, variances=rows, vary=varying(axis, values, variance))


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
