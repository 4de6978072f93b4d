"""The line search of Moré and Thuente (ACM TOMS 20, 1994), which SciPy's L-BFGS has too: the steps are the same.

A step is sought at which the objective has fallen by at least a share of what its first slope promised, and its slope
by another. Every trial tells the next by a cubic or a secant through what is known.
"""

import math
from dataclasses import dataclass

DECREASE, CURVATURE, WIDTH = (
    1e-3,
    0.9,
    0.1,
)  # shares, and the relative width of a bracket that is not worth more trials
LONGEST = 1e10


@dataclass
class Trial:
    """A step with the objective and its slope there."""

    step: float
    value: float
    slope: float


class LineSearch:
    """Steps to try, one after another, from a value and a slope below zero at step zero."""

    def __init__(self, value: float, slope: float, first: float):
        self.start = Trial(0.0, value, slope)
        self.best, self.other = self.start, self.start
        self.bracketed, self.first_stage = False, True
        self.widths = LONGEST, 2.0 * LONGEST  # of the bracket, now and two trials ago
        self.least, self.most = 0.0, 5.0 * first

    def next(self, tried: Trial) -> float | None:
        """The next step after one that was tried, or None when that one will do."""
        promised = DECREASE * self.start.slope
        limit = self.start.value + tried.step * promised
        if self.first_stage and tried.value <= limit and tried.slope >= 0.0:
            self.first_stage = False
        if self._done(tried, limit, promised):
            return None
        # At first the search is for a point with a decrease, by the objective less the decrease that is asked for.
        tilt = promised if self.first_stage and limit < tried.value <= self.best.value else 0.0
        step = self._choose(_tilted(tried, tilt), tilt)
        if self.bracketed:
            width = abs(self.other.step - self.best.step)
            if width >= 0.66 * self.widths[1]:
                step = self.best.step + 0.5 * (self.other.step - self.best.step)
            self.widths = width, self.widths[0]
            self.least, self.most = sorted((self.best.step, self.other.step))
        else:
            self.least, self.most = (
                step + 1.1 * (step - self.best.step),
                step + 4.0 * (step - self.best.step),
            )
        step = min(max(step, 0.0), LONGEST)
        return self.best.step if self.bracketed and self._narrow(step) else step

    def _done(self, tried: Trial, limit: float, promised: float) -> bool:
        """Whether the step will do, or no other will do better."""
        if self.bracketed and self._narrow(tried.step):
            return True
        if tried.step == LONGEST and tried.value <= limit and tried.slope <= promised:
            return True
        if tried.step == 0.0 and (tried.value > limit or tried.slope >= promised):
            return True
        return tried.value <= limit and abs(tried.slope) <= -CURVATURE * self.start.slope

    def _narrow(self, step: float) -> bool:
        return (
            step <= self.least or step >= self.most or self.most - self.least <= WIDTH * self.most
        )

    def _choose(self, tried: Trial, tilt: float) -> float:
        """The safeguarded step from the trial and the bracket, which it narrows."""
        best, other = _tilted(self.best, tilt), _tilted(self.other, tilt)
        opposite = tried.slope * math.copysign(1.0, best.slope) < 0.0
        theta = (
            3.0 * (best.value - tried.value) / (tried.step - best.step) + best.slope + tried.slope
        )
        if tried.value > best.value:  # a higher value: the minimum is between
            root = _root(theta, best.slope, tried.slope, inside=True)
            gamma = root if tried.step > best.step else -root
            share = ((gamma - best.slope) + theta) / (((gamma - best.slope) + gamma) + tried.slope)
            cubic = best.step + share * (tried.step - best.step)
            fall = (best.value - tried.value) / (tried.step - best.step) + best.slope
            parabola = best.step + best.slope / fall / 2.0 * (tried.step - best.step)
            nearer = abs(cubic - best.step) <= abs(parabola - best.step)
            step = cubic if nearer else cubic + (parabola - cubic) / 2.0
            self.bracketed = True
        elif opposite:  # a slope of the other sign: the minimum is between
            root = _root(theta, best.slope, tried.slope, inside=True)
            gamma = -root if tried.step > best.step else root
            share = ((gamma - tried.slope) + theta) / (((gamma - tried.slope) + gamma) + best.slope)
            cubic, secant = tried.step + share * (best.step - tried.step), _secant(tried, best)
            step = cubic if abs(cubic - tried.step) > abs(secant - tried.step) else secant
            self.bracketed = True
        elif abs(tried.slope) < abs(
            best.slope
        ):  # the slope flattens: the cubic may or may not have a minimum beyond
            root = _root(theta, best.slope, tried.slope, inside=False)
            gamma = -root if tried.step > best.step else root
            share = ((gamma - tried.slope) + theta) / ((gamma + (best.slope - tried.slope)) + gamma)
            bound = self.most if tried.step > best.step else self.least
            cubic = (
                tried.step + share * (best.step - tried.step)
                if share < 0.0 and gamma != 0.0
                else bound
            )
            step = self._beyond(tried, best, other, cubic, _secant(tried, best))
        elif self.bracketed:
            theta = (
                3.0 * (tried.value - other.value) / (other.step - tried.step)
                + other.slope
                + tried.slope
            )
            root = _root(theta, other.slope, tried.slope, inside=True)
            gamma = -root if tried.step > other.step else root
            share = ((gamma - tried.slope) + theta) / (
                ((gamma - tried.slope) + gamma) + other.slope
            )
            step = tried.step + share * (other.step - tried.step)
        else:
            step = self.most if tried.step > best.step else self.least
        if tried.value > best.value:
            self.other = _tilted(tried, -tilt)
        else:
            if opposite:
                self.other = self.best
            self.best = _tilted(tried, -tilt)
        return step

    def _beyond(
        self, tried: Trial, best: Trial, other: Trial, cubic: float, secant: float
    ) -> float:
        cubic_nearer = abs(cubic - tried.step) < abs(secant - tried.step)
        if self.bracketed:
            step = cubic if cubic_nearer else secant
            most = tried.step + 0.66 * (other.step - tried.step)
            return min(most, step) if tried.step > best.step else max(most, step)
        return min(max(secant if cubic_nearer else cubic, self.least), self.most)


def _tilted(trial: Trial, tilt: float) -> Trial:
    return Trial(trial.step, trial.value - trial.step * tilt, trial.slope - tilt) if tilt else trial


def _root(theta: float, first: float, second: float, *, inside: bool) -> float:
    scale = max(abs(theta), abs(first), abs(second))
    square = (theta / scale) ** 2 - (first / scale) * (second / scale)
    return scale * math.sqrt(square if inside else max(0.0, square))


def _secant(tried: Trial, best: Trial) -> float:
    return tried.step + tried.slope / (tried.slope - best.slope) * (best.step - tried.step)
