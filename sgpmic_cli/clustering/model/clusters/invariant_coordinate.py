"""Project rows to the direction in which clusters show most.

Columns that hold no clusters can hide clusters in another column: standardised columns all count
the same. Invariant coordinates (Tyler, Critchley, Dümbgen and Oja, J. R. Statist. Soc. B, 2009) do
not depend on the scales of the columns or on rotations. They are the eigenvectors of the fourth
moments of whitened rows z,

    mean of |z|^2 z z',

and the eigenvalue of a coordinate grows with its kurtosis. Clusters of similar size have a small
kurtosis along the line that separates them, so the smallest eigenvalue is taken. Two or more equal
Gaussians that are well separated are flatter than a uniform distribution.
"""

import numpy as np

from sgpmic_cli._typing import Array
from sgpmic_cli.clustering.model.clusters.discrete_columns import effective_values
from sgpmic_cli.clustering.model.clusters.label_constants import FEW_VALUES, LEAST_SPREAD, UNIFORM


def invariant_coordinate(Y: Array) -> Array:
    """Return the coordinate with the smallest kurtosis, (N, 1), with mean 0 and variance 1.

    Discrete columns are left out, because a flag has the smallest kurtosis of all.
    """
    Y = Y[:, effective_values(Y) >= FEW_VALUES]
    U, spread, _ = np.linalg.svd(Y - Y.mean(axis=0), full_matrices=False)
    Z = np.sqrt(len(Y)) * U[:, spread > LEAST_SPREAD * spread[0]]
    _, vectors = np.linalg.eigh(Z.T @ (Z * np.sum(Z**2, axis=1)[:, None]))
    return np.asarray(Z @ vectors[:, :1])


def flat_coordinate(Y: Array) -> Array | None:
    """Return the invariant coordinate if it is flatter than a uniform distribution, else None."""
    n_continuous = np.count_nonzero(effective_values(Y) >= FEW_VALUES)
    if not 1 < n_continuous < len(Y) / 2:
        return None
    coordinate = invariant_coordinate(Y)
    return coordinate if np.mean(coordinate**4) < UNIFORM else None
