"""Limited-memory BFGS for arrays of NumPy or PyTorch.

SciPy's optimisers need NumPy vectors. These vectors stay where the function computes them, so that
a fit on a GPU transfers nothing but scalars and the products of vectors between steps.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.linalg import solve_triangular

from sgpmic_cli._typing import Array
from sgpmic_cli.clustering.model.map.backend import Workspace

PAIRS = 10  # steps that approximate the Hessian
SUFFICIENT_GAIN = 1e-4  # of the gain that the gradient predicts
TRIALS = 12  # step lengths tried along one direction

Function = Callable[[Any], tuple[float, Any]]


def climb(function: Function, x: Any, steps: int, space: Workspace) -> Any:
    """Climb from `x` for at most `steps` steps. The value never falls.

    The line search backtracks (Nocedal and Wright 2006, Algorithm 7.4).
    `function` returns the value and the gradient. A value that is not finite rejects a trial point.
    """
    value, gradient = function(x)
    hessian = _InverseHessian(space, len(x))
    for _ in range(steps):
        direction = hessian.times(gradient)
        slope = float(direction @ gradient)
        if slope <= 0.0:
            direction, slope = gradient, float(gradient @ gradient)
            hessian.clear()
        length = 1.0 if hessian.pairs else min(1.0, 1.0 / math.sqrt(max(slope, 1e-300)))
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
        hessian.add(trial - x, gradient - trial_gradient)
        x, value, gradient = trial, trial_value, trial_gradient
    return x


class _InverseHessian:
    """The inverse of minus the Hessian, approximated from the last steps in compact form.

    With the steps S (pairs, D) and the changes of the gradient Y (pairs, D), both in rows, R the
    upper triangle of S Y' and E its diagonal (Byrd, Nocedal and Schnabel 1994),

        H = c I + (S' cY') [ R^-T (E + c Y Y') R^-1   -R^-T ] (S  )
                           [ -R^-1                     0    ] (c Y).

    S and Y are the even and the odd rows of one array, so that one product reads both.
    """

    def __init__(self, space: Workspace, size: int):
        self.space, self.vectors = space, space.array("pairs", 2 * PAIRS, size)
        self.SY, self.YY = np.zeros((PAIRS, PAIRS)), np.zeros((PAIRS, PAIRS))
        self.clear()

    def clear(self) -> None:
        """Forget all pairs."""
        self.pairs: list[int] = []  # their places, the oldest first

    def add(self, step: Any, change: Any) -> None:
        """Replace the oldest pair, unless the curvature along the step is not positive."""
        curvature, square = float(step @ change), float(change @ change)
        if curvature <= 1e-10 * square:
            return
        place = self.pairs.pop(0) if len(self.pairs) == PAIRS else len(self.pairs)
        self.pairs.append(place)
        self.vectors[2 * place], self.vectors[2 * place + 1] = step, change
        n = len(self.pairs)
        by_steps, by_changes = self._products(change)
        self.SY[:n, place] = by_steps
        self.YY[:n, place] = self.YY[place, :n] = by_changes
        self.scale = curvature / square

    def times(self, gradient: Any) -> Any:
        """Return the product with a vector (D,)."""
        if not self.pairs:
            return gradient
        order, c = self.pairs, self.scale
        own = np.ix_(order, order)
        R, E = np.triu(self.SY[own]), np.diag(self.SY[own].diagonal())
        by_steps, by_changes = self._products(gradient)
        solved = solve_triangular(R, by_steps[order])
        inner = (E + c * self.YY[own]) @ solved - c * by_changes[order]
        factors = np.empty((len(order), 2))
        factors[order] = np.column_stack([solve_triangular(R, inner, trans=1), -c * solved])
        factors = self.space.backend.asarray(factors.ravel())
        return c * gradient + factors @ self.vectors[: len(factors)]

    def _products(self, vector: Any) -> Array:
        """Return the products of the steps and of the changes with a vector, (2, pairs)."""
        found = self.vectors[: 2 * len(self.pairs)] @ vector
        return self.space.backend.to_numpy(found).reshape(-1, 2).T
