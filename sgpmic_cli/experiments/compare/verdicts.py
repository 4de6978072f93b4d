"""One word for how a cell of ours compares with the printed one, and the difference of the two means behind it.

Means are compared and not single runs: the question is whether ten more repeats of ours would print the same number.
So a method that scatters widely is forgiven no more than the uncertainty of its mean.
"""

import math
from enum import StrEnum
from typing import NamedTuple

from sgpmic_cli.experiments.compare.paper import REPEATS, Published
from sgpmic_cli.experiments.run.aggregate import Outcome, Stat

ROUNDING = 0.01 + 1e-9  # two decimals are printed; the rest is room for binary fractions
NEAR = 1.0  # points
LEVEL = 0.05
EQUIVALENT = 2.0  # points within which two means count as the same for the test of equivalence


class Verdict(StrEnum):
    """What can be said of a cell, in the order of the legend."""

    EXACT = "exact"
    NEAR = "within 1"
    COMPATIBLE = "compatible"
    UP = "differs up"
    DOWN = "differs down"
    NEW = "new"
    DATA_DIFFER = "data differ"
    FAILED = "failed"
    UNAVAILABLE = "unavailable"
    NOT_RUN = "not run"


LEGEND = {
    Verdict.EXACT: "the two means are within 0.01",
    Verdict.NEAR: "within one point",
    Verdict.COMPATIBLE: "further off, but the two means cannot be told apart (Welch, 5 %)",
    Verdict.UP: "ours is more than one point above, and the two means can be told apart",
    Verdict.DOWN: "ours is more than one point below, and the two means can be told apart",
    Verdict.NEW: "the paper has no such cell",
    Verdict.DATA_DIFFER: "the public data are not those the paper used",
    Verdict.FAILED: "no run succeeded",
    Verdict.UNAVAILABLE: "the data could not be had",
    Verdict.NOT_RUN: "no run of ours yet",
}


class Sign(NamedTuple):
    """The sign of a verdict beside a number; LaTeX has none for verdicts that come without a number."""

    text: str
    latex: str = ""


SIGNS = {
    Verdict.EXACT: Sign("=", "="),
    Verdict.NEAR: Sign("≈", r"\approx"),
    Verdict.COMPATIBLE: Sign("~", r"\sim"),
    Verdict.UP: Sign("▲", r"\uparrow"),
    Verdict.DOWN: Sign("▼", r"\downarrow"),
    Verdict.NEW: Sign("∗", r"\ast"),
    Verdict.DATA_DIFFER: Sign("≠", r"\neq"),
    Verdict.FAILED: Sign("✕"),
    Verdict.UNAVAILABLE: Sign("–"),
    Verdict.NOT_RUN: Sign("·"),
}


class Difference(NamedTuple):
    """Our mean minus the printed one, its standard error, and the degrees of freedom of that error (Welch)."""

    value: float
    error: float
    freedom: float

    @classmethod
    def of(cls, ours: Stat, repeats: int, paper: Published) -> "Difference":
        """The difference of two means from their spreads, ours over `repeats` runs and the paper's over its ten.

        Standard deviations are taken as they are printed, over sqrt(n): for the population's, which both sides show,
        that is a little too narrow and so the stricter reading. A single run has no spread of its own; the paper's is
        taken for it.
        """
        assert ours.mean is not None
        assert ours.std is not None
        printed = paper.std**2 / REPEATS
        own = ours.std**2 / repeats if repeats > 1 else paper.std**2
        squared = own + printed
        parts = printed**2 / (REPEATS - 1) + (own**2 / (repeats - 1) if repeats > 1 else 0.0)
        freedom = squared**2 / parts if parts > 0.0 and repeats > 1 else REPEATS - 1.0
        return cls(ours.mean - paper.mean, math.sqrt(squared), freedom)

    def interval(self, level: float = LEVEL) -> tuple[float, float]:
        """The confidence interval of the difference."""
        from scipy.special import stdtrit

        reach = float(stdtrit(self.freedom, 1.0 - level / 2.0)) * self.error
        return self.value - reach, self.value + reach

    @property
    def told_apart(self) -> bool:
        """Whether the means differ by Welch's test."""
        low, high = self.interval()
        return low > 0.0 or high < 0.0

    @property
    def equivalent(self) -> bool:
        """Whether the difference is shown to be less than EQUIVALENT points: two one-sided tests (TOST)."""
        low, high = self.interval(2.0 * LEVEL)
        return low > -EQUIVALENT and high < EQUIVALENT


def compare(difference: Difference) -> Verdict:
    """The word for a difference."""
    size = abs(difference.value)
    if size <= ROUNDING:
        return Verdict.EXACT
    if size <= NEAR:
        return Verdict.NEAR
    if not difference.told_apart:
        return Verdict.COMPATIBLE
    return Verdict.UP if difference.value > 0.0 else Verdict.DOWN


def judge(outcome: Outcome, score: str, paper: Published | None) -> Verdict:
    """The verdict on one score of a cell."""
    if not outcome.available:
        return Verdict.UNAVAILABLE
    if not outcome.ok:
        return Verdict.FAILED
    if paper is None:
        return Verdict.NEW
    if outcome.cell.data_differ:
        return Verdict.DATA_DIFFER
    return compare(Difference.of(outcome.stats[score], outcome.repeats - outcome.failed, paper))
