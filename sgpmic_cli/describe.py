"""Describe fitted models: their results, their pages and plots, and rows that come later."""

import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from sgpmic_cli import row_blocks
from sgpmic_cli._typing import Indices, PathLike, Table
from sgpmic_cli.errors import SgpmicError, UsageError
from sgpmic_cli.files import write_whole
from sgpmic_cli.result import plots
from sgpmic_cli.result.page import map_page, page_alone
from sgpmic_cli.result.result import Refit, Result
from sgpmic_cli.result.tables import append_rows
from sgpmic_cli.result.words import columns_to_drop, unusual_notes
from sgpmic_cli.style import COLOURS, FAINT
from sgpmic_cli.tables.encoder import EncodedTable, TableEncoder, is_frame
from sgpmic_cli.tables.recipe import Block, TableRecipe, unify_numbers
from sgpmic_cli.tables.rows import RowResults, Rows, class_numbers

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LARGER = 1.4  # matplotlib's default fonts, relative to those of our files
NO_CLUSTER = "no cluster"  # name of rows with one of these labels, or none
WITHOUT_CLUSTER = ("-1", "-1.0", "", "?")

# Reports how much of a step is done, how much there is, and the step in words.
Report = Callable[[int | None, int | None, str], None]


def no_report(done: int | None, total: int | None, step: str) -> None:
    """Report nothing."""


def fit_rows(model: Any, rows: Rows, report: Report = no_report) -> Result:
    """Fit an estimator to rows.

    The estimator gets the recipe of the table, which encodes later files for `predict`.
    """
    callback = _Callback(model.max_iter, rows.labels, report)
    started = time.perf_counter()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            model.set_params(callback=callback)
            model.fit(rows)
        except UsageError as error:
            reason = _lower_first(str(error))
            raise UsageError(f"{rows.name} cannot be fitted: {reason}") from None
        except FloatingPointError as error:
            raise SgpmicError(f"the fit of {rows.name} diverged: {error}") from None
    seconds = round(time.perf_counter() - started, 3)
    result = result_of(model, rows, model.training_results)
    accs = callback.accs if result.scores is None else [*callback.accs, result.scores["acc"]]
    return replace(
        result,
        facts=result.facts | {"seconds": seconds},
        trace=_trace(model, accs),
        warnings=list(dict.fromkeys(_lower_first(str(each.message)) for each in caught)),
    )


class _Callback:
    """Callback of an estimator that passes on its steps and keeps the ACC of each iteration."""

    def __init__(self, max_iter: int, classes: Indices | None, report: Report):
        self.max_iter, self.classes, self.report = max_iter, classes, report
        self.accs: list[float | None] = []

    def started(self, step: str) -> None:
        self.report(None, None, f"current step: {step}")

    def __call__(self, number: int, bound: float, labels: Indices) -> None:
        acc, words = None, ""
        if self.classes is not None and len(labels) == len(self.classes):  # not a subsample
            from sgpmic_cli.scores import purity

            acc = purity(self.classes, labels)
            words = f", ACC {acc:.2f}"
        self.accs.append(acc)
        text = f"iteration {number}/{self.max_iter}: bound {bound:.2f}{words}"
        self.report(number, self.max_iter, text)

    def assigned(self, done: int, rows: int) -> None:
        self.report(done, rows, f"assigned {done} of {rows} rows")


