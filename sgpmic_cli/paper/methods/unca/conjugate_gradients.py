"""Polak-Ribiere conjugate gradients with a line search for the Wolfe-Powell conditions."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from sgpmic_cli._typing import Array

# Maps x to the value and to a function that computes the gradient at x.
Objective = Callable[[Array], tuple[float, Callable[[], Array]]]

_SUFFICIENT = 0.01  # required fraction of the decrease that the initial slope predicts
_CURVATURE = 0.5  # largest final slope as a fraction of the initial slope
_TRIALS = 21  # evaluations per line search
_GROWTH = 3.0  # largest factor by which a step is extended
_SLOPE_RATIO = 100.0  # largest factor from one line search's step to the next initial step


class Point(NamedTuple):
    """A point with the value and the gradient of the objective."""

    x: Array
    value: float
    gradient: Array


class _Trial(NamedTuple):
    step: float
    value: float
    slope: float


def descend(objective: Objective, point: Point, line_searches: int) -> tuple[Point, list[float]]:
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
    objective: Objective, point: Point, direction: Array, slope: float, step: float
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
