"""Plots of a fitted model on matplotlib axes: map, profiles, numbers of clusters tried."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from sklearn.pipeline import Pipeline

from sgpmic_cli._typing import Table
from sgpmic_cli.errors import UsageError
from sgpmic_cli.estimator_base.latent_clusterer import LatentClusterer
from sgpmic_cli.figure_style import (
    COLOURS,
    FAINT,
    INK,
    as_drawn,
    legend_columns,
    look,
    matched_looks,
)
from sgpmic_cli.result.fitting import fitted_of, last_step
from sgpmic_cli.result.profile import Profile
from sgpmic_cli.text import shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_FEATURES = 40  # of a profile: those that differ most
STRONGEST = 3.0  # standard deviations of the darkest colour
DARK_PURPLE, DARK_ORANGE = -1.2, 2.4  # standard deviations beyond which text is white
LONGEST_FEATURE, LONGEST_CLASS = 28, 18  # characters of names
MOST_WRITTEN = 12  # clusters; with more the numbers do not fit
LARGER = 1.4  # matplotlib's default fonts, relative to those of our files
MOST_POINTS = 20_000  # more points hide each other and make the PDF very large
HISTOGRAM_BINS = 30
LARGEST_POINT = 16.0  # square points
REGIONS = (0.5, 0.9)  # probabilities of the ellipses

GroupPoints = Sequence[np.ndarray]  # the points of each group


def plot_map(
    model: LatentClusterer | Pipeline,
    *,
    classes: ArrayLike | None = None,
    ax: "Axes | None" = None,
) -> "Axes":
    """Plot the training rows in the latent space, coloured by cluster or by class.

    Clusters are drawn with the mean and the 50 and 90 % regions of their latent Gaussians. One
    latent dimension is drawn as histograms, and more than two by their leading principal axes.

    Parameters
    ----------
    model : GroupMap, SGPMIC or Pipeline
        A fitted model, or a fitted pipeline that ends with one.
    classes : array-like of shape (n_samples,), default=None
        Known classes of the training rows, which replace the clusters. A class has the colour of
        the cluster that it overlaps most.
    ax : matplotlib Axes, default=None
        Axes to plot on. None creates a figure.

    Returns
    -------
    ax : matplotlib Axes
        The axes with the plot.
    """
    model = last_step(model)
    ax = _axes(ax, 4.5, 4.0)
    used = model.labels_ >= 0
    X, labels, groups = model.embedding_[used], model.labels_[used], cluster_groups(model)
    if classes is not None:
        names, numbers = np.unique(np.asarray(classes), return_inverse=True)
        if numbers.shape != used.shape:
            raise UsageError(f"classes must have one entry for each of {len(used)} rows.")
        groups = class_groups(numbers[used], [str(name) for name in names], labels)
    plot_points(ax, X, groups, ax.get_window_extent().width / ax.figure.dpi)
    if classes is None:
        plot_mixture(ax, model, X)
    return ax


def plot_profiles(
    model: LatentClusterer | Pipeline, X: Table, *, ax: "Axes | None" = None
) -> "Axes":
    """Plot the mean of each feature in each cluster, coloured by the distance from other rows.

    Parameters
    ----------
    model : GroupMap, SGPMIC or Pipeline
        A fitted model, or a fitted pipeline that ends with one.
    X : array-like or DataFrame of shape (n_samples, n_features)
        The training rows or new rows; the model assigns them to its clusters. With more than 40
        features, those that differ most between clusters are shown.
    ax : matplotlib Axes, default=None
        Axes to plot on. None creates a figure.

    Returns
    -------
    ax : matplotlib Axes
        The axes with the plot.
    """
    profile = fitted_of(model, X).profile
    width, height = profile_size(profile)
    ax = _axes(ax, LARGER * width, LARGER * height)
    plot_profile(ax, profile)
    return ax


def plot_selection(model: LatentClusterer | Pipeline, *, ax: "Axes | None" = None) -> "Axes":
    """Plot the silhouette of each number of clusters that was tried, beside null reference data.

    Parameters
    ----------
    model : GroupMap or Pipeline
        A model, or a pipeline that ends with one, that was fitted with an open number of clusters.
    ax : matplotlib Axes, default=None
        Axes to plot on. None creates a figure.

    Returns
    -------
    ax : matplotlib Axes
        The axes with the plot.
    """
    model = last_step(model)
    if model.selection_ is None:
        raise UsageError("The number of clusters was given, so no other number was tried.")
    from matplotlib.ticker import MaxNLocator

    ax = _axes(ax, 4.5, 3.0)
    shown = model.selection_[model.selection_["n_clusters"] > 1]
    numbers = shown["n_clusters"].tolist()
    ax.plot(numbers, shown["silhouette"], "o-", color=COLOURS[0], label="these data")
    ax.plot(numbers, shown["reference"], "s--", color=FAINT, label="null reference data")
    if model.n_clusters_ in numbers:
        ax.axvline(
            model.n_clusters_, color=COLOURS[3], linewidth=0.8, label=f"chosen: {model.n_clusters_}"
        )
    ax.set(xlabel="number of clusters", ylabel="silhouette")
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3)  # not on a curve
    return ax


class DrawnGroups(NamedTuple):
    """Groups of rows that are drawn in different styles."""

    title: str
    numbers: np.ndarray  # (N,) group of each row
    names: list[str]
    looks: list[int]  # number of the style of each group


def cluster_groups(model: LatentClusterer) -> DrawnGroups:
    """Return the clusters of a fitted model as groups."""
    names = [f"{m} ({size} rows)" for m, size in enumerate(model.cluster_sizes_)]
    labels = model.labels_[model.labels_ >= 0]
    return DrawnGroups("clusters", labels, names, list(range(len(names))))


def class_groups(
    classes: np.ndarray, class_names: Sequence[str], clusters: np.ndarray
) -> DrawnGroups:
    """Return the classes (N,) as groups in the styles of the clusters that they overlap most."""
    looks = matched_looks(classes, clusters, len(class_names), int(clusters.max()) + 1)
    return DrawnGroups(
        "classes", classes, [as_drawn(name, LONGEST_CLASS) for name in class_names], looks
    )


def plot_points(axes: "Axes", X: np.ndarray, groups: DrawnGroups, legend_width: float) -> None:
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


def plot_mixture(axes: "Axes", model: LatentClusterer, X: np.ndarray) -> None:
    """Add the means of the clusters and ellipses with 50 and 90 % to a plot of points X (N, Q).

    One latent dimension, which is plotted as histograms, stays as it is.
    """
    from matplotlib.patches import Ellipse

    middle, directions, _ = projection(X)
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
    # The sign of a singular vector is arbitrary: make its largest entry positive.
    axes = axes[:2] * np.sign(axes[np.arange(2), np.abs(axes[:2]).argmax(axis=1)])[:, None]
    return middle, axes, [f"latent principal axis {i + 1} ({percent[i]:.0f} %)" for i in range(2)]


def _scatter(axes: "Axes", parts: GroupPoints, names: Sequence[str], looks: Sequence[int]) -> None:
    size = _point_size(sum(map(len, parts)))
    edge = 0.25 if size == LARGEST_POINT else 0.0  # small points have no edge
    for part, name, index in zip(parts, names, looks, strict=True):
        colour, marker = look(index)
        style: Any = {"c": colour, "marker": marker, "linewidths": edge, "edgecolors": "white"}
        axes.scatter(part[:, 0], part[:, 1], s=size, label=name, **style)
    axes.margins(0.04)


def _point_size(n: int) -> float:
    return float(np.clip(4000 / n, 5.0, LARGEST_POINT))


def _histogram(
    axes: "Axes", parts: GroupPoints, names: Sequence[str], looks: Sequence[int]
) -> None:
    axes.hist(
        [part[:, 0] for part in parts],
        bins=np.histogram_bin_edges(np.concatenate(parts)[:, 0], bins=HISTOGRAM_BINS).tolist(),
        stacked=True,
        color=[look(index)[0] for index in looks],
        edgecolor="white",
        linewidth=0.25,
        label=list(names),
    )


def profile_size(profile: Profile) -> tuple[float, float]:
    """Return width and height of the figure of a profile in inches."""
    width = float(np.clip(2.4 + 0.6 * len(profile.sizes), 3.5, 9.0))
    return width, 0.9 + 0.2 * min(len(profile.features), MOST_FEATURES)


def plot_profile(axes: "Axes", profile: Profile) -> None:
    """Plot features as rows and clusters as columns, coloured by the distance from other rows."""
    shown = sorted(profile.by_difference[:MOST_FEATURES])
    m = len(profile.sizes)
    differences = np.ma.masked_invalid(profile.differences[:, shown].T)
    clusters = [f"{k}\n{size} rows" for k, size in enumerate(profile.sizes)]
    limits: Any = {"vmin": -STRONGEST, "vmax": STRONGEST}
    image = axes.imshow(differences, cmap="PuOr_r", aspect="auto", **limits)
    axes.set_xticks(range(m), clusters if m <= MOST_WRITTEN else [str(k) for k in range(m)])
    axes.set_yticks(
        range(len(shown)), [shortened(profile.features[j], LONGEST_FEATURE) for j in shown]
    )
    axes.set_xlabel("cluster")
    axes.set_title("means, coloured by distance from all other rows")
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    if m <= MOST_WRITTEN:
        for row, j in enumerate(shown):
            for k in np.flatnonzero(profile.sizes).tolist():
                difference = float(np.nan_to_num(profile.differences[k, j]))
                light = DARK_PURPLE < difference < DARK_ORANGE
                look: Any = {"fontsize": 6.5, "color": INK if light else "white"}
                text = profile.shown(j, profile.means[k, j])
                axes.text(k, row, text, ha="center", va="center", **look)
    shrink = min(1.0, 6.0 / len(shown))
    axes.figure.colorbar(image, ax=axes, label="standard deviations", shrink=shrink)


def _axes(ax: "Axes | None", width: float, height: float) -> "Axes":
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.subplots(figsize=(width, height), layout="constrained")[1]
