"""Cluster rows by a mixture of multivariate t distributions.

A Gaussian mixture often takes the centre and the tails of one group for two clusters. t
distributions have heavy tails, so one of them describes such a group (Peel and McLachlan,
Statistics and Computing, 2000). The covariances are shrunk towards their mean as by the prior of
Fraley and Raftery (Journal of Classification, 2007), whose weight is that of P rows:

    C_m = (scatter_m + P pooled) / (n_m + P) + diag(floor)

Imputed values count as data. t distributions are robust, so a mixture that leaves them out is not
better (`docs/lessons.md`).
"""

from typing import NamedTuple

import numpy as np
from scipy.special import logsumexp

from sgpmic_cli._typing import Array, Indices

DEGREES_OF_FREEDOM = 4.0  # 2 to 5 are alike; robust (Lange et al., JASA, 1989)
ITERATIONS, TOL = 100, 1e-3  # scikit-learn's defaults for Gaussian mixtures


class TMixture(NamedTuple):
    """Whitening matrices (M, P, R), whitened means (M, R) and intercepts (M,) of the clusters.

    The squared Mahalanobis distance of a row y from cluster m is |y whitening_m - mean_m|^2.
    """

    whitening: Array
    means: Array
    intercepts: Array

    def reordered(self, order: Indices) -> "TMixture":
        """Return the mixture with its clusters in another order."""
        return TMixture(*(part[order] for part in self))

    def scores(self, Y: Array) -> Array:
        """Return log(weight times density) of rows (n, P) up to a constant, (n, M)."""
        return self.intercepts + _log_tail(self.distances(Y), self.means.shape[1])

    def distances(self, Y: Array) -> Array:
        """Return the squared Mahalanobis distances of rows (n, P) from the clusters, (n, M)."""
        parts = zip(self.whitening, self.means, strict=True)
        return np.stack([np.sum((Y @ W - mean) ** 2, axis=1) for W, mean in parts], axis=1)


class MixtureFit(NamedTuple):
    """A mixture, the responsibilities (N, M) of the rows and the mean log likelihood."""

    mixture: TMixture
    responsibilities: Array
    log_likelihood: float


def fit_t_mixture(Y: Array, labels: Indices, floor: Array, n_clusters: int) -> MixtureFit:
    """Fit a mixture by EM from `labels`."""
    (n, p), tiny = Y.shape, np.finfo(float).tiny
    S, scales, before = np.eye(n_clusters)[labels], np.ones((n, n_clusters)), -np.inf
    for _ in range(ITERATIONS):
        sizes, weights = S.sum(axis=0) + tiny, S * scales
        means = weights.T @ Y / (weights.sum(axis=0) + tiny)[:, None]
        mixture = _whitened(means, _covariances(Y, means, weights, sizes, floor), sizes / n)
        distances = mixture.distances(Y)
        log_joint = mixture.intercepts + _log_tail(distances, p)
        log_density = logsumexp(log_joint, axis=1)
        S = np.exp(log_joint - log_density[:, None])
        scales = (DEGREES_OF_FREEDOM + p) / (DEGREES_OF_FREEDOM + distances)
        value = float(log_density.mean())
        if value - before < TOL:
            break
        before = value
    return MixtureFit(mixture, S, value)


def _covariances(Y: Array, means: Array, weights: Array, sizes: Array, floor: Array) -> Array:
    """Return the covariances C_m (M, P, P), given the weights (N, M) of the rows."""
    n, p = Y.shape
    scatters = []
    for mean, weight in zip(means, weights.T, strict=True):
        centred = Y - mean
        scatters.append(centred.T @ (centred * weight[:, None]))
    pooled = np.sum(scatters, axis=0) / n
    return (scatters + p * pooled) / (sizes + p)[:, None, None] + np.diag(floor)


def _whitened(means: Array, covariances: Array, fractions: Array) -> TMixture:
    factors = np.linalg.cholesky(covariances)
    whitening = np.linalg.inv(factors).transpose(0, 2, 1)
    log_dets = 2.0 * np.log(np.diagonal(factors, axis1=1, axis2=2)).sum(axis=1)
    return TMixture(
        whitening,
        np.einsum("mp,mpr->mr", means, whitening),
        np.log(fractions) - 0.5 * log_dets,
    )


def _log_tail(distances: Array, p: int) -> Array:
    """Return the part of the log density of a t distribution that depends on the distance."""
    nu = DEGREES_OF_FREEDOM
    return np.asarray(-0.5 * (nu + p) * np.log1p(distances / nu))
