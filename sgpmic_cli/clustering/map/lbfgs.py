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
from sgpmic_cli.clustering.map.backend import Workspace, inner

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
        direction, slope = hessian.times(gradient)
        if slope <= 0.0:
            hessian.clear()
            direction, slope = hessian.times(gradient)
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
        hessian.add(x, trial, gradient, trial_gradient)
        x, value, gradient = trial, trial_value, trial_gradient
    return x


class _InverseHessian:
    """The inverse of minus the Hessian, approximated from the last steps in compact form.

    With the steps S (pairs, D) and the changes of the gradient Y (pairs, D), both in rows, R the
    upper triangle of S Y' and E its diagonal (Byrd, Nocedal and Schnabel 1994),

        H = c I + (S' cY') [ R^-T (E + c Y Y') R^-1   -R^-T ] (S  )
                           [ -R^-1                     0    ] (c Y).

    S and Y are the even and the odd rows of one array for each block of entries, so that one
    product reads both. One more pair has room there: the last step before it is accepted.
    """

    def __init__(self, space: Workspace, size: int):
        self.space = space
        self.SY, self.YY = np.zeros((PAIRS + 1, PAIRS + 1)), np.zeros((PAIRS + 1, PAIRS + 1))
        self.direction = space.array("direction", 1, size)[0]
        self.clear()

    def clear(self) -> None:
        """Forget all pairs."""
        self.pairs: list[int] = []  # their places, the oldest first
        self.products = np.zeros((2, PAIRS + 1))  # of steps and changes with the last gradient
        self.scale = 1.0

    def add(self, x: Any, moved: Any, gradient: Any, new_gradient: Any) -> None:
        """Replace the oldest pair, unless the curvature along the step is not positive."""
        place = next(each for each in range(PAIRS + 1) if each not in self.pairs)
        count = max([place, *self.pairs]) + 1
        xp, to_numpy = self.space.backend.xp, self.space.backend.to_numpy

        def products(part: slice) -> tuple[Array, Array]:
            vectors = self._vectors(part)
            pair = vectors[2 * place : 2 * place + 2]
            pair[0] = moved[part] - x[part]
            pair[1] = gradient[part] - new_gradient[part]
            of_new = inner(xp, vectors[: 2 * count], new_gradient[None, part])
            return to_numpy(of_new), to_numpy(inner(xp, pair, gradient[None, part]))

        found = zip(*self.space.map_vector(products, len(x)), strict=True)
        of_new, of_old = (np.sum(parts, axis=0) for parts in found)
        old, self.products = self.products, np.zeros((2, PAIRS + 1))
        old[:, place], self.products[:, :count] = of_old[:, 0], of_new.reshape(-1, 2).T
        by_change = old - self.products
        curvature, square = by_change[:, place]
        if curvature <= 1e-10 * square:
            return
        self.pairs = [*self.pairs[-PAIRS + 1 :], place]
        self.SY[:, place] = by_change[0]
        self.YY[:, place] = self.YY[place] = by_change[1]
        self.scale = curvature / square

    def times(self, gradient: Any) -> tuple[Any, float]:
        """Return the product with the last gradient (D,), and the slope along it."""
        order, c, rows = self.pairs, self.scale, 2 * max(self.pairs, default=-1) + 2
        own = np.ix_(order, order)
        R, E = np.triu(self.SY[own]), np.diag(self.SY[own].diagonal())
        factors = np.zeros((rows // 2, 2))
        if order:
            by_steps, by_changes = self.products[:, order]
            solved = solve_triangular(R, by_steps)
            right = (E + c * self.YY[own]) @ solved - c * by_changes
            factors[order] = np.column_stack([solve_triangular(R, right, trans=1), -c * solved])
        factors = self.space.backend.asarray(factors.ravel())

        def product(part: slice) -> float:
            own = c * gradient[part] + factors @ self._vectors(part)[:rows]
            self.direction[part] = own
            return float(own @ gradient[part])

        return self.direction, sum(self.space.map_vector(product, len(gradient)))

    def _vectors(self, part: slice) -> Any:
        """Return the pairs of a block of entries, (2 PAIRS + 2, n)."""
        return self.space.array(("pairs", part.start), 2 * PAIRS + 2, part.stop - part.start)
