"""Impute missing values by a Gaussian, and fit mixtures by the likelihood of known values.

Let a Gaussian have the precision matrix L. Given the known values of a row, its missing values g
have the covariance L_gg^-1 and the mean m_g - L_gg^-1 (L d)_g, where d is the known value minus its
mean, and zero for missing values.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import logsumexp
from sklearn.utils import gen_batches

from sgpmic_cli._typing import Array, BoolArray, Indices

ITERATIONS = 15  # of EM for one Gaussian
RIDGE = 0.4  # added to the diagonal, times columns over rows and the mean variance
BLOCK = 4096  # rows
MIXTURE_ITERATIONS = 100
TOL = 1e-3  # nats per row


class Gaussian(NamedTuple):
    """Mean (P,) and covariance (P, P)."""

    mean: Array
    covariance: Array


class Conditional(NamedTuple):
    """Imputed rows, log densities of the known values, and the covariance left by the gaps.

    `residuals` has for each group of rows with the same number k of gaps the rows (n,), their
    missing columns (n, k) and the covariances (n, k, k).
    """

    imputed: Array
    log_density: Array
    residuals: list[tuple[Indices, Indices, Array]]

    def residual_covariance(self, weights: Array) -> Array:
        """Return the weighted sum of the covariances left by the gaps, (P, P)."""
        p = self.imputed.shape[1]
        total = np.zeros(p * p)
        for rows, columns, covariances in self.residuals:
            places = columns[:, :, None] * p + columns[:, None, :]
            weighted = covariances * weights[rows, None, None]
            total += np.bincount(places.ravel(), weighted.ravel(), p * p)
        return total.reshape(p, p)


def condition(Y: Array, mask: BoolArray, gaussian: Gaussian) -> Conditional:
    """Condition a Gaussian on the known values of rows. Values of Y under `mask` are not used."""
    precision = np.linalg.inv(gaussian.covariance)
    centred = np.where(mask, 0.0, Y - gaussian.mean)
    precision_times_deviation = centred @ precision
    imputed = np.where(mask, gaussian.mean, Y)
    distance = np.sum(centred * precision_times_deviation, axis=1)
    log_det = np.full(len(Y), np.linalg.slogdet(gaussian.covariance)[1])
    residuals = []
    counts = mask.sum(axis=1)
    for k in np.unique(counts[counts > 0]):
        rows = np.flatnonzero(counts == k)
        columns = np.nonzero(mask[rows])[1].reshape(-1, int(k))
        inner = precision[columns[:, :, None], columns[:, None, :]]
        covariances = np.linalg.inv(inner)
        product = np.take_along_axis(precision_times_deviation[rows], columns, axis=1)
        shift = np.einsum("nij,nj->ni", covariances, product)
        imputed[rows[:, None], columns] -= shift
        distance[rows] -= np.sum(product * shift, axis=1)
        log_det[rows] += np.linalg.slogdet(inner)[1]
        residuals.append((rows, columns, covariances))
    known = np.count_nonzero(~mask, axis=1)
    log_density = -0.5 * (distance + log_det + known * np.log(2.0 * np.pi))
    return Conditional(imputed, log_density, residuals)


def fit_gaussian(Y: Array) -> Gaussian:
    """Fit one Gaussian to rows with NaN for missing values, by EM."""
    n, p = Y.shape
    gaussian = Gaussian(np.nanmean(Y, axis=0), np.diag(np.maximum(np.nanvar(Y, axis=0), 1e-12)))
    for _ in range(ITERATIONS):
        imputed, residual = np.empty_like(Y), np.zeros((p, p))
        for rows in gen_batches(n, BLOCK):
            found = condition(Y[rows], np.isnan(Y[rows]), gaussian)
            imputed[rows] = found.imputed
            residual += found.residual_covariance(np.ones(len(found.imputed)))
        mean = imputed.mean(axis=0)
        covariance = ((imputed - mean).T @ (imputed - mean) + residual) / n
        covariance += RIDGE / n * np.trace(covariance) * np.eye(p)
        gaussian = Gaussian(mean, covariance)
    return gaussian


def impute(gaussian: Gaussian, Y: Array) -> Array:
    """Replace NaN by the expectation given the known values of the row."""
    imputed = np.empty_like(Y)
    for rows in gen_batches(len(Y), BLOCK):
        imputed[rows] = condition(Y[rows], np.isnan(Y[rows]), gaussian).imputed
    return imputed


def mixture_labels(
    imputed: Array, mask: BoolArray, labels: Indices, floor: Array, n_clusters: int
) -> Indices:
    """Cluster rows by a Gaussian mixture that ignores missing values.

    A mixture that treats imputed values as data groups rows by how much is missing. Here missing
    values count for no cluster, and their variance enters the covariances. `labels` is the start,
    `floor` (P,) is added to the variances.
    """
    S = np.eye(n_clusters)[labels]
    weights = S.mean(axis=0)
    parts = [_component(imputed, own, floor, 0.0) for own in S.T]
    before = -np.inf
    for _ in range(MIXTURE_ITERATIONS):
        found = [condition(imputed, mask, part) for part in parts]
        with np.errstate(divide="ignore"):  # a component may have no rows
            log_joint = np.stack([one.log_density for one in found], axis=1) + np.log(weights)
        log_density = logsumexp(log_joint, axis=1)
        S, value = np.exp(log_joint - log_density[:, None]), float(log_density.mean())
        if value - before < TOL:
            break
        before, weights = value, S.mean(axis=0)
        parts = [
            _component(one.imputed, own, floor, one.residual_covariance(own))
            for one, own in zip(found, S.T, strict=True)
        ]
    return np.asarray(S.argmax(axis=1))


def _component(rows: Array, weights: Array, floor: Array, residual: Array | float) -> Gaussian:
    total = weights.sum() + np.finfo(float).tiny
    mean = weights @ rows / total
    centred = rows - mean
    scatter = centred.T @ (centred * weights[:, None]) + residual
    return Gaussian(mean, scatter / total + np.diag(floor))
