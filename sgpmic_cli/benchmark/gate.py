"""Recompute cells and compare them with the reference.

The same repeats with the same seeds are compared, so unchanged code on the same machine gives equal
numbers. Another machine or library version may change single runs.
"""

from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from shutil import rmtree
from typing import Any

import pandas as pd

from sgpmic_cli.benchmark.methods import resolve, unknown
from sgpmic_cli.benchmark.plan import Cell, Study, Suite
from sgpmic_cli.benchmark.reference import (
    OwnFile,
    Place,
    Reference,
    changes_frame,
    changes_of,
    missing,
    scores_of,
)
from sgpmic_cli.benchmark.run import FinishedStudy, RunOptions, run_study
from sgpmic_cli.benchmark.workers import cost
from sgpmic_cli.data.registered import cache_folder
from sgpmic_cli.data.registry import find, names
from sgpmic_cli.errors import UsageError

FAST_SECONDS = 0.5  # the fast cells have shorter runs, by estimate, on bundled data
FAST_REPEATS = 3
UPDATE_REPEATS = 10


@dataclass(frozen=True)
class Selection:
    """The data sets and methods to compare. A user's file is selected by its path or its name."""

    datasets: tuple[str, ...] = ("all",)
    methods: tuple[str, ...] = ("all",)

    def has(self, place: Place) -> bool:
        """Return whether a cell is selected."""
        dataset, _, method = place
        named = (*self.datasets, *(Path(name).name for name in self.datasets))
        return ("all" in named or dataset in named) and (
            "all" in self.methods or method in self.methods
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

    The result has a row for each metric of each cell; see `reference.COLUMNS`.
    """
    _check_names(suite, reference, selection)
    if repeats is None:
        repeats = reference.repeats if full else min(FAST_REPEATS, reference.repeats)
    if repeats > reference.repeats:
        raise UsageError(
            f"--repeats {repeats}: the reference has {reference.repeats}, so give 1 to that many."
        )
    wanted = {place: scores for place, scores in reference.cells.items() if selection.has(place)}
    # Data sets and methods that no longer exist are missing, not wrong arguments.
    files = {name: str(file.path) for name, file in reference.files.items() if file.path.is_file()}
    selected = dict.fromkeys(place[0] for place in wanted)
    datasets = [files.get(name, name) for name in selected if name in files or find(name)]
    methods = [name for name in dict.fromkeys(place[2] for place in wanted) if _exists(suite, name)]
    if not datasets or not methods:
        gone = (missing(place, scores) for place, scores in wanted.items())
        return changes_frame([change for cell in gone for change in cell])
    too_slow: set[Place] = set()

    def keep(cell: Cell) -> list[Cell]:
        """Keep the wanted cells."""
        if cell.place not in wanted:
            return []
        if not full and is_slow(cell):
            too_slow.add(cell.place)
            return []
        return [cell]

    how: dict[str, Any] = {"seed": reference.seed, "protocol": reference.protocol, "vary": keep}
    how["label"] = reference.label if files.keys() & selected.keys() else None
    finished = _run(suite.study(datasets, methods, ["all"], repeats=repeats, **how), options)
    computed = _by_place(finished)
    changes = []
    for place, scores in wanted.items():
        file, runs = reference.files.get(place[0]), computed.get(place)
        if runs is None:
            changes += [] if place in too_slow else missing(place, scores)
        elif (runs["status"] == "unavailable").any():
            changes += missing(place, scores, runs["reason"].iloc[0])
        elif file and runs["data"].iloc[0] != file.sha256:
            reason = f"'{place[0]}' is not the file that the reference was made with"
            changes += missing(place, scores, reason)
        else:
            changes += changes_of(place, scores, scores_of(runs), repeats, _reasons(runs))
    return changes_frame(changes)


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

    A cell in which every run failed keeps its old values and is among the changes as failed.
    `label` is the label column of CSV files; a reference has one. If the reference has such files,
    "all" selects what it contains.
    """
    base = old or Reference(next(iter(suite.protocols)), 0, UPDATE_REPEATS, {})
    repeats = base.repeats if repeats is None else repeats
    if old and repeats != old.repeats and selection != Selection():
        raise UsageError(
            f"--repeats {repeats} differs from the reference's {old.repeats}: update all cells to "
            "change it."
        )
    datasets, methods, label = _arguments_of_update(base, selection, label)
    how: dict[str, Any] = {"seed": base.seed, "protocol": base.protocol, "label": label}
    finished = _run(suite.study(datasets, methods, ["all"], repeats=repeats, **how), options)
    # Cells that are no longer in the table are removed; cells without data stay.
    computed = _by_place(finished)
    removed = [place for place in base.cells if selection.has(place) and place not in computed]
    cells = {place: scores for place, scores in base.cells.items() if place not in removed}
    files = dict(base.files)
    paths = {Path(name).name: Path(name) for name in datasets}
    changes = []
    for place, runs in computed.items():
        if (runs["status"] == "unavailable").any():
            continue
        dataset, now = place[0], scores_of(runs)
        changes += changes_of(place, base.cells.get(place), now, reason=_reasons(runs))
        if now is not None:
            cells[place] = now
        if find(dataset) is None:
            files[dataset] = OwnFile(paths[dataset], runs["data"].iloc[0])
    for place in removed:
        changes += missing(place, base.cells[place], "no longer in the table")
    label = label if files else None
    renewed = replace(base, repeats=repeats, cells=cells, files=files, label=label)
    return renewed, changes_frame(changes), finished


def _by_place(finished: FinishedStudy) -> dict[Place, pd.DataFrame]:
    """Return the runs of each cell."""
    groups = finished.runs.groupby("cell", sort=False)
    return {cell.place: groups.get_group(i) for i, cell in enumerate(finished.prepared.cells)}


def _reasons(runs: pd.DataFrame) -> str:
    return "; ".join(runs["reason"][runs["status"] == "failed"].unique())


def _arguments_of_update(
    old: Reference, selection: Selection, label: str | None
) -> tuple[list[str], list[str], str | None]:
    """Return the data sets, methods and label column of an update, with files by their paths."""
    datasets, methods = list(selection.datasets), list(selection.methods)
    if not old.files:
        return datasets, methods, label
    if label not in (None, old.label):
        raise UsageError(
            f"--label {label} differs from the reference's {old.label}: make another reference."
        )
    if "all" in datasets:
        datasets = list(dict.fromkeys(place[0] for place in old.cells))
    if "all" in methods:
        methods = list(dict.fromkeys(place[2] for place in old.cells))
    paths = [
        str(old.files[name].path) if name in old.files and not Path(name).exists() else name
        for name in datasets
    ]
    return paths, methods, old.label if any(find(name) is None for name in paths) else None


def _exists(suite: Suite, method: str) -> bool:
    try:
        resolve([method], suite.methods)
    except UsageError:
        return False
    return True


def _run(study: Study, options: RunOptions) -> FinishedStudy:
    """Run a study. Without a store, keep runs until the end, so that a killed check resumes."""
    if options.store is not None:
        return run_study(study, options)
    folder = cache_folder(options.data_dir) / ".sgpmic-check"
    finished = run_study(study, replace(options, store=folder))
    rmtree(finished.prepared.store.memory, ignore_errors=True)
    with suppress(OSError):  # the folder has files of others, such as runs of another check
        for key in finished.distinct_runs["key"]:
            (folder / f"{key}.json").unlink(missing_ok=True)
        folder.rmdir()
    return finished


def _check_names(suite: Suite, reference: Reference, selection: Selection) -> None:
    """Raise UsageError for unknown names, which would otherwise pass without a comparison."""
    datasets = [*names(), *(place[0] for place in reference.cells), "all"]
    methods = [*suite.methods, *(place[2] for place in reference.cells), "all"]
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
