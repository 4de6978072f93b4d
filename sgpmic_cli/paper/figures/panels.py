"""The fits behind the panels of a figure.

The record of a run has scores but no coordinates. So the repeat of a cell whose ACC is nearest to
the mean is fitted again with its own seed.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from sgpmic_cli._typing import Array, Indices
from sgpmic_cli.benchmark.fit import make_estimator
from sgpmic_cli.benchmark.plan import Cell, Study, Vary, unvaried
from sgpmic_cli.benchmark.run import RunOptions, run_study
from sgpmic_cli.data import Rows
from sgpmic_cli.errors import SgpmicError
from sgpmic_cli.paper.experiments.protocols import paper_suite
from sgpmic_cli.paper.model.estimator import SGPMIC
from sgpmic_cli.scores import purity
from sgpmic_cli.style import matched_looks


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
    classes: Indices  # (N,)
    runs: pd.DataFrame  # the repeats that succeeded
    X: Array  # (N, Q)
    clusters: Indices  # (N,), numbered by the class that a cluster overlaps most

    def score(self, name: str) -> Array:
        """Return a score of all repeats."""
        return self.runs[self.cell.scores.get(name, name)].to_numpy(float)


@dataclass(frozen=True)
class Trace:
    """The bound and the ACC of one run after each update."""

    cell: Cell
    bound: Array
    acc: Array


def fit_panels(study: Study, options: PlotOptions) -> list[Panel]:
    """Run or look up all repeats of a study, and fit the typical run of each cell again."""
    panels = []
    for cell, seed, runs in _typical_runs(study, options):
        data, classes = _data(cell)
        with threadpool_limits(limits=1):
            model = make_estimator(cell, seed).fit(data.Y)
        names, clusters = np.unique(model.labels_, return_inverse=True)
        # Clusters have the numbers of the classes that they match best, so panels share colours.
        looks = matched_looks(clusters, classes, len(names), data.n_classes)
        X = model.embedding_
        panels.append(Panel(cell, data, classes, runs, X, np.array(looks)[clusters]))
    return panels


class _WithoutTruncation(SGPMIC):
    """The paper's model with all responsibilities in every iteration, however small."""

    _negligible = np.finfo(float).tiny
    _active = 0.0


def traces(study: Study, options: PlotOptions) -> list[Trace]:
    """Fit the typical run of each cell of SGP-MIC again without truncation."""
    return [_traced(cell, seed) for cell, seed, _ in _typical_runs(study, options)]


def _traced(cell: Cell, seed: int) -> Trace:
    data, classes = _data(cell)
    acc: list[float] = []

    def follow(_iteration: int, _bound: float, labels: Indices) -> None:
        acc.extend([purity(classes, labels)] * 2)  # labels do not move in an M-step

    place: Any = cell.n_clusters, cell.q
    settings = {"random_state": seed, "callback": follow, **cell.settings}
    with threadpool_limits(limits=1):
        model = _WithoutTruncation(*place, **settings).fit(data.Y)
    acc.append(purity(classes, model.labels_))
    return Trace(cell, np.array(model.lower_bounds_), np.array(acc))


def _typical_runs(study: Study, options: PlotOptions) -> Iterator[tuple[Cell, int, pd.DataFrame]]:
    """Yield each cell, the seed of its run with the ACC nearest to the mean, and its good runs."""
    finished = run_study(study, options.running)
    for number, cell in enumerate(finished.cells):
        runs = finished.frame[finished.frame["cell"] == number]
        good = runs[runs["status"] == "ok"]
        if good.empty:
            reasons = "; ".join(runs["reason"].unique())
            place = f"{cell.method.name} on {cell.dataset}"
            raise SgpmicError(f"no run of {place} succeeded: {reasons}")
        acc = good[cell.scores["acc"]]
        typical = int((acc - acc.mean()).abs().to_numpy().argmin())
        yield cell, int(good["seed"].iloc[typical]), good


def _data(cell: Cell) -> tuple[Rows, Indices]:
    """Return data and classes, which every data set of the paper's figures has."""
    assert cell.data is not None
    assert cell.data.labels is not None
    return cell.data, cell.data.labels
