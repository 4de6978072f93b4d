"""Conjugate gradients (Polak and Ribiere) with a line search that ends at the Wolfe-Powell conditions."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from sgpmic_cli._typing import Array

Objective = Callable[[Array], tuple[float, Array]]

RESTART = 5  # line searches in a row, as many as the published program asks of its minimiser at a time
_SUFFICIENT = 0.01  # share of the promised decrease that a step has to deliver
_FLATTER = 0.5  # share of the first slope that may be left at the end of a step
_TRIALS = 10  # evaluations of one line search
_GROWTH = 3.0  # of a step that is still too short
_SLOPE_RATIO = 100.0  # bound on how much longer the next line search may begin


class _Point(NamedTuple):
    step: float
    value: float
    slope: float
    gradient: Array


def descend(objective: Objective, x: Array, *, first_gain: float) -> Iterator[tuple[Array, float]]:
    """Yield place and value after every line search, until steepest descent gets nowhere.

    `first_gain` is the decrease expected of the first line search: its first step is the one along the gradient that
    would bring it if the slope stayed. After every `RESTART` line searches all begins anew, with an expected gain of 1.
    """
    value, gradient = objective(x)
    direction, slope = _steepest(gradient)
    step = first_gain / (1.0 - slope)
    fresh_start, done = True, 0
    while slope < 0:
        start = _Point(0.0, value, slope, gradient)
        point = _line_search(objective, x, direction, start, step)
        if point is start:
            if fresh_start:
                return
            direction, slope = _steepest(gradient)
            step, fresh_start = 1.0 / (1.0 - slope), True
            continue
        x, value = x + point.step * direction, point.value
        yield x, value
        done += 1
        turn = point.gradient @ (point.gradient - gradient) / (gradient @ gradient)
        direction, gradient = turn * direction - point.gradient, point.gradient
        before, slope = slope, float(gradient @ direction)
        fresh_start = slope >= 0 or done % RESTART == 0
        if fresh_start:
            direction, slope = _steepest(gradient)
        if done % RESTART == 0:
            step = 1.0 / (1.0 - slope)
        elif slope < 0:
            step = point.step * min(_SLOPE_RATIO, before / slope)


def _steepest(gradient: Array) -> tuple[Array, float]:
    return -gradient, -float(gradient @ gradient)


def _line_search(objective: Objective, x: Array, direction: Array, start: _Point, step: float) -> _Point:
    """The first point low and flat enough, or the lowest of all when the trials are over."""
    low, high, lowest = start, None, start
    for _ in range(_TRIALS):
        value, gradient = objective(x + step * direction)
        point = _Point(step, value, float(gradient @ direction), gradient)
        if value < lowest.value:
            lowest = point
        enough = value <= start.value + _SUFFICIENT * step * start.slope  # False for NaN, which is a step too far
        if enough and abs(point.slope) <= -_FLATTER * start.slope:
            return point
        if enough and point.slope < 0:
            step = _beyond(low, point) if high is None else 0.5 * (point.step + high.step)
            low = point
        else:
            high = point
            step = _between(low, high)
    return lowest


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
