"""Recompute cells and compare them with the reference.

The same repeats with the same seeds are compared, so unchanged code on the same machine gives equal
numbers. Another machine or library version may change single runs. A difference of at most max(1, 3
s / sqrt n) is allowed, where s is the standard deviation of the reference and n the number of
repeats compared.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from sgpmic_cli.data.originals import cache_folder
from sgpmic_cli.data.registry import entry, names
from sgpmic_cli.errors import UsageError
from sgpmic_cli.experiments.compare.comparison import METRICS
from sgpmic_cli.experiments.plan.cells import Cell, runs_of
from sgpmic_cli.experiments.plan.methods import known, resolve, unknown
from sgpmic_cli.experiments.plan.study import Study, Vary
from sgpmic_cli.experiments.run import runner
from sgpmic_cli.experiments.run.aggregate import Stat
from sgpmic_cli.experiments.run.pipeline import FinishedStudy, RunOptions, run_study
from sgpmic_cli.experiments.studies.reference import (
    Expected,
    OwnFile,
    Place,
    Reference,
    expected,
    reference_of,
)
from sgpmic_cli.files.atomic import resumable_folder

FAST_SECONDS = 0.5  # the fast cells have shorter runs, by estimate, on bundled data
FAST_REPEATS = 3
UPDATE_REPEATS = 10
UNCHANGED = 0.005  # half of the last digit shown


class State(StrEnum):
    """How a number compares with the reference."""

    SAME = "same"
    MOVED = "moved"
    UP = "differs up"
    DOWN = "differs down"
    FAILED = "failed"
    MISSING = "missing"
    NEW = "new"


BROKEN = (State.DOWN, State.FAILED, State.MISSING)
COMPARED = (State.SAME, State.MOVED, State.UP, State.DOWN)


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
        dataset, variance, method = self.place
        return {
            "dataset": dataset,
            "variance": variance,
            "method": method,
            "metric": self.metric,
            "state": str(self.state),
            "before": vars(self.before),
            "now": vars(self.now),
            "difference": self.difference,
            "tolerance": self.tolerance,
            "reason": self.reason,
        }


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
    reference: Reference,
    selection: Selection = Selection(),
    options: RunOptions = RunOptions(),
    *,
    full: bool = False,
    repeats: int | None = None,
) -> list[Change]:
    """Recompute the selected cells and compare them; only the fast ones unless `full`."""
    _check_names(reference, selection)
    if repeats is None:
        repeats = reference.repeats if full else min(FAST_REPEATS, reference.repeats)
    if not 1 <= repeats <= reference.repeats:
        raise UsageError(
            f"repeats={repeats}: the reference has {reference.repeats}, so give 1 to that many."
        )
    wanted = {place: cell for place, cell in reference.cells.items() if selection.has(place)}
    selected = {place[0] for place in wanted}
    files = {name: own for name, own in reference.files.items() if name in selected}
    # Data sets and methods that no longer exist are missing, not wrong arguments.
    paths = [str(own.path) for own in files.values() if own.path.is_file()]
    datasets = [*(name for name in names() if name in selected), *paths]
    methods = [name for name in dict.fromkeys(place[2] for place in wanted) if _exists(name)]
    if not datasets or not methods:
        return [_missing(cell) for cell in wanted.values()]
    too_slow: set[Place] = set()
    study = Study(
        datasets,
        ["all"],
        methods,
        repeats,
        reference.seed,
        reference.protocol,
        label=reference.label if paths else None,
        vary=_as_expected(wanted, too_slow, full),
    )
    finished = _run(study, options)
    found = {_place(outcome.cell): outcome for outcome in finished.outcomes}
    hashes = _hashes(finished)
    changes = []
    for place, cell in wanted.items():
        own, outcome = files.get(place[0]), found.get(place)
        if own is not None and hashes.get(place[0], own.sha256) != own.sha256:
            reason = f"'{place[0]}' is not the file that the reference was made with"
            changes.append(_missing(cell, reason))
        elif outcome is not None and outcome.available:
            now = expected(outcome) if outcome.ok else None
            reason = "; ".join(outcome.reasons)
            changes += [_compare(cell, now, metric, repeats, reason) for metric in METRICS]
        elif place not in too_slow:
            changes.append(_missing(cell, "; ".join(outcome.reasons) if outcome else ""))
    return changes


def update(
    old: Reference | None,
    selection: Selection = Selection(),
    options: RunOptions = RunOptions(),
    *,
    repeats: int | None = None,
    label: str | None = None,
) -> tuple[Reference, list[Change], FinishedStudy]:
    """Recompute the selected cells, with their grids, and put them into the reference.

    A cell in which every run failed keeps its old values and is among the changes as failed.
    `label` is the label column of CSV files; a reference has one. If the reference has such files,
    "all" selects what it contains.
    """
    seed, protocol = (old.seed, old.protocol) if old else (0, "as-run")
    if repeats is None:
        repeats = old.repeats if old else UPDATE_REPEATS
    if old and repeats != old.repeats and selection != Selection():
        raise UsageError(
            f"repeats={repeats} differs from the reference's {old.repeats}: update all cells to "
            "change it."
        )
    datasets, methods, label = _arguments_of_update(old, selection, label)
    study = Study(datasets, ["all"], methods, repeats, seed, protocol, label=label)
    finished = _run(study, options)
    new = reference_of(finished.outcomes, protocol, seed, repeats)
    before = old.cells if old else {}
    changes = []
    for outcome in finished.outcomes:
        if outcome.available:
            place, reason = _place(outcome.cell), "; ".join(outcome.reasons)
            earlier, now = before.get(place), new.cells.get(place)
            changes += [_renewed(place, earlier, now, metric, reason) for metric in METRICS]
    # Cells that are no longer in the table are removed; cells without data stay.
    planned = {_place(cell) for cell in finished.prepared.cells}
    removed = [place for place in before if selection.has(place) and place not in planned]
    changes += [_missing(before[place], "no longer in the table") for place in removed]
    cells = {place: cell for place, cell in before.items() if place not in removed} | new.cells
    files = {**(old.files if old else {}), **_own_files(finished, datasets)}
    renewed = replace(new, cells=cells, files=files, label=label if files else None)
    return renewed, changes, finished


def broken(changes: Sequence[Change]) -> list[Change]:
    """Return the changes that make the gate fail."""
    return [change for change in changes if change.state in BROKEN]


def compared(changes: Sequence[Change]) -> int:
    """Return how many numbers were compared with the reference."""
    return sum(change.state in COMPARED for change in changes)


def _arguments_of_update(
    old: Reference | None, selection: Selection, label: str | None
) -> tuple[list[str], list[str], str | None]:
    """Return the data sets, methods and label column of an update, with files by their paths."""
    datasets, methods = list(selection.datasets), list(selection.methods)
    if old is None or not old.files:
        return datasets, methods, label
    if label not in (None, old.label):
        raise UsageError(
            f"label={label} differs from the reference's {old.label}: make another reference."
        )
    if "all" in datasets:
        datasets = list(dict.fromkeys(place[0] for place in old.cells))
    if "all" in methods:
        methods = list(dict.fromkeys(place[2] for place in old.cells))
    paths = [
        str(old.files[name].path) if name in old.files and not Path(name).exists() else name
        for name in datasets
    ]
    has_files = any(name not in names() for name in paths)
    return paths, methods, old.label if has_files else None


def _own_files(finished: FinishedStudy, datasets: Sequence[str]) -> dict[str, OwnFile]:
    """Return the users' files among the data sets, with the hashes of their content."""
    paths = {Path(name).name: Path(name) for name in datasets}
    return {
        name: OwnFile(paths[Path(name).name], sha256)
        for name, sha256 in _hashes(finished).items()
        if name not in names()
    }


