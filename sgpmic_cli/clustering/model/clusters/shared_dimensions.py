"""Dimensions that the columns of a table with discrete columns share beyond chance.

Values of a discrete column form tight groups, whether or not the column depends on any other. What
clusters have in common is an association of columns: K latent classes give an association of rank
K - 1. So the clusters of a table of mostly discrete columns are searched on its first principal
axes. The q axes whose singular values exceed the QUANTILE of those of tables with independently
permuted columns are shared (parallel analysis; Horn, Psychometrika, 1965). In the metric of
multiple correspondence analysis, which the weights of the columns follow, this applies to numbers
and categories alike.

A discrete column that is independent of all others would tilt these axes. Its weight is

    w = max(0, 1 - t / T),

where T is the sum of the squared covariances of its features with those of all other columns, and t
is the QUANTILE of this sum for an independent column. For an independent column with covariance R
beside others with covariance S, T is a weighted sum of chi-squared variables with the mean
tr R tr S / n and the variance 2 |R|^2 |S|^2 / n^2. Its quantile is that of a gamma distribution
with the same mean and variance (Satterthwaite, 1946).

If most columns are continuous, these stay as they are, and each discrete column is replaced by its
projection to the shared axes.
"""

from typing import NamedTuple

import numpy as np
from scipy.stats import gamma

from sgpmic_cli._typing import Array, BoolArray, Indices

PERMUTATIONS = 40
QUANTILE = 0.95
ROWS = 2000  # the permutations use a subsample of this size


class SharedDimensions(NamedTuple):
    """Principal axes of a table with discrete columns.

    `discrete` (P,) are the features of discrete columns, `axes` (P, r) maps centred rows to all
    principal axes of the weighted columns, `mean` (P,) is the mean row, and `number` counts the
    shared axes. `mostly_discrete` is True if at
    least half of the columns are discrete. `dependent` is True if discrete columns depend on any
    other column.
    """

    discrete: BoolArray
    mean: Array
    axes: Array
    number: int
    mostly_discrete: bool
    dependent: bool

    def projection(self, n_clusters: int) -> Array:
        """Return the matrix (P, d) that maps centred rows to the space of the clusters.

        M clusters have centres in M - 1 dimensions, so as many axes are used if fewer are shared.
        """
        d = max(self.number, n_clusters - 1, 1)
        if self.mostly_discrete:
            return self.axes[:, :d]
        back = np.linalg.pinv(self.axes)[:d]
        return np.where(self.discrete, self.axes[:, :d] @ back, np.eye(len(self.axes)))


def shared_dimensions(
    Y: Array, discrete: BoolArray, columns: Indices, random_state: np.random.RandomState
) -> SharedDimensions | None:
    """Return the shared dimensions of weighted rows, or None if no column is discrete.

    `columns` (P,) is the source column of each feature.
    """
    if not discrete.any():
        return None
    mean = Y.mean(axis=0)
    blocks = [np.flatnonzero(columns == column) for column in np.unique(columns)]
    covariance = (Y - mean).T @ (Y - mean) / len(Y)
    weights = np.where(discrete, _dependence(covariance, blocks, len(Y)), 1.0)
    if not weights.any():  # nothing is shared
        weights[:] = 1.0
    Y = (Y - mean) * np.sqrt(weights)
    axes = np.sqrt(weights)[:, None] * np.linalg.svd(Y, full_matrices=False)[2].T
    if len(Y) > ROWS:
        Y = Y[np.sort(random_state.permutation(len(Y))[:ROWS])]
    other = columns[:, None] != columns
    # Continuous columns may depend on each other in any case.
    counted = other & (discrete[:, None] | discrete)
    centred = Y - Y.mean(axis=0)
    scatter = centred.T @ centred
    own, association = _spectrum(scatter), np.sum(scatter[counted] ** 2)
    spectra, associations = [], []
    for _ in range(PERMUTATIONS):
        permuted = np.empty_like(centred)
        for block in blocks:
            permuted[:, block] = centred[np.ix_(random_state.permutation(len(Y)), block)]
        scatter = permuted.T @ permuted
        spectra.append(_spectrum(scatter))
        associations.append(np.sum(scatter[counted] ** 2))
    tolerance = 1.0 + 1e-9  # one column has the same spectrum in any order
    beyond = own > tolerance * np.quantile(spectra, QUANTILE, axis=0)
    return SharedDimensions(
        discrete=discrete,
        mean=mean,
        axes=axes,
        number=int(beyond.cumprod().sum()),
        mostly_discrete=bool(np.mean([discrete[block].any() for block in blocks]) >= 0.5),
        dependent=bool(association > tolerance * np.quantile(associations, QUANTILE)),
    )


def _dependence(covariance: Array, blocks: list[Indices], n: int) -> Array:
    """Return the weight of each feature, from 0 for features of independent columns, (P,)."""
    weights = np.empty(len(covariance))
    for block in blocks:
        others = np.delete(covariance, block, axis=0)
        among = np.delete(others, block, axis=1)
        own = covariance[np.ix_(block, block)]
        mean = np.trace(own) * np.trace(among) / n
        spread = 2.0 * np.sum(own**2) * np.sum(among**2) / n**2
        total = float(np.sum(others[:, block] ** 2))
        if mean == 0.0 or total == 0.0:  # the only column
            weights[block] = 0.0
            continue
        chance = gamma.ppf(QUANTILE, mean**2 / spread, scale=spread / mean)
        weights[block] = max(0.0, 1.0 - chance / total)
    return weights


def _spectrum(scatter: Array) -> Array:
    return np.asarray(np.linalg.eigvalsh(scatter)[::-1])
