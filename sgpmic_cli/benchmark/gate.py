"""Recompute cells and compare them with the reference, whose runs have the same seeds.

The reference is a CSV file with a row for each score of each cell: its mean over ten runs, the
standard error of this mean, and the score of each run. A mean is lower if it fell by more than one
point and two standard errors. The fast check compares the first three runs of the cells with short
runs on bundled data; the standard error of their mean is that of ten runs times sqrt(10 / 3).
"""

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from enum import StrEnum
from pathlib import Path

import numpy as np
import pandas as pd

from sgpmic_cli.benchmark.compare import METRICS, NEAR, ROW
from sgpmic_cli.benchmark.methods import unknown
from sgpmic_cli.benchmark.plan import Cell, Suite
from sgpmic_cli.benchmark.run import RunOptions, Runs, run_study
from sgpmic_cli.data.registry import find
from sgpmic_cli.errors import SgpmicError, UsageError
from sgpmic_cli.files import write_whole

REPEATS, FAST_REPEATS = 10, 3
FAST_SECONDS = 0.5  # the longest estimated run of a fast cell
ERRORS = 2.0  # standard errors by which a mean may fall, beyond one point
UNCHANGED = 0.005  # half of the last digit shown
PLACE = [*ROW, "method"]
SCORE_KEY = [*PLACE, "metric"]
RUNS = [f"run{i}" for i in range(REPEATS)]


class State(StrEnum):
    """How a number compares with the reference."""

    SAME = "same"
    MOVED = "moved"
    UP = "differs up"
    DOWN = "differs down"
    FAILED = "failed"


BROKEN = (State.DOWN, State.FAILED)  # make the gate fail


def read_reference(path: Path) -> pd.DataFrame:
    """Read a reference: the columns of `SCORE_KEY`, mean, error, and those of `RUNS`."""
    return pd.read_csv(path)[[*SCORE_KEY, "mean", "error", *RUNS]]


def select(table: pd.DataFrame, datasets: Sequence[str], methods: Sequence[str]) -> pd.DataFrame:
    """Return the rows of a reference with the given data sets and methods, or with all."""
    for column, names in (("dataset", datasets), ("method", methods)):
        valid = [*table[column].unique(), "all"]
        for name in names:
            if name not in valid:
                raise UsageError(unknown(column.replace("dataset", "data set"), name, valid))
        if "all" not in names:
            table = table[table[column].isin(names)]
    return table


def check_scores(
    suite: Suite,
    reference: pd.DataFrame,
    options: RunOptions = RunOptions(),
    fraction: float | None = None,
) -> pd.DataFrame:
    """Recompute a random fraction of the cells of a reference, or the fast cells, and compare.

    Return a row for each score; see `changes_of`.
    """
    if fraction is None:
        frame = recompute(suite, reference, options, FAST_REPEATS, _is_fast).frame
        if frame.empty:
            raise SgpmicError("nothing was compared: no fast cell is selected, see --full.")
        return changes_of(reference.merge(frame[PLACE].drop_duplicates()), frame)
    places = reference[PLACE].drop_duplicates()
    part = reference.merge(places.sample(max(1, round(fraction * len(places)))))
    return changes_of(part, recompute(suite, part, options).frame)


def recompute(
    suite: Suite,
    reference: pd.DataFrame,
    options: RunOptions,
    repeats: int = REPEATS,
    wanted: Callable[[Cell], bool] = lambda _: True,
) -> Runs:
    """Run the cells of a reference that are wanted."""
    places = set(reference[PLACE].itertuples(index=False, name=None))

    def keep(cell: Cell) -> list[Cell]:
        place = cell.dataset, cell.explained_variance, cell.method.name
        return [cell] if place in places and wanted(cell) else []

    datasets, methods = (reference[name].unique().tolist() for name in ("dataset", "method"))
    study = suite.study(datasets, methods, ["all"], repeats=repeats, vary=keep)
    with tempfile.TemporaryDirectory(prefix="sgpmic-check-") as folder:
        return run_study(study, replace(options, store=options.store or folder))


def _is_fast(cell: Cell) -> bool:
    entry = find(cell.dataset)
    return entry is not None and entry.kind == "bundled" and cell.cost <= FAST_SECONDS


def scores_of(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the scores of runs as rows of a reference; a failed run has none."""
    scores = [
        {**row, "metric": name, "run": f"run{row['repeat']}", "score": row[row["scores"][name]]}
        for row in frame.to_dict("records")
        for name in METRICS
    ]
    table = pd.DataFrame(scores).pivot(index=SCORE_KEY, columns="run", values="score").round(4)
    mean, error = table.mean(axis=1, skipna=False), table.sem(axis=1, skipna=False)
    return table.assign(mean=mean, error=error).reset_index()


def changes_of(reference: pd.DataFrame, frame: pd.DataFrame) -> pd.DataFrame:
    """Compare runs with the runs of a reference that have the same seeds.

    Return a row for each score: SCORE_KEY, `state`, the means and deviations `before_mean`,
    `before_std`, `now_mean` and `now_std`, their `difference`, how far it may fall (`allowed`), and
    the `reason` of a failure.
    """
    before, now = (each.set_index(SCORE_KEY) for each in (reference, scores_of(frame)))
    names = [name for name in RUNS if name in now]
    changes = pd.DataFrame(index=before.index)
    for side, scores in (("before", before), ("now", now.reindex(before.index))):
        runs = scores[names].to_numpy(float)
        changes[f"{side}_mean"], changes[f"{side}_std"] = runs.mean(axis=1), runs.std(axis=1)
    difference = changes["now_mean"] - changes["before_mean"]
    allowed = NEAR + ERRORS * before["error"] * np.sqrt(REPEATS / len(names))
    states = {
        State.FAILED: difference.isna(),
        State.SAME: difference.abs() < UNCHANGED,
        State.MOVED: difference.abs() <= allowed,
        State.UP: difference > 0.0,
    }
    state = np.select([*states.values()], [str(each) for each in states], State.DOWN)
    changes = changes.assign(difference=difference, allowed=allowed, state=state).reset_index()
    failed = frame[frame["reason"] != ""].drop_duplicates(PLACE)[[*PLACE, "reason"]]
    return changes.merge(failed, "left", PLACE).fillna({"reason": ""})


def update_reference(path: Path, suite: Suite, old: pd.DataFrame, options: RunOptions) -> Runs:
    """Recompute the cells of a part of a reference and write them into the file."""
    runs = recompute(suite, old, options)
    new = scores_of(runs.frame[runs.frame["status"] == "ok"]).set_index(SCORE_KEY)
    table = read_reference(path).set_index(SCORE_KEY)
    table.update(new)  # not by numbers that are missing
    write_whole(path, table.reset_index().to_csv(index=False, float_format="%.4f"))
    return runs
