"""Limited-memory BFGS with a backtracking line search, for NumPy arrays and PyTorch tensors.

SciPy's optimisers need NumPy vectors. This one keeps its vectors where the function computes them,
so that a fit on a GPU transfers nothing between steps (Nocedal and Wright 2006, Algorithm 7.4).
"""

import math
from collections import deque
from collections.abc import Callable
from typing import Any

MEMORY = 10
SUFFICIENT_GAIN = 1e-4  # of the gain that the gradient predicts
TRIALS = 12  # step lengths tried along one direction

Function = Callable[[Any], tuple[float, Any]]


def maximise(function: Function, x: Any, steps: int) -> Any:
    """Climb from `x` for at most `steps` steps. The value never falls.

    `function` returns the value and the gradient. A value that is not finite rejects a trial point.
    """
    value, gradient = function(x)
    pairs: deque[tuple[Any, Any, float]] = deque(maxlen=MEMORY)
    for _ in range(steps):
        direction = _direction(gradient, pairs)
        slope = float(direction @ gradient)
        if slope <= 0.0:
            direction, slope = gradient, float(gradient @ gradient)
            pairs.clear()
        length = 1.0 if pairs else min(1.0, 1.0 / math.sqrt(max(slope, 1e-300)))
        for _ in range(TRIALS):
            trial = x + length * direction
            trial_value, trial_gradient = function(trial)
            gain = trial_value - value
            if gain >= SUFFICIENT_GAIN * length * slope:  # false for NaN
                break
            # Maximise the parabola through both values and the slope, within bounds.
            curvature = 2.0 * (length * slope - gain)
            best = length**2 * slope / curvature if math.isfinite(curvature) else 0.0
            length = min(max(best, 0.1 * length), 0.5 * length)
        else:
            return x
        step, change = trial - x, gradient - trial_gradient
        curvature = float(step @ change)
        if curvature > 1e-10 * float(change @ change):
            pairs.append((step, change, curvature))
        x, value, gradient = trial, trial_value, trial_gradient
    return x


def _direction(gradient: Any, pairs: deque[tuple[Any, Any, float]]) -> Any:
    """Multiply the gradient by the inverse Hessian of the last steps (two-loop recursion)."""
    direction, weights = gradient + 0.0, []
    for step, change, curvature in reversed(pairs):
        weight = float(step @ direction) / curvature
        weights.append(weight)
        direction = direction - weight * change
    if pairs:
        _, change, curvature = pairs[-1]
        direction = direction * (curvature / float(change @ change))
    for (step, change, curvature), weight in zip(pairs, reversed(weights), strict=True):
        direction = direction + (weight - float(change @ direction) / curvature) * step
    return direction
