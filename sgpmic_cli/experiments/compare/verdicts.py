"""Judge how a mean of ours compares with the printed mean.

Means are compared, not single runs: the question is whether ten repeats of ours would print the
same number. The tolerance is the uncertainty of the mean, not the standard deviation of the runs.
"""

import math
from enum import StrEnum
from typing import NamedTuple

from sgpmic_cli.experiments.compare.paper import REPEATS, Published
from sgpmic_cli.experiments.run.aggregate import Outcome, Stat

ROUNDING = 0.01 + 1e-9  # two decimals are printed; 1e-9 covers the error of binary fractions
NEAR = 1.0  # points
LEVEL = 0.05
EQUIVALENT = 2.0  # points; margin of the equivalence test


class Verdict(StrEnum):
    """The verdicts on a cell, in the order of the legend."""

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
    Verdict.COMPATIBLE: "further apart, but the means do not differ significantly (Welch, 5 %)",
    Verdict.UP: "ours is more than one point above, and the means differ significantly",
    Verdict.DOWN: "ours is more than one point below, and the means differ significantly",
    Verdict.NEW: "the paper has no such cell",
    Verdict.DATA_DIFFER: "the public data are not those the paper used",
    Verdict.FAILED: "no run succeeded",
    Verdict.UNAVAILABLE: "the data are unavailable",
    Verdict.NOT_RUN: "no run of ours yet",
}


class Sign(NamedTuple):
    """The sign of a verdict beside a number; LaTeX has none for verdicts without a number."""

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
    """Our mean minus the printed one, with its standard error and degrees of freedom (Welch)."""

    value: float
    error: float
    freedom: float

    @classmethod
    def of(cls, ours: Stat, repeats: int, paper: Published) -> "Difference":
        """Compute the difference of our mean over `repeats` runs and the paper's mean over ten.

        The standard error is the printed standard deviation over sqrt(n). Both sides show the
        population's deviation, so the interval is slightly too narrow, which is the stricter test.
        A single run takes the standard deviation of the paper.
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
        """Return the confidence interval of the difference."""
        from scipy.special import stdtrit

        reach = float(stdtrit(self.freedom, 1.0 - level / 2.0)) * self.error
        return self.value - reach, self.value + reach

    @property
    def told_apart(self) -> bool:
        """Return whether the means differ by Welch's test."""
        low, high = self.interval()
        return low > 0.0 or high < 0.0

    @property
    def equivalent(self) -> bool:
        """Return whether two one-sided tests (TOST) show a difference below EQUIVALENT points."""
        low, high = self.interval(2.0 * LEVEL)
        return low > -EQUIVALENT and high < EQUIVALENT


def compare(difference: Difference) -> Verdict:
    """Return the verdict on a difference."""
    size = abs(difference.value)
    if size <= ROUNDING:
        return Verdict.EXACT
    if size <= NEAR:
        return Verdict.NEAR
    if not difference.told_apart:
        return Verdict.COMPATIBLE
    return Verdict.UP if difference.value > 0.0 else Verdict.DOWN


def judge(outcome: Outcome, score: str, paper: Published | None) -> Verdict:
    """Return the verdict on one score of a cell."""
    if not outcome.available:
        return Verdict.UNAVAILABLE
    if not outcome.ok:
        return Verdict.FAILED
    if paper is None:
        return Verdict.NEW
    if outcome.cell.data_differ:
        return Verdict.DATA_DIFFER
    return compare(Difference.of(outcome.stats[score], outcome.repeats - outcome.failed, paper))
