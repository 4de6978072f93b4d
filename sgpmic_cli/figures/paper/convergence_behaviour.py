"""Figure 6: loss and ACC after every update, on six data sets, and where they do what the paper's text excludes."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from sgpmic_cli.figures.panels import traces
from sgpmic_cli.figures.plot_options import PlotOptions
from sgpmic_cli.figures.scatter import LETTERS
from sgpmic_cli.figures.style import COLOURS, PAGE, canvas
from sgpmic_cli.files.array_cache import Arrays

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
ROUNDING = 1e-9  # share of the bound by which two values may differ and still count as equal


def figure6(stem: Path, options: PlotOptions) -> list[str]:
    """Both curves in one panel: the loss on the left axis, ACC on the right."""
    found = traces(options.study(DATASETS, ["sgp-mic"]), options)
    span = (
        max(float(np.ptp(trace["acc"])) for _, trace in found) + 4.0
    )  # points; the same for all, to be comparable
    with canvas(stem, width=PAGE, height=4.2) as figure:
        rows, columns = SHAPE
        grid = figure.subplots(rows, columns)
        for i, (axes, (cell, trace)) in enumerate(zip(grid.flat, found, strict=True)):
            updates = np.arange(1, len(trace["bound"]) + 1)
            right = axes.twinx()
            right.spines["right"].set_visible(True)
            values = -trace["bound"] / 1000
            loss = axes.plot(updates, values, "-", color=LOSS, label="loss (left axis)")
            e_step = axes.plot(
                updates[::2],
                values[::2],
                "o",
                color=LOSS,
                mfc="white",
                ms=2.8,
                label="after an E-step",
            )
            m_step = axes.plot(
                updates[1::2], values[1::2], "o", color=LOSS, ms=2.8, label="after an M-step"
            )
            acc = right.plot(updates, trace["acc"], "--", color=ACC, label="ACC (right axis)")
            middle = 0.5 * (trace["acc"].min() + trace["acc"].max())
            right.set_ylim(middle - span / 2.0, middle + span / 2.0)
            axes.tick_params(axis="y", colors=LOSS)
            right.tick_params(axis="y", colors=ACC)
            axes.locator_params(nbins=5)
            axes.set_title(f"({LETTERS[i]}) {DATASETS[cell.dataset]}, Q = {cell.q}")
            if i % columns == 0:
                axes.set_ylabel("loss (thousand nats)", color=LOSS)
            if i % columns == columns - 1:
                right.set_ylabel("ACC (%)", color=ACC)
            if i >= len(found) - columns:
                axes.set_xlabel("update (E- and M-steps)")
        figure.legend(
            handles=[*loss, *e_step, *m_step, *acc],
            loc="outside lower center",
            ncols=4,
            title=against_the_text([trace for _, trace in found]),
            title_fontsize=7,
        )
    return []


def against_the_text(shown: Sequence[Arrays]) -> str:
    """In which panels ACC falls and the loss rises at some update, which the text has never and rarely."""
    falls = [bool(np.any(np.diff(trace["acc"]) < 0.0)) for trace in shown]
    rises = [
        bool(np.any(np.diff(trace["bound"]) < -ROUNDING * np.abs(trace["bound"][1:])))
        for trace in shown
    ]
    return f"ACC falls at some update in {_panels(falls)}; the loss rises at some update in {_panels(rises)}."


def _panels(chosen: Sequence[bool]) -> str:
    """The letters of the panels chosen, as the titles have them."""
    return (
        ", ".join(f"({letter})" for letter, there in zip(LETTERS, chosen, strict=False) if there)
        or "no panel"
    )
