"""Recognise columns with few values, and project the others to where clusters show most.

Flags, grades and counts with many zeros have few values. A Gaussian cluster can gain without limit
by sitting on one value of such a column. The effective number of values of a column with value
frequencies f is k = 1 / sum f^2. Rounding to k equal steps has a variance of 1 / (k^2 - 1) relative
to the variance of the column.

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

from sgpmic_cli._typing import Array, BoolArray, Indices
from sgpmic_cli.clustering.clusters.label_constants import (
    EQUAL,
    FEW_VALUES,
    LEAST_SPREAD,
    UNIFORM,
)


def effective_values(Y: Array) -> Array:
    """Return the effective number of known values of every column, (P,)."""
    result = np.empty(Y.shape[1])
    for p, column in enumerate(Y.T):
        known = np.sort(column[~np.isnan(column)])
        steps = np.diff(known) > EQUAL * (known.std() or 1.0)
        counts = np.diff(np.flatnonzero(np.r_[True, steps, True])).astype(float)
        result[p] = len(known) ** 2 / float(np.sum(counts**2))
    return result


def discrete_features(Y: Array, columns: Indices) -> BoolArray:
    """Return the features (P,) of discrete columns. `columns` (P,) is the column of each feature.

    In a table of few rows all columns have few values, so a column with a different value in every
    second row is continuous.
    """
    few = effective_values(Y) < min(FEW_VALUES, len(Y) / 2)
    return np.asarray(np.isin(columns, columns[few]))


def rounding_variance(Y: Array) -> Array:
    """Return the rounding variance of every standardised column, (P,), at most one."""
    k = effective_values(Y)
    return np.asarray(1.0 / np.maximum(k**2 - 1.0, 1.0))


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
