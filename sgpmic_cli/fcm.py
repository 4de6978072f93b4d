"""Fuzzy c-means (Bezdek 1981): the clustering behind PCA, ISOMAP, PPCA, FGPLVM, AE and VAE in the paper."""

import warnings

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import validate_data

from sgpmic_cli._typing import Array


class FuzzyCMeans(ClusterMixin, BaseEstimator):
    """Memberships u and centres c that minimise sum u^2 |x - c|^2, started from random memberships.

    The constants are those of the MATLAB function behind the printed table: exponent 2, at most 100 iterations, stop
    when the objective changes by less than 1e-5. That test is absolute, so the scale of the data matters.
    """

    labels_: NDArray[np.int64]
    memberships_: Array  # (N, M)
    centers_: Array  # (M, Q)
    n_iter_: int
    objective_: float

    def __init__(self, n_clusters=8, *, max_iter=100, tol=1e-5, random_state=None):
        self.n_clusters = n_clusters
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def fit(self, X, y=None):
        """Cluster the rows of X (N, Q)."""
        X = validate_data(self, X, dtype=np.float64)
        if not 1 <= self.n_clusters <= len(X):
            raise ValueError(f"n_clusters={self.n_clusters} needs at least that many rows; the data have {len(X)}.")
        memberships = check_random_state(self.random_state).uniform(size=(self.n_clusters, len(X)))
        memberships /= memberships.sum(axis=0)  # (M, N)
        previous = np.inf
        self.n_iter_ = 0
        while self.n_iter_ < self.max_iter:
            self.n_iter_ += 1
            weights = memberships**2
            centers = weights @ X / weights.sum(axis=1, keepdims=True)
            squared = cdist(centers, X, "sqeuclidean")  # (M, N)
            objective = float(np.sum(weights * squared))
            memberships = memberships_of(squared)
            if abs(objective - previous) < self.tol:
                break
            previous = objective
        _warn_if_coincident(centers, X)
        self.labels_ = memberships.argmax(axis=0)
        self.memberships_ = memberships.T.copy()
        self.centers_ = centers
        self.objective_ = objective
        return self


def memberships_of(squared: Array) -> Array:
    """Memberships (M, N) from the squared distances (M, N) to fixed centres."""
    # A point on a centre belongs to it alone: the floor keeps the ratio finite and says just that.
    closeness = 1.0 / np.maximum(squared, np.finfo(float).tiny * 1e8)
    return closeness / closeness.sum(axis=0)


def _warn_if_coincident(centers: Array, X: Array) -> None:
    spread = float(np.sqrt(X.var(axis=0).sum()))
    apart = cdist(centers, centers)[np.triu_indices(len(centers), 1)]
    if spread > 0 and apart.size and apart.min() < 1e-3 * spread:
        warnings.warn(
            "Fuzzy c-means ended with coincident centres, as it does in many whitened dimensions; "
            "its labels then say little: use fewer dimensions or clusters.",
            ConvergenceWarning,
            stacklevel=3,
        )
