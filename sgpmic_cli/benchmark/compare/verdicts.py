"""Judge the means of a benchmark beside printed means.

Means are compared, not single runs: the question is whether ten repeats of ours would print the
same number. The tolerance is the uncertainty of the mean, not the standard deviation of the runs.
"""

from enum import StrEnum
from typing import Self

import numpy as np
import pandas as pd

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


def judge(table: pd.DataFrame) -> pd.DataFrame:
    """Return the differences from the printed means, their intervals and the verdicts.

    The standard error is the standard deviation over sqrt(n). Both sides show the population's
    deviation, so the interval is slightly too narrow, which is the stricter test. If the deviation
    of one side is zero, as that of a single run, that of the other side is used for both: some
    printed cells vary in ACC and not in NMI, so a zero proves little.

    Parameters
    ----------
    table : DataFrame
        Columns `repeats`, `failed`, `mean`, `std`, and the printed `paper_mean`, `paper_std`,
        `paper_repeats` and `data_differ`.

    Returns
    -------
    judged : DataFrame
        `difference` of the means with its 95 % interval `low` to `high` (Welch) and its standard
        `error`, the `verdict`, and `equivalent`: whether two one-sided tests (TOST) show a
        difference below EQUIVALENT points.
    """
    from scipy.special import stdtrit

    n = (table["repeats"] - table["failed"]).to_numpy(float)
    mean, std, paper_mean, paper_std, m = (
        table[name].to_numpy(float)
        for name in ("mean", "std", "paper_mean", "paper_std", "paper_repeats")
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        ours = np.where(std > 0.0, std, paper_std) ** 2 / n
        printed = np.where(paper_std > 0.0, paper_std, std) ** 2 / m
        squared = ours + printed
        welch = squared**2 / (ours**2 / (n - 1.0) + printed**2 / (m - 1.0))
    usual = (np.minimum(n, m) > 1) & (squared > 0.0)
    freedom = np.where(usual, welch, np.maximum(np.maximum(n, m), 2.0) - 1.0)
    difference, error = mean - paper_mean, np.sqrt(squared)
    reach, narrow = (stdtrit(freedom, 1.0 - level / 2.0) * error for level in (LEVEL, 2 * LEVEL))
    low, high = difference - reach, difference + reach
    verdicts = {
        Verdict.UNAVAILABLE: table["repeats"] == 0,
        Verdict.FAILED: n == 0,
        Verdict.NEW: np.isnan(difference),
        Verdict.DATA_DIFFER: table["data_differ"],
        Verdict.EXACT: np.abs(difference) <= ROUNDING,
        Verdict.NEAR: np.abs(difference) <= NEAR,
        Verdict.COMPATIBLE: (low <= 0.0) & (high >= 0.0),
        Verdict.UP: difference > 0.0,
    }
    names = [str(verdict) for verdict in verdicts]
    verdict = np.select([np.asarray(each, bool) for each in verdicts.values()], names, Verdict.DOWN)
    inside = (difference - narrow > -EQUIVALENT) & (difference + narrow < EQUIVALENT)
    columns = {"difference": difference, "low": low, "high": high, "error": error}
    return pd.DataFrame(
        {**columns, "verdict": verdict.astype(object), "equivalent": inside}, index=table.index
    )
