"""Fuzzy c-means (Bezdek 1981), the clustering step of seven baselines.

J. C. Bezdek, "Pattern Recognition with Fuzzy Objective Function Algorithms", Plenum, 1981.
"""

import warnings
from dataclasses import KW_ONLY, dataclass

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import validate_data

from sgpmic_cli._typing import Array
from sgpmic_cli.estimator_base import (
    Clusterer,
    check_clusters,
    check_parameters,
    number,
    whole,
)
from sgpmic_cli.row_blocks import threads_for


@dataclass(eq=False, repr=False)
class FuzzyCMeans(Clusterer):
    """A fuzzy clusterer that minimises sum u^2 |x - c|^2 over memberships u and centres c.

    The defaults are those of MATLAB's function, which reproduce the paper's table. The tolerance is
    absolute, so the result depends on the scale of the data.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters M.
    max_iter : int, default=100
        Maximum number of iterations.
    tol : float, default=1e-5
        Stop if the objective changes by less than this.
    random_state : int, RandomState instance or None, default=None
        Seed of the initial memberships.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Cluster with the largest membership.
    memberships_ : ndarray of shape (n_samples, n_clusters)
        Memberships; each row sums to one.
    centers_ : ndarray of shape (n_clusters, n_features)
        Centres of the clusters.
    n_iter_ : int
        Number of iterations.
    objective_ : float
        Objective at `centers_` and the memberships from which they were computed.

    Examples
    --------
    >>> from sgpmic_cli.paper.fcm import FuzzyCMeans
    >>> model = FuzzyCMeans(n_clusters=2, random_state=0).fit([[0.0], [0.2], [5.0], [5.2]])
    >>> sorted(model.centers_.round(1).ravel().tolist())
    [0.1, 5.1]
    """

    n_clusters: int = 8
    _: KW_ONLY
    max_iter: int = 100
    tol: float = 1e-5
    random_state: int | np.random.RandomState | None = None

    def _fit_to(self, X) -> None:
        check_parameters(self, {"n_clusters": whole(), "max_iter": whole(), "tol": number()})
        X = validate_data(self, X, dtype=np.float64)
        check_clusters(self.n_clusters, X)
        with threads_for(len(X)):
            self._alternate(X)
        _warn_if_coincident(self.centers_, X)

    def _alternate(self, X: Array) -> None:
        memberships = check_random_state(self.random_state).uniform(size=(self.n_clusters, len(X)))
        memberships /= memberships.sum(axis=0)  # (M, N)
        previous = np.inf
        for done in range(1, self.max_iter + 1):
            self.n_iter_ = done
            weights = memberships**2
            centers = weights @ X / weights.sum(axis=1, keepdims=True)
            squared = cdist(centers, X, "sqeuclidean")  # (M, N)
            objective = float(np.sum(weights * squared))
            memberships = memberships_of(squared)
            if abs(objective - previous) < self.tol:
                break
            previous = objective
        self.labels_ = memberships.argmax(axis=0)
        self.memberships_ = memberships.T.copy()
        self.centers_, self.objective_ = centers, objective


def memberships_of(squared: Array) -> Array:
    """Return memberships (M, N) from the squared distances (M, N) to fixed centres."""
    # The lower limit keeps the ratio finite; a point on a centre gets membership 1.
    closeness = 1.0 / np.maximum(squared, np.finfo(float).tiny * 1e8)
    return closeness / closeness.sum(axis=0)


def _warn_if_coincident(centers: Array, X: Array) -> None:
    spread = float(np.sqrt(X.var(axis=0).sum()))
    apart = cdist(centers, centers)[np.triu_indices(len(centers), 1)]
    if spread > 0 and apart.size and apart.min() < 1e-3 * spread:
        warnings.warn(
            "Fuzzy c-means ended with coincident centres, so the labels are unreliable; "
            "use fewer dimensions or clusters.",
            ConvergenceWarning,
            stacklevel=4,
        )
