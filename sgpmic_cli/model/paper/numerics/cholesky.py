"""Cholesky factors that say how much help they needed."""

import math

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotri

from sgpmic_cli._typing import Array

FIRST_JITTER = 1e-10  # relative to the mean of the diagonal, ten times more with each try
TRIES = 7


class NotPositiveDefinite(np.linalg.LinAlgError):
    """No jitter within reason makes the matrix positive definite: the trial point is to be rejected."""


def jittered_cholesky(matrix: Array) -> tuple[Array, float]:
    """The lower factor of a symmetric matrix and the jitter that its diagonal needed (0.0 as a rule)."""
    factor, info = dpotrf(matrix, lower=True, clean=True)
    if info == 0 and math.isfinite(factor[-1, -1]):
        return factor, 0.0
    scale = float(np.mean(np.diagonal(matrix)))
    if not np.isfinite(scale) or scale <= 0.0:
        raise NotPositiveDefinite("The covariance matrix of a component is not finite.")
    jitter = FIRST_JITTER * scale
    for _ in range(TRIES):
        factor, info = dpotrf(matrix + jitter * np.eye(len(matrix)), lower=True, clean=True)
        if info == 0 and np.isfinite(factor[-1, -1]):
            return factor, jitter
        jitter *= 10.0
    raise NotPositiveDefinite(
        f"No jitter up to {jitter / 10.0:.1e} makes a component's covariance positive definite."
    )


def log_determinant(factor: Array) -> float:
    """log |L L'|."""
    return 2.0 * float(np.log(factor.diagonal()).sum())


def inverse(factor: Array) -> Array:
    """(L L')^-1 in full."""
    half, _ = dpotri(factor, lower=True)
    full = half + half.T  # the strict upper triangle of `half` is zero, as that of the factor was
    np.einsum("kk->k", full)[:] *= 0.5
    return full
