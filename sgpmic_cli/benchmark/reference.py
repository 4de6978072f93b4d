"""The reference of the gate: read it, write it, and compare runs with it.

The reference has the scores of every repeat of every cell. A difference of at most
max(1, 3 s / sqrt n) is allowed, where s is the standard deviation of the reference and n the number
of repeats compared.
"""

import json
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from sgpmic_cli.benchmark.compare import METRICS
from sgpmic_cli.benchmark.documents import plain_values
from sgpmic_cli.errors import SgpmicError
from sgpmic_cli.files.atomic import write_whole
from sgpmic_cli.files.output_folder import read_json

Place = tuple[str, int, str]  # data set, explained variance, method
Scores = dict[str, list[float | None]]  # of a cell, by metric and repeat; None for a failed repeat
DIGITS = 4  # of the scores in a reference
UNCHANGED = 0.005  # half of the last digit shown


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
                name: OwnFile(path.parent / str(file["path"]), str(file["sha256"]))
                for name, file in files
            },
            label=content.get("label"),
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise SgpmicError(
            f"'{path}' is not a reference, so nothing was compared ({error}): restore it, or make "
            "one with sgpmic check --update --reference FILE."
        ) from error


def _read_cell(entry: Mapping[str, Any]) -> tuple[Place, Scores]:
    values = {metric: list(entry[metric]) for metric in METRICS}
    for value in (value for repeats in values.values() for value in repeats):
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if value is not None and not (is_number and 0.0 <= value <= 100.0):
            raise ValueError(f"{value!r} is not a percentage")
    return (str(entry["dataset"]), int(entry["variance"]), str(entry["method"])), values


def write_reference(path: Path, reference: Reference) -> None:
    """Write a reference with one line for each cell, so that version control shows changes."""
    names = ("protocol", "seed", "repeats")
    head: dict[str, Any] = {name: getattr(reference, name) for name in names}
    if reference.files:
        head["label"] = reference.label
        head["files"] = {
            name: {
                "path": Path(os.path.relpath(file.path, path.parent)).as_posix(),
                "sha256": file.sha256,
            }
            for name, file in reference.files.items()
        }
    lines = []
    for (dataset, variance, method), values in reference.cells.items():
        content = {"dataset": dataset, "variance": variance, "method": method, **values}
        lines.append(f"  {json.dumps(content, allow_nan=False)}")
    cells = ",\n".join(lines)
    write_whole(path, f'{json.dumps(head)[:-1]}, "cells": [\n{cells}\n]}}\n')


def scores_of(runs: pd.DataFrame) -> Scores | None:
    """Return the runs of one cell as scores of a reference; None if every run failed."""
    good = runs["status"] == "ok"
    if not good.any():
        return None
    shown = runs["scores"].iloc[0]
    return {
        metric: [
            round(score, DIGITS) if succeeded else None
            for score, succeeded in zip(runs[shown[metric]], good, strict=True)
        ]
        for metric in METRICS
    }


class State(StrEnum):
    """How a number compares with the reference."""

    SAME = "same"
    MOVED = "moved"
    UP = "differs up"
    DOWN = "differs down"
    FAILED = "failed"
    MISSING = "missing"
    NEW = "new"


BROKEN = (State.DOWN, State.FAILED, State.MISSING)  # make the gate fail
COMPARED = (State.SAME, State.MOVED, State.UP, State.DOWN)
COLUMNS = [
    *("dataset", "explained_variance", "method", "metric", "state"),
    *("before_mean", "before_std", "now_mean", "now_std", "tolerance", "reason", "difference"),
]


def changes_frame(changes: Sequence[dict[str, Any]]) -> pd.DataFrame:
    """Return changes as a data frame with a row for each metric of each cell."""
    numbers = dict.fromkeys(
        ("before_mean", "before_std", "now_mean", "now_std", "tolerance"), float
    )
    frame = pd.DataFrame(list(changes), columns=COLUMNS).astype(numbers)
    return frame.assign(difference=frame["now_mean"] - frame["before_mean"])


def missing(place: Place, before: Scores, reason: str = "") -> list[dict[str, Any]]:
    """Return the change of a cell that was not computed now."""
    return [_change(place, METRICS[0], State.MISSING, before[METRICS[0]], [], reason=reason)]


def changes_of(
    place: Place,
    before: Scores | None,
    now: Scores | None,
    repeats: int | None = None,
    reason: str = "",
) -> list[dict[str, Any]]:
    """Compare the metrics of a cell that was computed now; `now` is None if every run failed."""
    changes = []
    for metric in METRICS:
        old = before[metric] if before else []
        new = now[metric][:repeats] if now else []
        shown = old[:repeats]
        was, mean = _mean_std(shown)[0], _mean_std(new)[0]
        tolerance = None
        lost = any(y is None and x is not None for x, y in zip(old, new, strict=False))
        if now is None or (before and (lost or not old)):
            state = State.FAILED  # a repeat failed that succeeded before
        elif before is None:
            state = State.NEW
        elif was is None or mean is None:
            state = State.MOVED
        else:
            count = sum(value is not None for value in new)
            tolerance = max(1.0, 3.0 * (_mean_std(old)[1] or 0.0) / math.sqrt(count))
            state = _state(mean - was, tolerance)
        told = reason if tolerance is None else ""
        changes.append(_change(place, metric, state, shown, new, tolerance, told))
    return changes


def _change(
    place: Place,
    metric: str,
    state: State,
    before: Sequence[float | None],
    now: Sequence[float | None],
    tolerance: float | None = None,
    reason: str = "",
) -> dict[str, Any]:
    numbers = *_mean_std(before), *_mean_std(now), tolerance
    return dict(zip(COLUMNS, (*place, metric, state, *numbers, reason), strict=False))


def _state(difference: float, tolerance: float) -> State:
    if abs(difference) < UNCHANGED:
        return State.SAME
    if abs(difference) <= tolerance:
        return State.MOVED
    return State.UP if difference > 0 else State.DOWN


def _mean_std(values: Sequence[float | None]) -> tuple[float | None, float | None]:
    """Return mean and standard deviation of the successful repeats; None if there are none."""
    good = [value for value in values if value is not None]
    return (float(np.mean(good)), float(np.std(good))) if good else (None, None)


def changes_document(changes: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the changes as they are in the JSON document of the gate."""
    return [
        {
            **{name: row[name] for name in ("dataset", "method", "metric", "state", "reason")},
            "variance": row["explained_variance"],
            "before": {"mean": row["before_mean"], "std": row["before_std"]},
            "now": {"mean": row["now_mean"], "std": row["now_std"]},
            **{name: row[name] for name in ("tolerance", "difference")},
        }
        for row in map(plain_values, changes.to_dict("records"))
    ]
