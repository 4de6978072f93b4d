"""Plots of a fitted model for notebooks and scripts, on matplotlib axes of the user."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from sgpmic_cli._typing import Table
from sgpmic_cli.figures.fit_plots import plot_numbers_tried, plot_profile, profile_size
from sgpmic_cli.figures.latent_space import (
    class_groups,
    cluster_groups,
    plot_mixture,
    plot_points,
)
from sgpmic_cli.model.diagnostics import diagnose
from sgpmic_cli.model.interface import LatentClusterer
from sgpmic_cli.single_fit.profile import profile_of
from sgpmic_cli.single_fit.training_data import dataset_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

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
    groups = cluster_groups(model.labels_, model.n_clusters_)
    if classes is not None:
        names, numbers = np.unique(np.asarray(classes), return_inverse=True)
        if numbers.shape != model.labels_.shape:
            raise ValueError(f"classes must have one entry for each of {len(model.labels_)} rows.")
        groups = class_groups(numbers, [str(name) for name in names], model.labels_)
    plot_points(ax, model.embedding_, groups, ax.get_window_extent().width / ax.figure.dpi)
    if classes is None and model.embedding_.shape[1] > 1:
        sizes = model.cluster_sizes_
        plot_mixture(ax, model.embedding_, model.means_, model.covariances_, sizes)
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
    S = model.predict_proba(X)
    profile = profile_of(dataset_of(model, X), S.argmax(axis=1), diagnose(S))
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
    ax = _axes(ax, 4.5, 3.0)
    plot_numbers_tried(ax, model.selection_, model.n_clusters_)
    return ax


def _axes(ax: "Axes | None", width: float, height: float) -> "Axes":
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.subplots(figsize=(width, height), layout="constrained")[1]
