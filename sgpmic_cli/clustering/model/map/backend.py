"""Where the arrays of a fit live: NumPy on the processor, or PyTorch on a GPU.

The formulas of this folder are written once, with functions that NumPy and PyTorch share. They take
the module as `xp`. SciPy's optimisers need NumPy vectors; `device_lbfgs` keeps its vectors where
the function computes them, so that a fit on a GPU transfers nothing between steps.
"""

import math
from collections import deque
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np

from sgpmic_cli._typing import Array
from sgpmic_cli.errors import warn_caller

DEVICES = ("cpu", "cuda", "auto")
ROWS_FOR_GPU = 10_000  # "auto" uses a GPU from this number of rows, where it starts to pay
LBFGS_PAIRS = 10  # steps of L-BFGS that approximate the Hessian
SUFFICIENT_GAIN = 1e-4  # of the gain that the gradient predicts
TRIALS = 12  # step lengths tried along one direction

Function = Callable[[Any], tuple[float, Any]]


class Backend(NamedTuple):
    """An array module, conversions from and to NumPy, and the number of rows of a block."""

    xp: Any
    asarray: Callable[[Any], Any]
    to_numpy: Callable[[Any], Array]
    block_rows: int


# Blocks have a fixed size, so that sums do not depend on the number of threads.
NUMPY = Backend(np, np.asarray, np.asarray, 2048)


def choose_backend(device: str, n_rows: int) -> Backend:
    """Return the backend for `device`: "cpu", "cuda" or "auto".

    "cuda" without a GPU falls back to NumPy with a warning. "auto" does so silently.
    """
    if device == "cpu" or (device == "auto" and n_rows < ROWS_FOR_GPU):
        return NUMPY
    reason = missing_for_gpu()
    if reason is None:
        return torch_backend("cuda")
    if device == "cuda":
        warn_caller(f"device='cuda' has no effect: {reason}. The fit uses NumPy.")
    return NUMPY


def torch_backend(device: str) -> Backend:
    """Return a backend that computes with PyTorch in double precision."""
    import torch

    def asarray(array: Any) -> Any:
        return torch.as_tensor(np.ascontiguousarray(array), device=device)

    return Backend(torch, asarray, lambda tensor: tensor.cpu().numpy(), 1 << 18)


def missing_for_gpu() -> str | None:
    """Return what is missing to compute on a GPU, or None."""
    if find_spec("torch") is None:
        return "PyTorch is not installed (pip install 'sgpmic[gpu]')"
    import torch

    return None if torch.cuda.is_available() else "PyTorch finds no GPU"


def device_lbfgs(function: Function, x: Any, steps: int) -> Any:
    """Climb from `x` for at most `steps` steps by limited-memory BFGS. The value never falls.

    The line search backtracks (Nocedal and Wright 2006, Algorithm 7.4).
    `function` returns the value and the gradient. A value that is not finite rejects a trial point.
    """
    value, gradient = function(x)
    pairs: deque[tuple[Any, Any, float]] = deque(maxlen=LBFGS_PAIRS)
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
