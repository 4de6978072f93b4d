"""Damped Gauss-Newton steps (Levenberg-Marquardt) for many rows with a function of their own."""

from collections.abc import Callable

import numpy as np

from sgpmic_cli._typing import Array, Indices

STEPS = 15
FIRST_DAMPING = 1e-2  # relative to the trace of the curvature
AFTER_A_GAIN, AFTER_A_LOSS = 0.2, 10.0  # factors of the damping
MAX_DAMPING = 1e6  # a row has converged if no step of a relevant length gains anything ...
CLOSE = 1e-6  # ... or if a step gains less, in nats

Value = Callable[[Indices, Array], Array]
Derivatives = Callable[[Indices, Array], tuple[Array, Array]]


def climb(X: Array, rows: Indices, value: Value, derivatives: Derivatives) -> tuple[Array, Array]:
    """Move some rows of X (N, Q) to local maxima. Return all points and their values (N,).

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
