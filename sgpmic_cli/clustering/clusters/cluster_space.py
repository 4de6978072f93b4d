"""The space in which the clusters of a table with discrete columns are searched.

Values of a discrete column form tight groups, whether or not the column depends on any other. What
clusters have in common is an association of columns. Let C be the covariance of all features and A
the same with zeros for pairs of features of one column. The axes of the space are the eigenvectors
v of A (the first step of principal axis factoring, with nothing on the diagonal). The axes do not
depend on the number of rows, and a column has no part in them as far as it is independent of the
others. The means of M clusters lie in M - 1 dimensions. So the first M - 1 axes have their whole
variance v'Cv. Each further axis has the variance v'Av, which the columns share, or none if v'Av is
not positive.

A discrete column is left out if it depends on no other column. The sum of the squared covariances
of two independent columns with covariances R and S is a weighted sum of chi-squared variables with
the mean tr R tr S / n and the variance 2 |R|^2 |S|^2 / n^2, and its quantile is that of a gamma
distribution with the same mean and variance (Satterthwaite, Biometrics Bulletin, 1946). The level
CHANCE_PAIR is the same for all pairs, so another column does not change what is left out.

K latent classes give an association of rank K - 1. The number q of shared axes counts the singular
values that exceed those of all PERMUTATIONS tables with independently permuted columns (parallel
analysis; Horn, Psychometrika, 1965).

If most columns are continuous, these stay as they are, and each discrete column is replaced by its
projection to the axes.
"""

from typing import NamedTuple, Self

import numpy as np
from scipy.stats import gamma

from sgpmic_cli._typing import Array, BoolArray, Indices
from sgpmic_cli.clustering.clusters import SAMPLE
from sgpmic_cli.clustering.clusters.base_clusterings import (
    Consensus,
    consensus,
    kmeans_consensus,
)
from sgpmic_cli.clustering.clusters.columns import mostly_discrete
from sgpmic_cli.clustering.clusters.probabilities import ClusterPosterior

CHANCE_PAIR = 0.003  # level of the test of a pair; 0.05 for one column beside seventeen others
PERMUTATIONS = 20  # the largest of them is the quantile of 5 %


class SharedDimensions(NamedTuple):
    """Dimensions that the columns of a table with discrete columns share.

    `discrete` and `used` (P,) are the features of discrete columns and of those that are not left
    out, and `mean` (P,) is the mean row. `axes` (P, r) are orthonormal, `factors` (r,) the roots
    of the fractions of their variances that columns share, and `number` counts the shared axes.
    `mostly_discrete` is True if at least half of the columns are discrete.
    """

    discrete: BoolArray
    used: BoolArray
    mean: Array
    axes: Array
    factors: Array
    number: int
    mostly_discrete: bool

    @property
    def dependent(self) -> bool:
        """Return whether a discrete column depends on any other column."""
        return bool((self.used & self.discrete).any())

    def projection(self, n_clusters: int) -> Array:
        """Return the matrix (P, d) that maps centred rows to the space of the clusters."""
        whole = np.arange(len(self.factors)) < n_clusters - 1
        scaled = self.axes * np.where(whole, 1.0, self.factors)
        if self.mostly_discrete:
            return scaled
        return np.where(self.discrete, scaled @ self.axes.T, np.eye(len(scaled)))[:, self.used]


class ClusterSpace(NamedTuple):
    """Rows of the space, and how they follow from the columns if some of these are discrete."""

    rows: Array
    shared: SharedDimensions | None = None

    @classmethod
    def of(cls, Y: Array, shared: SharedDimensions | None, n_clusters: int) -> Self:
        """Return the space of `n_clusters` clusters of weighted rows."""
        if shared is None:
            return cls(Y)
        rows = (Y - shared.mean) @ shared.projection(n_clusters)
        if len(np.unique(np.round(rows, 9), axis=0)) < n_clusters:  # use all columns
            p = Y.shape[1]
            everything = np.ones(p, dtype=bool)
            shared = shared._replace(used=everything, axes=np.eye(p), factors=np.ones(p))
            rows = Y - shared.mean
        return cls(rows, shared)

    def consensus(self, n_clusters: int) -> Consensus:
        """Cluster the rows.

        The space of mostly discrete columns is searched by k-means only. Its rows form small
        groups of equal rows, which mixtures and gaps would follow.
        """
        if self.shared is not None and self.shared.mostly_discrete:
            return kmeans_consensus(self.rows, n_clusters)
        return consensus(self.rows, n_clusters)

    def in_columns(self, posterior: ClusterPosterior | None) -> ClusterPosterior | None:
        """Return a posterior of this space as the posterior of the columns."""
        if posterior is None or self.shared is None:
            return posterior
        projection = self.shared.projection(posterior.weights.shape[1])
        return posterior.in_columns(projection, self.shared.mean)


