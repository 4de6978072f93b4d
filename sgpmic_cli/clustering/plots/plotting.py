"""Plots of a fitted model for notebooks and scripts, on matplotlib axes of the user."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from sgpmic_cli._typing import Table
from sgpmic_cli.clustering.plots.latent_space import (
    class_groups,
    cluster_groups,
    plot_mixture,
    plot_points,
)
from sgpmic_cli.clustering.result.fitting import dataset_of
from sgpmic_cli.clustering.result.profile import Profile, profile_of
from sgpmic_cli.estimator_base.latent_clusterer import LatentClusterer
from sgpmic_cli.figure_style import COLOURS, FAINT, INK
from sgpmic_cli.text import shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_FEATURES = 40  # of a profile: those that differ most
STRONGEST = 3.0  # standard deviations of the darkest colour
DARK_PURPLE, DARK_ORANGE = -1.2, 2.4  # standard deviations beyond which text is white
LONGEST = 28  # characters of a feature's name
MOST_WRITTEN = 12  # clusters; with more the numbers do not fit
LARGER = 1.4  # matplotlib's default fonts, relative to those of our files


def plot_map(
    model: LatentClusterer, *, classes: ArrayLike | None = None, ax: "Axes | None" = None
) -> "Axes":
    """Plot the training rows in the latent space, coloured by cluster or by class.

    Clusters are drawn with the mean and the 50 and 90 % regions of their latent Gaussians. One
    latent dimension is drawn as histograms, and more than two by their leading principal axes.

    Parameters
    ----------
    model : SGPMIC or PaperSGPMIC
        A fitted model.
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
    check_is_fitted(model)
    ax = _axes(ax, 4.5, 4.0)
    groups = cluster_groups(model)
    if classes is not None:
        names, numbers = np.unique(np.asarray(classes), return_inverse=True)
        if numbers.shape != model.labels_.shape:
            raise ValueError(f"classes must have one entry for each of {len(model.labels_)} rows.")
        groups = class_groups(numbers, [str(name) for name in names], model.labels_)
    plot_points(ax, model.embedding_, groups, ax.get_window_extent().width / ax.figure.dpi)
    if classes is None:
        plot_mixture(ax, model)
    return ax


def plot_profiles(model: LatentClusterer, X: Table, *, ax: "Axes | None" = None) -> "Axes":
    """Plot the mean of each feature in each cluster, coloured by the distance from other rows.

    Parameters
    ----------
    model : SGPMIC or PaperSGPMIC
        A fitted model.
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
    profile = profile_of(dataset_of(model, X), model.predict_proba(X))
    width, height = profile_size(profile)
    ax = _axes(ax, LARGER * width, LARGER * height)
    plot_profile(ax, profile)
    return ax


def plot_selection(model: LatentClusterer, *, ax: "Axes | None" = None) -> "Axes":
    """Plot the silhouette of each number of clusters that was tried, beside null reference data.

    Parameters
    ----------
    model : SGPMIC
        A model that was fitted with an open number of clusters.
    ax : matplotlib Axes, default=None
        Axes to plot on. None creates a figure.

    Returns
    -------
    ax : matplotlib Axes
        The axes with the plot.
    """
    check_is_fitted(model)
    if model.selection_ is None:
        raise ValueError("The number of clusters was given, so no other number was tried.")
    from matplotlib.ticker import MaxNLocator

    ax = _axes(ax, 4.5, 3.0)
    shown = [row for row in model.selection_ if row["n_clusters"] > 1]
    numbers = [row["n_clusters"] for row in shown]
    found, reference = ([row[key] for row in shown] for key in ("silhouette", "reference"))
    ax.plot(numbers, found, "o-", color=COLOURS[0], label="these data")
    ax.plot(numbers, reference, "s--", color=FAINT, label="null reference data")
    if model.n_clusters_ in numbers:
        ax.axvline(
            model.n_clusters_, color=COLOURS[3], linewidth=0.8, label=f"chosen: {model.n_clusters_}"
        )
    ax.set(xlabel="number of clusters", ylabel="silhouette")
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3)  # not on a curve
    return ax


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
    axes.set_yticks(range(len(shown)), [shortened(profile.features[j], LONGEST) for j in shown])
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
