"""Panels of points: the marker of a point tells its class, its colour the cluster it was put into."""

import string
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sgpmic_cli._typing import Array
from sgpmic_cli.figures.panels import Panel
from sgpmic_cli.figures.style import COLOURS, INK, MARKERS, as_drawn

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LETTERS = string.ascii_lowercase
GREY = "#7a7a7a"
ARROW = {"arrowstyle": "-", "linewidth": 0.5, "color": INK}


def scatter(
    axes: "Axes",
    points: Array,
    classes: NDArray[np.int64],
    clusters: NDArray[np.int64],
    *,
    larger: float = 1.0,
) -> None:
    """Draw points (N, 2). Row order is shuffled, always the same way: no class lies on top of all others.

    Points let those below them shine through, and a place that holds more than a tenth of them says how many.
    Points that have only one dimension say so.
    """
    size = larger * float(np.clip(2600 / len(points), 5.0, 15.0))
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
                alpha=0.75,
            )
    for place, count in crowded(points):
        axes.annotate(
            f"{count} rows",
            place,
            xytext=(8, 8),
            textcoords="offset points",
            fontsize=6,
            arrowprops=ARROW,
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.8, "alpha": 0.85},
        )
    if on_one_line(points):
        across, up = (points - points.mean(axis=0)).T
        rises = float(across @ up) > 0.0  # then the upper left corner is free
        x, side = (0.02, "left") if rises else (0.98, "right")
        axes.text(
            x, 0.98, "all on one line", transform=axes.transAxes, ha=side, va="top", fontsize=6
        )
    axes.margins(0.06)
    axes.locator_params(nbins=4)


def crowded(points: Array) -> list[tuple[tuple[float, float], int]]:
    """Places, a hundredth of the picture wide, on which more than a tenth of the points fall, with how many do."""
    extent = np.ptp(points, axis=0)
    squares = np.floor((points - points.min(axis=0)) / np.where(extent > 0.0, extent, 1.0) * 100.0)
    found, member, counts = np.unique(squares, axis=0, return_inverse=True, return_counts=True)
    many = np.flatnonzero(counts > max(1, len(points) // 10))
    means = [points[member.ravel() == i].mean(axis=0) for i in many]
    return [
        ((float(x), float(y)), int(counts[i]))
        for i, (x, y) in zip(many, means, strict=True)
        if len(found) > 1
    ]


def on_one_line(points: Array) -> bool:
    """Whether the second direction of the points holds less than a hundredth of the spread of the first."""
    spread = np.linalg.svd(points - points.mean(axis=0), compute_uv=False)
    return bool(spread[-1] < 0.01 * spread[0])


def below(axes: "Axes", panel: Panel, printed: float | None) -> None:
    """Label the axes of a panel and write its results in one line below: mean of the repeats, the paper's number."""
    stat = panel.outcome.stats["acc"]
    paper = "" if printed is None else f"; paper {printed:.2f}"
    axes.set_xlabel(
        f"latent dimension 1\nACC {stat.mean:.2f} ± {stat.std:.2f} %{paper}", linespacing=1.5
    )
    axes.set_ylabel("latent dimension 2", labelpad=1)


def legend(figure: "Figure", class_names: Sequence[str], n_clusters: int) -> None:
    """One legend for all panels, below them: a row of grey markers for classes, one of coloured dots for clusters."""
    from matplotlib.lines import Line2D

    def handle(label: str, colour: str, marker: str) -> Line2D:
        return Line2D([], [], linestyle="", color=colour, marker=marker, markersize=5, label=label)

    rows = max(len(class_names), n_clusters)
    classes = [
        handle(f"class {as_drawn(name)}", GREY, MARKERS[i % len(MARKERS)])
        for i, name in enumerate(class_names)
    ]
    clusters = [
        handle(f"cluster {i + 1}", COLOURS[i % len(COLOURS)], "o") for i in range(n_clusters)
    ]
    blank = [handle(" ", "none", "")] * rows
    # Matplotlib fills a legend column by column.
    pairs = zip((classes + blank)[:rows], (clusters + blank)[:rows], strict=True)
    figure.legend(
        handles=[each for pair in pairs for each in pair],
        loc="outside lower center",
        ncols=rows,
        title="Shown is the run whose ACC is nearest to the mean of all.",
        title_fontsize=7,
    )
