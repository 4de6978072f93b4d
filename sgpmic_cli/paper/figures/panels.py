"""The fits behind the panels of a figure.

The record of a run has scores but no coordinates. So the repeat of a cell whose ACC is nearest to
the mean is fitted again with its own seed. Its latent points are stored beside the records, under
the key of the run.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from sgpmic_cli._typing import Array
from sgpmic_cli.benchmark.fit import arguments_of, make_estimator
from sgpmic_cli.benchmark.plan import Cell, Run, Study, Vary, unvaried
from sgpmic_cli.benchmark.run import RunOptions, run_study
from sgpmic_cli.data import Rows
from sgpmic_cli.errors import SgpmicError
from sgpmic_cli.figure_style import matched_looks
from sgpmic_cli.files import replacing
from sgpmic_cli.paper.experiments.protocols import paper_suite
from sgpmic_cli.paper.model.estimator import SGPMIC
from sgpmic_cli.scores import purity

Arrays = dict[str, NDArray]


@dataclass(frozen=True)
class PlotOptions:
    """Options of the paper's figures; each figure uses those that it needs."""

    results: Path = Path("results")  # tables and sweeps, each in its own folder
    seed: int = 0
    repeats: int = 10
    running: RunOptions = field(default_factory=RunOptions)  # its store is not None

    def study(
        self, datasets: Iterable[str], methods: Iterable[str], vary: Vary = unvaried
    ) -> Study:
        """Return a study of cells of the paper's table at 95 % of the variance."""
        how: Any = {"repeats": self.repeats, "seed": self.seed}
        return paper_suite().study(list(datasets), methods, [95], vary=vary, **how)


@dataclass(frozen=True)
class Panel:
    """One run of a cell with its latent points, and the scores of all repeats."""

    cell: Cell
    data: Rows
    classes: NDArray[np.int64]  # (N,)
    runs: pd.DataFrame  # the repeats that succeeded
    X: Array  # (N, Q)
    clusters: NDArray[np.int64]  # (N,), numbered by the class that a cluster overlaps most

    def score(self, name: str) -> Array:
        """Return a score of all repeats."""
        return self.runs[self.cell.scores.get(name, name)].to_numpy(float)


def in_two_dimensions(cell: Cell) -> list[Cell]:
    """Return the cell with two latent dimensions, as in the paper's figures."""
    return [replace(cell, q=2)]


def fit_panels(study: Study, options: PlotOptions) -> list[Panel]:
    """Run or look up all repeats of a study, and fit the typical run of each cell again."""
    panels = []
    for run, runs, points in _typical_fits(study, options, _fitted, ""):
        data, classes = _data(run.cell)
        clusters = _numbered(points["labels"], classes)
        panels.append(Panel(run.cell, data, classes, runs, points["X"], clusters))
    return panels


def traces(study: Study, options: PlotOptions) -> list[tuple[Cell, Arrays]]:
    """Return for each cell the bound and the ACC of its typical run after each update."""
    return [(run.cell, trace) for run, _, trace in _typical_fits(study, options, _traced, "-trace")]


def _typical_fits(
    study: Study, options: PlotOptions, fit: Callable[[Run, Path], Arrays], suffix: str
) -> Iterator[tuple[Run, pd.DataFrame, Arrays]]:
    """Yield the typical run of each cell, all that succeeded, and the arrays of its fit.

    The arrays are stored.
    """
    finished = run_study(study, options.running)
    store = finished.prepared.store
    groups = finished.runs.groupby("cell")
    for number, cell in enumerate(finished.prepared.cells):
        runs = groups.get_group(number)
        good = runs[runs["status"] == "ok"]
        if good.empty:
            reasons = "; ".join(runs["reason"].unique())
            place = f"{cell.method.name} on {cell.dataset}"
            raise SgpmicError(f"no run of {place} succeeded: {reasons}")
        repeat = int(good["repeat"].iloc[typical(good[cell.scores["acc"]])])
        run = finished.prepared.runs_of(cell)[repeat]
        path = store.folder / "panels" / f"{run.key}{suffix}.npz"
        yield run, good, _kept(path, partial(fit, run, store.memory))


def _kept(path: Path, compute: Callable[[], Arrays]) -> Arrays:
    """Return the arrays in a file. If it is absent, compute and write them."""
    if not path.exists():
        arrays = compute()
        with replacing(path) as file:
            np.savez(file, allow_pickle=False, **arrays)
    with np.load(path) as members:
        return dict(members)


def typical(acc: pd.Series) -> int:
    """Return the place of the first ACC that is nearest to the mean."""
    return int((acc - acc.mean()).abs().to_numpy().argmin())


def _data(cell: Cell) -> tuple[Rows, NDArray[np.int64]]:
    """Return data and classes, which every data set of the paper's figures has."""
    assert cell.data is not None
    assert cell.data.labels is not None
    return cell.data, cell.data.labels


def _fitted(run: Run, memory: Path) -> Arrays:
    """Fit the estimator of a run, and return its latent points and labels."""
    with threadpool_limits(limits=1):
        estimator = make_estimator(arguments_of(run, memory)).fit(_data(run.cell)[0].Y)
    return {"X": estimator.embedding_, "labels": estimator.labels_}


class _WithoutTruncation(SGPMIC):
    """The paper's model with all responsibilities in every iteration, however small."""

    _negligible = np.finfo(float).tiny
    _active = 0.0


def _traced(run: Run, memory: Path) -> Arrays:
    """Fit SGP-MIC as in a run, without truncation; return bound and ACC after each update."""
    data, classes = _data(run.cell)
    acc: list[float] = []
    model = _WithoutTruncation(
        run.cell.n_clusters,
        run.q or 1,
        memory=memory,
        random_state=run.seed,
        callback=lambda _iteration, _bound, labels: acc.extend([purity(classes, labels)] * 2),
        **run.cell.settings,
    )
    with threadpool_limits(limits=1):
        model.fit(data.Y)
    return {
        "bound": np.array(model.lower_bounds_),
        "acc": np.array([*acc, purity(classes, model.labels_)]),
    }


def _numbered(clusters: NDArray[np.int64], classes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Renumber clusters by the best one-to-one match with classes, so panels share colours."""
    names, dense = np.unique(clusters, return_inverse=True)
    numbers = matched_looks(dense, classes, len(names), int(classes.max()) + 1)
    return np.array(numbers)[dense]
