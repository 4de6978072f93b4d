"""One word for how a cell of ours compares with the printed one."""

import math
from enum import StrEnum
from typing import NamedTuple

from sgpmic_cli.experiments.compare.paper import Published
from sgpmic_cli.experiments.run.aggregate import Outcome, Stat

ROUNDING = 0.01 + 1e-9  # two decimals are printed; the rest is room for binary fractions


class Verdict(StrEnum):
    """What can be said of a cell, in the order of the legend."""

    EXACT = "exact"
    MATCH = "match"
    BETTER = "better"
    WORSE = "worse"
    NEW = "new"
    DATA_DIFFER = "data differ"
    FAILED = "failed"
    UNAVAILABLE = "unavailable"
    NOT_RUN = "not run"


LEGEND = {
    Verdict.EXACT: "within 0.01",
    Verdict.MATCH: "within max(1, 2·√(s² of paper + s² of ours))",
    Verdict.BETTER: "above that",
    Verdict.WORSE: "below that",
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
    Verdict.MATCH: Sign("≈", r"\approx"),
    Verdict.BETTER: Sign("▲", r"\uparrow"),
    Verdict.WORSE: Sign("▼", r"\downarrow"),
    Verdict.NEW: Sign("∗", r"\ast"),
    Verdict.DATA_DIFFER: Sign("≠", r"\neq"),
    Verdict.FAILED: Sign("✕"),
    Verdict.UNAVAILABLE: Sign("–"),
    Verdict.NOT_RUN: Sign("·"),
}


def compare(ours: Stat, paper: Published) -> Verdict:
    """Judge a mean against a printed mean, given both spreads."""
    assert ours.mean is not None
    assert ours.std is not None
    difference = ours.mean - paper.mean
    if abs(difference) <= ROUNDING:
        return Verdict.EXACT
    if abs(difference) <= max(1.0, 2.0 * math.hypot(paper.std, ours.std)):
        return Verdict.MATCH
    return Verdict.BETTER if difference > 0 else Verdict.WORSE


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
    return compare(outcome.stats[score], paper)
