"""Scaled conjugate gradients, the optimiser of the M-step that the paper names.

They need no line search (Moller 1993). One more gradient, a small step along the conjugate
direction, gives the curvature. A scale makes the curvature positive. The scale adapts to the ratio
of the actual to the predicted decrease.
"""

import numpy as np

from sgpmic_cli._typing import Array
from sgpmic_cli.gp import Objective

PROBE = 1e-4  # length of the finite step that measures the curvature
SCALE_RANGE = (1e-15, 1e100)


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
