"""The optimisers of the M-step: scaled conjugate gradients, which the paper names, and L-BFGS.

Scaled conjugate gradients (Moller 1993) need no line search. One more gradient, a small step along
the conjugate direction, gives the curvature. A scale makes the curvature positive. The scale adapts
to the ratio of the actual to the predicted decrease.

An objective returns a value and a gradient. An infinite value means that it cannot be evaluated at
this point. Both optimisers then try a point closer to the last one. They return the best point and
its value, which is never above that of the start.
"""

from collections.abc import Callable, Sequence

import numpy as np
from scipy.optimize import minimize

from sgpmic_cli._typing import Array
from sgpmic_cli.gp import NotPositiveDefinite

Objective = Callable[[Array], tuple[float, Array]]
Optimizer = Callable[[Objective, Array, int], tuple[Array, float]]

PROBE = 1e-4  # length of the finite step that measures the curvature
SCALE_RANGE = (1e-15, 1e100)
WALL = 10.0  # relative height of the penalty at points that cannot be evaluated
LINE_SEARCH_STEPS = 10


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
        except NotPositiveDefinite:
            value = -np.inf
        if not (np.isfinite(value) and np.isfinite(gradient).all()):
            value, gradient = -np.inf, np.zeros_like(vector)
        values.append(value)
        return -value, -gradient

    vector, loss = optimizer(objective, np.concatenate([array.ravel() for array in start]), steps)
    return arrays(vector), values[0], -loss


def scg(objective: Objective, x: Array, steps: int, *, tol: float = 1e-4) -> tuple[Array, float]:
    """Minimise `objective` from x with at most `steps` scaled conjugate gradient steps."""
    value, gradient = objective(x)
    direction = -gradient
    success, successes, scale = True, 0, 1.0
    slope = length = curvature = 0.0
    for _ in range(steps):
        if success:
            slope = float(direction @ gradient)
            if slope >= 0.0:
                direction = -gradient
                slope = float(direction @ gradient)
            length = float(direction @ direction)
            if length < np.finfo(float).eps:
                break
            sigma = PROBE / np.sqrt(length)
            probe_value, probe_gradient = objective(x + sigma * direction)
            known = np.isfinite(probe_value)
            curvature = float(direction @ (probe_gradient - gradient)) / sigma if known else 0.0
        damped = curvature + scale * length
        if damped <= 0.0:
            damped = scale * length
            scale -= curvature / length
        step = -slope / damped
        trial = x + step * direction
        new_value, new_gradient = objective(trial)
        # Ratio of the actual to the predicted decrease.
        gain = 2.0 * (new_value - value) / (step * slope) if np.isfinite(new_value) else -np.inf
        success = gain >= 0.0
        if success:
            moved, decrease = step * float(abs(direction).max()), abs(new_value - value)
            x, value, previous, gradient = trial, new_value, gradient, new_gradient
            successes += 1
            if (moved < tol and decrease < tol) or not gradient.any():
                break
        if gain < 0.25:
            scale = min(4.0 * scale, SCALE_RANGE[1])
        elif gain > 0.75:
            scale = max(0.5 * scale, SCALE_RANGE[0])
        if successes == len(x):
            direction, successes = -gradient, 0
        elif success:
            direction = float((previous - gradient) @ gradient) / slope * direction - gradient
    return x, value


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
