"""Find columns that nearly repeat each other, so that they share one weight.

The association of two columns is Cramér's V, with ranks for numbers. Let B_i be an orthonormal
basis of the centred features of column i, with d_i columns (one for a number, levels - 1 for a
category):

    V_ij^2 = |B_i' B_j|^2 / min(d_i, d_j)

It is the rank correlation of two numbers, the correlation ratio of a number and a category, and one
if a column is a function of the other. Ranks recognise wages and logarithms of wages.
"""

import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components
from scipy.stats import rankdata

from sgpmic_cli._typing import Array, Indices

COPY = 0.99  # association of near copies: they share 98 % of the variance


def copy_groups(Y: Array, columns: Indices) -> tuple[Indices, Array]:
    """Return for each feature its group of near copies, and the number of columns in it, (P,) each.

    `columns` (P,) is the column of each feature, 0, 1, ... in ascending order. NaN marks missing
    values.
    """
    starts = np.flatnonzero(np.diff(columns, prepend=-1))
    bases = [_basis(features) for features in np.split(Y, starts[1:], axis=1)]
    degrees = np.array([basis.shape[1] for basis in bases])
    first = np.r_[0, np.cumsum(degrees)[:-1]]
    all_bases = np.hstack(bases)
    squares = (all_bases.T @ all_bases) ** 2
    squares = np.add.reduceat(np.add.reduceat(squares, first, axis=0), first, axis=1)
    V = np.sqrt(squares / np.minimum(degrees[:, None], degrees))
    group = connected_components(csr_matrix(V >= COPY), directed=False)[1].astype(np.intp)
    return group[columns], np.bincount(group)[group[columns]].astype(np.float64)


def _basis(features: Array) -> Array:
    """Return an orthonormal basis of the centred features of one column, with ranks of numbers."""
    missing = np.isnan(features)
    if features.shape[1] == 1:
        # Rounded, because a change of unit or noise may split a value in its last digits.
        features = rankdata(np.round(features, 6), axis=0, nan_policy="omit")
    centred = np.where(missing, 0.0, features - np.nanmean(features, axis=0))
    U, spread, _ = np.linalg.svd(centred, full_matrices=False)
    return np.asarray(U[:, spread > 1e-9 * spread[0]])