def _hashes(finished: FinishedStudy) -> dict[str, str]:
    """Return the hashes of the data by data set."""
    cells = finished.prepared.cells
    return {cell.dataset: cell.data.sha256 for cell in cells if cell.data is not None}


def _place(cell: Cell) -> Place:
    return cell.dataset, cell.variance, cell.method.name


def _exists(method: str) -> bool:
    try:
        resolve([method])
    except UsageError:
        return False
    return True


def _run(study: Study, options: RunOptions) -> FinishedStudy:
    """Run a study. Without a store, keep records until the end, so that a killed check resumes."""
    if options.store is not None:
        return run_study(study, options)
    with resumable_folder(cache_folder(options.data_dir) / "check") as runs:
        return run_study(study, replace(options, store=runs))


def _check_names(reference: Reference, selection: Selection) -> None:
    """Raise UsageError for unknown names, which would otherwise pass without a comparison."""
    existing = {place[0] for place in reference.cells}
    datasets = [
        Path(name).name if Path(name).name in existing else name for name in selection.datasets
    ]
    methods = [*known(), *(place[2] for place in reference.cells)]
    for kind, asked, valid in (
        ("data set", datasets, [*names(), *sorted(existing)]),
        ("method", selection.methods, methods),
    ):
        valid = [*dict.fromkeys(valid), "all"]
        for name in asked:
            if name not in valid:
                raise UsageError(unknown(kind, name, valid))


