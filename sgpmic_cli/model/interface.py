"""Base class of the two SGP-MIC estimators."""

from abc import abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import gen_batches, get_tags
from sklearn.utils.validation import check_is_fitted, validate_data

from sgpmic_cli._typing import Array, PathLike
from sgpmic_cli.estimator_base.clusterer import Clusterer
from sgpmic_cli.estimator_base.parameter_checks import Rule, check_parameters
from sgpmic_cli.model import storage
from sgpmic_cli.model.parallel import Workers, workers
from sgpmic_cli.model.scaling import BLOCK, SAFE_RANGE


class Located(NamedTuple):
    """Latent points (n, Q), cluster probabilities (n, M) and log densities (n,) of scaled rows."""

    points: Array
    S: Array
    log_density: Array


class LatentClusterer(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Clusterer):
    """An estimator that learns clusters and latent points of rows together."""

    n_jobs: int | None
    _rules: ClassVar[Mapping[str, Rule]]
    # Parameters that describe a run and not the fitted model. Model files leave them out.
    _run_parameters: ClassVar[tuple[str, ...]] = ("n_jobs", "device", "callback", "random_state")

    def fit_transform(self, X, y=None):
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

    def transform(self, X):
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

    def predict_proba(self, X):
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
        return np.concatenate(self._map_blocks(X, self._assigned))

    def predict(self, X):
        """Return the cluster of each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            New rows or training rows.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            Clusters from 0 to n_clusters - 1.
        """
        return self.predict_proba(X).argmax(axis=1)

    def score_samples(self, X):
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
        return self._locate(X).log_density - np.sum(np.log(self.scale_))

    def score(self, X, y=None):
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
        return float(np.mean(self.score_samples(X)))

    def save(self, path: PathLike) -> None:
        """Write the fitted model to one file, without pickle.

        Parameters
        ----------
        path : str or path-like
            The file to write, whole or not at all.
        """
        check_is_fitted(self)
        storage.save(self._state(), path)

    @abstractmethod
    def _state(self) -> storage.FittedState:
        """Return everything that a model file holds."""

    def _description(self) -> dict[str, Any]:
        """Return the parameters and columns for the header of a model file."""
        parameters = self.get_params()
        parameters = {k: v for k, v in parameters.items() if k not in self._run_parameters}
        names = [str(name) for name in getattr(self, "feature_names_in_", [])]
        recipe = getattr(self, "recipe_", None)
        return {"parameters": parameters, "feature_names": names, "recipe": recipe}

    @classmethod
    def _described(cls, state: storage.FittedState) -> Self:
        """Return an estimator with the parameters and columns of a file, which may be invalid."""
        if not state.parameters.keys().isdisjoint(cls._run_parameters):
            raise ValueError("its header sets parameters of a run")
        parameters = state.parameters.items()
        model = cls(**{name: tuple(v) if isinstance(v, list) else v for name, v in parameters})
        check_parameters(model, cls._rules)
        model.n_features_in_ = state.scalars["n_features_in_"]
        if state.feature_names:
            model.feature_names_in_ = np.array(state.feature_names, dtype=object)
        if state.recipe is not None:
            model.recipe_ = state.recipe
        return model

    @property
    def _n_features_out(self) -> int:
        return self.embedding_.shape[1]

    @abstractmethod
    def _located(self, scaled: Array, workers: Workers) -> Located:
        """Return latent points, probabilities and log densities of scaled rows."""

    def _assigned(self, scaled: Array, workers: Workers) -> Array:
        """Return the cluster probabilities of scaled rows."""
        return self._located(scaled, workers).S

    def _locate(self, X, first_row: int = 0) -> Located:
        """Locate rows block by block. `first_row` is the number of rows before X in its file."""
        blocks = self._map_blocks(X, self._located, first_row)
        return Located(*(np.concatenate(parts) for parts in zip(*blocks, strict=True)))

    def _map_blocks(self, X, function: Callable, first_row: int = 0) -> list:
        check_is_fitted(self)
        finite = "allow-nan" if get_tags(self).input_tags.allow_nan else True
        Y = validate_data(
            self, X, dtype=np.float64, order="C", reset=False, ensure_all_finite=finite
        )
        with workers(self.n_jobs) as threads:
            return [
                function(self._scaled(Y[rows], first_row + rows.start), threads)
                for rows in gen_batches(len(Y), BLOCK)
            ]

    def _scaled(self, Y: Array, first_row: int) -> Array:
        with np.errstate(over="ignore"):
            scaled = (Y - self.offset_) / self.scale_
        if len(far := np.flatnonzero((np.abs(scaled) > SAFE_RANGE[1]).any(axis=1))):
            raise ValueError(
                f"Row {first_row + far[0] + 1} is too far from the training rows to be assigned "
                f"(beyond {SAFE_RANGE[1]:.0e} standard deviations)."
            )
        return np.asarray(scaled)
