"""Limited-memory BFGS whose vectors stay on the device.

Step by step it is SciPy's L-BFGS-B without bounds, which is what NumPy's fits use, so that a fit takes the same way on
either. For millions of rows SciPy's vectors would cross to the host and back at every evaluation, and be worked on by
one core.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor

from sgpmic_cli.model.device.line_search import LineSearch, Trial

Objective = Callable[[Tensor], tuple[float, Tensor]]

MEMORY = 10  # pairs of steps and changes of the gradient
EPS = float(torch.finfo(torch.float64).eps)


class Found(NamedTuple):
    """A point with its value."""

    x: Tensor
    value: float


class Pair(NamedTuple):
    """A step, how the gradient changed on it, and the product of the two."""

    step: Tensor
    change: Tensor
    curvature: float


def minimise(
    objective: Objective,
    x: Tensor,
    steps: int,
    line_steps: int = 20,
    ftol: float = 1e7 * EPS,
    gtol: float = 0.0,
    evaluations: int = 15_000,
) -> Found:
    """Minimise for at most `steps` steps; options are those of SciPy, `line_steps` its maxls."""
    value, gradient = objective(x)
    pairs: list[Pair] = []
    done, used = 0, 1
    while done < steps and used <= evaluations and float(gradient.abs().max()) > gtol:
        direction = _direction(gradient, pairs)
        slope = float(direction @ gradient)
        first = min(1.0 / float(direction.norm()), 1e10) if done == 0 else 1.0
        arrived, tries = _along(
            objective, x, direction, Trial(0.0, value, slope), first, line_steps
        )
        used += tries
        if arrived is None:
            if not pairs:
                break
            pairs = []  # what was learned leads nowhere: begin anew with the steepest descent
            continue
        done += 1
        trial, new_x, new_gradient = arrived
        fell, size = value - trial.value, max(abs(value), abs(trial.value), 1.0)
        curvature = (trial.slope - slope) * trial.step
        if curvature > -EPS * slope * trial.step:
            pairs = [*pairs, Pair(trial.step * direction, new_gradient - gradient, curvature)][
                -MEMORY:
            ]
        x, value, gradient = new_x, trial.value, new_gradient
        if fell <= ftol * size:
            break
    return Found(x, value)


def _along(
    objective: Objective, x: Tensor, direction: Tensor, start: Trial, first: float, line_steps: int
) -> tuple[tuple[Trial, Tensor, Tensor] | None, int]:
    """A point that will do on the line, with its gradient, or None; and how many were tried."""
    if start.slope >= 0.0:
        return None, 0
    search, step = LineSearch(start.value, start.slope, first), first
    for tries in range(1, line_steps + 1):
        point = x + step * direction
        value, gradient = objective(point)
        if not math.isfinite(value):
            return None, tries
        trial = Trial(step, value, float(direction @ gradient))
        following = search.next(trial)
        if following is None:
            return (trial, point, gradient), tries
        step = following
    return None, line_steps


def _direction(gradient: Tensor, pairs: list[Pair]) -> Tensor:
    """Minus the inverse Hessian that the pairs know of, times the gradient."""
    direction = -gradient
    shares = []
    for pair in reversed(pairs):
        share = float(pair.step @ direction) / pair.curvature
        shares.append(share)
        direction = direction - share * pair.change
    if pairs:
        last = pairs[-1]
        direction = direction * (last.curvature / float(last.change @ last.change))
    for pair, share in zip(pairs, reversed(shares), strict=True):
        direction = (
            direction + (share - float(pair.change @ direction) / pair.curvature) * pair.step
        )
    return direction
