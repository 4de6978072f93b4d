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

    Places with more than a tenth of the points are labelled with their number.
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
    axes.margins(0.06)
    axes.locator_params(nbins=4)


def crowded(points: Array) -> list[tuple[tuple[float, float], int]]:
    """Return the squares, a hundredth of the panel wide, with more than a tenth of the points."""
    counts, x, y = np.histogram2d(points[:, 0], points[:, 1], bins=100)
    many = np.argwhere(counts > max(1, len(points) // 10))
    return [
        ((float(x[i] + x[i + 1]) / 2, float(y[j] + y[j + 1]) / 2), int(counts[i, j]))
        for i, j in many
    ]


def label_axes(axes: "Axes", panel: Panel, printed: float | None) -> None:
    """Label the axes of a panel, with the mean ACC of the repeats and the paper's number."""
    stat = panel.result.ours["acc"]
    paper = "" if printed is None else f"; paper {printed:.2f}"
    text = f"latent dimension 1\nACC {stat.mean:.2f} ± {stat.std:.2f} %{paper}"
    axes.set_xlabel(text, linespacing=1.5)
    axes.set_ylabel("latent dimension 2", labelpad=1)


def legend(figure: "Figure", class_names: Sequence[str], n_clusters: int) -> None:
    """Draw one legend below all panels: a row of markers (classes), a row of colours (clusters)."""
    from matplotlib.lines import Line2D

    def handle(label: str, colour: str, marker: str) -> Line2D:
        return Line2D([], [], linestyle="", color=colour, marker=marker, markersize=5, label=label)

    classes = [
        handle(f"class {as_drawn(name)}", GREY, MARKERS[i]) for i, name in enumerate(class_names)
    ]
    clusters = [handle(f"cluster {i + 1}", COLOURS[i], "o") for i in range(n_clusters)]
    # Matplotlib fills a legend column by column.
    handles = [each for pair in zip(classes, clusters, strict=True) for each in pair]
    title = "Shown is the run whose ACC is nearest to the mean of all."
    place: Any = {"loc": "outside lower center", "ncols": n_clusters}
    figure.legend(handles=handles, title=title, title_fontsize=7, **place)
