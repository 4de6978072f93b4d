"""Recompute cells and compare them with the reference.

The same repeats with the same seeds are compared, so unchanged code on the same processor gives
equal numbers. The fast check compares three repeats of each cell, and all repeats of the reference
where a mean fell by more than a point.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from shutil import rmtree
from typing import Any

import numpy as np
import pandas as pd

from sgpmic_cli.benchmark.compare import NEAR
from sgpmic_cli.benchmark.methods import unknown
from sgpmic_cli.benchmark.plan import Cell, Suite
from sgpmic_cli.benchmark.reference import (
    HERE,
    PLACE,
    SCORE_KEY,
    OwnFile,
    Reference,
    State,
    changes_of,
    places_of,
    scores_of,
)
from sgpmic_cli.benchmark.run import FinishedStudy, RunOptions, run_study
from sgpmic_cli.benchmark.workers import cost
from sgpmic_cli.data.registered import cache_folder
from sgpmic_cli.data.registry import find, names
from sgpmic_cli.errors import UsageError

FAST_SECONDS = 0.5  # the fast cells have shorter runs, by estimate, on bundled data
FAST_REPEATS = 3


@dataclass(frozen=True)
class CellSelection:
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


def check_cells(
    suite: Suite,
    reference: Reference,
    selection: CellSelection = CellSelection(),
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
    fell = places_of(changes[changes["difference"] < -NEAR])
    if reference.repeats > FAST_REPEATS and len(fell):
        suspects = wanted[places_of(wanted).isin(fell)]
        again = _check(suite, reference, suspects, options, reference.repeats, full=True)
        changes = pd.concat([changes[~places_of(changes).isin(fell)], again], ignore_index=True)
    return changes


def _check(
    suite: Suite,
    reference: Reference,
    wanted: pd.DataFrame,
    options: RunOptions,
    repeats: int,
    full: bool,
) -> pd.DataFrame:
    """Recompute scores of the reference and compare them."""
    places, too_slow = set(places_of(wanted)), []

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
    before = wanted[(wanted["repeat"] < repeats) & ~places_of(wanted).isin(too_slow)]
    return changes_of(before, runs)


def update_reference(
    suite: Suite,
    old: Reference | None,
    selection: CellSelection = CellSelection(),
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
    if old and repeats != old.repeats and selection != CellSelection():
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
    without_data = places_of(base.scores).isin(places_of(finished.runs.drop(runs.index)))
    before = base.scores[selection.of(base.scores) & ~without_data]
    changes = changes_of(before, runs, "outer")
    if base.processor != HERE:  # which adds no new scores to the cells of the other
        old_cells = places_of(changes).isin(places_of(base.scores))
        changes = changes[(changes["state"] != State.NEW) | ~old_cells]
    scores = _updated_scores(base, before, runs, changes)
    files = dict(base.files)
    for path in map(Path, datasets):
        data = runs["data"][runs["dataset"] == path.name]
        if find(path.name) is None and len(data):
            files[path.name] = OwnFile(path, data.iloc[0])
    label = label if files else None
    fields: dict[str, Any] = {"repeats": repeats, "scores": scores, "files": files, "label": label}
    return replace(base, **fields), changes, finished


def _updated_scores(
    base: Reference, before: pd.DataFrame, runs: pd.DataFrame, changes: pd.DataFrame
) -> pd.DataFrame:
    """Return the scores of a reference after an update of the part `before`."""
    places, changed = places_of(base.scores), places_of(changes[changes["state"] != State.SAME])
    computed = places_of(runs[runs["status"] == "ok"])
    new = scores_of(runs).assign(processor=HERE).merge(changes[SCORE_KEY])
    new = new[places_of(new).isin(computed) & places_of(new).isin(changed)]
    gone = places.isin(places_of(before)) & ~places.isin(places_of(runs))
    # The scores of another processor stay beside the new ones.
    own = (base.processor == HERE) | (base.scores["processor"] == HERE)
    replaced = places.isin(places_of(new)) & own
    scores = pd.concat([base.scores[~gone & ~replaced], new])
    order = places.append(places_of(new)).unique()
    return scores.iloc[np.argsort(order.get_indexer(places_of(scores)), kind="stable")]


def _run(
    suite: Suite,
    reference: Reference,
    options: RunOptions,
    datasets: Sequence[str],
    methods: Sequence[str],
    **how: Any,
) -> FinishedStudy:
    """Run cells as the reference prescribes; a killed check without a store resumes as well."""
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


def _check_names(suite: Suite, reference: Reference, selection: CellSelection) -> None:
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
