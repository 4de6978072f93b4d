"""Panels of points: the marker of a point tells its class, its colour the cluster it was put into."""

import string
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sgpmic_cli._typing import Array
from sgpmic_cli.figures.panels import Panel
from sgpmic_cli.figures.style import COLOURS, MARKERS, as_drawn

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LETTERS = string.ascii_lowercase
GREY = "#7a7a7a"


def scatter(axes: "Axes", points: Array, classes: NDArray[np.int64], clusters: NDArray[np.int64]) -> None:
    """Draw points (N, 2). Row order is shuffled, always the same way: no class lies on top of all others."""
    size = float(np.clip(2600 / len(points), 5.0, 15.0))
    order = np.random.RandomState(0).permutation(len(points))
    for part in np.array_split(order, max(1, len(points) // 50)):
        for group in np.unique(classes[part]):
            rows = part[classes[part] == group]
            axes.scatter(
                points[rows, 0],
                points[rows, 1],
                s=size,
                marker=MARKERS[group % len(MARKERS)],
                c=[COLOURS[cluster % len(COLOURS)] for cluster in clusters[rows]],
                edgecolors="white",
                linewidths=0.25,
            )
    axes.margins(0.06)
    axes.locator_params(nbins=4)


def below(axes: "Axes", panel: Panel, printed: float | None) -> None:
    """Label the axes of a panel and write its results below: mean of the repeats; the run shown, the paper's number."""
    stat, n = panel.outcome.stats["acc"], panel.outcome.repeats - panel.outcome.failed
    paper = "" if printed is None else f", paper {printed:.2f}"
    result = f"ACC {stat.mean:.2f} ± {stat.std:.2f} % (mean of {n})\nshown {panel.acc:.2f}{paper}"
    axes.set_xlabel(f"latent dimension 1\n{result}", linespacing=1.35)
    axes.set_ylabel("latent dimension 2", labelpad=1)


def legend(figure: "Figure", class_names: Sequence[str], n_clusters: int) -> None:
    """One legend for all panels, below them: a row of grey markers for classes, one of coloured dots for clusters."""
    from matplotlib.lines import Line2D

    def handle(label: str, colour: str, marker: str) -> Line2D:
        return Line2D([], [], linestyle="", color=colour, marker=marker, markersize=5, label=label)

    rows = max(len(class_names), n_clusters)
    classes = [handle(f"class {as_drawn(name)}", GREY, MARKERS[i % len(MARKERS)]) for i, name in enumerate(class_names)]
    clusters = [handle(f"cluster {i + 1}", COLOURS[i % len(COLOURS)], "o") for i in range(n_clusters)]
    blank = [handle(" ", "none", "")] * rows
    # Matplotlib fills a legend column by column.
    pairs = zip((classes + blank)[:rows], (clusters + blank)[:rows], strict=True)
    figure.legend(handles=[each for pair in pairs for each in pair], loc="outside lower center", ncols=rows)
