"""Conjugate gradients (Polak and Ribiere) with a line search that ends at the Wolfe-Powell conditions."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from sgpmic_cli._typing import Array

Objective = Callable[
    [Array], tuple[float, Callable[[], Array]]
]  # its value, and what computes its gradient there

_SUFFICIENT = 0.01  # share of the promised decrease that a step has to deliver
_FLATTER = 0.5  # share of the first slope that may be left at the end of a step
_TRIALS = 21  # evaluations of one line search
_GROWTH = 3.0  # of a step that is still too short
_SLOPE_RATIO = 100.0  # bound on how much longer the next line search may begin


class Place(NamedTuple):
    """Where a descent is, and what is known there."""

    x: Array
    value: float
    gradient: Array


class _Trial(NamedTuple):
    step: float
    value: float
    slope: float


def evaluated(objective: Objective, x: Array) -> Place:
    """A place to begin."""
    value, gradient = objective(x)
    return Place(x, value, gradient())


def descend(objective: Objective, place: Place, line_searches: int) -> tuple[Place, list[float]]:
    """The place after some line searches, and the value after each that succeeded; two failures in a row end it.

    A line search that fails leaves no trace but its direction: like the published program, the next one follows the
    gradient of the last point tried.
    """
    gradient = place.gradient
    direction, slope = _steepest(gradient)
    step = 1.0 / (1.0 - slope)
    values: list[float] = []
    failed = False
    for _ in range(line_searches):
        if slope == 0.0:
            break
        end, there = _line_search(objective, place, direction, slope, step)
        if end is not None:
            place = Place(place.x + end.step * direction, end.value, there)
            values.append(end.value)
            turn = there @ (there - gradient) / (gradient @ gradient)
            direction, gradient = turn * direction - there, there
            before, slope = slope, float(gradient @ direction)
            if slope > 0:
                direction, slope = _steepest(gradient)
            step = end.step * (min(_SLOPE_RATIO, before / slope) if slope < 0 else 1.0)
        elif failed:
            break
        else:
            gradient = there
            direction, slope = _steepest(gradient)
            step = 1.0 / (1.0 - slope)
        failed = end is None
    return place, values


def _steepest(gradient: Array) -> tuple[Array, float]:
    return -gradient, -float(gradient @ gradient)


def _line_search(
    objective: Objective, place: Place, direction: Array, slope: float, step: float
) -> tuple[_Trial | None, Array]:
    """The first point low and flat enough, none where no trial was; and the gradient of the last one tried."""
    start = low = _Trial(0.0, place.value, slope)
    high = None
    for _ in range(_TRIALS):
        value, gradient = objective(place.x + step * direction)
        enough = (
            value <= start.value + _SUFFICIENT * step * start.slope
        )  # False for NaN, which is a step too far
        if (
            not enough and value > low.value
        ):  # that much says where to go on, and the gradient can be saved
            high = _Trial(step, value, np.nan)
            step = _between(low, high)
            continue
        there = gradient()
        point = _Trial(step, value, float(there @ direction))
        if enough and abs(point.slope) <= -_FLATTER * start.slope:
            return point, there
        if enough and point.slope < 0:
            step = _beyond(low, point) if high is None else 0.5 * (point.step + high.step)
            low = point
        else:
            high = point
            step = _between(low, high)
    return None, gradient()


def _between(low: _Trial, high: _Trial) -> float:
    """Where a parabola puts the minimum, kept to the inner four fifths of the bracket."""
    width = high.step - low.step
    if high.value > low.value:
        share = -0.5 * low.slope * width / (high.value - low.value - low.slope * width)
    elif high.slope > low.slope:
        share = low.slope / (low.slope - high.slope)
    else:  # nothing to fit, as where the value is not a number
        share = 0.5
    return low.step + min(max(share, 0.1), 0.9) * width


def _beyond(low: _Trial, point: _Trial) -> float:
    """Where the slope would come to zero if it went on changing as it did, but not more than three times as far."""
    farthest = _GROWTH * point.step
    if point.slope <= low.slope:
        return farthest
    step = point.step + (point.step - low.step) * point.slope / (low.slope - point.slope)
    return min(max(step, 1.1 * point.step), farthest)
