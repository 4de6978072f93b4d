"""What estimators share: checks of parameters, and the way from a table to rows and to results.

Both are a `RowClusterer`. The functions take the estimator. `encode` sets its attributes `encoder_`
and `n_features_in_`, and `scale_columns` sets `offset_` and `scale_`. Its method `_locate` returns
the located rows of an array of scaled rows: latent points and variances (n, Q), probabilities
(n, M), log densities (n,), and further arrays that only the estimator uses.
"""

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from numbers import Integral, Real
from os import PathLike
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

import numpy as np
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    ClusterMixin,
    TransformerMixin,
)
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_array, gen_batches, get_tags
from sklearn.utils._param_validation import (
    HasMethods,
    Interval,
    StrOptions,
    validate_parameter_constraints,
)
from sklearn.utils.validation import check_is_fitted, validate_data

from sgpmic_cli._typing import Array, BoolArray, Indices, Table
from sgpmic_cli.errors import UsageError, input_errors, warn_caller
from sgpmic_cli.row_blocks import Workers, row_blocks, workers
from sgpmic_cli.scaling import (
    SAFE_RANGE,
    UNSCALED_RANGE,
    check_spread,
    ends_with_totals,
    offset_and_scale,
)
from sgpmic_cli.tables.encoder import TableEncoder, as_table, is_frame, warn_of_notes
from sgpmic_cli.tables.recipe import TableRecipe
from sgpmic_cli.tables.rows import RowResults, Rows

COST = 25  # of locating a row, relative to a row of a bound
LEFT_OUT = -1  # label of a row without any value, as of noise in scikit-learn
TINY = 5  # a cluster with fewer rows is small ...
TINY_FRACTION = 0.2  # ... unless it has this fraction of the rows divided by the clusters
SHARED = 0.5  # two clusters overlap if they share this fraction of their responsibility
FENCE = 3.0  # interquartile ranges below the first quartile, the outer fence of a box plot

# Types of parameters with the constraints of scikit-learn. A `Literal` is its own constraint.
COUNT = Interval(Integral, 1, None, closed="left")
Count = Annotated[int, COUNT]
CountOrZero = Annotated[int, Interval(Integral, 0, None, closed="left")]
Amount = Annotated[float, Interval(Real, 0, None, closed="left")]
Positive = Annotated[float, Interval(Real, 0, None, closed="neither")]
Flag = Annotated[bool, "boolean"]
Dimensions = Annotated[int | float, COUNT, Interval(Real, 0, 1, closed="neither")]
Jobs = Annotated[int | None, Integral, None]
Verbose = Annotated[bool | int, "verbose"]
Callback = Annotated[Callable[[int, float, Indices], None] | None, callable, None]
Memory = Annotated[Any, str, PathLike, HasMethods("cache"), None]


def check_parameters(estimator: Any) -> None:
    """Raise UsageError for the first parameter outside the constraints of its type."""
    constraints = {}
    for name, hint in get_type_hints(type(estimator), include_extras=True).items():
        if get_origin(hint) is Literal:
            constraints[name] = [StrOptions(set(get_args(hint)))]
        elif found := getattr(hint, "__metadata__", ()):
            constraints[name] = list(found)
    parameters = estimator.get_params(deep=False)
    with input_errors():
        validate_parameter_constraints(constraints, parameters, type(estimator).__name__)


def check_clusters(n_clusters: int, Y: Array) -> None:
    """Raise UsageError if there are more clusters than rows."""
    if n_clusters > len(Y):
        raise UsageError(
            f"n_clusters={n_clusters} needs at least that many rows; n_samples={len(Y)}."
        )


def check_dimensions(n_components: int, Y: Array) -> None:
    """Raise UsageError if there are more dimensions than columns, or too few rows."""
    if n_components > Y.shape[1]:
        raise UsageError(
            f"n_components={n_components} needs at least that many columns; "
            f"n_features={Y.shape[1]}."
        )
    if n_components >= len(Y):
        raise UsageError(
            f"n_components={n_components} needs more rows than dimensions; n_samples={len(Y)}."
        )


