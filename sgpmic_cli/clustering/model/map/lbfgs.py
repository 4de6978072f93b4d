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
    """

    def __init__(self, space: Workspace, size: int):
        self.backend = space.backend
        self.S, self.Y = (space.array(name, PAIRS, size) for name in ("steps", "changes"))
        self.SY, self.YY = np.zeros((PAIRS, PAIRS)), np.zeros((PAIRS, PAIRS))
        self.clear()

    def clear(self) -> None:
        """Forget all pairs."""
        self.pairs: list[int] = []  # rows of S and Y, the oldest first

    def add(self, step: Any, change: Any) -> None:
        """Replace the oldest pair, unless the curvature along the step is not positive."""
        curvature, square = float(step @ change), float(change @ change)
        if curvature <= 1e-10 * square:
            return
        row = self.pairs.pop(0) if len(self.pairs) == PAIRS else len(self.pairs)
        self.pairs.append(row)
        self.S[row], self.Y[row] = step, change
        self.SY[:, row] = self._product(self.S, change)
        self.YY[:, row] = self.YY[row] = self._product(self.Y, change)
        self.scale = curvature / square

    def times(self, gradient: Any) -> Any:
        """Return the product with a vector (D,)."""
        if not self.pairs:
            return gradient
        order, c = self.pairs, self.scale
        own = np.ix_(order, order)
        R, E = np.triu(self.SY[own]), np.diag(self.SY[own].diagonal())
        Sg = solve_triangular(R, self._product(self.S, gradient)[order])
        Yg = c * self._product(self.Y, gradient)[order]
        by_S, by_Y = np.zeros(PAIRS), np.zeros(PAIRS)
        by_S[order] = solve_triangular(R, (E + c * self.YY[own]) @ Sg - Yg, trans=1)
        by_Y[order] = -c * Sg
        by_S, by_Y = map(self.backend.asarray, (by_S, by_Y))
        n = len(order)
        return c * gradient + by_S[:n] @ self.S[:n] + by_Y[:n] @ self.Y[:n]

    def _product(self, vectors: Any, vector: Any) -> Array:
        """Return the products of all pairs with a vector, zero for other rows (pairs,)."""
        products, n = np.zeros(PAIRS), len(self.pairs)
        products[:n] = self.backend.to_numpy(vectors[:n] @ vector)
        return products
