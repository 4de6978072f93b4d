"""Impute missing values by a Gaussian.

Let a Gaussian have the precision matrix L. Given the known values of a row, its missing values g
have the covariance L_gg^-1 and the mean m_g - L_gg^-1 (L d)_g, where d is the known value minus its
mean, and zero for missing values.
"""

from typing import NamedTuple

import numpy as np
from sklearn.utils import gen_batches

from sgpmic_cli._typing import Array, BoolArray, Indices

STEPS = 15  # of EM; 8 and 30 steps have the same error
RIDGE = 0.4  # times columns over rows and the mean variance, added to the diagonal
ROWS_AT_ONCE = 4096


class Gaussian(NamedTuple):
    """Mean (P,) and covariance (P, P)."""

    mean: Array
    covariance: Array


class Conditional(NamedTuple):
    """The distribution of missing values given the known values of the rows.

    `residuals` has for each group of rows with the same number k of missing values their missing
    columns (n, k) and their conditional covariances (n, k, k).
    """

    imputed: Array
    residuals: list[tuple[Indices, Array]]

    def residual_covariance(self) -> Array:
        """Return the sum of the conditional covariances, (P, P)."""
        p = self.imputed.shape[1]
        total = np.zeros(p * p)
        for columns, covariances in self.residuals:
            places = columns[:, :, None] * p + columns[:, None, :]
            total += np.bincount(places.ravel(), covariances.ravel(), p * p)
        return total.reshape(p, p)


def condition(Y: Array, mask: BoolArray, gaussian: Gaussian) -> Conditional:
    """Condition a Gaussian on the known values of rows. Values of Y under `mask` are not used."""
    precision = np.linalg.inv(gaussian.covariance)
    centred = np.where(mask, 0.0, Y - gaussian.mean)
    precision_times_deviation = centred @ precision
    imputed = np.where(mask, gaussian.mean, Y)
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
        residuals.append((columns, covariances))
    return Conditional(imputed, residuals)


def fit_gaussian(Y: Array, used: BoolArray) -> Gaussian:
    """Fit one Gaussian to rows with NaN for missing values, by EM.

    Columns that are not `used` (P,) are independent of all others.
    """
    mean, variances = np.nanmean(Y, axis=0), np.maximum(np.nanvar(Y, axis=0), 1e-12)
    inner = _fit_gaussian(Y[:, used], Gaussian(mean[used], np.diag(variances[used])))
    covariance = np.diag(variances)
    mean[used], covariance[np.ix_(used, used)] = inner
    return Gaussian(mean, covariance)


def _fit_gaussian(Y: Array, gaussian: Gaussian) -> Gaussian:
    n, p = Y.shape
    for _ in range(STEPS):
        imputed, residual = np.empty_like(Y), np.zeros((p, p))
        for rows in gen_batches(n, ROWS_AT_ONCE):
            found = condition(Y[rows], np.isnan(Y[rows]), gaussian)
            imputed[rows] = found.imputed
            residual += found.residual_covariance()
        mean = imputed.mean(axis=0)
        covariance = ((imputed - mean).T @ (imputed - mean) + residual) / n
        covariance += RIDGE / n * np.trace(covariance) * np.eye(p)
        gaussian = Gaussian(mean, covariance)
    return gaussian


def impute(gaussian: Gaussian, Y: Array) -> Array:
    """Replace NaN by the expectation given the known values of the row."""
    imputed = np.empty_like(Y)
    for rows in gen_batches(len(Y), ROWS_AT_ONCE):
        imputed[rows] = condition(Y[rows], np.isnan(Y[rows]), gaussian).imputed
    return imputed
