"""Neighbourhood component analysis (Goldberger et al. 2004) with the penalty of UNCA.

    maximise  F(A) = sum_i p_i - lambda |A|^2 / (P Q),   p_i = sum_{j in the cluster of i} p_ij
    p_ij = e_ij / r_i,   e_ij = exp(-|z_i - z_j|^2),   e_ii = 0,   r_i = sum_j e_ij,   Z = Yc A

With T = diag(p) [p_ij] - [p_ij within clusters] and H = T + T', the gradient is
2 Yc' (diag(H 1) - H) Z minus the gradient of the penalty. Points whose r_i underflows do not count,
as in the published program. w equal points of one cluster are one point with weight w: e_ij counts
w_j times, and r_i and p_i r_i increase by w_i - 1.

Terms below exp(-37) of the largest term of their row are omitted, because they are lost to
rounding.

The optimiser is that of the published program: Polak-Ribiere conjugate gradients with a line search
for the Wolfe-Powell conditions.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.spatial.distance import cdist

from sgpmic_cli._typing import Array, Indices
from sgpmic_cli.paper.methods.unca.graph import main_axis_coordinates, near_blocks

_NEGLIGIBLE = 37.0  # exp(-37) = 8e-17, half the spacing of floats below one
_UNDERFLOW = 700.0  # exp(-700) = 1e-304
_LOG2E = 1.0 / np.log(2.0)
_ADJACENT = 8  # sorted rows on either side that are searched for a near neighbour
_SUFFICIENT = 0.01  # required fraction of the decrease that the initial slope predicts
_CURVATURE = 0.5  # largest final slope as a fraction of the initial slope
_TRIALS = 21  # evaluations per line search
_GROWTH = 3.0  # largest factor by which a step is extended
_SLOPE_RATIO = 100.0  # largest factor from one line search's step to the next initial step

# Maps x to the value and to a function that computes the gradient at x.
Function = Callable[[Array], tuple[float, Callable[[], Array]]]


class Objective:
    """The function -F of a flat A (P Q,) with its gradient."""

    def __init__(self, Yc: Array, weights: Array, labels: Indices, n_components: int, lam: float):
        order = np.argsort(labels, kind="stable")
        self.Y = np.ascontiguousarray(Yc[order])  # (N, P)
        self.weights, self.labels = weights[order], labels[order]
        self.q, self.lam = n_components, lam
        edges = (np.flatnonzero(np.diff(self.labels)) + 1).tolist()
        self._clusters = list(zip([0, *edges], [*edges, len(labels)], strict=True))

    def __call__(self, a: Array) -> tuple[float, Callable[[], Array]]:
        """Return -F at the flat A and a function that computes the gradient there."""
        A = a.reshape(-1, self.q)
        p, laplacian = self.neighbours(self.Y @ A)

        def gradient() -> Array:
            return (2.0 * self.lam / A.size * A - 2.0 * self.Y.T @ laplacian()).ravel()

        return self.lam * float(np.sum(A**2)) / A.size - p, gradient

    def neighbours(self, Z: Array) -> tuple[float, Callable[[], Array]]:
        """Return the sum of all p, and a function for half the gradient with respect to Z (N, Q).

        Every cluster is sorted along the main axis, and blocks of the upper triangle are evaluated.
        """
        n, q = Z.shape
        along = main_axis_coordinates(Z)
        order = np.lexsort((along, self.labels))
        Z, weights = Z[order], self.weights[order]
        blocks = near_blocks(along[order], _reach(Z, weights), self._clusters)
        tiles = []
        own, other = np.zeros(n), np.zeros(n)  # sums over the own cluster and over the others
        for block in blocks:
            tile = cdist(Z[block.rows], Z[block.columns], "sqeuclidean")
            tile *= -_LOG2E
            np.exp2(tile, out=tile)
            tile = block.above_diagonal(tile)
            sums = own if block.same_cluster else other
            sums[block.rows] += tile @ weights[block.columns]
            sums[block.columns] += weights[block.rows] @ tile
            tiles.append(tile)
        equal = weights - 1.0
        r = own + other + equal
        inverse_r = np.divide(1.0, r, out=np.zeros_like(r), where=r > 1e-290)
        p = (own + equal) * inverse_r

        def laplacian() -> Array:
            b, w = (weights * inverse_r)[:, None], weights[:, None]
            a = p[:, None] * b
            V = np.column_stack([Z, np.ones(n)])  # (N, Q + 1)
            within, across = np.hstack([w * V, (a - b) * V]), np.hstack([w * V, a * V])
            own, other = np.zeros_like(within), np.zeros_like(across)
            for tile, block in zip(tiles, blocks, strict=True):
                sums, sides = (own, within) if block.same_cluster else (other, across)
                sums[block.rows] += tile @ sides[block.columns]
                sums[block.columns] += (sides[block.rows].T @ tile).T
            HV = (a - b) * own[:, : q + 1] + a * other[:, : q + 1] + w * (own + other)[:, q + 1 :]
            LapZ = np.empty_like(Z)
            LapZ[order] = HV[:, q:] * Z - HV[:, :q]
            return LapZ

        return float(weights @ p), laplacian


def _reach(Z: Array, weights: Array) -> Array:
    """Return for each sorted row a distance that contains all its near pairs (N,)."""
    nearest = np.where(weights > 1, 0.0, _UNDERFLOW)
    for shift in range(1, min(_ADJACENT, len(Z) - 1) + 1):
        squares = np.sum((Z[shift:] - Z[:-shift]) ** 2, axis=1)
        np.minimum(nearest[shift:], squares, out=nearest[shift:])
        np.minimum(nearest[:-shift], squares, out=nearest[:-shift])
    return np.sqrt(np.minimum(nearest + _NEGLIGIBLE, _UNDERFLOW))


class Point(NamedTuple):
    """A point with the value and the gradient of the objective."""

    x: Array
    value: float
    gradient: Array


class _Trial(NamedTuple):
    step: float
    value: float
    slope: float


def descend(objective: Function, point: Point, line_searches: int) -> tuple[Point, list[float]]:
    """Run some line searches. Return the last point and the value after each successful search.

    Two failed line searches in a row end the descent. As in the published program, the search after
    a failure follows the gradient at the last trial point.
    """
    gradient = point.gradient
    direction, slope, step = _steepest(gradient)
    values: list[float] = []
    failed = False
    for _ in range(line_searches):
        if slope == 0.0:
            break
        end, new_gradient = _line_search(objective, point, direction, slope, step)
        if end is not None:
            point = Point(point.x + end.step * direction, end.value, new_gradient)
            values.append(end.value)
            beta = new_gradient @ (new_gradient - gradient) / (gradient @ gradient)
            direction, gradient = beta * direction - new_gradient, new_gradient
            previous_slope, slope = slope, float(gradient @ direction)
            if slope > 0:
                direction, slope, _ = _steepest(gradient)
            step = end.step * (min(_SLOPE_RATIO, previous_slope / slope) if slope < 0 else 1.0)
        elif failed:
            break
        else:
            gradient = new_gradient
            direction, slope, step = _steepest(gradient)
        failed = end is None
    return point, values


def _steepest(gradient: Array) -> tuple[Array, float, float]:
    """Return the direction of steepest descent, its slope and a first step."""
    slope = -float(gradient @ gradient)
    return -gradient, slope, 1.0 / (1.0 - slope)


def _line_search(
    objective: Function, point: Point, direction: Array, slope: float, step: float
) -> tuple[_Trial | None, Array]:
    """Return the first trial that meets both conditions, or None, and the last trial's gradient."""
    start = low = _Trial(0.0, point.value, slope)
    high = None
    for _ in range(_TRIALS):
        value, gradient = objective(point.x + step * direction)
        # False for NaN, which is treated as a step that is too long.
        sufficient = value <= start.value + _SUFFICIENT * step * start.slope
        if not sufficient and value > low.value:
            # The value alone shortens the step, so the gradient is not computed.
            high = _Trial(step, value, np.nan)
            step = _interpolate(low, high)
            continue
        new_gradient = gradient()
        trial = _Trial(step, value, float(new_gradient @ direction))
        if sufficient and abs(trial.slope) <= -_CURVATURE * start.slope:
            return trial, new_gradient
        if sufficient and trial.slope < 0:
            step = _extrapolate(low, trial) if high is None else 0.5 * (trial.step + high.step)
            low = trial
        else:
            high = trial
            step = _interpolate(low, high)
    return None, gradient()


def _interpolate(low: _Trial, high: _Trial) -> float:
    """Return the minimum of a parabola, restricted to the inner 80 % of the bracket."""
    width = high.step - low.step
    if high.value > low.value:
        fraction = -0.5 * low.slope * width / (high.value - low.value - low.slope * width)
    elif high.slope > low.slope:
        fraction = low.slope / (low.slope - high.slope)
    else:  # no parabola fits, for example if a value is NaN
        fraction = 0.5
    return low.step + min(max(fraction, 0.1), 0.9) * width


def _extrapolate(low: _Trial, trial: _Trial) -> float:
    """Return the zero of the linearly extrapolated slope, at most _GROWTH times the last step."""
    farthest = _GROWTH * trial.step
    if trial.slope <= low.slope:
        return farthest
    step = trial.step + (trial.step - low.step) * trial.slope / (low.slope - trial.slope)
    return min(max(step, 1.1 * trial.step), farthest)
