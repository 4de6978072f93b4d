"""Compare a mean of ours with the printed mean.

Means are compared, not single runs: the question is whether ten repeats of ours would print the
same number. The tolerance is the uncertainty of the mean, not the standard deviation of the runs.
"""

import math
from enum import StrEnum
from typing import NamedTuple, Self

from sgpmic_cli.benchmark.compare.paper import Published, Stat

ROUNDING = 0.01 + 1e-9  # two decimals are printed; 1e-9 covers the error of binary fractions
NEAR = 1.0  # points
LEVEL = 0.05
EQUIVALENT = 2.0  # points; margin of the equivalence test


class Verdict(StrEnum):
    """The verdicts on a cell in the order of the legend, with their meanings and signs.

    LaTeX has no sign for verdicts without a number.
    """

    meaning: str
    sign: str
    latex: str

    def __new__(cls, name: str, meaning: str = "", sign: str = "", latex: str = "") -> Self:
        """Create a member whose value is its name."""
        verdict = str.__new__(cls, name)
        verdict._value_ = name
        verdict.meaning, verdict.sign, verdict.latex = meaning, sign, latex
        return verdict

    EXACT = "exact", "the two means are within 0.01", "=", "="
    NEAR = "within 1", "within one point", "≈", r"\approx"
    COMPATIBLE = (
        "compatible",
        "further apart, but the means do not differ significantly (Welch, 5 %)",
        *("~", r"\sim"),
    )
    UP = (
        "differs up",
        "ours is more than one point above, and the means differ significantly",
        *("▲", r"\uparrow"),
    )
    DOWN = (
        "differs down",
        "ours is more than one point below, and the means differ significantly",
        *("▼", r"\downarrow"),
    )
    NEW = "new", "the paper has no such cell", "∗", r"\ast"
    DATA_DIFFER = "data differ", "the public data are not those the paper used", "≠", r"\neq"
    FAILED = "failed", "no run succeeded", "✕"
    UNAVAILABLE = "unavailable", "the data are unavailable", "–"
    NOT_RUN = "not run", "no run of ours yet", "·"


class Difference(NamedTuple):
    """Our mean minus the printed one, with its standard error and degrees of freedom (Welch)."""

    value: float
    error: float
    freedom: float

    @classmethod
    def of(cls, ours: Stat, repeats: int, paper: Published) -> "Difference":
        """Compute the difference of our mean over `repeats` runs and the printed mean.

        The standard error is the printed standard deviation over sqrt(n). Both sides show the
        population's deviation, so the interval is slightly too narrow, which is the stricter test.
        If the deviation of one side is zero, as that of a single run, that of the other side is
        used for both: some printed cells vary in ACC and not in NMI, so a zero proves little.
        """
        assert ours.mean is not None
        assert ours.std is not None
        n, m = repeats, paper.repeats
        own = (ours.std or paper.std) ** 2 / n
        printed = (paper.std or ours.std) ** 2 / m
        squared = own + printed
        freedom = max(n, m, 2) - 1.0
        if min(n, m) > 1 and squared > 0.0:
            freedom = squared**2 / (own**2 / (n - 1) + printed**2 / (m - 1))
        return cls(ours.mean - paper.mean, math.sqrt(squared), freedom)

    def interval(self, level: float = LEVEL) -> tuple[float, float]:
        """Return the confidence interval of the difference."""
        from scipy.special import stdtrit

        reach = float(stdtrit(self.freedom, 1.0 - level / 2.0)) * self.error
        return self.value - reach, self.value + reach

    @property
    def equivalent(self) -> bool:
        """Return whether two one-sided tests (TOST) show a difference below EQUIVALENT points."""
        low, high = self.interval(2.0 * LEVEL)
        return low > -EQUIVALENT and high < EQUIVALENT

    @property
    def verdict(self) -> Verdict:
        """Return the verdict on two means; Welch's test tells whether they differ."""
        if abs(self.value) <= NEAR:
            return Verdict.EXACT if abs(self.value) <= ROUNDING else Verdict.NEAR
        low, high = self.interval()
        if low <= 0.0 <= high:
            return Verdict.COMPATIBLE
        return Verdict.UP if self.value > 0.0 else Verdict.DOWN
