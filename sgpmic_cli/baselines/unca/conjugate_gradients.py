"""Conjugate gradients (Polak and Ribiere) with a line search that ends at the Wolfe-Powell conditions."""

from collections.abc import Callable
from typing import NamedTuple

from sgpmic_cli._typing import Array

Objective = Callable[[Array], tuple[float, Array]]

_SUFFICIENT = 0.01  # share of the promised decrease that a step has to deliver
_FLATTER = 0.5  # share of the first slope that may be left at the end of a step
_TRIALS = 21  # evaluations of one line search
_GROWTH = 3.0  # of a step that is still too short
_SLOPE_RATIO = 100.0  # bound on how much longer the next line search may begin


class _Point(NamedTuple):
    step: float
    value: float
    slope: float
    gradient: Array


def descend(objective: Objective, x: Array, line_searches: int) -> tuple[Array, list[float]]:
    """The place after some line searches, and the value after each that succeeded; two failures in a row end it.

    A line search that fails leaves no trace but its direction: like the published program, the next one follows the
    gradient of the last point tried.
    """
    value, gradient = objective(x)
    direction, slope = _steepest(gradient)
    step = 1.0 / (1.0 - slope)
    values: list[float] = []
    failed = False
    for _ in range(line_searches):
        if slope == 0.0:
            break
        start = _Point(0.0, value, slope, gradient)
        point, success = _line_search(objective, x, direction, start, step)
        if success:
            x, value = x + point.step * direction, point.value
            values.append(value)
            turn = point.gradient @ (point.gradient - gradient) / (gradient @ gradient)
            direction, gradient = turn * direction - point.gradient, point.gradient
            before, slope = slope, float(gradient @ direction)
            if slope > 0:
                direction, slope = _steepest(gradient)
            step = point.step * (min(_SLOPE_RATIO, before / slope) if slope < 0 else 1.0)
        elif failed:
            break
        else:
            gradient = point.gradient
            direction, slope = _steepest(gradient)
            step = 1.0 / (1.0 - slope)
        failed = not success
    return x, values


def _steepest(gradient: Array) -> tuple[Array, float]:
    return -gradient, -float(gradient @ gradient)


def _line_search(objective: Objective, x: Array, direction: Array, start: _Point, step: float) -> tuple[_Point, bool]:
    """The first point low and flat enough, or the last one tried; and whether it is the former."""
    low, high = start, None
    for _ in range(_TRIALS):
        value, gradient = objective(x + step * direction)
        point = _Point(step, value, float(gradient @ direction), gradient)
        enough = value <= start.value + _SUFFICIENT * step * start.slope  # False for NaN, which is a step too far
        if enough and abs(point.slope) <= -_FLATTER * start.slope:
            return point, True
        if enough and point.slope < 0:
            step = _beyond(low, point) if high is None else 0.5 * (point.step + high.step)
            low = point
        else:
            high = point
            step = _between(low, high)
    return point, False


def _between(low: _Point, high: _Point) -> float:
    """Where a parabola puts the minimum, kept to the inner four fifths of the bracket."""
    width = high.step - low.step
    if high.value > low.value:
        share = -0.5 * low.slope * width / (high.value - low.value - low.slope * width)
    elif high.slope > low.slope:
        share = low.slope / (low.slope - high.slope)
    else:  # nothing to fit, as where the value is not a number
        share = 0.5
    return low.step + min(max(share, 0.1), 0.9) * width


def _beyond(low: _Point, point: _Point) -> float:
    """Where the slope would come to zero if it went on changing as it did, but not more than three times as far."""
    farthest = _GROWTH * point.step
    if point.slope <= low.slope:
        return farthest
    step = point.step + (point.step - low.step) * point.slope / (low.slope - point.slope)
    return min(max(step, 1.1 * point.step), farthest)