class RowClusterer(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, BaseEstimator):
    """Base class of `GroupMap` and `SGPMIC`: what a fitted estimator says about rows."""

    def fit_transform(self, X: Table | Rows, y: Any = None) -> Array:
        """Fit the model to rows and return their latent points (n_samples, Q)."""
        return self.fit(X).embedding_

    def row_results(self, X: Table | Rows) -> RowResults:
        """Return clusters, probabilities, latent points and densities of rows at once."""
        return self._row_results(*located(self, X)[:4])

    @property
    def training_results(self) -> RowResults:
        """The results of the training rows. Model files of `GroupMap` do not have them."""
        check_is_fitted(self, "log_density_")
        points, variances = self.embedding_, self.embedding_variances_
        return self._row_results(points, variances, self.responsibilities_, self.log_density_)

    def _row_results(
        self, points: Array, variances: Array, S: Array, log_density: Array
    ) -> RowResults:
        unusual = log_density < self.unusual_below_
        return RowResults(most_probable(S), S, points, variances, log_density, unusual)

    def transform(self, X: Table | Rows) -> Array:
        """Return the latent points (n_samples, Q) of rows under the fitted model."""
        return located(self, X)[0]

    def predict(self, X: Table | Rows) -> Indices:
        """Return the cluster of each row (n_samples,), and -1 for rows without any value."""
        return most_probable(self.predict_proba(X))

    def predict_proba(self, X: Table | Rows) -> Array:
        """Return the probability of each cluster for each row, (n_samples, n_clusters)."""
        return located(self, X)[2]

    def score_samples(self, X: Table | Rows) -> Array:
        """Return a lower bound on the log density of each row (n_samples,) in the units of X."""
        return located(self, X)[3] - np.sum(np.log(self.scale_[self.scale_ > 0]))

    def score(self, X: Table | Rows, y: Any = None) -> float:
        """Return the mean of `score_samples`; higher is better."""
        return float(np.nanmean(self.score_samples(X)))

    def encode(self, X: Table) -> Array:
        """Return the features (n_samples, F) that the model makes of rows."""
        check_is_fitted(self)
        return encode(self, X)

    @property
    def _n_features_out(self) -> int:
        return self.embedding_.shape[1]


def encode(model: Any, X: Any, *, fitting: bool = False) -> Array:
    """Return the features of a table (n, F), NaN for missing values.

    After a fit to a data frame, the columns of an array are matched by position.
    """
    X = X if isinstance(X, Rows) else as_table(X)
    if fitting:
        _learn_encoder(model, X)
    checks: Any = {"dtype": np.float64, "order": "C", "ensure_min_samples": 1 + fitting}
    if isinstance(X, Rows):
        Y = X.Y
    elif model.encoder_ is None:
        with input_errors():
            return validate_data(model, X, reset=fitting, ensure_all_finite="allow-nan", **checks)
    else:
        if not is_frame(X):
            with input_errors():
                validate_data(model, X, reset=False, skip_check_array=True)
        Y = model.encoder_.transform(X)
    Y = Y if model.encoder_ is None else model.encoder_.recipe_.logarithms(Y)
    with input_errors():
        return check_array(Y, ensure_all_finite="allow-nan", **checks)


def _learn_encoder(model: Any, X: Any) -> None:
    """Set `encoder_`, and for encoded tables the number and the names of the columns."""
    model.encoder_ = None
    if isinstance(X, Rows):
        set_encoder(model, X.recipe or TableRecipe.of_numbers(X.feature_names))
    elif is_frame(X):
        encoder = TableEncoder().fit(X)
        set_encoder(model, encoder.recipe_)
        warn_of_notes(encoder.notes_)


def set_encoder(model: Any, recipe: TableRecipe) -> None:
    """Set the encoder of a recipe, and the number and the names of the columns."""
    model.encoder_ = TableEncoder.from_recipe(recipe)
    model.n_features_in_ = model.encoder_.n_features_in_
    vars(model).pop("feature_names_in_", None)
    if hasattr(model.encoder_, "feature_names_in_"):
        model.feature_names_in_ = model.encoder_.feature_names_in_


