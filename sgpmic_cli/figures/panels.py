"""The fits behind the panels: repeats come from the run store, and of one of them the points are kept beside it.

A run's record holds scores, not coordinates. So one repeat of a cell, the one whose ACC is nearest to the mean of all,
is fitted once more with its own seed, and its latent points stay in the store under the run's key: new code or other
data make a new key.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from sgpmic_cli._typing import Array
from sgpmic_cli.data import Dataset
from sgpmic_cli.errors import SgpmicError
from sgpmic_cli.experiments.plan.cells import Cell, Run
from sgpmic_cli.experiments.plan.study import Study
from sgpmic_cli.experiments.run.aggregate import Outcome
from sgpmic_cli.experiments.run.pipeline import FinishedStudy, run_study
from sgpmic_cli.figures.plot_options import PlotOptions
from sgpmic_cli.files.array_cache import Arrays, kept
from sgpmic_cli.single_fit.fitting import fit


@dataclass(frozen=True)
class Panel:
    """One run of a cell with its coordinates, and what all repeats gave."""

    cell: Cell
    data: Dataset
    classes: NDArray[np.int64]  # (N,)
    outcome: Outcome
    X: Array  # (N, Q)
    clusters: NDArray[
        np.int64
    ]  # (N,), numbered so that a cluster carries the number of the class it overlaps most
    acc: float  # of this run


def in_two_dimensions(cell: Cell) -> list[Cell]:
    """The cell with two latent dimensions in place of the table's number, as the paper's figures have it."""
    return [replace(cell, q=2)]


def fit_panels(study: Study, options: PlotOptions) -> list[Panel]:
    """Run or look up all repeats of a study, and fit the most typical one of each cell again for its points."""
    finished = run_study(study, options.run_options())
    store = finished.prepared.store
    panels = []
    for outcome in finished.outcomes:
        cell, run = outcome.cell, typical(finished, outcome)
        points = kept(store.folder / "panels" / f"{run.key}.npz", _fitted(run, store.memory))
        acc = finished.records[run.key].scores["acc"]
        data, classes = _with_classes(cell)
        clusters = _numbered(points["labels"], classes)
        panels.append(Panel(cell, data, classes, outcome, points["X"], clusters, acc))
    return panels


def traces(study: Study, options: PlotOptions) -> list[tuple[Cell, Arrays]]:
    """Cells of SGP-MIC, each with bound and ACC after every update of its most typical repeat: arrays (updates,)."""
    finished = run_study(study, options.run_options())
    store = finished.prepared.store
    shown = [typical(finished, outcome) for outcome in finished.outcomes]
    paths = [store.folder / "panels" / f"{run.key}-trace.npz" for run in shown]
    return [
        (run.cell, kept(path, _traced(run, store.memory)))
        for path, run in zip(paths, shown, strict=True)
    ]


def typical(finished: FinishedStudy, outcome: Outcome) -> Run:
    """The run behind a cell whose ACC is nearest to the mean of all; the first of equals."""
    mean = outcome.stats["acc"].mean
    behind = [
        run for run in finished.prepared.runs_of(outcome.cell) if run.settings == outcome.settings
    ]
    good = [run for run in behind if finished.records[run.key].ok]
    if not good or mean is None:
        reason = "; ".join(outcome.reasons)
        raise SgpmicError(
            f"no run of {outcome.cell.method.name} on {outcome.cell.dataset} succeeded: {reason}"
        )
    return min(good, key=lambda run: abs(finished.records[run.key].scores["acc"] - mean))


def _with_classes(cell: Cell) -> tuple[Dataset, NDArray[np.int64]]:
    """Every data set of the paper's figures is at hand and has classes."""
    assert cell.data is not None
    assert cell.data.labels is not None
    return cell.data, cell.data.labels


def _fitted(run: Run, memory: Path) -> Callable[[], Arrays]:
    def compute() -> Arrays:
        arguments = run.arguments() | (
            {"memory": memory} if "memory" in run.cell.method.accepts() else {}
        )
        with threadpool_limits(limits=1):
            estimator = run.cell.method.load()(**arguments).fit(_with_classes(run.cell)[0].Y)
        return {"X": estimator.embedding_, "labels": estimator.labels_}

    return compute


def _traced(run: Run, memory: Path) -> Callable[[], Arrays]:
    def compute() -> Arrays:
        settings = {name: value for name, value in run.settings.items() if name != "n_inducing"}
        with threadpool_limits(limits=1):
            fitted = fit(
                _with_classes(run.cell)[0],
                setting="paper",
                clusters=run.cell.n_clusters,
                dims=run.q,
                inducing=run.settings["n_inducing"],
                seed=run.seed,
                memory=memory,
                **settings,
            )
        trace = fitted.trace()
        return {
            "bound": np.array([each.bound for each in trace]),
            "acc": np.array([each.acc for each in trace]),
        }

    return compute


def _numbered(clusters: NDArray[np.int64], classes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Clusters renumbered by the best one-to-one match with the classes, so that panels share their colours."""
    from scipy.optimize import linear_sum_assignment
    from sklearn.metrics.cluster import contingency_matrix

    found, dense = np.unique(clusters, return_inverse=True)
    overlap = contingency_matrix(classes, dense)  # (classes, clusters)
    matched_class, matched = linear_sum_assignment(-overlap)
    number = np.full(len(found), -1)
    number[matched] = matched_class
    free = iter(i for i in range(len(found) + overlap.shape[0]) if i not in set(number))
    return np.array([n if n >= 0 else next(free) for n in number])[dense]
