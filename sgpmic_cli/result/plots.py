"""Plots of a result on matplotlib axes: map and profiles."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from sgpmic_cli._typing import Array, Indices
from sgpmic_cli.result.profile import Profile
from sgpmic_cli.result.result import Result
from sgpmic_cli.style import (
    COLUMN,
    INK,
    PAGE,
    as_drawn,
    canvas,
    legend_columns,
    look,
    matched_looks,
)
from sgpmic_cli.text import shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MAP_PICTURE = "embedding.png"  # of the page
MOST_FEATURES = 40  # of a profile: those that differ most
STRONGEST = 3.0  # standard deviations of the darkest colour
DARK_PURPLE, DARK_ORANGE = -1.2, 2.4  # standard deviations beyond which text is white
LONGEST_FEATURE, LONGEST_CLASS = 28, 18  # characters of names
MOST_WRITTEN = 12  # clusters; with more the numbers do not fit
MOST_POINTS = 20_000  # more points hide each other and make the PDF very large
HISTOGRAM_BINS = 30
LARGEST_POINT = 16.0  # square points
REGIONS = (0.5, 0.9)  # probabilities of the ellipses
LEGEND_LINE = 0.16  # inches


class DrawnGroups(NamedTuple):
    """Groups of rows that are drawn in different styles."""

    title: str
    numbers: Indices  # (N,) group of each row
    names: list[str]
    looks: list[int]  # number of the style of each group


def cluster_groups(labels: Indices, n_clusters: int) -> DrawnGroups:
    """Return clusters (N,) as groups."""
    sizes = np.bincount(labels, minlength=n_clusters)
    names = [f"{m} ({size} rows)" for m, size in enumerate(sizes)]
    return DrawnGroups("clusters", labels, names, list(range(n_clusters)))


def class_groups(classes: Indices, class_names: Sequence[str], clusters: Indices) -> DrawnGroups:
    """Return the classes (N,) as groups in the styles of the clusters that they overlap most."""
    looks = matched_looks(classes, clusters, len(class_names), int(clusters.max()) + 1)
    names = [as_drawn(name, LONGEST_CLASS) for name in class_names]
    return DrawnGroups("classes", classes, names, looks)


def plot_points(axes: "Axes", X: Array, groups: DrawnGroups, legend_width: float) -> None:
    """Plot latent points X (N, Q) in the styles of their groups; the legend is below the axes.

    One latent dimension is plotted as histograms.
    """
    shown = shown_rows(len(X))
    middle, directions, titles = projection(X)
    points, numbers = (X[shown] - middle) @ directions.T, groups.numbers[shown]
    parts = [points[numbers == group] for group in range(len(groups.names))]
    size = float(np.clip(4000 / len(points), 5.0, LARGEST_POINT))
    if points.shape[1] == 1:
        axes.hist(
            [part[:, 0] for part in parts],
            bins=np.histogram_bin_edges(points, bins=HISTOGRAM_BINS).tolist(),
            stacked=True,
            color=[look(index)[0] for index in groups.looks],
            edgecolor="white",
            linewidth=0.25,
            label=groups.names,
        )
    else:
        edge: Any = {"linewidths": 0.25 if size == LARGEST_POINT else 0.0, "edgecolors": "white"}
        for part, name, index in zip(parts, groups.names, groups.looks, strict=True):
            colour, marker = look(index)
            style = {"c": colour, "marker": marker, "label": name, **edge}
            axes.scatter(part[:, 0], part[:, 1], s=size, **style)
        axes.margins(0.04)
    axes.set(title=groups.title, xlabel=titles[0], ylabel=titles[1])
    axes.legend(
        loc="upper center",
        bbox_to_anchor=(0.5, -0.2),
        ncols=legend_columns(groups.names, legend_width),
        borderaxespad=0.0,
        markerscale=float(np.sqrt(LARGEST_POINT / size)),
    )


def plot_mixture(axes: "Axes", X: Array, means: Array, covariances: Array, filled: Indices) -> None:
    """Add the means of clusters and ellipses with 50 and 90 % to a plot of points X (N, Q).

    `filled` are the clusters with rows. One latent dimension, which is plotted as histograms, stays
    as it is.
    """
    from matplotlib.patches import Ellipse

    middle, directions, _ = projection(X)
    if len(directions) == 1:
        return
    centres = (means - middle) @ directions.T
    covariances = directions @ covariances @ directions.T
    for m in filled:
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


def shown_rows(n: int) -> Indices:
    """Return the rows to draw: an evenly spaced subset of n rows."""
    return np.unique(np.linspace(0, n - 1, min(n, MOST_POINTS)).astype(int))


def projection(X: Array) -> tuple[Array, Array, list[str]]:
    """Return the origin (Q,), at most two axes (2, Q), and the titles of both axes."""
    X = X[shown_rows(len(X))]
    q = X.shape[1]
    if q <= 2:
        second = "latent dimension 2" if q == 2 else "rows"
        return np.zeros(q), np.eye(q), ["latent dimension 1", second]
    middle = X.mean(axis=0)
    _, lengths, axes = np.linalg.svd(X - middle, full_matrices=False)
    percent = 100.0 * lengths**2 / max(np.sum(lengths**2), np.finfo(float).tiny)
    # The sign of a singular vector is arbitrary: make its largest entry positive.
    axes = axes[:2] * np.sign(axes[np.arange(2), np.abs(axes[:2]).argmax(axis=1)])[:, None]
    return middle, axes, [f"latent principal axis {i + 1} ({percent[i]:.0f} %)" for i in range(2)]


def profile_size(profile: Profile) -> tuple[float, float]:
    """Return width and height of the figure of a profile in inches."""
    width = float(np.clip(2.4 + 0.6 * len(profile.sizes), 3.5, 9.0))
    return width, 0.9 + 0.2 * min(len(profile.features), MOST_FEATURES)


def plot_profile(axes: "Axes", profile: Profile) -> None:
    """Plot features as rows and clusters as columns, coloured by the distance from other rows."""
    shown, m = sorted(profile.by_difference[:MOST_FEATURES]), len(profile.sizes)
    differences = np.ma.masked_invalid(profile.differences[:, shown].T)
    few = m <= MOST_WRITTEN
    clusters = [f"{k}\n{size} rows" if few else str(k) for k, size in enumerate(profile.sizes)]
    limits: Any = {"vmin": -STRONGEST, "vmax": STRONGEST}
    image = axes.imshow(differences, cmap="PuOr_r", aspect="auto", **limits)
    features = [shortened(profile.features[j], LONGEST_FEATURE) for j in shown]
    axes.set_xticks(range(m), clusters)
    axes.set_yticks(range(len(shown)), features)
    axes.set(xlabel="cluster", title="means, coloured by distance from all other rows")
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    for k in np.flatnonzero(profile.sizes).tolist() if few else []:
        for row, j in enumerate(shown):
            light = DARK_PURPLE < float(np.nan_to_num(profile.differences[k, j])) < DARK_ORANGE
            style: Any = {"fontsize": 6.5, "color": INK if light else "white"}
            text = profile.shown(j, profile.means[k, j])
            axes.text(k, row, text, ha="center", va="center", **style)
    shrink = min(1.0, 6.0 / len(shown))
    axes.figure.colorbar(image, ax=axes, label="standard deviations", shrink=shrink)


def draw_map(result: Result, folder: Path) -> list[str]:
    """Draw the map of the page. Return a sentence if it failed, which must not lose the fit."""
    try:
        draw_embedding(result, (folder / MAP_PICTURE).with_suffix(""))
    except Exception as error:
        (folder / MAP_PICTURE).unlink(missing_ok=True)
        reason = f"{type(error).__name__}: {error}"
        return [f"the figure embedding could not be drawn ({reason})."]
    return []


def draw_embedding(result: Result, stem: Path) -> None:
    """Draw the latent points, coloured by cluster and, if classes are known, by class."""
    rows, X, labels = result.rows, result.results.points, result.results.labels
    panels = [cluster_groups(labels, len(result.sizes))]
    if rows.labels is not None:
        panels.append(class_groups(rows.labels, rows.class_names, labels))
    width = COLUMN if len(panels) == 1 else PAGE
    panel = width / len(panels) - 0.5
    lines = max(-(-len(names) // legend_columns(names, panel)) for _, _, names, _ in panels)
    with canvas(stem, width=width, height=2.7 + LEGEND_LINE * lines) as figure:
        shared: Any = {"sharex": True, "sharey": X.shape[1] > 1, "squeeze": False}
        row = figure.subplots(1, len(panels), **shared)[0]
        for axes, groups in zip(row, panels, strict=True):
            plot_points(axes, X, groups, panel)
        if result.mixture is not None:
            plot_mixture(row[0], X, *result.mixture, np.unique(labels))
