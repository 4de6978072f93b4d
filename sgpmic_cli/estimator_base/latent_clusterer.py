"""Base class of `GroupMap` and `SGPMIC`: from a table to scaled rows, fits and new rows."""

import warnings
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_array, gen_batches, get_tags
from sklearn.utils.validation import check_is_fitted, validate_data

from sgpmic_cli._typing import Array, BoolArray, Indices, PathLike, Table
from sgpmic_cli.errors import UsageError, input_errors, warn_caller
from sgpmic_cli.estimator_base import (
    BOOLEAN,
    CALLBACK,
    JOBS,
    Clusterer,
    check_parameters,
    either,
    number,
    one_of,
    whole,
)
from sgpmic_cli.estimator_base.prediction import (
    Diagnostics,
    Features,
    Located,
    RowResults,
    diagnose,
    most_probable,
    warn_about,
    with_left_out,
)
from sgpmic_cli.estimator_base.scaling import SAFE_RANGE, Scale, check_spread, offset_and_scale
from sgpmic_cli.estimator_base.storage import StoredModel, read_model
from sgpmic_cli.row_blocks import Workers, row_blocks, workers
from sgpmic_cli.tables.encoder import TableEncoder, is_frame

# Rules of the parameters that both estimators have.
SHARED_RULES = {
    "scale": one_of("none", "global", "standard"),
    "n_inducing": whole(),
    "max_iter": whole(),
    "optimizer_steps": whole(),
    "tol": number(),
    "n_jobs": JOBS,
    "verbose": either(BOOLEAN, whole(0)),
    "callback": CALLBACK,
}
COST = 25  # of locating a row, relative to a row of a bound
# Classes by the kinds of model files. A file of one model does not import the other.
ESTIMATORS = {
    "shared-process": "sgpmic_cli.clustering.group_map:GroupMap",
    "paper": "sgpmic_cli.paper.model.estimator:SGPMIC",
}


