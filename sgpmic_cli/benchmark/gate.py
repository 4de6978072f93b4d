"""The gate: recompute cells and compare them with a reference of stored scores.

The same repeats with the same seeds are compared, so unchanged code on the same processor gives
equal numbers. Where another processor gives other ones, the reference can hold the scores of both,
and a number is compared with the band between their means.

A mean is lower if it is more than one point below the band, and a one-sided paired t test over the
seeds confirms it at the 5 % level. The fast check compares three repeats of each cell, and all
repeats of the reference where a mean fell by more than a point.

The scores of a reference are a data frame with a row for each repeat: the columns of `KEY`, repeat,
processor and score (missing if the repeat failed).
"""

import json
import os
import platform
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from shutil import rmtree
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from sgpmic_cli.benchmark.compare import LEVEL, NEAR, OWN_METRICS
from sgpmic_cli.benchmark.methods import unknown
from sgpmic_cli.benchmark.plan import Cell, Suite
from sgpmic_cli.benchmark.run import FinishedStudy, RunOptions, run_study
from sgpmic_cli.benchmark.workers import cost
from sgpmic_cli.data.registered import cache_folder
from sgpmic_cli.data.registry import find, names
from sgpmic_cli.errors import SgpmicError, UsageError
from sgpmic_cli.files.atomic import write_whole
from sgpmic_cli.files.output_folder import read_json

FAST_SECONDS = 0.5  # the fast cells have shorter runs, by estimate, on bundled data
FAST_REPEATS = 3
UPDATE_REPEATS = 10
DIGITS = 4  # of the scores in a reference
UNCHANGED = 0.005  # half of the last digit shown
PLACE = ["dataset", "explained_variance", "method"]
KEY = [*PLACE, "metric"]
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
    repeats: int = UPDATE_REPEATS
    processor: str = HERE  # the first of the processors
    scores: pd.DataFrame = field(
        default_factory=lambda: pd.DataFrame(columns=[*KEY, "repeat", "processor", "score"])
    )
    files: dict[str, OwnFile] = field(default_factory=dict)  # by data set
    label: str | None = None  # label column of these files


def read_reference(path: Path) -> Reference:
    """Read a reference. The paths of users' files are relative to it."""
    try:
        content = read_json(path)
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
        frame = pd.DataFrame(rows, columns=[*KEY, "repeat", "processor", "score"])
        frame["score"] = frame["score"].astype(float)
        if frame.empty or not (frame["score"].isna() | frame["score"].between(-100, 100)).all():
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


@dataclass(frozen=True)
class Selection:
    """The data sets and methods to compare. A user's file is selected by its path or its name."""

    datasets: tuple[str, ...] = ("all",)
    methods: tuple[str, ...] = ("all",)

    def of(self, table: pd.DataFrame) -> pd.Series:
        """Return which rows of a table are selected."""
        files = [Path(name).name for name in self.datasets]
        every = pd.Series(True, table.index)
        return (every if "all" in files else table["dataset"].isin(files)) & (
            every if "all" in self.methods else table["method"].isin(self.methods)
        )


def check(
    suite: Suite,
    reference: Reference,
    selection: Selection = Selection(),
    options: RunOptions = RunOptions(),
    *,
    full: bool = False,
    repeats: int | None = None,
) -> pd.DataFrame:
    """Recompute the selected cells and compare them; only the fast ones unless `full`.

    The result has a row for each metric of each cell; see `changes_of`.
    """
    _check_names(suite, reference, selection)
    if repeats is not None and repeats > reference.repeats:
        raise UsageError(
            f"--repeats {repeats}: the reference has {reference.repeats}, so give 1 to that many."
        )
    wanted = reference.scores[selection.of(reference.scores)]
    if full or repeats is not None:
        return _check(suite, reference, wanted, options, repeats or reference.repeats, full)
    changes = _check(suite, reference, wanted, options, FAST_REPEATS, full)
    fell = _places(changes[changes["difference"] < -NEAR])
    if reference.repeats > FAST_REPEATS and len(fell):
        suspects = wanted[_places(wanted).isin(fell)]
        again = _check(suite, reference, suspects, options, reference.repeats, full=True)
        changes = pd.concat([changes[~_places(changes).isin(fell)], again], ignore_index=True)
    return changes


def _places(table: pd.DataFrame) -> pd.MultiIndex:
    return pd.MultiIndex.from_frame(table[PLACE])


