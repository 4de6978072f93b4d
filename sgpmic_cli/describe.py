"""Pages and plots of models that were fitted in Python, or of any labels."""

from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_array, check_is_fitted

from sgpmic_cli._typing import Array, Indices, PathLike, Table
from sgpmic_cli.errors import UsageError, input_errors
from sgpmic_cli.files import write_whole
from sgpmic_cli.fitting import cluster_codes, fit_labels, result_of
from sgpmic_cli.result import plots
from sgpmic_cli.result.page import map_page, page_alone
from sgpmic_cli.result.result import Result
from sgpmic_cli.style import COLOURS, FAINT
from sgpmic_cli.tables.encoder import TableEncoder, as_table, is_frame
from sgpmic_cli.tables.read import default_names
from sgpmic_cli.tables.recipe import TableRecipe
from sgpmic_cli.tables.rows import Rows

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LARGER = 1.4  # matplotlib's default fonts, relative to those of our files


def write_report(model: Any | Pipeline, X: Table, path: PathLike) -> None:
    """Write a page about a fit: clusters, profiles, map, doubtful rows and settings.

    Parameters
    ----------
    model : GroupMap, SGPMIC or Pipeline
        A fitted model, or a fitted pipeline that ends with one.
    X : array-like or DataFrame of shape (n_samples, n_features)
        The rows that the model or the pipeline was fitted to.
    path : str or path-like
        The HTML file to write. It needs no other file and no network.
    """
    path, estimator = Path(path), _last_step(model)
    result = _result_of_table(model, X, path.stem)
    found, points = result.results.points, estimator.embedding_
    known = points[estimator.labels_ >= 0]
    # Training rows keep their latent points, and equal rows have those of the first of them.
    if found.shape != known.shape or not np.allclose(found, known, atol=1e-3 * known.std()):
        raise UsageError(f"X must be the {len(points)} rows that the model was fitted to, exactly.")
    write_whole(path, page_alone(result))


class MapView(NamedTuple):
    """The map of a fit, which a notebook shows."""

    page: str

    def _repr_html_(self) -> str:
        """Return the page in a frame that can only run its own scripts."""
        options = 'sandbox="allow-scripts" width="100%" height="720" style="border:0"'
        return f'<iframe {options} srcdoc="{escape(self.page)}"></iframe>'


def show_map(model: Any | Pipeline, X: Table) -> MapView:
    """Show the interactive map of a fit in a notebook.

    The parameters are those of `write_report`. The map is shown if it is the last value of a cell,
    and its attribute `page` is an HTML page that needs no other file.
    """
    result = _result_of_table(model, X, "map")
    if result.results.points.shape[1] == 1:
        raise UsageError("a map needs two latent dimensions, and the model has one.")
    return MapView(map_page(result))


def report(X: Table, labels: ArrayLike, path: PathLike | None = None) -> str:
    """Make the page of a fit for clusters that come from elsewhere: another method, a colleague.

    The clusters keep their names. The page has their verdicts, rules, profiles and a map, which is
    fitted to the rows with these clusters, which stay as they are. The groups of its first sentence
    are searched anew.

    Parameters
    ----------
    X : array-like or DataFrame of shape (n_samples, n_features)
        The rows that were clustered.
    labels : array-like of shape (n_samples,)
        Cluster of each row: numbers or names. -1 and missing values are rows without a cluster;
        they are shown as one cluster of that name.
    path : str or path-like, default=None
        The HTML file to write. None writes no file.

    Returns
    -------
    page : str
        The page. It needs no other file and no network.
    """
    X, given = as_table(X), np.asarray(labels).ravel()
    recipe, Y = _encoded(X)
    if len(given) != len(Y):
        raise UsageError(f"labels must have one entry for each of {len(Y)} rows.")
    codes, names = cluster_codes(given)
    used = np.flatnonzero(~np.isnan(Y).all(axis=1))
    rows = _rows("table" if path is None else Path(path).stem, X, Y, recipe, used)
    result = fit_labels(rows, codes[used], names)
    page = page_alone(result)
    if path is not None:
        write_whole(Path(path), page)
    return page