class LatentClusterer(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Clusterer, StoredModel):
    """An estimator that finds clusters and latent points of rows.

    Its methods take rows X of shape (n_samples, n_features), new rows or training rows. Data frames
    are raw tables, which `encoder_` makes features of. Arrays are features.
    """

    scale: Scale
    max_iter: int
    n_jobs: int | None
    verbose: bool | int
    callback: Callable[[int, float, Indices], None] | None
    # Fitted attributes. The subclasses explain them.
    offset_: Array
    scale_: Array
    responsibilities_: Array
    embedding_: Array
    embedding_variances_: Array
    n_clusters_: int
    selection_: pd.DataFrame | None
    no_clusters_: bool
    cluster_sizes_: Indices
    certainty_: Array
    overlapping_pairs_: list[tuple[int, int]]
    small_clusters_: list[int]
    empty_clusters_: list[int]
    weights_: Array
    means_: Array
    covariances_: Array
    inducing_points_: Array
    kernel_params_: list[dict[str, Any]]
    noise_variances_: Array
    lower_bound_: float
    lower_bounds_: list[float]
    n_iter_: int
    converged_: bool

    _rows_at_once: ClassVar[int]  # that one thread locates together
    updates: ClassVar[tuple[str, ...]] = ("EM",)  # steps of an iteration, each with a bound

    def encode(self, X: Table) -> Features:
        """Return the features of rows, which the methods for new rows take instead of the rows."""
        check_is_fitted(self)
        return Features(self._encode(X, fitting=False), self.encoder_)

    def fit_transform(self, X: Table, y: Any = None) -> Array:
        """Fit the model to the rows X and return their latent points (n_samples, Q)."""
        return self.fit(X).embedding_

    def transform(self, X: Table) -> Array:
        """Return the latent points (n_samples, Q) of rows, optimised under the fitted model."""
        return self._locate(X).points

    def prediction(self, X: Table | Features) -> RowResults:
        """Return clusters, probabilities, latent points and densities of rows at once."""
        return RowResults.of(self._locate(X), self.unusual_below_)

    @property
    def training_prediction(self) -> RowResults:
        """The prediction of the training rows after `fit`. Model files do not have it."""
        check_is_fitted(self, "log_density_")
        X, variances = self.embedding_, self.embedding_variances_
        located = Located(X, variances, self.responsibilities_, self.log_density_)
        return replace(RowResults.of(located, self.unusual_below_), labels=self.labels_)

    def predict_proba(self, X: Table) -> Array:
        """Return the probability of each cluster for each row, (n_samples, n_clusters)."""
        parts, left_out = self._map_blocks(X, self._assigned)
        return with_left_out(np.concatenate(parts), left_out)

    def predict(self, X: Table) -> Indices:
        """Return the cluster of each row (n_samples,), and -1 for rows without any value."""
        return most_probable(self.predict_proba(X))

    def score_samples(self, X: Table) -> Array:
        """Return a lower bound on the log density of each row (n_samples,) in the units of X."""
        return self._locate(X).log_density - np.sum(np.log(self.scale_[self.scale_ > 0]))

    def score(self, X: Table, y: Any = None) -> float:
        """Return the mean of `score_samples`; higher is better."""
        return float(np.nanmean(self.score_samples(X)))

    @property
    def _n_features_out(self) -> int:
        return self.embedding_.shape[1]

    @abstractmethod
    def _located(self, scaled: Array) -> Located:
        """Return latent points, probabilities and log densities of scaled rows."""

    def _assigned(self, scaled: Array) -> Array:
        """Return the cluster probabilities of scaled rows."""
        return self._located(scaled).S

    def _locate(self, X: Table | Features) -> Located:
        parts, left_out = self._map_blocks(X, self._located)
        return Located(*(with_left_out(array, left_out) for array in Located.joined(parts)))

    def _fit_to(self, X: Table | Features) -> None:
        check_parameters(self, self._rules)
        Y = self._encode(X, fitting=True)
        self._left_out = np.flatnonzero(self._without_values(Y))
        if len(self._left_out):
            Y = np.delete(Y, self._left_out, axis=0)
        check_spread(Y)
        with workers(self.n_jobs) as threads, warnings.catch_warnings():
            # Starts and base clusterings need not converge.
            warnings.simplefilter("ignore", ConvergenceWarning)
            self._fit_rows(Y, threads)
        warn_about(self._diagnose())
        self._insert_left_out()

    @abstractmethod
    def _fit_rows(self, Y: Array, threads: Workers) -> None:
        """Set the fitted attributes."""

    def _report_step(self, step: str) -> None:
        """Report the start of a step of a fit, such as the choice of the number of clusters."""
        if self.verbose:
            print(f"{type(self).__name__}: {step}", flush=True)
        started = getattr(self.callback, "started", None)
        if started is not None:
            started(step)

    def _report_iteration(self, iteration: int, bound: float, labels: Indices) -> None:
        """Report the end of an EM iteration."""
        if self.verbose:
            text = f"iteration {iteration} of at most {self.max_iter}, bound {bound:.2f}"
            print(f"{type(self).__name__}: {text}", flush=True)
        if self.callback is not None:
            self.callback(iteration, bound, labels)

    def _diagnose(self) -> Diagnostics:
        """Set the attributes that follow from the responsibilities."""
        self.labels_ = self.responsibilities_.argmax(axis=1)
        self.n_clusters_ = self.responsibilities_.shape[1]
        self.no_clusters_ = self.selection_ is not None and self.n_clusters_ == 1
        diagnostics = diagnose(self.responsibilities_)
        self.cluster_sizes_, self.certainty_ = diagnostics[:2]
        self.overlapping_pairs_, self.small_clusters_, self.empty_clusters_ = diagnostics[2:]
        return diagnostics

    def _map_blocks(
        self, X: Table | Features, function: Callable[[Array], Any]
    ) -> tuple[list, Indices]:
        """Return the results of a function of scaled rows, and the rows without any value."""
        check_is_fitted(self)
        Y, results = self._encode(X, fitting=False), []
        empty = self._without_values(Y)
        first_row = X.first_row if isinstance(X, Features) else 0
        with workers(self.n_jobs) as threads:
            for rows in row_blocks(len(Y)):
                scaled = self._scaled(Y[rows], first_row + rows.start)
                results += self._map_block(scaled[~empty[rows]], function, threads)
        return results, np.flatnonzero(empty)

    def _map_block(self, scaled: Array, function: Callable, threads: Workers) -> list:
        """Return the results of a function for small parts of one block of scaled rows."""
        parts = [scaled[rows] for rows in gen_batches(len(scaled), self._rows_at_once)]
        return threads.map(function, parts, COST * len(scaled))

    def _encode(self, X: Table | Features, *, fitting: bool) -> Array:
        """Return the features of a table (n, F), NaN for missing values.

        After a fit to a data frame, the columns of an array are matched by position.
        """
        if isinstance(X, np.ma.MaskedArray):  # scikit-learn ignores the mask
            X = np.ma.filled(X.astype(np.float64), np.nan)
        if fitting:
            self._learn_encoder(X)
        checks: Any = {"dtype": np.float64, "order": "C", "ensure_min_samples": 1 + fitting}
        if isinstance(X, Features):
            Y = X.Y
        elif self.encoder_ is None:
            finite = "allow-nan" if _allows_nan(self) else True
            with input_errors():
                return validate_data(self, X, reset=fitting, ensure_all_finite=finite, **checks)
        else:
            if not is_frame(X):
                validate_data(self, X, reset=False, skip_check_array=True)
            Y = self.encoder_.transform(X)
        with input_errors():
            return check_array(Y, ensure_all_finite="allow-nan", **checks)

    def _learn_encoder(self, X: Any) -> None:
        """Set `encoder_`, and for encoded tables the number and the names of the columns."""
        self.encoder_ = None
        if isinstance(X, Features) and X.encoder is not None:
            self.encoder_, self.n_features_in_ = X.encoder, X.encoder.n_features_in_
            if hasattr(X.encoder, "feature_names_in_"):
                self.feature_names_in_ = X.encoder.feature_names_in_
        elif is_frame(X):
            validate_data(self, X, skip_check_array=True)
            self.encoder_ = TableEncoder().fit(X)
            if notes := self.encoder_.notes_:
                warn_caller(" ".join(note[0].upper() + note[1:] for note in notes))

    def _without_values(self, Y: Array) -> BoolArray:
        """Return which rows have no value (n,), and warn of them."""
        blocks = list(row_blocks(len(Y)))
        empty = np.concatenate([np.isnan(Y[rows]).all(axis=1) for rows in blocks])
        if empty.all():
            raise UsageError("No row has a value.")
        if not _allows_nan(self) and any(np.isnan(Y[b][~empty[b]]).any() for b in blocks):
            what = f"X has missing values, which {type(self).__name__} does not take"
            raise UsageError(f"{what}: fill them in, or use GroupMap.")
        if empty.any():
            count, first = np.count_nonzero(empty), np.flatnonzero(empty)[0] + 1
            warn_caller(f"Rows without any value are left out: {count}, the first is row {first}.")
        return empty

    def _set_scaling(self, Y: Array, **options: bool) -> None:
        """Set `offset_` and `scale_` from the features (N, F)."""
        levels = None if self.encoder_ is None else self.encoder_.recipe_.levels
        self.offset_, self.scale_ = offset_and_scale(Y, self.scale, levels, **options)

    def _scaled(self, Y: Array, first_row: int = 0) -> Array:
        """Return the scaled features. Features with a scale of zero are left out."""
        used = self.scale_ > 0
        with np.errstate(over="ignore"):
            scaled = (Y[:, used] - self.offset_[used]) / self.scale_[used]
        if len(far := np.flatnonzero((np.abs(scaled) > SAFE_RANGE[1]).any(axis=1))):
            raise UsageError(
                f"Row {first_row + far[0] + 1} is too far from the training rows to be assigned "
                f"(beyond {SAFE_RANGE[1]:.0e} standard deviations)."
            )
        return np.asarray(scaled)


def load(path: PathLike, *, every_row: bool = True) -> LatentClusterer:
    """Read a model file that `save` wrote.

    Parameters
    ----------
    path : str or path-like
        The file to read, or the output folder of `sgpmic fit`.
    every_row : bool, default=True
        Read the results of all rows. False reads what `predict` needs, which is little even if
        millions of rows were assigned after a fit to a subsample.

    Returns
    -------
    model : GroupMap or SGPMIC
        The fitted estimator that the file holds.
    """
    file = Path(path, "model.npz") if Path(path).is_dir() else Path(path)
    model: LatentClusterer = read_model(file, ESTIMATORS, every_row)
    return model


def _allows_nan(estimator: LatentClusterer) -> bool:
    return bool(get_tags(estimator).input_tags.allow_nan)
