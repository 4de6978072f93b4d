"""Draw panels of points: the marker shows the class of a point, the colour its cluster."""

import string
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

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
ARROW: Any = {"arrowstyle": "-", "linewidth": 0.5, "color": INK}
BOX: Any = {"facecolor": "white", "edgecolor": "none", "pad": 0.8, "alpha": 0.85}


def scatter(
    axes: "Axes",
    points: Array,
    classes: NDArray[np.int64],
    clusters: NDArray[np.int64],
    *,
    larger: float = 1.0,
) -> None:
    """Draw points (N, 2) in a fixed random order, so that no class hides the others.

    Places with more than a tenth of the points are labelled with their number. Points on a
    straight line are labelled as such.
    """
    size = larger * float(np.clip(2600 / len(points), 5.0, 15.0))
    order = np.random.RandomState(0).permutation(len(points))
    style: Any = {"s": size, "edgecolors": "white", "linewidths": 0.25, "alpha": 0.75}
    for part in np.array_split(order, max(1, len(points) // 50)):
        for group in np.unique(classes[part]):
            rows = part[classes[part] == group]
            colours = [COLOURS[cluster % len(COLOURS)] for cluster in clusters[rows]]
            x, y = points[rows].T
            axes.scatter(x, y, marker=MARKERS[group % len(MARKERS)], c=colours, **style)
    label: Any = {"xytext": (8, 8), "textcoords": "offset points", "fontsize": 6}
    for place, count in crowded(points):
        axes.annotate(f"{count} rows", place, arrowprops=ARROW, bbox=BOX, **label)
    if on_one_line(points):
        across, up = (points - points.mean(axis=0)).T
        rises = float(across @ up) > 0.0  # then the upper left corner is free
        x, side = (0.02, "left") if rises else (0.98, "right")
        corner: Any = {"transform": axes.transAxes, "ha": side, "va": "top"}
        axes.text(x, 0.98, "all on one line", fontsize=6, **corner)
    axes.margins(0.06)
    axes.locator_params(nbins=4)


def crowded(points: Array) -> list[tuple[tuple[float, float], int]]:
    """Return the squares, a hundredth of the panel wide, with more than a tenth of the points."""
    extent = np.ptp(points, axis=0)
    squares = np.floor((points - points.min(axis=0)) / np.where(extent > 0.0, extent, 1.0) * 100.0)
    found, member, counts = np.unique(squares, axis=0, return_inverse=True, return_counts=True)
    if len(found) == 1:
        return []
    many = np.flatnonzero(counts > max(1, len(points) // 10))
    means = (points[member.ravel() == i].mean(axis=0) for i in many)
    return [((float(x), float(y)), int(counts[i])) for i, (x, y) in zip(many, means, strict=True)]


def on_one_line(points: Array) -> bool:
    """Return whether the second direction has less than a hundredth of the spread of the first."""
    spread = np.linalg.svd(points - points.mean(axis=0), compute_uv=False)
    return bool(spread[-1] < 0.01 * spread[0])


def label_axes(axes: "Axes", panel: Panel, printed: float | None) -> None:
    """Label the axes of a panel, with the mean ACC of the repeats and the paper's number."""
    stat = panel.outcome.stats["acc"]
    paper = "" if printed is None else f"; paper {printed:.2f}"
    text = f"latent dimension 1\nACC {stat.mean:.2f} ± {stat.std:.2f} %{paper}"
    axes.set_xlabel(text, linespacing=1.5)
    axes.set_ylabel("latent dimension 2", labelpad=1)


def legend(figure: "Figure", class_names: Sequence[str], n_clusters: int) -> None:
    """Draw one legend below all panels: a row of markers (classes), a row of colours (clusters)."""
    from matplotlib.lines import Line2D

    def handle(label: str, colour: str, marker: str) -> Line2D:
        return Line2D([], [], linestyle="", color=colour, marker=marker, markersize=5, label=label)

    handles = []  # Matplotlib fills a legend column by column
    columns = max(len(class_names), n_clusters)
    for i in range(columns):
        known = i < len(class_names)
        name = f"class {as_drawn(class_names[i])}" if known else " "
        handles.append(
            handle(name, *((GREY, MARKERS[i % len(MARKERS)]) if known else ("none", "")))
        )
        used = i < n_clusters
        name = f"cluster {i + 1}" if used else " "
        handles.append(handle(name, *((COLOURS[i % len(COLOURS)], "o") if used else ("none", ""))))
    title = "Shown is the run whose ACC is nearest to the mean of all."
    place: Any = {"loc": "outside lower center", "ncols": columns}
    figure.legend(handles=handles, title=title, title_fontsize=7, **place)
