"""Draw the latent points of a fit, coloured by cluster and, if classes are known, by class."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from sgpmic_cli.estimator_base.latent_clusterer import LatentClusterer
from sgpmic_cli.figure_style import INK, as_drawn, legend_columns, look, matched_looks
from sgpmic_cli.gp.pca import with_fixed_signs

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_POINTS = 20_000  # more points hide each other and make the PDF very large
BINS = 30
LARGEST_POINT = 16.0  # square points
REGIONS = (0.5, 0.9)  # probabilities of the ellipses
LONGEST = 18  # letters of a name in a legend

Parts = Sequence[np.ndarray]  # the points of each group


class Groups(NamedTuple):
    """Groups of rows that are drawn in different styles."""

    title: str
    numbers: np.ndarray  # (N,) group of each row
    names: list[str]
    looks: list[int]  # number of the style of each group


def cluster_groups(model: LatentClusterer) -> Groups:
    """Return the clusters of a fitted model as groups."""
    names = [f"{m} ({size} rows)" for m, size in enumerate(model.cluster_sizes_)]
    return Groups("clusters", model.labels_, names, list(range(len(names))))


def class_groups(classes: np.ndarray, class_names: Sequence[str], clusters: np.ndarray) -> Groups:
    """Return the classes (N,) as groups in the styles of the clusters that they overlap most."""
    looks = matched_looks(classes, clusters, len(class_names), int(clusters.max()) + 1)
    return Groups("classes", classes, [as_drawn(name, LONGEST) for name in class_names], looks)


def plot_points(axes: "Axes", X: np.ndarray, groups: Groups, legend_width: float) -> None:
    """Plot latent points X (N, Q) in the styles of their groups; the legend is below the axes."""
    shown = shown_rows(len(X))
    middle, directions, titles = projection(X)
    points = (X[shown] - middle) @ directions.T
    planar = points.shape[1] == 2
    parts = [points[groups.numbers[shown] == group] for group in range(len(groups.names))]
    (_scatter if planar else _histogram)(axes, parts, groups.names, groups.looks)
    axes.set(title=groups.title, xlabel=titles[0], ylabel=titles[1] if planar else "rows")
    axes.legend(
        loc="upper center",
        bbox_to_anchor=(0.5, -0.2),
        ncols=legend_columns(groups.names, legend_width),
        borderaxespad=0.0,
        markerscale=float(np.sqrt(LARGEST_POINT / _point_size(len(points)))),
    )


def plot_mixture(axes: "Axes", model: LatentClusterer) -> None:
    """Add the means of the clusters and ellipses with 50 and 90 % of their probability.

    One latent dimension, which is plotted as histograms, stays as it is.
    """
    from matplotlib.patches import Ellipse

    middle, directions, _ = projection(model.embedding_)
    if len(directions) == 1:
        return
    centres = (model.means_ - middle) @ directions.T
    covariances = directions @ model.covariances_ @ directions.T
    for m in np.flatnonzero(model.cluster_sizes_):
        variances, vectors = np.linalg.eigh(covariances[m])
        angle = float(np.degrees(np.arctan2(vectors[1, 1], vectors[0, 1])))
        style: Any = {"color": look(int(m))[0], "alpha": 0.14, "lw": 0, "zorder": 0}
        for probability in REGIONS:
            radius = np.sqrt(-2.0 * np.log1p(-probability))  # in standard deviations
            short, long = 2.0 * radius * np.sqrt(np.maximum(variances, 0.0))
            axes.add_patch(Ellipse(tuple(centres[m]), long, short, angle=angle, **style))
    axes.autoscale_view()
    cross: Any = {"marker": "+", "s": 60, "linewidths": 1.4, "color": INK, "zorder": 3}
    axes.scatter(centres[:, 0], centres[:, 1], **cross)
    axes.set_title(f"{axes.get_title()}, + their means, 50 and 90 % regions")


def shown_rows(n: int) -> np.ndarray:
    """Return the rows to draw: an evenly spaced subset of n rows."""
    return np.unique(np.linspace(0, n - 1, min(n, MOST_POINTS)).astype(int))


def projection(X: np.ndarray) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """Return the origin (Q,), at most two axes (2, Q), and the titles of the axes."""
    X = X[shown_rows(len(X))]
    q = X.shape[1]
    if q <= 2:
        return np.zeros(q), np.eye(q), ["latent dimension 1", "latent dimension 2"]
    middle = X.mean(axis=0)
    _, lengths, axes = np.linalg.svd(X - middle, full_matrices=False)
    percent = 100.0 * lengths**2 / max(np.sum(lengths**2), np.finfo(float).tiny)
    axes = with_fixed_signs(axes[:2].T).T
    return middle, axes, [f"latent principal axis {i + 1} ({percent[i]:.0f} %)" for i in range(2)]


def _scatter(axes: "Axes", parts: Parts, names: Sequence[str], looks: Sequence[int]) -> None:
    size = _point_size(sum(map(len, parts)))
    edge = 0.25 if size == LARGEST_POINT else 0.0  # small points have no edge
    for part, name, index in zip(parts, names, looks, strict=True):
        colour, marker = look(index)
        style: Any = {"c": colour, "marker": marker, "linewidths": edge, "edgecolors": "white"}
        axes.scatter(part[:, 0], part[:, 1], s=size, label=name, **style)
    axes.margins(0.04)


def _point_size(n: int) -> float:
    return float(np.clip(4000 / n, 5.0, LARGEST_POINT))


def _histogram(axes: "Axes", parts: Parts, names: Sequence[str], looks: Sequence[int]) -> None:
    axes.hist(
        [part[:, 0] for part in parts],
        bins=np.histogram_bin_edges(np.concatenate(parts)[:, 0], bins=BINS).tolist(),
        stacked=True,
        color=[look(index)[0] for index in looks],
        edgecolor="white",
        linewidth=0.25,
        label=list(names),
    )
