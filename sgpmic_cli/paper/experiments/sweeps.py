"""Run sweeps: the same methods along a range of inducing points or clusters (Figures 8 and 7)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd

from sgpmic_cli._typing import PathLike
from sgpmic_cli.benchmark.compare import ROW, caveat_sentences, caveats, compare
from sgpmic_cli.benchmark.plan import USUAL_PERCENTAGE, Cell, Study
from sgpmic_cli.benchmark.run import RunOptions, Runs, run_study, write_study
from sgpmic_cli.benchmark.tables import TITLES, as_json, markdown_table, notes_of, plain, plain_rows
from sgpmic_cli.data.registry import find
from sgpmic_cli.errors import UsageError
from sgpmic_cli.paper.experiments import INDUCING, SweepRange
from sgpmic_cli.paper.experiments.protocols import paper_suite

MIN_COVARIANCE_FLOOR = 1e-7


@dataclass(frozen=True)
class Sweep:
    """A finished sweep: its runs, and a row for each point and metric."""

    axis: SweepRange
    runs: Runs
    points: pd.DataFrame  # a comparison with the column `axis.parameter`; unavailable cells too

    @property
    def available(self) -> pd.DataFrame:
        """Return the points of the available data sets."""
        return self.points[self.points["repeats"] > 0]

    def grids(self) -> Iterator[tuple[str, list[str], list[list[str]]]]:
        """Yield tables as (title, heading, rows) with a row for each value.

        The columns are the methods, or the metrics if there is one method.
        """
        parameter = self.axis.parameter
        texts = list(map(plain, self.available["mean"], self.available["std"]))
        for dataset, points in self.available.assign(text=texts).groupby("dataset", sort=False):
            percentage, q = points[["explained_variance", "q"]].iloc[0]
            alone = points["method"].nunique() == 1
            title, columns = ("method", "metric") if alone else ("metric", "method")
            for name, part in points.groupby(title, sort=False):
                grid = part.pivot(index=parameter, columns=columns, values="text")
                grid = grid[part[columns].unique()].reset_index().astype(str)
                where = f"{dataset}, {percentage} % of the variance (Q = {q})"
                heading = [TITLES.get(each, each) for each in map(str, grid)]
                yield f"{TITLES.get(str(name), name)} on {where}", heading, grid.to_numpy().tolist()

    def notes(self) -> list[str]:
        """Return the notes below the tables: failures, warnings and unavailable data."""
        values = self.available[self.axis.parameter].astype(str)
        rows = self.available.assign(row=f"at {self.axis.parameter} = " + values)
        lines = [f"{', '.join(where)}: {note}" for note, where in notes_of(rows, "row").items()]
        fitted = caveats(self.available)["fitted_to_print"]
        unavailable = self.document()["unavailable"].values()
        return [*lines, *unavailable, *caveat_sentences({"fitted_to_print": fitted})]

    def document(self) -> dict[str, Any]:
        """Return the JSON document of the command."""
        study = self.runs.study
        missing = self.points[self.points["repeats"] == 0].drop_duplicates("dataset")
        columns = [*ROW, "q", "method", self.axis.parameter, "metric", "mean", "std"]
        columns += ["repeats", "failed", "settings", "note"]
        return {
            "sweep": self.axis.name,
            **{name: getattr(study, name) for name in ("protocol", "repeats", "seed")},
            "points": plain_rows(self.available[columns]),
            "unavailable": dict(zip(missing["dataset"], missing["note"], strict=True)),
        }

    def files(self) -> dict[str, str]:
        """Return the tidy CSV, the Markdown tables and the JSON document by file name."""
        columns = ["dataset", "method", self.axis.parameter, "metric", "mean", "std", "n"]
        tidy = self.available.assign(n=self.available["repeats"] - self.available["failed"])
        parts = [
            f"### {title}\n\n{markdown_table(head, body)}" for title, head, body in self.grids()
        ]
        if notes := self.notes():
            parts.append("".join(f"- {line}\n" for line in notes))
        return {
            "sweep.csv": tidy[columns].to_csv(
                index=False, float_format="%.4f", lineterminator="\n"
            ),
            "sweep.md": "\n".join(parts),
            "sweep.json": as_json(self.document()),
        }


def sweep(
    axis: SweepRange,
    study: Study,
    options: RunOptions = RunOptions(),
    *,
    out: PathLike,
    values: Sequence[str],
) -> Sweep:
    """Run or resume a sweep and write its tables and manifest into `out`."""
    runs = run_study(study, options, out, axis.name)
    finished = Sweep(axis, runs, _points(axis, runs))
    write_study(Path(out), finished.files(), runs, {"values": values}, axis.name)
    return finished


def _points(axis: SweepRange, runs: Runs) -> pd.DataFrame:
    """Return the comparison of a sweep with its parameter, and with seconds as a metric."""
    points = compare(runs.frame, runs.study.methods)
    groups = runs.frame[runs.frame["status"] == "ok"].groupby("cell")["seconds"]
    spread = points["cell"].map(groups.std(ddof=0))
    seconds = points.drop_duplicates("cell").assign(metric="seconds")
    seconds = seconds.assign(mean=seconds["seconds"], std=spread)
    points = pd.concat([points, seconds]).sort_values("cell", kind="stable", ignore_index=True)
    values = [cell.parameter(axis.parameter) for cell in runs.cells]
    points[axis.parameter] = pd.array([values[cell] for cell in points["cell"]], dtype="Int64")
    return points[points["metric"].isin(axis.metrics)]


def sweep_study(
    axis: SweepRange,
    values: Sequence[str],
    datasets: Sequence[str],
    methods: Sequence[str],
    explained_variance: int | None = None,
    **fields: Any,
) -> Study:
    """Return a study with its cells varied along the sweep.

    The row of a data set is that of `explained_variance`. If it is None, the row is 95 %, or the
    only one in the paper (Yale). `fields` are repeats, seed, protocol and label.
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
        entry = find(cell.dataset)
        rows = entry.variances if entry else (USUAL_PERCENTAGE,)
        usual = USUAL_PERCENTAGE if USUAL_PERCENTAGE in rows else rows[0]
        if cell.explained_variance != (explained_variance or usual):
            return []
        return [cell] if cell.data is None else along(cell, values)

    chosen: list[str | int] = ["all" if explained_variance is None else explained_variance]
    return paper_suite().study(datasets, methods, chosen, vary=vary, **fields)


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