def _trace(model: Any, accs: Sequence[float | None]) -> pd.DataFrame:
    """Return the bound after each update, and the ACC at the end of its iteration.

    The paper's model has two updates per iteration and a final E-step, the default model one.
    """
    n, bounds = len(model.updates), model.lower_bounds_
    numbers = np.minimum(np.arange(len(bounds)) // n, model.n_iter_ - 1)
    places = np.minimum(np.arange(len(bounds)) // n, len(accs) - 1)
    return pd.DataFrame(
        {
            "update": range(1, len(bounds) + 1),
            "iteration": numbers + 1,
            "step": [model.updates[i % n] for i in range(len(bounds))],
            "bound": bounds,
            "acc": [accs[place] for place in places],
        }
    )


def result_of(model: Any, rows: Rows, results: RowResults) -> Result:
    """Return what a fitted model says about rows with values."""
    parameters = model.get_params()
    facts: dict[str, Any] = {
        "overlapping_pairs": [list(pair) for pair in model.overlapping_pairs_],
        "small_clusters": model.small_clusters_,
        "empty_clusters": model.empty_clusters_,
        "inducing": int(model.inducing_points_.shape[-2]),
        "scale": model.scale,
        "seed": parameters["random_state"],
        "iterations": model.n_iter_,
        "converged": model.converged_,
        "lower_bound": float(model.lower_bound_),
        "no_clusters": model.no_clusters_,
        "noise_variances": model.noise_variances_.tolist(),
    }
    result = Result(rows, results, mixture=(model.means_, model.covariances_), facts=facts)
    if not hasattr(model, "verdicts_"):
        facts |= {"method": "sgp-mic", "kernel": parameters["kernel"], "jitter": model.jitter_}
        return result
    from sgpmic_cli.clustering.clusters.discrete_columns import effective_values
    from sgpmic_cli.clustering.clusters.label_constants import FEW_VALUES

    facts |= {"method": "group-map", "base_clusterings": list(model.base_clusterings_)}
    tried: Any = model.selection_
    return replace(
        result,
        verdicts=model.verdicts_,
        groups=model.groups_[model.labels_ >= 0],
        group_depths=model.group_depths_,
        stability=model.stability_,
        overlap=_overlap(model),
        n_refits=parameters["n_resamples"],
        selection=[] if tried is None else tried.to_dict("records"),
        few_values=effective_values(rows.Y) < FEW_VALUES,
    )


def _overlap(model: Any) -> float | None:
    """Return the mean overlap of the clusters with refits, weighted by size, or None."""
    return None if model.stability_ is None else float(model.weights_ @ model.stability_)


def with_refit(result: Result, model: Any, report: Report = no_report) -> Result:
    """Repeat a fit without the columns that explain clusters, if there are any.

    The map takes most of the time and does not change the clusters, so it is not fitted. Rows
    beyond `max_rows` would have to be assigned again, so a table with such rows is not repeated.
    """
    recipe, columns = result.rows.recipe, result.explaining_columns
    too_many = len(result.rows.Y) > getattr(model, "max_rows", 0)
    if recipe is None or not columns or not columns_to_drop(result) or too_many:
        return result
    report(None, None, f"the same without {', '.join(columns)}")
    kept = [column.name not in columns for column in recipe.columns]
    others = replace(recipe, columns=tuple(np.array(recipe.columns, dtype=object)[kept]))
    Y = result.rows.Y[:, np.array(kept)[recipe.column_of_feature]]
    same = replace(result.rows, Y=Y, recipe=others, feature_names=others.feature_names)
    again = type(model)(**{**model.get_params(), "max_iter": 1, "callback": None})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            again.fit(same)
        except UsageError:  # the other columns cannot be clustered
            return result
    return replace(result, refit=Refit(again.labels_, _overlap(again)))


def fit_labels(
    rows: Rows, codes: Indices, names: Sequence[str], report: Report = no_report
) -> Result:
    """Return the result of given clusters (N,), with the verdicts and the map of the default model.

    Every row keeps its cluster. Without refits, the model only describes the clusters.
    """
    model = _model_of_labels(codes, names)
    return _with_labels(fit_rows(model, rows, report), codes, names)


def _model_of_labels(codes: Indices, names: Sequence[str]) -> Any:
    from sgpmic_cli.clustering.group_map import GroupMap

    return GroupMap(len(names), init=codes, n_resamples=0, random_state=0)


def _with_labels(result: Result, codes: Indices, names: Sequence[str]) -> Result:
    """Return a result with given clusters (N,).

    The model has assigned the rows beyond `max_rows`, perhaps to other clusters.
    """
    S, other = result.results.probabilities.copy(), result.results.labels != codes
    S[other] = np.eye(len(names))[codes[other]]
    results = replace(result.results, labels=codes, probabilities=S)
    return replace(result, results=results, names=tuple(names))


def cluster_codes(labels: ArrayLike) -> tuple[Indices, list[str]]:
    """Return the number of each row's cluster, and the names of the clusters in order."""
    given = pd.Series(labels)
    codes, names = pd.factorize(given.mask(given.astype(str).isin(WITHOUT_CLUSTER)), sort=True)
    if (codes < 0).any():
        return np.where(codes < 0, len(names), codes), [*map(str, names), NO_CLUSTER]
    return codes, [*map(str, names)]


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
    # The model gives training rows the latent points of the fit, up to rounding.
    if found.shape != known.shape or not np.allclose(found, known, atol=1e-6 * known.std()):
        raise UsageError(f"X must be the {len(points)} rows that the model was fitted to.")
    write_whole(path, page_alone(result, _texts(result, X)))


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
    return MapView(map_page(result, _texts(result, X)))


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
    codes, names = cluster_codes(np.asarray(labels).ravel())
    model = _model_of_labels(codes, names)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X)
    result = _result_of_table(model, X, "table" if path is None else Path(path).stem)
    result = _with_labels(result, codes[model.labels_ >= 0], names)
    page = page_alone(result, _texts(result, X))
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
    estimator = _last_step(model)
    if isinstance(model, Pipeline) and len(model) > 1:
        results = estimator.row_results(model[:-1].transform(X))
        encoder = TableEncoder().fit(X) if is_frame(X) else None
        Y = np.asarray(X) if encoder is None else encoder.transform(X)
    else:
        results, encoder, Y = estimator.row_results(X), estimator.encoder_, estimator.encode(X)
    if encoder is None:
        recipe, names = None, [f"column_{j + 1}" for j in range(Y.shape[1])]
    else:
        recipe = encoder.recipe_
        names = list(recipe.feature_names)
    used = np.flatnonzero(results.labels >= 0)
    rows: Any = {"recipe": recipe, "row_numbers": used + 1}
    data = Rows.from_classes(name, Y[used], None, names, **rows)
    return result_of(estimator, data, results.part(used))


def _texts(result: Result, X: Table) -> dict[str, Sequence[str]]:
    """Return the columns of texts of a data frame, for the rows of a result."""
    if not isinstance(X, pd.DataFrame):
        return {}
    assert result.rows.row_numbers is not None
    rows = X.iloc[result.rows.row_numbers - 1].select_dtypes(exclude=["number", "datetime"])
    return {str(name): rows[name].astype(str).tolist() for name in rows}


def recipe_of(model: Any) -> TableRecipe:
    """Return the recipe of a model. A model that was fitted to an array takes plain numbers."""
    if model.encoder_ is not None:
        return model.encoder_.recipe_
    names = [str(name) for name in getattr(model, "feature_names_in_", [])]
    columns = names or [f"column_{j + 1}" for j in range(model.n_features_in_)]
    return TableRecipe.of_numbers(columns, named=bool(names))


def assign_rows(
    model: Any,
    rows: EncodedTable,
    folder: Path,
    report: Report = no_report,
) -> dict[str, Any]:
    """Assign the rows of a table block by block, and write labels.csv and embedding.csv.

    Return the content of the command's JSON output. Of each row, only the numbers of its cluster
    and its class are kept.
    """
    sizes = np.zeros(model.n_clusters_, dtype=np.int64)
    probability, done, n_unusual = 0.0, 0, 0
    clusters: list[np.ndarray] = []
    classes: list[np.ndarray] = []
    class_names: dict[str, int] = {}  # in order of appearance
    for block in _equal_blocks(rows, row_blocks.ROWS):
        try:
            found = model.row_results(block)
        except UsageError as error:
            raise UsageError(f"{rows.name} cannot be assigned to clusters: {error}") from None
        append_rows(folder, block.row_numbers, block.ids, found)
        n_unusual += int(found.unusual.sum())
        sizes += np.bincount(found.labels, minlength=len(sizes))
        probability += float(found.probabilities.max(axis=1).sum())
        if block.classes is not None:
            numbers = [class_names.setdefault(name, len(class_names)) for name in block.classes]
            classes.append(np.array(numbers, dtype=np.int32))
            clusters.append(found.labels.astype(np.int32))
        done += len(block.Y)
        report(done, None, f"assigned {done} rows")
    return {
        "dataset": rows.name,
        "rows": done,
        "clusters": len(sizes),
        "sizes": sizes.tolist(),
        "dims": model.embedding_.shape[1],
        "mean_probability": probability / done,
        "unusual_rows": n_unusual,
        "scores": _scores(list(class_names), classes, clusters) if classes else None,
        "notes": [*rows.notes, *unusual_notes(n_unusual, done, "rows of the model")],
    }


def _scores(
    names: list[str], classes: list[np.ndarray], clusters: list[np.ndarray]
) -> dict[str, float]:
    """Compute the scores. The same number may have several names, such as 1 and 1.0."""
    from sgpmic_cli.scores import score_all  # not needed without classes

    unified = unify_numbers(names)
    numbers = class_numbers(unified)
    final = np.array([numbers[name] for name in unified])
    return score_all(final[np.concatenate(classes)], np.concatenate(clusters))


def _equal_blocks(blocks: Iterable[Block], size: int) -> Iterator[Block]:
    """Regroup rows into blocks of equal size; the last may be smaller.

    Rows of a block share matrix products, whose last digits can depend on the other rows. Equal
    blocks make the result independent of how the file is read.
    """
    rest: list[Block] = []
    for block in blocks:
        rest.append(block)
        if sum(len(part.Y) for part in rest) >= size:
            joined = Block.joined(rest)
            end = len(joined.Y) // size * size
            yield from (joined.part(slice(first, first + size)) for first in range(0, end, size))
            rest = [joined.part(slice(end, None))]
    if rest and len((last := Block.joined(rest)).Y):
        yield last


def _lower_first(sentence: str) -> str:
    """Make the first letter lower case, to continue another sentence."""
    return sentence[:1].lower() + sentence[1:]
