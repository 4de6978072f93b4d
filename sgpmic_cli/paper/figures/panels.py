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
class TypicalRun:
    """The run of a cell with the ACC nearest to the mean, and all that succeeded."""

    cell: Cell
    seed: int
    runs: pd.DataFrame
    data: Rows
    classes: Indices  # (N,)

    def score(self, name: str) -> Array:
        """Return a score of all repeats."""
        return self.runs[self.cell.scores.get(name, name)].to_numpy(float)


@dataclass(frozen=True)
class Panel:
    """A typical run, fitted again."""

    run: TypicalRun
    X: Array  # (N, Q)
    clusters: Indices  # (N,), numbered by the class that a cluster overlaps most


def fit_panels(study: Study, options: PlotOptions) -> list[Panel]:
    """Run or look up all repeats of a study, and fit the typical run of each cell again."""
    panels = []
    for run in typical_runs(study, options):
        with threadpool_limits(limits=1):
            model = make_estimator(run.cell, run.seed).fit(run.data.Y)
        names, clusters = np.unique(model.labels_, return_inverse=True)
        # Clusters have the numbers of the classes that they match best, so panels share colours.
        looks = matched_looks(clusters, run.classes, len(names), run.data.n_classes)
        panels.append(Panel(run, model.embedding_, np.array(looks)[clusters]))
    return panels


def typical_runs(study: Study, options: PlotOptions) -> Iterator[TypicalRun]:
    """Run or look up all repeats of a study, and yield the typical run of each cell."""
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
        assert cell.data is not None
        assert cell.data.labels is not None
        seed = int(good["seed"].iloc[typical])
        yield TypicalRun(cell, seed, good, cell.data, cell.data.labels)
