"""Figure 6: loss and ACC after every update on six data sets."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from sgpmic_cli.paper.figures.panels import PlotOptions, Trace, traces
from sgpmic_cli.style import COLOURS, LETTERS, PAGE, canvas

DATASETS = {
    **{"iris": "Iris", "wine": "Wine", "sonar": "Sonar", "wdbc": "WDBC"},
    **{"australian": "Australian", "segment": "Segment"},
}
LOSS, ACC = COLOURS[0], COLOURS[3]
CONVERGED = 1e-3  # relative fall of the loss in one iteration
ROUNDING = 1e-8  # relative difference below which two bounds count as equal


def figure6(stem: Path, options: PlotOptions) -> None:
    """Draw a panel for each data set: the loss on the left axis, ACC on the right."""
    shown = traces(options.study(DATASETS, ["sgp-mic"]), options)
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
            axes.set_title(f"({LETTERS[i]}) {DATASETS[trace.cell.dataset]}, Q = {trace.cell.q}")
            axes.set_ylabel("loss (thousand nats)", color=LOSS)
            right.set_ylabel("ACC (%)", color=ACC)
            axes.set_xlabel("update (E- and M-steps)")
        place: Any = {"loc": "outside lower center", "ncols": 4, "title_fontsize": 7}
        figure.legend(handles=handles, title=against_the_text(shown), **place)


def against_the_text(shown: Sequence[Trace]) -> str:
    """List the panels where ACC falls, where the loss rises, and where the fit has not converged.

    The paper's text excludes falls of ACC, and allows rises of the loss after an E-step.
    """
    falls = [bool(np.any(np.diff(trace.acc) < 0.0)) for trace in shown]
    rises, unfinished = [], []
    for trace in shown:
        bound = trace.bound
        rises.append(bool(np.any(np.diff(bound) < -ROUNDING * np.abs(bound[1:]))))
        unfinished.append(bool(bound[-1] - bound[-3] > CONVERGED * abs(bound[-1])))

    def panels(marks: Sequence[bool]) -> str:
        marked = [f"({LETTERS[i]})" for i, mark in enumerate(marks) if mark]
        return ", ".join(marked) or "no panel"

    return (
        f"ACC falls at some update in {panels(falls)}; the loss rises at some update in "
        f"{panels(rises)}.\nNot converged, the loss falls by more than {100 * CONVERGED:g} % in "
        f"the last iteration: {panels(unfinished)}."
    )