def rows_without_values(model: Any, Y: Array) -> BoolArray:
    """Return which rows have no value (n,), and warn of them."""
    blocks = list(row_blocks(len(Y)))
    empty = np.concatenate([np.isnan(Y[rows]).all(axis=1) for rows in blocks])
    if empty.all():
        raise UsageError("No row has a value.")
    with_gaps = sum(np.isnan(Y[b][~empty[b]]).any(axis=1).sum() for b in blocks)
    if with_gaps and not _allows_nan(model):
        raise UsageError(
            f"{with_gaps} of {len(Y)} rows have missing values (NaN), which {type(model).__name__} "
            "does not take: fill or drop them, or fit GroupMap (--method group-map), which does."
        )
    if empty.any():
        count, first = np.count_nonzero(empty), np.flatnonzero(empty)[0] + 1
        warn_caller(f"Rows without any value are left out: {count}, the first is row {first}.")
    return empty


def training_rows(model: Any, X: Any) -> Array:
    """Return the features of the rows with values, and set `_left_out` to the others."""
    Y = encode(model, X, fitting=True)
    empty = rows_without_values(model, Y)
    model._left_out = np.flatnonzero(empty)
    Y = Y[~empty] if empty.any() else Y
    check_spread(Y)
    if ends_with_totals(Y):
        warn_caller("The last row is the sum of the others; remove it if it holds the totals.")
    return Y


def scale_columns(model: Any, Y: Array, **options: bool) -> None:
    """Set `offset_` and `scale_` from the features (N, F)."""
    if model.scale == "none":
        check_spread(Y, UNSCALED_RANGE)
    levels = None if model.encoder_ is None else model.encoder_.recipe_.levels
    model.offset_, model.scale_ = offset_and_scale(Y, model.scale, levels, **options)


def scaled(model: Any, Y: Array) -> Array:
    """Return the scaled features. Features with a scale of zero are left out."""
    used = model.scale_ > 0
    with np.errstate(over="ignore"):
        rows = (Y[:, used] - model.offset_[used]) / model.scale_[used]
    if (np.abs(rows) > SAFE_RANGE[1]).any():
        raise UsageError("A row is too far from the training rows to be assigned.")
    return np.asarray(rows)


def in_blocks(model: Any, X: Any, work: Callable[[Array], Any]) -> tuple[list[Any], Indices]:
    """Return the results of a function of scaled rows, and the rows without any value."""
    check_is_fitted(model)
    Y, results = encode(model, X), []
    empty = rows_without_values(model, Y)
    with workers(model.n_jobs) as threads:
        for rows in row_blocks(len(Y)):
            part = scaled(model, Y[rows])[~empty[rows]]
            results += in_parts(part, work, model._rows_at_once, threads)
    return results, np.flatnonzero(empty)


def in_parts(rows: Array, work: Callable[[Array], Any], size: int, threads: Workers) -> list[Any]:
    """Return the results of a function for small parts of one block of scaled rows."""
    parts = [rows[part] for part in gen_batches(len(rows), size)]
    return threads.map(work, parts, COST * len(rows))


def joined(parts: Sequence[Sequence[Array]]) -> list[Array]:
    """Concatenate each of the arrays that the parts have."""
    return [np.concatenate(arrays) for arrays in zip(*parts, strict=True)]


def located(model: Any, X: Any) -> list[Array]:
    """Return what `_locate` returns, for the rows of a table."""
    parts, left_out = in_blocks(model, X, model._locate)
    return [with_left_out(each, left_out) for each in joined(parts)]


def most_probable(S: Array) -> Indices:
    """Return the most probable cluster of each row (n,), -1 for NaN."""
    labels = S.argmax(axis=1)
    labels[np.isnan(S[:, 0])] = LEFT_OUT
    return labels


def with_left_out(values: Array, left_out: Indices) -> Array:
    """Insert NaN, or -1 among integers, for rows that were left out, at these places."""
    if not len(left_out):
        return values
    n, empty = len(values) + len(left_out), -1 if values.dtype.kind == "i" else np.nan
    result = np.full((n, *values.shape[1:]), empty)
    result[np.delete(np.arange(n), left_out)] = values
    return result


