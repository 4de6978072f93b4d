"""Limited-memory BFGS behind the same face as `scg`."""

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from sgpmic_cli.model.scg import Objective

Array = NDArray[np.float64]

WALL = 10.0  # how far above the start, relative to it, a line search sees points that cannot be evaluated


def lbfgs(objective: Objective, x: Array, steps: int, *, tol: float = 1e-9) -> tuple[Array, float]:
    """Minimise `objective` for at most `steps` iterations; never returns a point worse than the start."""
    best_x, best_value = x, np.inf

    def guarded(trial: Array) -> tuple[float, Array]:
        nonlocal best_x, best_value
        value, gradient = objective(trial)
        if not np.isfinite(value) and not np.isfinite(best_value):
            return 0.0, np.zeros_like(trial)  # the start itself cannot be evaluated: a slope of zero ends the search
        if not np.isfinite(value):  # a bowl around the best point turns the search back
            away, height = trial - best_x, WALL * (1.0 + abs(best_value))
            return best_value + height, 2.0 * height / float(away @ away) * away
        if value < best_value:
            best_x, best_value = trial.copy(), value
        return value, gradient

    minimize(guarded, x, jac=True, method="L-BFGS-B", options={"maxiter": steps, "maxls": 10, "ftol": tol, "gtol": 0.0})
    return best_x, best_value
