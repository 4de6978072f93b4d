"""Figure 6: loss and ACC after every update on six data sets."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from sgpmic_cli.figure_style import COLOURS, LETTERS, PAGE, canvas
from sgpmic_cli.paper.figures.panels import Arrays, PlotOptions, traces

DATASETS = {
    "iris": "Iris",
    "wine": "Wine",
    "sonar": "Sonar",
    "wdbc": "WDBC",
    "australian": "Australian",
    "segment": "Segment",
}
SHAPE = (2, 3)
LOSS, ACC = COLOURS[0], COLOURS[3]
CONVERGED = 1e-3  # relative fall of the loss in one iteration
ROUNDING = 1e-8  # relative difference below which two bounds count as equal


def figure6(stem: Path, options: PlotOptions) -> list[str]:
    """Draw a panel for each data set: the loss on the left axis, ACC on the right."""
    shown = traces(options.study(DATASETS, ["sgp-mic"]), options)
    # All ACC axes have the same length, so that the panels can be compared.
    span = max(float(np.ptp(trace["acc"])) for _, trace in shown) + 4.0
    open_marker: Any = {"mfc": "white", "ms": 2.8}
    with canvas(stem, width=PAGE, height=4.6) as figure:
        grid = figure.subplots(*SHAPE, squeeze=False)
        for i, (axes, (cell, trace)) in enumerate(zip(grid.flat, shown, strict=True)):
            n = np.arange(1, len(trace["bound"]) + 1)
            values = -trace["bound"] / 1000
            right = axes.twinx()
            right.spines["right"].set_visible(True)
            handles = [
                *axes.plot(n, values, "-", color=LOSS, label="loss (left axis)"),
                *axes.plot(
                    n[::2], values[::2], "o", c=LOSS, label="after an E-step", **open_marker
                ),
                *axes.plot(n[1::2], values[1::2], "o", c=LOSS, label="after an M-step", ms=2.8),
                *right.plot(n, trace["acc"], "--", color=ACC, label="ACC (right axis)"),
            ]
            middle = 0.5 * (trace["acc"].min() + trace["acc"].max())
            right.set_ylim(middle - span / 2.0, middle + span / 2.0)
            axes.tick_params(axis="y", colors=LOSS)
            right.tick_params(axis="y", colors=ACC)
            axes.locator_params(nbins=5)
            axes.set_title(f"({LETTERS[i]}) {DATASETS[cell.dataset]}, Q = {cell.q}")
            axes.set_ylabel("loss (thousand nats)", color=LOSS)
            right.set_ylabel("ACC (%)", color=ACC)
            axes.set_xlabel("update (E- and M-steps)")
        title = against_the_text([trace for _, trace in shown])
        place: Any = {"loc": "outside lower center", "ncols": 4}
        figure.legend(handles=handles, title=title, title_fontsize=7, **place)
    return []


def against_the_text(shown: Sequence[Arrays]) -> str:
    """List the panels where ACC falls, where the loss rises, and where the fit has not converged.

    The paper's text excludes falls of ACC, and allows rises of the loss after an E-step.
    """
    acc, loss, unfinished = (
        ", ".join(f"({LETTERS[i]})" for i, trace in enumerate(shown) if holds(trace)) or "no panel"
        for holds in (_acc_falls, _loss_rises, _still_falls)
    )
    return (
        f"ACC falls at some update in {acc}; the loss rises at some update in {loss}.\n"
        f"Not converged, the loss falls by more than {100 * CONVERGED:g} % in the last iteration: "
        f"{unfinished}."
    )


def _acc_falls(trace: Arrays) -> bool:
    return bool(np.any(np.diff(trace["acc"]) < 0.0))


def _loss_rises(trace: Arrays) -> bool:
    return bool(np.any(np.diff(trace["bound"]) < -ROUNDING * np.abs(trace["bound"][1:])))


def _still_falls(trace: Arrays) -> bool:
    before, after = trace["bound"][[-3, -1]]
    return bool(after - before > CONVERGED * abs(after))