def _check(
    suite: Suite,
    reference: Reference,
    wanted: pd.DataFrame,
    options: RunOptions,
    repeats: int,
    full: bool,
) -> pd.DataFrame:
    """Recompute scores of the reference and compare them."""
    places, too_slow = set(_places(wanted)), []

    def keep(cell: Cell) -> list[Cell]:
        """Keep the wanted cells."""
        if cell.place not in places:
            return []
        if not full and is_slow(cell):
            too_slow.append(cell.place)
            return []
        return [cell]

    # Data sets and methods that no longer exist are missing, not wrong arguments.
    files = {name: str(file.path) for name, file in reference.files.items() if file.path.is_file()}
    datasets = [name for name in wanted["dataset"].unique() if name in files or find(name)]
    methods = [name for name in wanted["method"].unique() if ":" in name or name in suite.methods]
    runs = pd.DataFrame(columns=[*PLACE, "data", "status", "reason", "scores", "repeat"])
    if datasets and methods:
        label = reference.label if not files.keys().isdisjoint(datasets) else None
        paths = [files.get(name, name) for name in datasets]
        how: dict[str, Any] = {"repeats": repeats, "label": label, "vary": keep}
        runs = _run(suite, reference, options, paths, methods, **how).runs
    for name, file in reference.files.items():
        other = (runs["dataset"] == name) & ~runs["data"].isin(["", file.sha256])
        reason = f"'{name}' is not the file that the reference was made with"
        runs.loc[other, ["status", "reason"]] = ["unavailable", reason]
    before = wanted[(wanted["repeat"] < repeats) & ~_places(wanted).isin(too_slow)]
    return changes_of(before, runs)


def update(
    suite: Suite,
    old: Reference | None,
    selection: Selection = Selection(),
    options: RunOptions = RunOptions(),
    *,
    repeats: int | None = None,
    label: str | None = None,
) -> tuple[Reference, pd.DataFrame, FinishedStudy]:
    """Recompute the selected cells and put them into the reference.

    On another processor than the reference's, scores that differ are put beside the old ones. A
    cell in which every run failed keeps its old scores and is among the changes as failed. `label`
    is the label column of CSV files; a reference has one. If the reference has such files, "all"
    selects what it contains.
    """
    base = old or Reference(next(iter(suite.protocols)))
    repeats = base.repeats if repeats is None else repeats
    if old and repeats != old.repeats and selection != Selection():
        raise UsageError(
            f"--repeats {repeats} differs from the reference's {old.repeats}: update all cells to "
            "change it."
        )
    datasets, methods = list(selection.datasets), list(selection.methods)
    if base.files:
        if label not in (None, base.label):
            raise UsageError(
                f"--label {label} differs from the reference's {base.label}: make a new reference."
            )
        datasets = base.scores["dataset"].unique().tolist() if "all" in datasets else datasets
        methods = base.scores["method"].unique().tolist() if "all" in methods else methods
        known = {name: str(file.path) for name, file in base.files.items()}
        datasets = [name if Path(name).exists() else known.get(name, name) for name in datasets]
        label = base.label if any(find(name) is None for name in datasets) else None
    finished = _run(suite, base, options, datasets, methods, repeats=repeats, label=label)
    runs = finished.runs[finished.runs["status"] != "unavailable"]
    # Cells that are no longer in the table are removed; cells without data stay.
    without_data = _places(base.scores).isin(_places(finished.runs.drop(runs.index)))
    before = base.scores[selection.of(base.scores) & ~without_data]
    changes = changes_of(before, runs, "outer")
    places = _places(base.scores)
    if base.processor != HERE:  # which adds no new scores to the cells of the other
        changes = changes[(changes["state"] != State.NEW) | ~_places(changes).isin(places)]
    changed = _places(changes[changes["state"] != State.SAME])
    computed = _places(runs[runs["status"] == "ok"])
    new = _scores(runs).assign(processor=HERE)
    new = new.merge(changes[KEY])
    new = new[_places(new).isin(computed) & _places(new).isin(changed)]
    gone = places.isin(_places(before)) & ~places.isin(_places(runs))
    # The scores of another processor stay beside the new ones.
    replaced = places.isin(_places(new)) & (
        (base.processor == HERE) | (base.scores["processor"] == HERE)
    )
    scores = pd.concat([base.scores[~gone & ~replaced], new])
    order = places.append(_places(new)).unique()
    scores = scores.iloc[np.argsort(order.get_indexer(_places(scores)), kind="stable")]
    files = dict(base.files)
    for path in map(Path, datasets):
        data = runs["data"][runs["dataset"] == path.name]
        if find(path.name) is None and len(data):
            files[path.name] = OwnFile(path, data.iloc[0])
    label = label if files else None
    fields: dict[str, Any] = {"repeats": repeats, "scores": scores, "files": files, "label": label}
    return replace(base, **fields), changes, finished


