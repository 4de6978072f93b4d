"""Fuzzy c-means, the clustering step of seven baselines and the start of SGP-MIC.

J. C. Bezdek, "Pattern Recognition with Fuzzy Objective Function Algorithms", Plenum, 1981.
"""

import numpy as np
from scipy.spatial.distance import cdist

from sgpmic_cli._typing import Array


def fuzzy_c_means(
    X: Array, m: int, rng: np.random.RandomState, *, max_iter: int = 100, tol: float = 1e-5
) -> tuple[Array, Array]:
    """Minimise sum u^2 |x - c|^2 over memberships u and centres c from random memberships.

    Return the centres (M, P) and the memberships (N, M), whose rows sum to one. The iterations end
    if the objective changes by less than `tol`. It is absolute, so the result depends on the scale
    of the data. The defaults are those of MATLAB's function, which reproduce the paper's table.
    """
    memberships = rng.uniform(size=(m, len(X)))
    memberships /= memberships.sum(axis=0)  # (M, N)
    previous = np.inf
    for _ in range(max_iter):
        weights = memberships**2
        centers = weights @ X / weights.sum(axis=1, keepdims=True)
        squared = cdist(centers, X, "sqeuclidean")  # (M, N)
        objective = float(np.sum(weights * squared))
        # The lower limit keeps the ratio finite; a point on a centre gets membership 1.
        closeness = 1.0 / np.maximum(squared, np.finfo(float).tiny * 1e8)
        memberships = closeness / closeness.sum(axis=0)
        if abs(objective - previous) < tol:
            break
        previous = objective
    return centers, memberships.T.copy()
