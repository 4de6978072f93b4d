"""The reference of the gate: read it, write it, and compare runs with it.

The scores of a reference are a data frame with a row for each repeat: the columns of `SCORE_KEY`,
repeat, processor and score (missing if the repeat failed). Where another processor gives other
scores, the reference can hold both, and a mean is compared with the band between the two.

A mean is lower if it is more than one point below the band, and a one-sided paired t test over the
seeds confirms it at the 5 % level.
"""

import json
import os
import platform
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from sgpmic_cli.benchmark.compare import LEVEL, NEAR, OWN_METRICS
from sgpmic_cli.errors import SgpmicError
from sgpmic_cli.files import write_whole

REPEATS = 10  # of a new reference
SCORE_DIGITS = 4  # of the scores in a reference
UNCHANGED = 0.005  # half of the last digit shown
PLACE = ["dataset", "explained_variance", "method"]
SCORE_KEY = [*PLACE, "metric"]
# The processor of this machine. Systems have different names for it.
HERE = {"AMD64": "x86_64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())


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


class OwnFile(NamedTuple):
    """A user's CSV file: its path, and the hash of its values and labels."""

    path: Path
    sha256: str


@dataclass(frozen=True, eq=False)
class Reference:
    """All cells and how they were computed."""

    protocol: str
    seed: int = 0
    repeats: int = REPEATS
    processor: str = HERE  # the first of the processors
    scores: pd.DataFrame = field(
        default_factory=lambda: pd.DataFrame(columns=[*SCORE_KEY, "repeat", "processor", "score"])
    )
    files: dict[str, OwnFile] = field(default_factory=dict)  # by data set
    label: str | None = None  # label column of these files


def read_reference(path: Path) -> Reference:
    """Read a reference. The paths of users' files are relative to it."""
    try:
        content = json.loads(path.read_bytes())
        processor = str(content.get("processor", HERE))
        rows = [
            (entry["dataset"], int(entry["variance"]), entry["method"], metric, i, side, score)
            for entry in content["cells"]
            for side, scores in {
                processor: entry,
                **{k: v for k, v in entry.items() if isinstance(v, dict)},
            }.items()
            for metric in OWN_METRICS
            if metric in scores
            for i, score in enumerate(scores[metric])
        ]
        frame = pd.DataFrame(rows, columns=[*SCORE_KEY, "repeat", "processor", "score"])
        numbers = frame["score"].map(type).isin([int, float, type(None)])
        frame["score"] = frame["score"].astype(float)
        lowest = np.where(frame["metric"] == "ari", -100, 0)
        inside = frame["score"].isna() | frame["score"].between(lowest, 100)
        if frame.empty or not (numbers & inside).all():
            raise ValueError("a score is not a percentage, or there is none")
        return Reference(
            protocol=str(content["protocol"]),
            seed=int(content["seed"]),
            repeats=int(content["repeats"]),
            processor=processor,
            scores=frame,
            files={
                name: OwnFile(path.parent / str(file["path"]), str(file["sha256"]))
                for name, file in content.get("files", {}).items()
            },
            label=content.get("label"),
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise SgpmicError(
            f"'{path}' is not a reference, so nothing was compared ({error}): restore it, or make "
            "one with sgpmic check --update --reference FILE."
        ) from error


def write_reference(path: Path, reference: Reference) -> None:
    """Write a reference with one line for each cell, so that version control shows changes."""
    fields = ("protocol", "seed", "repeats", "processor")
    head: dict[str, Any] = {name: getattr(reference, name) for name in fields}
    if reference.files:
        head["label"] = reference.label
        head["files"] = {
            name: {"path": Path(os.path.relpath(file, path.parent)).as_posix(), "sha256": sha256}
            for name, (file, sha256) in reference.files.items()
        }
    lines = []
    for place, cell in reference.scores.groupby(PLACE, sort=False):
        content: dict[Any, Any] = dict(zip(("dataset", "variance", "method"), place, strict=True))
        for (side, metric), part in cell.groupby(["processor", "metric"], sort=False):
            scores = content if side == reference.processor else content.setdefault(side, {})
            scores[metric] = [None if np.isnan(score) else score for score in part["score"]]
        lines.append(f"  {json.dumps(content, allow_nan=False)}")
    cells = ",\n".join(lines)
    write_whole(path, f'{json.dumps(head)[:-1]}, "cells": [\n{cells}\n]}}\n')


def places_of(table: pd.DataFrame) -> pd.MultiIndex:
    """Return the data set, explained variance and method of each row."""
    return pd.MultiIndex.from_frame(table[PLACE])


def scores_of(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the scores of runs as rows of a reference; failed runs have none."""
    rows = runs.to_dict("records")
    parts = [
        runs.assign(metric=name, score=[row[row["scores"].get(name, name)] for row in rows])
        for name in OWN_METRICS
    ]
    scores = pd.concat(parts).sort_index(kind="stable")[[*SCORE_KEY, "repeat", "score"]]
    return scores.astype({"repeat": int, "score": float}).round({"score": SCORE_DIGITS})


def changes_of(before: pd.DataFrame, runs: pd.DataFrame, how: Any = "left") -> pd.DataFrame:
    """Compare runs with scores of a reference; "outer" includes cells that it does not have.

    Return a row for each metric of each cell: SCORE_KEY, `state`, `before_mean`, `before_std`,
    `now_mean`, `now_std`, the mean of the paired differences (`difference`), its `tolerance`, and
    the `reason` of a failed or missing cell.
    """
    from scipy.special import stdtrit

    now = scores_of(runs[runs["status"] != "unavailable"])
    sides = before.rename(columns={"score": "before"})
    now = now.rename(columns={"score": "now"})
    pairs = sides.merge(now, how, [*SCORE_KEY, "repeat"], indicator="side").fillna(
        {"processor": HERE}
    )
    pairs["difference"] = pairs["now"] - pairs["before"]
    pairs["lost"] = pairs["before"].notna() & pairs["now"].isna()
    grouped = pairs.groupby([*SCORE_KEY, "processor"], sort=False)
    numbers = {
        f"{side}_{name}": (side, function)
        for side in ("before", "now")
        for name, function in (("mean", "mean"), ("std", lambda values: values.std(ddof=0)))
    }
    changes = grouped.agg(
        **numbers,
        difference=("difference", "mean"),
        spread=("difference", "std"),
        n=("difference", "count"),
        lost=("lost", "any"),
        missing=("side", lambda side: (side == "left_only").all()),
        new=("side", lambda side: (side == "right_only").all()),
    ).reset_index()
    n, size = changes["n"], changes["difference"].abs()
    reach = stdtrit(n - 1.0, 1.0 - LEVEL) * changes["spread"] / np.sqrt(n)
    changes["tolerance"] = reach.fillna(0.0).clip(lower=NEAR).where(n > 0)
    band = changes.groupby(SCORE_KEY, sort=False)["before_mean"]
    inside = changes["now_mean"].between(band.transform("min"), band.transform("max"))
    states = {
        State.MISSING: changes["missing"],
        State.FAILED: changes["now_mean"].isna() | changes["lost"],
        State.NEW: changes["new"],
        State.SAME: size < UNCHANGED,
        # Also a cell that failed in the reference.
        State.MOVED: (n == 0) | (size <= changes["tolerance"]) | inside,
        State.UP: changes["difference"] > 0.0,
    }
    names = [str(state) for state in states]
    conditions = [condition.to_numpy(bool) for condition in states.values()]
    changes["state"] = np.select(conditions, names, State.DOWN)
    reasons = (
        runs[runs["reason"] != ""].groupby(PLACE)["reason"].agg(lambda r: "; ".join(r.unique()))
    )
    changes["reason"] = [
        reasons.get(place, "") if state in (State.MISSING, State.FAILED) else ""
        for place, state in zip(places_of(changes), changes["state"], strict=True)
    ]
    # The processor whose mean is nearer.
    nearest = size.sort_values(kind="stable").index
    changes = changes.loc[nearest].drop_duplicates(SCORE_KEY).sort_index(ignore_index=True)
    return changes.drop(columns=["processor", "spread", "n", "lost", "missing", "new"])