def _as_expected(wanted: Mapping[Place, Expected], too_slow: set[Place], full: bool) -> Vary:
    """Return a function that keeps the wanted cells at the chosen point of their grid.

    Unless `full`, it leaves out slow cells and adds them to `too_slow`.
    """

    def vary(cell: Cell) -> list[Cell]:
        place = _place(cell)
        if place not in wanted:
            return []
        settings = {**cell.settings, **wanted[place].chosen}
        fixed = replace(cell, method=replace(cell.method, grid={}), settings=settings)
        if not full and is_slow(fixed):
            too_slow.add(place)
            return []
        return [fixed]

    return vary


def is_slow(cell: Cell) -> bool:
    """Return whether a cell is left out of the fast check. Users' data and methods never are."""
    if cell.dataset not in names() or cell.method.third_party:
        return False
    if entry(cell.dataset).kind != "bundled":
        return True
    return runner.cost(runs_of(cell, 1, 0)[0]) > FAST_SECONDS


def _compare(
    before: Expected, now: Expected | None, metric: str, repeats: int | None, reason: str
) -> Change:
    """Compare one metric. The cell has failed if a repeat failed that succeeded before."""
    was = before.stat(metric, repeats)
    values = now.values[metric][:repeats] if now else ()
    stat = Stat.of([value for value in values if value is not None])
    pairs = list(zip(before.values[metric][:repeats], values, strict=False))
    if not pairs or any(new is None and old is not None for old, new in pairs):
        return Change(before.place, metric, State.FAILED, was, stat, reason=reason)
    if was.mean is None or stat.mean is None:
        return Change(before.place, metric, State.MOVED, was, stat, reason=reason)
    count = sum(value is not None for value in values)
    tolerance = max(1.0, 3.0 * (before.stat(metric).std or 0.0) / math.sqrt(count))
    difference = stat.mean - was.mean
    if abs(difference) < UNCHANGED:
        state = State.SAME
    elif abs(difference) <= tolerance:
        state = State.MOVED
    else:
        state = State.UP if difference > 0 else State.DOWN
    return Change(before.place, metric, state, was, stat, tolerance)


def _renewed(
    place: Place, before: Expected | None, now: Expected | None, metric: str, reason: str
) -> Change:
    if before is not None:
        return _compare(before, now, metric, None, reason)
    if now is None:
        return Change(place, metric, State.FAILED, Stat(), Stat(), reason=reason)
    return Change(place, metric, State.NEW, Stat(), now.stat(metric), reason=reason)


def _missing(cell: Expected, reason: str = "") -> Change:
    before = cell.stat(METRICS[0])
    return Change(cell.place, METRICS[0], State.MISSING, before, Stat(), reason=reason)
