"""Formulas that the models of both wings use: Gaussian processes, Gaussians, PCA.

Functions with the argument `xp` take NumPy arrays or PyTorch tensors; `xp` is the module.

The radial basis function is

    r(z, x) = exp(-1/2 sum_q gamma_q (z_q - x_q)^2)

Its logarithm is a product of two matrices, with a row for each z and a column for each x:

    log r = a.b       a = (z, -1/2 z^2, 1)       b = (gamma x, gamma, -1/2 sum_q gamma_q x_q^2)

So one matrix product gives all exponents, and two give the gradients from T = dL/dR * R:
dL/da = T b' and dL/db = a' T. Z is (K, Q) and X is (Q, N). `gamma` is (Q, 1), or (Q, N) if every x
has its own. It has one row instead of Q if the dimensions share it.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy import linalg
from scipy.linalg.lapack import dpotrf, dtrtri

from sgpmic_cli._typing import Array, Indices

LOG_2PI = float(np.log(2.0 * np.pi))

# Jitter of Cholesky factors
FIRST_JITTER = 1e-10  # relative to the mean of the diagonal; ten times more with every attempt
ATTEMPTS = 7

# Damped steps of `climb`
STEPS = 15
FIRST_DAMPING = 1e-2  # relative to the trace of the curvature
AFTER_A_GAIN, AFTER_A_LOSS = 0.2, 10.0  # factors of the damping
MAX_DAMPING = 1e6  # a row has converged if no step of a relevant length gains anything ...
CLOSE = 1e-6  # ... or if a step gains less, in nats

Value = Callable[[Indices, Array], Array]
Derivatives = Callable[[Indices, Array], tuple[Array, Array]]


def rbf(xp: Any, Z: Any, X: Any, gamma: Any, log_scale: Any, out: Any = None) -> Any:
    """Return exp(log_scale) r(z_k, x_n), (K, N); `log_scale` may have a value for each x_n."""
    level = log_scale - 0.5 * (gamma * X * X).sum(0)
    K = xp.matmul(_of_z(xp, Z, gamma), xp.concatenate([*_of_x(xp, X, gamma), level[None]]), out=out)
    return xp.exp(K, out=K)


def rbf_gradients(xp: Any, T: Any, Z: Any, X: Any, gamma: Any) -> tuple[Any, Any, Any, Any]:
    """Return the gradients by Z, X, and the log gamma and log scale of every x from T (K, N)."""
    q = len(X)
    by_z, by_x = T @ xp.concatenate(_of_x(xp, X, gamma)).T, _of_z(xp, Z, gamma).T @ T
    first, second, total = by_x[:q], by_x[q:-1], by_x[-1]
    dZ = by_z[:, :q] - by_z[:, q:] * Z
    dX = gamma * (first - total * X)
    dgamma = gamma * (_shared(X * (first - 0.5 * total * X), gamma, 0) + second)
    return dZ, dX, dgamma, total


def _of_z(xp: Any, Z: Any, gamma: Any) -> Any:
    """Return a, (K, .)."""
    return xp.concatenate([Z, -0.5 * _shared(Z * Z, gamma, 1), xp.ones_like(Z[:, :1])], 1)


def _of_x(xp: Any, X: Any, gamma: Any) -> list[Any]:
    """Return the first two parts of b, (., N)."""
    return [gamma * X, xp.broadcast_to(gamma, (len(gamma), X.shape[1]))]


def _shared(squares: Any, gamma: Any, axis: int) -> Any:
    """Add up the dimensions along an axis if they share one gamma."""
    return squares if len(gamma) == squares.shape[axis] else squares.sum(axis, keepdims=True)


class Gaussians(NamedTuple):
    """Means (M, Q), covariances (M, Q, Q), their inverses and log determinants (M,)."""

    means: Any
    covariances: Any
    precisions: Any
    log_dets: Any


def from_covariances(xp: Any, means: Any, covariances: Any) -> Gaussians:
    """Return the Gaussians with these means and covariances."""
    precisions = xp.linalg.inv(covariances)
    log_dets = xp.linalg.slogdet(covariances)[1]
    return Gaussians(means, covariances, 0.5 * (precisions + precisions.mT), log_dets)


def log_densities(xp: Any, X: Any, means: Any, precisions: Any, log_dets: Any) -> Any:
    """Return log N(x_n | mean_m, covariance_m), (N, M)."""
    columns = []
    for mean, precision, log_det in zip(means, precisions, log_dets, strict=True):
        centred = X - mean
        distance = ((centred @ precision) * centred).sum(1)
        columns.append(-0.5 * (distance + log_det + X.shape[1] * LOG_2PI))
    return xp.stack(columns, 1)


def scatters(xp: Any, X: Any, S: Any, means: Any) -> Any:
    """Return sum_n S_nm (x_n - mean_m) (x_n - mean_m)', (M, Q, Q)."""
    centred = [X - mean for mean in means]
    return xp.stack([(part * S[:, m : m + 1]).T @ part for m, part in enumerate(centred)])


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


