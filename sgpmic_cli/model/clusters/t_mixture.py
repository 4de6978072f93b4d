"""Cluster rows by a mixture of multivariate t distributions.

A Gaussian mixture often takes the centre and the tails of one group for two clusters. t
distributions have heavy tails, so one of them describes such a group (Peel and McLachlan, Statistics
and Computing, 2000). The covariances are shrunk towards their mean as by the prior of Fraley and
Raftery (Journal of Classification, 2007), whose weight is that of P rows:

    C_m = (scatter_m + P pooled) / (n_m + P) + diag(floor)

Missing values count for no cluster (Liu and Rubin, Statistica Sinica, 1995). A mixture that treats
imputed values as data groups rows by how much is missing.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import logsumexp

from sgpmic_cli._typing import Array, BoolArray, Indices
from sgpmic_cli.model.clusters.label_constants import DEGREES_OF_FREEDOM, EM_ITERATIONS, EM_TOL
from sgpmic_cli.model.clusters.missing_values import Conditional, Gaussian, condition


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
        """Return the logarithms of weight times density of rows (n, P), up to a constant, (n, M)."""
        distances = np.stack(
            [
                np.sum((Y @ whitening - mean) ** 2, axis=1)
                for whitening, mean in zip(self.whitening, self.means, strict=True)
            ],
            axis=1,
        )
        return self.intercepts + _log_tail(distances, self.means.shape[1])


class Fit(NamedTuple):
    """A mixture, the responsibilities (N, M) of the rows and the mean log likelihood."""

    mixture: TMixture
    responsibilities: Array
    log_likelihood: float


def fit_t_mixture(
    Y: Array, mask: BoolArray | None, labels: Indices, floor: Array, n_clusters: int
) -> Fit:
    """Fit a mixture by EM from `labels`. Entries of Y under `mask` are imputed values."""
    missing = np.zeros(Y.shape, dtype=bool) if mask is None else mask
    known = np.count_nonzero(~missing, axis=1)
    S = np.eye(n_clusters)[labels]
    found = [Conditional(Y, np.zeros(len(Y)), np.zeros(len(Y)), [])] * n_clusters
    scales, before = np.ones_like(S), -np.inf
    for _ in range(EM_ITERATIONS):
        sizes = S.sum(axis=0) + np.finfo(float).tiny
        parts = _components(found, S, S * scales, floor)
        found = [condition(Y, missing, part) for part in parts]
        distances = np.stack([one.distance for one in found], axis=1)
        log_dets = np.stack([one.log_det for one in found], axis=1)
        log_joint = np.log(sizes / len(Y)) - 0.5 * log_dets + _log_tail(distances, known[:, None])
        log_density = logsumexp(log_joint, axis=1)
        S = np.exp(log_joint - log_density[:, None])
        scales = (DEGREES_OF_FREEDOM + known[:, None]) / (
            DEGREES_OF_FREEDOM + distances
        )
        value = float(log_density.mean())
        if value - before < EM_TOL:
            break
        before = value
    factors = np.linalg.cholesky(np.stack([part.covariance for part in parts]))
    whitening = np.linalg.inv(factors).transpose(0, 2, 1)
    means = np.stack([part.mean @ W for part, W in zip(parts, whitening, strict=True)])
    log_dets = 2.0 * np.log(np.diagonal(factors, axis1=1, axis2=2)).sum(axis=1)
    mixture = TMixture(whitening, means, np.log(sizes / len(Y)) - 0.5 * log_dets)
    return Fit(mixture, S, value)


def _components(
    found: list[Conditional], S: Array, weights: Array, floor: Array
) -> list[Gaussian]:
    """Return the location and the covariance of every cluster, given weights (N, M) of the rows."""
    means, scatters = [], []
    for one, share, weight in zip(found, S.T, weights.T, strict=True):
        mean = weight @ one.imputed / (weight.sum() + np.finfo(float).tiny)
        centred = one.imputed - mean
        means.append(mean)
        scatters.append(
            centred.T @ (centred * weight[:, None]) + one.residual_covariance(share)
        )
    (n, _), p = S.shape, len(floor)
    prior = p * np.sum(scatters, axis=0) / n
    return [
        Gaussian(mean, (scatter + prior) / (size + p) + np.diag(floor))
        for mean, scatter, size in zip(means, scatters, S.sum(axis=0), strict=True)
    ]


def _log_tail(distance: Array, known: Array | int) -> Array:
    """Return the part of the log density of a t distribution that depends on the distance."""
    nu = DEGREES_OF_FREEDOM
    return np.asarray(-0.5 * (nu + known) * np.log1p(distance / nu))