def used_features(Y: Array, discrete: BoolArray, columns: Indices) -> BoolArray:
    """Return the features (P,) of continuous columns and of columns that depend on another one.

    `columns` (P,) is the source column of each feature. NaN marks missing values.
    """
    if not discrete.any():
        return ~discrete
    centred = np.nan_to_num(Y - np.nanmean(Y, axis=0))
    n, covariance = len(Y), centred.T @ centred / len(Y)
    member = 1.0 * (columns[:, None] == np.unique(columns))
    squares = member.T @ covariance**2 @ member
    traces, own = np.diag(covariance) @ member, np.diag(squares)
    mean = np.outer(traces, traces) / n
    variance = 2.0 * np.outer(own, own) / n**2
    beyond = squares > gamma.isf(CHANCE_PAIR, mean**2 / variance, scale=variance / mean)
    np.fill_diagonal(beyond, False)
    return np.asarray(~discrete | (member @ beyond.any(axis=0) > 0.0))


def shared_dimensions(
    Y: Array, discrete: BoolArray, used: BoolArray, columns: Indices
) -> SharedDimensions | None:
    """Return the shared dimensions of weighted rows, or None if no column is discrete.

    The number of clusters depends on them, so their random numbers are always the same.
    """
    if not discrete.any():
        return None
    kept = used if used.any() else np.ones_like(used)  # nothing is shared
    mean, columns_kept = Y.mean(axis=0), columns[kept]
    centred = (Y - mean)[:, kept]
    covariance = centred.T @ centred / len(Y)
    shared, inner = np.linalg.eigh(np.where(columns_kept[:, None] != columns_kept, covariance, 0.0))
    variances = np.einsum("pr,pq,qr->r", inner, covariance, inner)
    order = np.flatnonzero(variances > 1e-9 * variances.max())[::-1]  # levels repeat each other
    shared, inner, variances = shared[order], inner[:, order], variances[order]
    factors = np.sqrt(np.maximum(shared, 0.0) / variances)
    if len(np.unique(columns_kept)) == 1:
        factors[:] = 1.0
    axes = np.zeros((len(kept), len(order)))
    axes[kept] = inner
    return SharedDimensions(
        discrete=discrete,
        used=used,
        mean=mean,
        axes=axes,
        factors=factors,
        number=_number(centred, columns_kept),
        mostly_discrete=mostly_discrete(discrete, columns),
    )


def _number(centred: Array, columns: Indices) -> int:
    """Return the number of principal axes beyond those of independently permuted columns."""
    random_state = np.random.RandomState(0)
    if len(centred) > SAMPLE:
        centred = centred[np.sort(random_state.permutation(len(centred))[:SAMPLE])]
        centred = centred - centred.mean(axis=0)
    blocks = [np.flatnonzero(columns == column) for column in np.unique(columns)]
    spectra = []
    for _ in range(PERMUTATIONS):
        permuted = np.empty_like(centred)
        for block in blocks:
            permuted[:, block] = centred[np.ix_(random_state.permutation(len(centred)), block)]
        spectra.append(_spectrum(permuted))
    # One column has the same spectrum in any order, up to rounding.
    beyond = _spectrum(centred) > (1.0 + 1e-9) * np.max(spectra, axis=0)
    return int(beyond.cumprod().sum())


def _spectrum(centred: Array) -> Array:
    return np.asarray(np.linalg.eigvalsh(centred.T @ centred)[::-1])
