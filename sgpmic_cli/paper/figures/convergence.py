"""Figure 6: loss and ACC after every update on six data sets."""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from sgpmic_cli._typing import Array, Indices
from sgpmic_cli.benchmark.fit import make_estimator
from sgpmic_cli.benchmark.render.page import dataset_title
from sgpmic_cli.paper.figures.panels import PlotOptions, TypicalRun, typical_runs
from sgpmic_cli.scores import purity
from sgpmic_cli.style import COLOURS, LETTERS, PAGE, canvas

DATASETS = ("iris", "wine", "sonar", "wdbc", "australian", "segment")
LOSS, ACC = COLOURS[0], COLOURS[3]


class Trace(NamedTuple):
    """The bound and the ACC of one run after each update."""

    title: str
    bound: Array
    acc: Array


def figure6(stem: Path, options: PlotOptions) -> None:
    """Draw a panel for each data set: the loss on the left axis, ACC on the right."""
    study = options.study(DATASETS, ["sgp-mic"])
    shown = [traced(run) for run in typical_runs(study, options)]
    # All ACC axes have the same length, so that the panels can be compared.
    span = max(float(np.ptp(trace.acc)) for trace in shown) + 4.0
    white: Any = {"mfc": "white"}
    with canvas(stem, width=PAGE, height=4.6) as figure:
        grid = figure.subplots(-(-len(shown) // 3), 3, squeeze=False)
        for i, (axes, trace) in enumerate(zip(grid.flat, shown, strict=False)):
            n, values = np.arange(1, len(trace.bound) + 1), -trace.bound / 1000
            right = axes.twinx()
            right.spines["right"].set_visible(True)
            dots: Any = {"c": LOSS, "ms": 2.8}
            handles = [
                *axes.plot(n, values, "-", color=LOSS, label="loss (left axis)"),
                *axes.plot(n[::2], values[::2], "o", label="after an E-step", **dots, **white),
                *axes.plot(n[1::2], values[1::2], "o", label="after an M-step", **dots),
                *right.plot(n, trace.acc, "--", color=ACC, label="ACC (right axis)"),
            ]
            middle = 0.5 * (trace.acc.min() + trace.acc.max())
            right.set_ylim(middle - span / 2.0, middle + span / 2.0)
            axes.tick_params(axis="y", colors=LOSS)
            right.tick_params(axis="y", colors=ACC)
            axes.locator_params(nbins=5)
            axes.set_title(f"({LETTERS[i]}) {trace.title}")
            axes.set_ylabel("loss (thousand nats)", color=LOSS)
            right.set_ylabel("ACC (%)", color=ACC)
            axes.set_xlabel("update (E- and M-steps)")
        figure.legend(handles=handles, loc="outside lower center", ncols=4)


def traced(run: TypicalRun) -> Trace:
    """Fit a run of SGP-MIC again with all responsibilities in every iteration, however small."""
    cell, acc = run.cell, list[float]()

    def follow(_iteration: int, _bound: float, labels: Indices) -> None:
        acc.extend([purity(run.classes, labels)] * 2)  # labels do not move in an M-step

    model = make_estimator(cell, run.seed).set_params(callback=follow)
    model._negligible, model._active = np.finfo(float).tiny, 0.0
    with threadpool_limits(limits=1):
        model.fit(run.data.Y)
    acc.append(purity(run.classes, model.labels_))
    title = f"{dataset_title(cell.dataset)}, Q = {cell.q}"
    return Trace(title, np.array(model.lower_bounds_), np.array(acc))
