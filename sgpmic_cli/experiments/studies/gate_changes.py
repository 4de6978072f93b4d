"""Compare cells with the reference, and write the changes as JUnit XML or GitHub annotations.

A difference of at most max(1, 3 s / sqrt n) is allowed, where s is the standard deviation of the
reference and n the number of repeats compared.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any
from xml.etree import ElementTree

from sgpmic_cli.experiments.compare.comparison import METRICS, Place
from sgpmic_cli.experiments.compare.paper import Stat
from sgpmic_cli.experiments.studies.reference import PLACE, Scores
from sgpmic_cli.experiments.tables.formats import TITLES, plain

UNCHANGED = 0.005  # half of the last digit shown
SUITE = "sgpmic check"
NOTHING = "nothing was compared"


class State(StrEnum):
    """How a number compares with the reference."""

    SAME = "same"
    MOVED = "moved"
    UP = "differs up"
    DOWN = "differs down"
    FAILED = "failed"
    MISSING = "missing"
    NEW = "new"


@dataclass(frozen=True)
class Change:
    """One metric of one cell, before and now."""

    place: Place
    metric: str
    state: State
    before: Stat
    now: Stat
    tolerance: float | None = None
    reason: str = ""

    @property
    def difference(self) -> float | None:
        """Return the new mean minus the old one, if both exist."""
        if self.before.mean is None or self.now.mean is None:
            return None
        return self.now.mean - self.before.mean

    def document(self) -> dict[str, Any]:
        """Return the change as it is in the JSON document."""
        return {
            **dict(zip(PLACE, self.place, strict=True)),
            "metric": self.metric,
            "state": str(self.state),
            "before": vars(self.before),
            "now": vars(self.now),
            "difference": self.difference,
            "tolerance": self.tolerance,
            "reason": self.reason,
        }

    def sentence(self) -> str:
        """Describe the change."""
        dataset, variance, method = self.place
        where = f"{TITLES[self.metric]} of {method} on {dataset} at {variance} %"
        numbers = f"{plain(self.before)} before, {plain(self.now)} now"
        if self.difference is not None and self.tolerance is not None:
            numbers += f" ({self.difference:+.2f}, allowed {self.tolerance:.2f})"
        reason = f"; {self.reason}" if self.reason else ""
        return f"{where}: {self.state}, {numbers}{reason}"


def broken(changes: Sequence[Change]) -> list[Change]:
    """Return the changes that make the gate fail."""
    failing = (State.DOWN, State.FAILED, State.MISSING)
    return [change for change in changes if change.state in failing]


def compared(changes: Sequence[Change]) -> int:
    """Return how many numbers were compared with the reference."""
    both = (State.SAME, State.MOVED, State.UP, State.DOWN)
    return sum(change.state in both for change in changes)


def missing(place: Place, before: Scores, reason: str = "") -> Change:
    """Return the change of a cell that was not computed now."""
    metric = METRICS[0]
    return Change(place, metric, State.MISSING, _stat(before[metric]), Stat(), reason=reason)


def changes_of(
    place: Place,
    before: Scores | None,
    now: Scores | None,
    repeats: int | None = None,
    reason: str = "",
) -> list[Change]:
    """Compare the metrics of a cell that was computed now; `now` is None if every run failed."""
    changes = []
    for metric in METRICS:
        old = before[metric] if before else []
        new = now[metric][:repeats] if now else []
        was, stat = _stat(old[:repeats]), _stat(new)
        tolerance = None
        lost = any(y is None and x is not None for x, y in zip(old, new, strict=False))
        if now is None or (before and (lost or not old)):
            state = State.FAILED  # a repeat failed that succeeded before
        elif before is None:
            state = State.NEW
        elif was.mean is None or stat.mean is None:
            state = State.MOVED
        else:
            count = sum(value is not None for value in new)
            tolerance = max(1.0, 3.0 * (_stat(old).std or 0.0) / math.sqrt(count))
            state = _state(stat.mean - was.mean, tolerance)
        told = reason if tolerance is None else ""
        changes.append(Change(place, metric, state, was, stat, tolerance, told))
    return changes


def _state(difference: float, tolerance: float) -> State:
    if abs(difference) < UNCHANGED:
        return State.SAME
    if abs(difference) <= tolerance:
        return State.MOVED
    return State.UP if difference > 0 else State.DOWN


def _stat(values: Sequence[float | None]) -> Stat:
    """Return mean and standard deviation of the successful repeats."""
    return Stat.of([value for value in values if value is not None])


def junit(changes: Sequence[Change]) -> str:
    """Return one test case for each number, or a failing one if nothing was compared."""
    failures = broken(changes)
    suite = ElementTree.Element("testsuite", name=SUITE, errors="0")
    for change in changes:
        dataset, variance, method = change.place
        name = {"classname": f"{dataset}.{variance}", "name": f"{method} {TITLES[change.metric]}"}
        case = ElementTree.SubElement(suite, "testcase", name)
        if change in failures:
            failure = {"type": str(change.state), "message": change.sentence()}
            ElementTree.SubElement(case, "failure", failure)
    if not compared(changes) and not failures:
        case = ElementTree.SubElement(suite, "testcase", classname=SUITE, name=NOTHING)
        ElementTree.SubElement(case, "failure", type="empty", message=NOTHING)
    suite.set("tests", str(len(suite)))
    suite.set("failures", str(len(suite.findall("testcase/failure"))))
    ElementTree.indent(suite)
    text = ElementTree.tostring(suite, encoding="unicode")
    return f'<?xml version="1.0" encoding="utf-8"?>\n{text}\n'


def annotations(changes: Sequence[Change]) -> list[str]:
    """Return the lines that GitHub shows beside a commit: an error for each broken number."""
    messages = [change.sentence() for change in broken(changes)]
    if not messages and not compared(changes):
        messages = [NOTHING]
    escapes = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
    return [f"::error title={SUITE}::{text.translate(escapes)}" for text in messages]