def _scores(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the scores of runs as rows of a reference; failed runs have none."""
    rows = runs.to_dict("records")
    parts = [
        runs.assign(metric=name, score=[row[row["scores"].get(name, name)] for row in rows])
        for name in OWN_METRICS
    ]
    scores = pd.concat(parts).sort_index(kind="stable")[[*KEY, "repeat", "score"]]
    return scores.astype({"repeat": int, "score": float}).round({"score": DIGITS})


def changes_of(before: pd.DataFrame, runs: pd.DataFrame, how: Any = "left") -> pd.DataFrame:
    """Compare runs with scores of a reference.

    Parameters
    ----------
    before : DataFrame
        Scores of the reference.
    runs : DataFrame
        A results frame.
    how : {"left", "outer"}
        Whether cells that are not in the reference are among the changes ("outer").

    Returns
    -------
    changes : DataFrame
        A row for each metric of each cell: KEY, `state`, `before_mean`, `before_std`, `now_mean`,
        `now_std`, the mean of the paired differences (`difference`), its `tolerance`, and the
        `reason` of a failed or missing cell.
    """
    from scipy.special import stdtrit

    now = _scores(runs[runs["status"] != "unavailable"])
    sides = before.rename(columns={"score": "before"})
    now = now.rename(columns={"score": "now"})
    pairs = sides.merge(now, how, [*KEY, "repeat"], indicator="side").fillna({"processor": HERE})
    pairs["difference"] = pairs["now"] - pairs["before"]
    pairs["lost"] = pairs["before"].notna() & pairs["now"].isna()
    grouped = pairs.groupby([*KEY, "processor"], sort=False)
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
    band = changes.groupby(KEY, sort=False)["before_mean"]
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
        for place, state in zip(_places(changes), changes["state"], strict=True)
    ]
    # The processor whose mean is nearer.
    nearest = size.sort_values(kind="stable").index
    changes = changes.loc[nearest].drop_duplicates(KEY).sort_index(ignore_index=True)
    return changes.drop(columns=["processor", "spread", "n", "lost", "missing", "new"])


def _run(
    suite: Suite,
    reference: Reference,
    options: RunOptions,
    datasets: Sequence[str],
    methods: Sequence[str],
    **how: Any,
) -> FinishedStudy:
    """Run cells as the reference prescribes.

    Without a store, keep runs until the end, so that a killed check resumes.
    """
    how |= {"seed": reference.seed, "protocol": reference.protocol}
    folder = Path(options.store or cache_folder(options.data_dir) / ".sgpmic-check")
    finished = run_study(
        suite.study(datasets, methods, ["all"], **how), replace(options, store=folder)
    )
    if options.store is None:
        rmtree(finished.prepared.store.memory, ignore_errors=True)
        with suppress(OSError):  # the folder has files of others, such as runs of another check
            for key in finished.distinct_runs["key"]:
                (folder / f"{key}.json").unlink(missing_ok=True)
            folder.rmdir()
    return finished


def _check_names(suite: Suite, reference: Reference, selection: Selection) -> None:
    """Raise UsageError for unknown names, which would otherwise pass without a comparison."""
    datasets = [*names(), *reference.scores["dataset"], "all"]
    methods = [*suite.methods, *reference.scores["method"], "all"]
    for kind, given, valid in (
        ("data set", selection.datasets, datasets),
        ("method", selection.methods, methods),
    ):
        for name in given:
            if Path(name).name not in valid:  # a user's file may be named by its path
                raise UsageError(unknown(kind, name, dict.fromkeys(valid)))


def is_slow(cell: Cell) -> bool:
    """Return whether a cell is left out of the fast check. Users' data and methods never are."""
    entry = find(cell.dataset)
    if entry is None or cell.method.third_party:
        return False
    return entry.kind != "bundled" or cost(cell) > FAST_SECONDS
