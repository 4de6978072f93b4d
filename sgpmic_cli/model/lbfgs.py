"""Limited-memory BFGS behind the same face as `scg`."""

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from sgpmic_cli.model.scg import Objective

Array = NDArray[np.float64]

REJECTED = 1e300  # what a line search sees where the objective cannot be evaluated


def lbfgs(objective: Objective, x: Array, steps: int, *, tol: float = 1e-9) -> tuple[Array, float]:
    """Minimise `objective` for at most `steps` iterations; never returns a point worse than the start."""
    best_x, best_value = x, np.inf

    def guarded(trial: Array) -> tuple[float, Array]:
        nonlocal best_x, best_value
        value, gradient = objective(trial)
        if not np.isfinite(value):
            return REJECTED, np.zeros_like(trial)
        if value < best_value:
            best_x, best_value = trial.copy(), value
        return value, gradient

    minimize(guarded, x, jac=True, method="L-BFGS-B", options={"maxiter": steps, "maxls": 10, "ftol": tol, "gtol": 0.0})
    return best_x, best_value