def set_results(model: Any, row_arrays: Sequence[str]) -> None:
    """Insert the training rows without any value into some attributes, and set the diagnostics."""
    for name in row_arrays:
        setattr(model, name, with_left_out(getattr(model, name), model._left_out))
    set_diagnostics(model)


def unusual_below(log_density: Array) -> float:
    """Return the log density below which a row is unlike the training rows (N,), some NaN."""
    first, third = np.nanpercentile(log_density, [25, 75])
    return float(first - FENCE * (third - first))


def set_diagnostics(model: Any) -> None:
    """Set the attributes that follow from the responsibilities."""
    S = model.responsibilities_
    model.labels_, model.n_clusters_ = most_probable(S), S.shape[1]
    known = model.labels_ != LEFT_OUT
    S, labels = (S, model.labels_) if known.all() else (S[known], model.labels_[known])
    n, m = S.shape
    sizes = np.bincount(labels, minlength=m)
    sums = np.bincount(labels, weights=S.max(axis=1), minlength=m)
    model.cluster_sizes_, model.certainty_ = sizes, sums / np.maximum(sizes, 1)
    model.overlapping_pairs_ = _overlapping_pairs(S)
    small = (sizes > 0) & (sizes < min(TINY, TINY_FRACTION * n / m))
    model.small_clusters_ = np.flatnonzero(small).tolist()
    model.empty_clusters_ = np.flatnonzero(sizes == 0).tolist()


def _overlapping_pairs(S: Array) -> list[tuple[int, int]]:
    """Return the pairs of clusters with rows that share much of their responsibility (N, M)."""
    shared = np.zeros((S.shape[1], S.shape[1]))
    for rows in row_blocks(len(S)):
        for a, column in enumerate(S[rows].T):
            shared[a] += np.minimum(column[:, None], S[rows]).sum(axis=0)
    counts = S.sum(axis=0)
    empty = np.setdiff1d(np.arange(len(counts)), S.argmax(axis=1))
    shared[empty] = shared[:, empty] = 0.0
    pairs = np.triu(shared > SHARED * np.minimum.outer(counts, counts), 1)
    return [(int(a), int(b)) for a, b in np.argwhere(pairs)]


def warn_of_doubts(model: Any) -> None:
    """Warn if clusters are small, empty or hard to tell apart."""
    doubts = []
    if pairs := model.overlapping_pairs_:
        (a, b), n = pairs[0], len(pairs)
        words = f"{n} pairs of clusters, such as {a} and {b}" if n > 1 else f"clusters {a} and {b}"
        doubts.append(f"many rows lie between {words}")
    if model.small_clusters_:
        doubts.append(f"{_clusters(model.small_clusters_)} fewer than {TINY} rows")
    if model.empty_clusters_:
        doubts.append(f"{_clusters(model.empty_clusters_)} no rows")
    if doubts:
        fewer = ": fewer clusters may describe these data better" * (model.n_clusters_ > 2)
        warn_caller(f"{'; '.join(doubts)}{fewer}.")


def _clusters(numbers: list[int]) -> str:
    names = ", ".join(map(str, numbers))
    return f"cluster {names} has" if len(numbers) == 1 else f"clusters {names} have"


def report_step(model: Any, step: str) -> None:
    """Report the start of a step of a fit, such as the choice of the number of clusters."""
    if model.verbose:
        print(f"{type(model).__name__}: {step}", flush=True)
    started = getattr(model.callback, "started", None)
    if started is not None:
        started(step)


def report_iteration(model: Any, iteration: int, bound: float, labels: Indices) -> None:
    """Report the end of an EM iteration."""
    if model.verbose:
        text = f"iteration {iteration} of at most {model.max_iter}, bound {bound:.2f}"
        print(f"{type(model).__name__}: {text}", flush=True)
    if model.callback is not None:
        model.callback(iteration, bound, labels)


@contextmanager
def fitting_threads(n_jobs: int | None) -> Iterator[Workers]:
    """Open the threads of a fit, whose starts and base clusterings need not converge."""
    with workers(n_jobs) as threads, warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        yield threads


def _allows_nan(model: Any) -> bool:
    return bool(get_tags(model).input_tags.allow_nan)