def plot_map(
    model: Any | Pipeline,
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
    model = _last_step(model)
    ax = _axes(ax, 4.5, 4.0)
    used = model.labels_ >= 0
    X, labels = model.embedding_[used], model.labels_[used]
    groups = plots.cluster_groups(labels, model.n_clusters_)
    if classes is not None:
        names, numbers = np.unique(np.asarray(classes), return_inverse=True)
        if numbers.shape != used.shape:
            raise UsageError(f"classes must have one entry for each of {len(used)} rows.")
        groups = plots.class_groups(numbers[used], [str(name) for name in names], labels)
    plots.plot_points(ax, X, groups, ax.get_window_extent().width / ax.figure.dpi)
    if classes is None:
        plots.plot_mixture(ax, X, model.means_, model.covariances_, np.unique(labels))
    return ax


def plot_profiles(model: Any | Pipeline, X: Table, *, ax: "Axes | None" = None) -> "Axes":
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
    profile = _result_of_table(model, X).profile
    width, height = plots.profile_size(profile)
    ax = _axes(ax, LARGER * width, LARGER * height)
    plots.plot_profile(ax, profile)
    return ax


def plot_selection(model: Any | Pipeline, *, ax: "Axes | None" = None) -> "Axes":
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
    model = _last_step(model)
    if model.selection_ is None or "silhouette" not in model.selection_:
        how = "was given" if model.selection_ is None else "is that of the groups"
        raise UsageError(f"The number of clusters {how}, so no other number was tried.")
    from matplotlib.ticker import MaxNLocator

    ax = _axes(ax, 4.5, 3.0)
    shown = model.selection_[model.selection_["n_clusters"] > 1]
    numbers = shown["n_clusters"].tolist()
    ax.plot(numbers, shown["silhouette"], "o-", color=COLOURS[0], label="these data")
    ax.plot(numbers, shown["reference"], "s--", color=FAINT, label="null reference data")
    if (chosen := model.n_clusters_) in numbers:
        ax.axvline(chosen, color=COLOURS[3], linewidth=0.8, label=f"chosen: {chosen}")
    ax.set(xlabel="number of clusters", ylabel="silhouette")
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3)  # not on a curve
    return ax


def _axes(ax: "Axes | None", width: float, height: float) -> "Axes":
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.subplots(figsize=(width, height), layout="constrained")[1]


def _last_step(model: Any | Pipeline) -> Any:
    """Return the fitted estimator, which may be the last step of a pipeline."""
    estimator = model[-1] if isinstance(model, Pipeline) else model
    if not hasattr(estimator, "row_results"):
        raise UsageError(
            "model must be a fitted GroupMap or SGPMIC, or a pipeline that ends with one, not "
            f"{type(estimator).__name__}."
        )
    check_is_fitted(estimator)
    return estimator


def _result_of_table(model: Any | Pipeline, X: Table, name: str = "X") -> Result:
    """Return the result of a model that was fitted in Python for the rows of a table.

    The columns of a pipeline's table are described as they are before its first step.
    """
    X, estimator = as_table(X), _last_step(model)
    if isinstance(model, Pipeline) and len(model) > 1:
        results, (recipe, Y) = estimator.row_results(model[:-1].transform(X)), _encoded(X)
    else:
        results, Y, encoder = estimator.row_results(X), estimator.encode(X), estimator.encoder_
        recipe = None if encoder is None else encoder.recipe_
    used = np.flatnonzero(results.labels >= 0)
    return result_of(estimator, _rows(name, X, Y, recipe, used), results.part(used))


def _encoded(X: Table) -> tuple[TableRecipe | None, Array]:
    """Return the recipe of a data frame and the features (N, F) of a table."""
    if not is_frame(X):
        with input_errors():
            return None, check_array(X, dtype=np.float64, ensure_all_finite="allow-nan")
    encoder = TableEncoder().fit(X)
    return encoder.recipe_, encoder.transform(X)


def _rows(name: str, X: Table, Y: Array, recipe: TableRecipe | None, used: Indices) -> Rows:
    """Return the rows of a table X that are used, with the features Y (N, F)."""
    names = default_names(Y.shape[1]) if recipe is None else recipe.feature_names
    frame = X.set_axis([*map(str, X.columns)], axis=1) if isinstance(X, pd.DataFrame) else None
    return Rows(name, Y[used], None, (), tuple(names), recipe, frame, row_numbers=used + 1)
