"""Read and write the reference of the gate, compare cells with it, and report the changes.

The reference has the scores of every repeat of every cell. A difference of at most
max(1, 3 s / sqrt n) is allowed, where s is the standard deviation of the reference and n the number
of repeats compared. The changes can be written as JUnit XML or as GitHub annotations.
"""

import json
import math
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

from sgpmic_cli.benchmark.compare.comparison import METRICS, Place
from sgpmic_cli.benchmark.compare.paper import Stat
from sgpmic_cli.benchmark.tables.formats import TITLES, plain
from sgpmic_cli.errors import SgpmicError
from sgpmic_cli.files.atomic import write_whole
from sgpmic_cli.files.output_folder import read_json

DEFAULT_PATH = Path(__file__).parents[1] / "reference.json"  # part of this package
# The reference of an installed package, which users do not change; None in a checkout.
INSTALLED = None if (Path(__file__).parents[3] / "pyproject.toml").is_file() else DEFAULT_PATH
PLACE = ("dataset", "variance", "method")
Scores = dict[str, list[float | None]]  # of a cell, by metric and repeat; None for a failed repeat
UNCHANGED = 0.005  # half of the last digit shown
SUITE = "sgpmic check"
NOTHING = "nothing was compared"


class OwnFile(NamedTuple):
    """A user's CSV file: its path, and the hash of its values and labels."""

    path: Path
    sha256: str


@dataclass(frozen=True)
class Reference:
    """All cells and how they were computed."""

    protocol: str
    seed: int
    repeats: int
    cells: dict[Place, Scores]
    files: dict[str, OwnFile] = field(default_factory=dict)  # by data set
    label: str | None = None  # label column of these files


def read_reference(path: Path) -> Reference:
    """Read a reference. The paths of users' files are relative to it."""
    try:
        content = read_json(path)
        files = content.get("files", {}).items()
        return Reference(
            protocol=str(content["protocol"]),
            seed=int(content["seed"]),
            repeats=int(content["repeats"]),
            cells=dict(map(_read_cell, content["cells"])),
            files={
                name: OwnFile(path.parent / str(own["path"]), str(own["sha256"]))
                for name, own in files
            },
            label=content.get("label"),
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise SgpmicError(
            f"'{path}' is not a reference, so nothing was compared ({error}): restore it, or make "
            "one with sgpmic check --update --reference FILE."
        ) from error


def _read_cell(entry: dict[str, Any]) -> tuple[Place, Scores]:
    values = {metric: list(entry[metric]) for metric in METRICS}
    for value in (value for repeats in values.values() for value in repeats):
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if value is not None and not (is_number and 0.0 <= value <= 100.0):
            raise ValueError(f"{value!r} is not a percentage")
    place = str(entry["dataset"]), int(entry["variance"]), str(entry["method"])
    return place, values


def write_reference(path: Path, reference: Reference) -> None:
    """Write a reference with one line for each cell, so that version control shows changes."""
    names = ("protocol", "seed", "repeats")
    head: dict[str, Any] = {name: getattr(reference, name) for name in names}
    if reference.files:
        head["label"] = reference.label
        head["files"] = {
            name: {
                "path": Path(os.path.relpath(own.path, path.parent)).as_posix(),
                "sha256": own.sha256,
            }
            for name, own in reference.files.items()
        }
    lines = []
    for place, values in reference.cells.items():
        content = {**dict(zip(PLACE, place, strict=True)), **values}
        lines.append(f"  {json.dumps(content, allow_nan=False)}")
    cells = ",\n".join(lines)
    write_whole(path, f'{json.dumps(head)[:-1]}, "cells": [\n{cells}\n]}}\n')


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
        content = asdict(self) | {"difference": self.difference}
        return dict(zip(PLACE, content.pop("place"), strict=True)) | content

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
