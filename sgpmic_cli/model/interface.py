"""What the two settings of SGP-MIC have in common for whoever calls them: scikit-learn's methods."""

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted, validate_data

from sgpmic_cli._typing import Array, PathLike
from sgpmic_cli.estimator_base.clusterer import Clusterer
from sgpmic_cli.estimator_base.parameter_checks import Rule, check_parameters
from sgpmic_cli.model import storage
from sgpmic_cli.model.parallel import Workers, workers
from sgpmic_cli.model.scaling import SAFE_RANGE
from sgpmic_cli.row_blocks import row_blocks


class Located(NamedTuple):
    """Rows under a fitted model: latent points (n, Q), probabilities (n, M), log densities of scaled rows (n,)."""

    points: Array
    S: Array
    log_density: Array


class LatentClusterer(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Clusterer):
    """Latent points and clusters of rows, learned together."""

    n_jobs: int | None
    _rules: ClassVar[Mapping[str, Rule]]
    _of_a_run: ClassVar[tuple[str, ...]] = (
        "n_jobs",
        "device",
        "callback",
        "random_state",
    )  # not of the model

    def fit_transform(self, X, y=None):
        """Fit, and return the latent points of the rows.

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
        """Latent points of rows, found by optimising them under the fitted model.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows, new or trained on.

        Returns
        -------
        embedding : ndarray of shape (n_samples, Q)
            Latent points.
        """
        return self._locate(X).points

    def predict_proba(self, X):
        """Probability of each cluster for each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows, new or trained on.

        Returns
        -------
        responsibilities : ndarray of shape (n_samples, n_clusters)
            Probabilities; each row sums to one.
        """
        return self._locate(X).S

    def predict(self, X):
        """Cluster of each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows, new or trained on.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            Clusters from 0 to n_clusters - 1.
        """
        return self._locate(X).S.argmax(axis=1)

    def score_samples(self, X):
        """Lower bound on the log density of each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows, new or trained on.

        Returns
        -------
        scores : ndarray of shape (n_samples,)
            Log densities in the units of X; higher is better.
        """
        return self._locate(X).log_density - np.sum(np.log(self.scale_))

    def score(self, X, y=None):
        """Mean of `score_samples`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows, new or trained on.
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
        """All that the fitted model is made of."""

    def _description(self) -> dict[str, Any]:
        """What the file of a model says of its parameters and columns."""
        parameters = {
            name: value for name, value in self.get_params().items() if name not in self._of_a_run
        }
        names = [str(name) for name in getattr(self, "feature_names_in_", [])]
        return {
            "parameters": parameters,
            "feature_names": names,
            "recipe": getattr(self, "recipe_", None),
        }

    @classmethod
    def _described(cls, state: storage.FittedState) -> Self:
        """The model with those parameters and columns, nothing learned yet; the file may say anything."""
        if not state.parameters.keys().isdisjoint(cls._of_a_run):
            raise ValueError("its header sets what belongs to a run")
        model = cls(
            **{name: tuple(v) if isinstance(v, list) else v for name, v in state.parameters.items()}
        )
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
    def _located(self, seen: Array, crew: Workers) -> Located:
        """Rows as the model sees them, offset and scale taken away, in its latent space."""

    def _locate(self, X, first_row: int = 0) -> Located:
        """Rows in the latent space, block by block; `first_row` is where they begin in a file that comes in parts."""
        check_is_fitted(self)
        finite = "allow-nan" if get_tags(self).input_tags.allow_nan else True
        Y = validate_data(
            self, X, dtype=np.float64, order="C", reset=False, ensure_all_finite=finite
        )
        with workers(self.n_jobs) as crew:
            blocks = [
                self._located(self._seen(Y[rows], first_row + rows.start), crew)
                for rows in row_blocks(len(Y))
            ]
        return Located(*(np.concatenate(parts) for parts in zip(*blocks, strict=True)))

    def _seen(self, Y: Array, first_row: int) -> Array:
        with np.errstate(over="ignore"):
            seen = (Y - self.offset_) / self.scale_
        if len(far := np.flatnonzero((np.abs(seen) > SAFE_RANGE[1]).any(axis=1))):
            raise ValueError(
                f"Row {first_row + far[0] + 1} is too far from the training rows to be placed "
                f"(beyond {SAFE_RANGE[1]:.0e})."
            )
        return np.asarray(seen)
