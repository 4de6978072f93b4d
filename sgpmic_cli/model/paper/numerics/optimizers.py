"""The two optimisers of an M-step: scaled conjugate gradients, which the paper names, and limited-memory BFGS.

In the first (Moller 1993) a conjugate direction needs no line search: one gradient a small way along it gives the
curvature, a scale makes that curvature positive, and the comparison of the gain with the one predicted adapts the
scale. A trial point at which the objective cannot be evaluated counts as a failure and shortens the next step, so a bad
step never ends a fit.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.optimize import minimize

from sgpmic_cli._typing import Array

Objective = Callable[[Any], tuple[float, Any]]  # of an array or, on a device, of a tensor
Minimiser = Callable[
    [Objective, Any, int, int, float], object
]  # objective, start, steps, of a line search, ftol

PROBE = 1e-4  # length of the finite step that measures curvature
SCALE_RANGE = (1e-15, 1e100)
WALL = 10.0  # how far above the start, relative to it, a line search sees points that cannot be evaluated


def scg(objective: Objective, x: Any, steps: int, *, tol: float = 1e-4) -> tuple[Any, float]:
    """Minimise `objective` (value and gradient; an infinite value rejects a point) for at most `steps` steps."""
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
        gain = 2.0 * (new_value - value) / (step * slope) if np.isfinite(new_value) else -np.inf
        success = gain >= 0.0
        if success:
            moved, fell = step * float(abs(direction).max()), abs(new_value - value)
            x, value, previous, gradient = trial, new_value, gradient, new_gradient
            successes += 1
            if (moved < tol and fell < tol) or not gradient.any():
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


def scipys(objective: Objective, x: Array, steps: int, line_steps: int, tol: float) -> object:
    """SciPy's L-BFGS."""
    return minimize(
        objective,
        x,
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": steps, "maxls": line_steps, "ftol": tol, "gtol": 0.0},
    )


def lbfgs(
    objective: Objective, x: Any, steps: int, *, tol: float = 1e-9, minimise: Minimiser = scipys
) -> tuple[Any, float]:
    """Minimise `objective` for at most `steps` iterations; never returns a point worse than the start."""
    best_x, best_value = x, np.inf

    def guarded(trial: Any) -> tuple[float, Any]:
        nonlocal best_x, best_value
        value, gradient = objective(trial)
        if not np.isfinite(value) and not np.isfinite(best_value):
            return (
                0.0,
                0.0 * trial,
            )  # the start itself cannot be evaluated: a slope of zero ends the search
        if not np.isfinite(value):  # a bowl around the best point turns the search back
            away, height = trial - best_x, WALL * (1.0 + abs(best_value))
            return best_value + height, 2.0 * height / float(away @ away) * away
        if value < best_value:
            best_x, best_value = (
                1.0 * trial,
                value,
            )  # a copy: the optimiser writes over its trial points
        return value, gradient

    minimise(guarded, x, steps, 10, tol)
    return best_x, best_value
