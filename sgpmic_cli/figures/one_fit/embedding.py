"""The latent space: every row at its latent point, coloured by cluster and, where classes are known, by class."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sgpmic_cli.figures.style import COLUMN, INK, PAGE, as_drawn, canvas, legend_columns, look

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_POINTS = 20_000  # more hide each other, and make a figure that no viewer opens
BINS = 30
LARGEST_POINT = 16.0  # square points
LEGEND_LINE = 0.16  # inches
REGIONS = (0.5, 0.9)  # of a cluster's probability
LONGEST = 18  # letters of a name in a legend


def draw_embedding(
    stem: Path,
    X: np.ndarray,
    clusters: np.ndarray,
    *,
    means: np.ndarray | None = None,
    covariances: np.ndarray | None = None,
    classes: np.ndarray | None = None,
    class_names: Sequence[str] = (),
) -> None:
    """Draw latent points X (N, Q) with their clusters (N,), means (M, Q), covariances (M, Q, Q) and classes (N,).

    One dimension is drawn as histograms, two as they are, more by their two leading principal axes. Of very many rows
    some are drawn, at equal distances in the table. With covariances every cluster is a region as well: where half of
    its probability is, and where nine tenths of it are.
    """
    shown = np.unique(np.linspace(0, len(X) - 1, min(len(X), MOST_POINTS)).astype(int))
    plane = _plane(X[shown])
    points, titles = (X[shown] - plane.middle) @ plane.axes.T, plane.titles
    centres = None if means is None else (means - plane.middle) @ plane.axes.T
    n_clusters = int(clusters.max()) + 1 if means is None else len(means)
    marked = centres is not None and points.shape[1] == 2
    sizes = np.bincount(clusters, minlength=n_clusters)
    named = [f"{m} ({size} rows)" for m, size in enumerate(sizes)]
    regions = marked and covariances is not None
    title = "clusters" + ", + their means" * marked + ", 50 and 90 % regions" * regions
    panels = [(title, clusters, named, list(range(n_clusters)))]
    if classes is not None:
        looks = matched_looks(classes, clusters, len(class_names), n_clusters)
        panels.append(
            ("classes", classes, [as_drawn(name, LONGEST) for name in class_names], looks)
        )
    width = COLUMN if len(panels) == 1 else PAGE
    each = width / len(panels) - 0.5
    lines = max(-(-len(names) // legend_columns(names, each)) for _, _, names, _ in panels)
    with canvas(stem, width=width, height=2.7 + LEGEND_LINE * lines) as figure:
        all_axes = figure.subplots(
            1, len(panels), squeeze=False, sharex=True, sharey=points.shape[1] == 2
        )[0]
        for axes, (heading, groups, names, looks) in zip(all_axes, panels, strict=True):
            if points.shape[1] == 2:
                _scatter(axes, points, groups[shown], names, looks)
                axes.set_ylabel(titles[1])
            else:
                _histogram(axes, points[:, 0], groups[shown], names, looks)
                axes.set_ylabel("rows")
            axes.set_title(heading)
            axes.set_xlabel(titles[0])
            axes.legend(
                loc="upper center",
                bbox_to_anchor=(0.5, -0.2),
                ncols=legend_columns(names, each),
                borderaxespad=0.0,
                markerscale=float(np.sqrt(LARGEST_POINT / _point_size(len(points)))),
            )
        if centres is not None and marked:
            if covariances is not None:
                _draw_regions(all_axes[0], centres, plane.axes @ covariances @ plane.axes.T, sizes)
            all_axes[0].scatter(
                centres[:, 0], centres[:, 1], marker="+", s=60, linewidths=1.4, color=INK, zorder=3
            )


class Plane(NamedTuple):
    """Where latent points are drawn: a middle (Q,), at most two axes (2, Q), and what they are called."""

    middle: np.ndarray
    axes: np.ndarray
    titles: list[str]


def _plane(X: np.ndarray) -> Plane:
    if X.shape[1] <= 2:
        return Plane(
            np.zeros(X.shape[1]), np.eye(X.shape[1]), ["latent dimension 1", "latent dimension 2"]
        )
    middle = X.mean(axis=0)
    _, lengths, axes = np.linalg.svd(X - middle, full_matrices=False)
    shares = 100.0 * lengths**2 / max(np.sum(lengths**2), np.finfo(float).tiny)
    # The sign of a singular vector is anybody's: let its largest entry be positive.
    axes = axes[:2] * np.sign(axes[np.arange(2), np.abs(axes[:2]).argmax(axis=1)])[:, None]
    return Plane(
        middle, axes, [f"latent principal axis {i + 1} ({shares[i]:.0f} %)" for i in range(2)]
    )


def _draw_regions(
    axes: "Axes", centres: np.ndarray, covariances: np.ndarray, sizes: np.ndarray
) -> None:
    """Ellipses that hold shares of each cluster's probability; clusters without rows have none."""
    from matplotlib.patches import Ellipse

    for m in np.flatnonzero(sizes):
        variances, directions = np.linalg.eigh(covariances[m])
        angle = float(np.degrees(np.arctan2(directions[1, 1], directions[0, 1])))
        for share in REGIONS:
            reach = np.sqrt(
                -2.0 * np.log1p(-share)
            )  # of a Gaussian in the plane, in standard deviations
            short, long = 2.0 * reach * np.sqrt(np.maximum(variances, 0.0))
            colour = look(int(m))[0]
            axes.add_patch(
                Ellipse(
                    tuple(centres[m]),
                    long,
                    short,
                    angle=angle,
                    color=colour,
                    alpha=0.14,
                    lw=0,
                    zorder=0,
                )
            )
    axes.autoscale_view()


def matched_looks(
    classes: np.ndarray, clusters: np.ndarray, n_classes: int, n_clusters: int
) -> list[int]:
    """For each class the look of the cluster that stands for it; classes left over get looks of their own."""
    from scipy.optimize import linear_sum_assignment

    table = np.zeros((n_classes, n_clusters))
    np.add.at(table, (classes, clusters), 1)
    partner = dict(
        zip(*(side.tolist() for side in linear_sum_assignment(table, maximize=True)), strict=True)
    )
    unused = iter(range(n_clusters, n_clusters + n_classes))
    return [partner[c] if c in partner else next(unused) for c in range(n_classes)]


def _scatter(
    axes: "Axes", points: np.ndarray, groups: np.ndarray, names: Sequence[str], looks: Sequence[int]
) -> None:
    size = _point_size(len(points))
    rim = 0.25 if size == LARGEST_POINT else 0.0  # crowded points are too small for one
    for group, (name, index) in enumerate(zip(names, looks, strict=True)):
        x, y = points[groups == group].T
        colour, marker = look(index)
        axes.scatter(
            x, y, s=size, c=colour, marker=marker, linewidths=rim, edgecolors="white", label=name
        )
    axes.margins(0.04)


def _point_size(n: int) -> float:
    return float(np.clip(4000 / n, 5.0, LARGEST_POINT))


def _histogram(
    axes: "Axes", points: np.ndarray, groups: np.ndarray, names: Sequence[str], looks: Sequence[int]
) -> None:
    edges = np.histogram_bin_edges(points, bins=BINS)
    axes.hist(
        [points[groups == group] for group in range(len(names))],
        bins=edges.tolist(),
        stacked=True,
        color=[look(index)[0] for index in looks],
        edgecolor="white",
        linewidth=0.25,
        label=list(names),
    )
