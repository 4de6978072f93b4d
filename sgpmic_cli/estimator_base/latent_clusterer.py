"""Base class of `SGPMIC` and `PaperSGPMIC`."""

import warnings
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import gen_batches
from sklearn.utils.validation import check_is_fitted

from sgpmic_cli._typing import Array, Indices, Table
from sgpmic_cli.estimator_base.clusterer import Clusterer
from sgpmic_cli.estimator_base.diagnostics import Diagnostics, diagnose, warn_about
from sgpmic_cli.estimator_base.parallel import Workers, workers
from sgpmic_cli.estimator_base.parameter_checks import (
    BOOLEAN,
    CALLBACK,
    JOBS,
    check_parameters,
    either,
    number,
    one_of,
    whole,
)
from sgpmic_cli.estimator_base.prediction import (
    Features,
    Located,
    Prediction,
    most_probable,
    with_left_out,
)
from sgpmic_cli.estimator_base.scaling import check_spread
from sgpmic_cli.estimator_base.storage import StoredModel
from sgpmic_cli.estimator_base.table_input import TableInput
from sgpmic_cli.row_blocks import row_blocks

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


class LatentClusterer(
    ClassNamePrefixFeaturesOutMixin, TransformerMixin, Clusterer, StoredModel, TableInput
):
    """An estimator that finds clusters and latent points of rows."""

    max_iter: int
    n_jobs: int | None
    verbose: bool | int
    callback: Callable[[int, float, Indices], None] | None
    # Fitted attributes. The subclasses explain them.
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

    def fit_transform(self, X: Table, y: Any = None) -> Array:
        """Fit the model and return the latent points of the rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows to cluster.
        y : Ignored
            Not used, present for scikit-learn's interface.

        Returns
        -------
        embedding : ndarray of shape (n_samples, Q)
            Latent points.
        """
        return self.fit(X).embedding_

    def transform(self, X: Table) -> Array:
        """Return the latent points of rows, optimised under the fitted model.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            New rows or training rows.

        Returns
        -------
        embedding : ndarray of shape (n_samples, Q)
            Latent points.
        """
        return self._locate(X).points

    def prediction(self, X: Table | Features) -> Prediction:
        """Return clusters, probabilities, latent points and densities of rows at once.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or Features
            New rows or training rows.

        Returns
        -------
        prediction : Prediction
            What `predict`, `predict_proba` and `transform` return, the log densities, and whether
            rows are unlike the training rows.
        """
        return Prediction.of(self._locate(X), self.unusual_below_)

    @property
    def training_prediction(self) -> Prediction:
        """The prediction of the training rows after `fit`. Model files do not have it."""
        check_is_fitted(self, "log_density_")
        X, variances = self.embedding_, self.embedding_variances_
        located = Located(X, variances, self.responsibilities_, self.log_density_)
        return replace(Prediction.of(located, self.unusual_below_), labels=self.labels_)

    def predict_proba(self, X: Table) -> Array:
        """Return the probability of each cluster for each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            New rows or training rows.

        Returns
        -------
        responsibilities : ndarray of shape (n_samples, n_clusters)
            Probabilities; each row sums to one.
        """
        parts, left_out = self._map_blocks(X, self._assigned)
        return with_left_out(np.concatenate(parts), left_out)

    def predict(self, X: Table) -> Indices:
        """Return the cluster of each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            New rows or training rows.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            Clusters from 0 to n_clusters - 1, and -1 for rows without any value.
        """
        return most_probable(self.predict_proba(X))

    def score_samples(self, X: Table) -> Array:
        """Return a lower bound on the log density of each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            New rows or training rows.

        Returns
        -------
        scores : ndarray of shape (n_samples,)
            Log densities in the units of X; higher is better.
        """
        return self._locate(X).log_density - np.sum(np.log(self.scale_[self.scale_ > 0]))

    def score(self, X: Table, y: Any = None) -> float:
        """Return the mean of `score_samples`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            New rows or training rows.
        y : Ignored
            Not used, present for scikit-learn's interface.

        Returns
        -------
        score : float
            Higher is better.
        """
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