def climb(X: Array, rows: Indices, value: Value, derivatives: Derivatives) -> tuple[Array, Array]:
    """Move some rows of X (N, Q) to local maxima. Return all points and their values (N,).

    The steps are damped Gauss-Newton steps (Levenberg-Marquardt).
    `value(rows, points)` returns the values (n,) of rows at points (n, Q). `derivatives` returns
    the gradients (n, Q) and positive definite curvatures (n, Q, Q). Each row has its own damping,
    so that its result does not depend on the other rows. No value decreases.
    """
    X, damping = X.copy(), np.full(len(X), FIRST_DAMPING)
    values = value(np.arange(len(X)), X)
    for _ in range(STEPS):
        if not len(rows):
            break
        gradient, curvature = derivatives(rows, X[rows])
        scale = damping[rows] * np.trace(curvature, axis1=1, axis2=2)
        damped = curvature + scale[:, None, None] * np.eye(X.shape[1])
        trial = X[rows] + np.linalg.solve(damped, gradient[:, :, None])[:, :, 0]
        trial_values = value(rows, trial)
        gain = trial_values - values[rows]
        up = gain > 0.0
        X[rows[up]], values[rows[up]] = trial[up], trial_values[up]
        damping[rows] *= np.where(up, AFTER_A_GAIN, AFTER_A_LOSS)
        rows = rows[(~up | (gain > CLOSE)) & (damping[rows] < MAX_DAMPING)]
    return X, values


def principal_axes(Y: Array, q: int) -> tuple[Array, Array]:
    """Return scores on q axes (N, q) and the variances (ddof 1) of all axes in decreasing order.

    The smaller one of the two Gram matrices is decomposed.
    """
    centred = Y - Y.mean(axis=0)
    n, p = centred.shape
    degrees = max(n - 1, 1)
    if p <= n:
        values, axes = linalg.eigh(centred.T @ centred)
        scores = centred @ axes[:, ::-1][:, :q]
    else:
        values, axes = linalg.eigh(centred @ centred.T)
        scores = axes[:, ::-1][:, :q] * np.sqrt(np.maximum(values[::-1][:q], 0.0))
    return with_fixed_signs(scores), np.maximum(values[::-1], 0.0) / degrees


def with_fixed_signs(axes: Array) -> Array:
    """Make the largest coordinate of every column positive, because its sign is arbitrary."""
    largest = axes[np.abs(axes).argmax(axis=0), np.arange(axes.shape[1])]
    return axes * np.where(largest < 0, -1.0, 1.0)


def pca(Y: Array, q: int) -> Array:
    """Return the unscaled scores on the q leading axes (N, q)."""
    return principal_axes(Y, q)[0]


def ppca(Y: Array, q: int, *, posterior: bool = False) -> Array:
    """Return whitened scores, or the posterior means of probabilistic PCA (N, q).

    The data are centred and unscaled (Tipping and Bishop 1999).
    Whitened scores reproduce the paper's numbers. The posterior mean multiplies axis j by
    sqrt(1 - s2 / l_j), where s2 is the mean discarded variance.
    """
    scores, variances = principal_axes(Y, q)
    kept = variances[:q]
    safe = np.where(kept > 0, kept, 1.0)
    whitened = scores / np.sqrt(safe)
    if not posterior:
        return whitened
    p = Y.shape[1]
    noise = variances[q:].sum() / (p - q) if p > q else 0.0
    return whitened * np.sqrt(np.maximum(1.0 - noise / safe, 0.0))


def dimensions_for(Y: Array, fraction: float) -> int:
    """Return the smallest number of principal axes that explain this fraction of the variance.

    This is the paper's rule for Q.
    """
    variances = principal_axes(Y, 1)[1]
    total = variances.sum()
    if total <= 0.0:
        return 1
    # The tolerance excludes axes of rounding noise for fraction = 1.
    reached = np.cumsum(variances) / total >= fraction - 1e-12
    return int(reached.argmax()) + 1
