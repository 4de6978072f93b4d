"""What both models use: Gaussians, optimisers, and principal components."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from scipy import linalg
from scipy.optimize import minimize

from sgpmic_cli._typing import Array, Indices

LOG_2PI = float(np.log(2.0 * np.pi))

# Damped steps of `climb`
STEPS = 15
FIRST_DAMPING = 1e-2  # relative to the trace of the curvature
AFTER_A_GAIN, AFTER_A_LOSS = 0.2, 10.0  # factors of the damping
MAX_DAMPING = 1e6  # a row has converged if no step of a relevant length gains anything ...
CLOSE = 1e-6  # ... or if a step gains less, in nats

# Optimisers
WALL = 10.0  # relative height of the penalty at points that cannot be evaluated
LINE_SEARCH_STEPS = 10

# An objective returns a value and a gradient. An infinite value means that it cannot be evaluated
# at this point. Optimisers then try a point closer to the last one. They return the best point and
# its value, which is never above that of the start.
Objective = Callable[[Array], tuple[float, Array]]
Optimizer = Callable[[Objective, Array, int], tuple[Array, float]]
Value = Callable[[Indices, Array], Array]
Derivatives = Callable[[Indices, Array], tuple[Array, Array]]


class Gaussians(NamedTuple):
    """Means (M, Q), covariances (M, Q, Q), their inverses and log determinants (M,)."""

    means: Array
    covariances: Array
    precisions: Array
    log_dets: Array


def from_covariances(means: Array, covariances: Array) -> Gaussians:
    """Return the Gaussians with these means and covariances."""
    precisions = np.linalg.inv(covariances)
    log_dets = np.linalg.slogdet(covariances)[1]
    return Gaussians(means, covariances, 0.5 * (precisions + precisions.mT), log_dets)


def log_densities(X: Array, means: Array, precisions: Array, log_dets: Array) -> Array:
    """Return log N(x_n | mean_m, covariance_m), (N, M)."""
    columns = []
    for mean, precision, log_det in zip(means, precisions, log_dets, strict=True):
        centred = X - mean
        distance = ((centred @ precision) * centred).sum(1)
        columns.append(-0.5 * (distance + log_det + X.shape[1] * LOG_2PI))
    return np.stack(columns, 1)


def scatters(X: Array, S: Array, means: Array) -> Array:
    """Return sum_n S_nm (x_n - mean_m) (x_n - mean_m)', (M, Q, Q)."""
    centred = [X - mean for mean in means]
    return np.stack([(part * S[:, m : m + 1]).T @ part for m, part in enumerate(centred)])


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


def ascend(
    function: Callable[..., tuple[float, Sequence[Array]]],
    start: Sequence[Array],
    optimizer: Optimizer,
    steps: int,
) -> tuple[list[Array], float, float]:
    """Maximise a function of several arrays, which returns its value and the gradients by them.

    Return the arrays at the best point, and the values at the start and there. A value is -inf
    where a covariance has no Cholesky factor, or where the value or a gradient is not finite.
    """
    ends = np.cumsum([array.size for array in start])[:-1]
    values: list[float] = []

    def arrays(vector: Array) -> list[Array]:
        parts = np.split(vector, ends)
        return [part.reshape(array.shape) for part, array in zip(parts, start, strict=True)]

    def objective(vector: Array) -> tuple[float, Array]:
        try:
            with np.errstate(over="ignore", invalid="ignore", divide="ignore", under="ignore"):
                value, gradients = function(*arrays(vector))
            gradient = np.concatenate([part.ravel() for part in gradients])
        except np.linalg.LinAlgError:
            value = -np.inf
        if not (np.isfinite(value) and np.isfinite(gradient).all()):
            value, gradient = -np.inf, np.zeros_like(vector)
        values.append(value)
        return -value, -gradient

    vector, loss = optimizer(objective, np.concatenate([array.ravel() for array in start]), steps)
    return arrays(vector), values[0], -loss


def lbfgs(objective: Objective, x: Array, steps: int, *, tol: float = 1e-9) -> tuple[Array, float]:
    """Minimise `objective` from x with at most `steps` iterations of SciPy's L-BFGS."""
    best_x, best_value = x, np.inf

    def guarded(trial: Array) -> tuple[float, Array]:
        nonlocal best_x, best_value
        value, gradient = objective(trial)
        if not np.isfinite(value):
            if not np.isfinite(best_value):  # an invalid start: a zero gradient ends the search
                return 0.0, np.zeros_like(trial)
            # A quadratic penalty leads the line search back.
            away, height = trial - best_x, WALL * (1.0 + abs(best_value))
            return best_value + height, 2.0 * height / float(away @ away) * away
        if value < best_value:
            best_x, best_value = trial.copy(), value  # SciPy overwrites its trial points
        return value, gradient

    minimize(
        guarded,
        x,
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": steps, "maxls": LINE_SEARCH_STEPS, "ftol": tol, "gtol": 0.0},
    )
    return best_x, best_value
