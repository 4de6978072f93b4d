"""Cholesky factors with jitter, and what follows from them."""

import numpy as np
from scipy.linalg.lapack import dpotrf, dtrtri

from sgpmic_cli._typing import Array

FIRST_JITTER = 1e-10  # relative to the mean of the diagonal; ten times more with every attempt
ATTEMPTS = 7


class NotPositiveDefinite(np.linalg.LinAlgError):
    """A covariance matrix is not positive definite, so the trial point is rejected."""


def cholesky(matrix: Array) -> Array | None:
    """Return the lower factor L of a symmetric matrix L L', or None if it has no finite factor."""
    factor, info = dpotrf(matrix.T, lower=True, clean=True)
    return factor if info == 0 and np.isfinite(factor[-1, -1]) else None


def jittered_cholesky(matrix: Array) -> tuple[Array, float]:
    """Return the lower factor and the jitter that was added to the diagonal, usually 0."""
    factor, jitter = cholesky(matrix), 0.0
    if factor is not None:
        return factor, jitter
    scale = float(np.mean(np.diagonal(matrix)))
    if not np.isfinite(scale) or scale <= 0.0:
        raise NotPositiveDefinite("The covariance matrix of a component is not finite.")
    for jitter in FIRST_JITTER * scale * 10.0 ** np.arange(ATTEMPTS):
        factor = cholesky(matrix + jitter * np.eye(len(matrix)))
        if factor is not None:
            return factor, float(jitter)
    raise NotPositiveDefinite(
        f"The covariance matrix of a component is not positive definite with jitter {jitter:.1e}."
    )


def log_determinant(factor: Array) -> float:
    """Return log |L L'|."""
    return 2.0 * float(np.log(factor.diagonal()).sum())


def inverse_factor(factor: Array) -> Array:
    """Return L^-1."""
    return np.asarray(dtrtri(factor, lower=True)[0])


def inverse(factor: Array) -> Array:
    """Return (L L')^-1."""
    half = inverse_factor(factor)
    return half.T @ half
