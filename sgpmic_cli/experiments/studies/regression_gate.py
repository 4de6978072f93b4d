"""The regression gate: recompute cells and hold them against the reference.

The same repeats with the same seeds are compared, so unchanged code on the same machine moves nothing. Another machine
or another library may move the last digits, and with them a run now and then: |d| <= max(1, 3 s / sqrt n) is allowed,
s being the spread of the reference and n the number of repeats compared.
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
from sgpmic_cli.experiments.run.pipeline import FinishedStudy, run_study
from sgpmic_cli.experiments.run.run_options import RunOptions
from sgpmic_cli.experiments.studies.reference import (
    Expected,
    OwnFile,
    Place,
    Reference,
    reference_of,
)
from sgpmic_cli.files.atomic import resumable_folder

FAST_SECONDS = 0.5  # the fast subset: runs guessed to be shorter, on data that need no network
FAST_REPEATS = 3
UPDATE_REPEATS = 10
STILL = 0.005  # half of the last digit shown


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
        """Now minus before, where both exist."""
        return (
            None
            if self.before.mean is None or self.now.mean is None
            else self.now.mean - self.before.mean
        )

    def document(self) -> dict[str, Any]:
        """The change as it stands in the JSON document."""
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
    """Data sets and methods of the reference that are to be compared; a file of one's own by its path or its name."""

    datasets: tuple[str, ...] = ("all",)
    methods: tuple[str, ...] = ("all",)

    def has(self, place: Place) -> bool:
        """Whether a cell is selected."""
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
    """Recompute the selected cells, the fast ones unless `full`, and compare."""
    _check_names(reference, selection)
    wanted = {place: cell for place, cell in reference.cells.items() if selection.has(place)}
    if repeats is None:
        repeats = reference.repeats if full else min(FAST_REPEATS, reference.repeats)
    if not 1 <= repeats <= reference.repeats:
        raise UsageError(
            f"repeats={repeats}: the reference has {reference.repeats}, so give 1 to that many."
        )
    # A data set or method that is known no more must show up as missing, not as a wrong argument.
    datasets = [name for name in names() if _named(wanted, name)]
    datasets += [
        str(own.path)
        for name, own in reference.files.items()
        if own.path.is_file() and _named(wanted, name)
    ]
    methods = [name for name in dict.fromkeys(place[2] for place in wanted) if _exists(name)]
    if not datasets or not methods:
        return [_missing(cell) for cell in wanted.values()]
    left_out: set[Place] = set()
    vary = _as_expected(wanted, left_out, full)
    label = reference.label if any(_named(wanted, name) for name in reference.files) else None
    study = Study(
        datasets,
        ["all"],
        methods,
        repeats,
        reference.seed,
        reference.protocol,
        label=label,
        vary=vary,
    )
    finished = _run(study, options)
    found = {(o.cell.dataset, o.cell.variance, o.cell.method.name): o for o in finished.outcomes}
    other_data = _other_data(finished, reference.files)
    changes = []
    for place, cell in wanted.items():
        if place[0] in other_data:
            changes.append(
                _missing(cell, f"'{place[0]}' is not the file that the reference was made with")
            )
        elif place in found and found[place].available:
            got = reference_of(
                [found[place]], reference.protocol, reference.seed, repeats
            ).cells.get(place)
            reason = "; ".join(found[place].reasons)
            changes += [_compare(cell, got, metric, repeats, reason) for metric in METRICS]
        elif place not in left_out:
            changes.append(
                _missing(cell, "; ".join(found[place].reasons) if place in found else "")
            )
    return changes


def update(
    old: Reference | None,
    selection: Selection = Selection(),
    options: RunOptions = RunOptions(),
    *,
    repeats: int | None = None,
    label: str | None = None,
) -> tuple[Reference, list[Change], FinishedStudy]:
    """Compute the selected cells anew, grids and all, and put them into the reference.

    A cell in which every run failed keeps its old values and is among the changes as failed. `label` is the column of
    classes in CSV files of one's own; a reference has one. Where it holds such files, "all" means what it holds.
    """
    seed, protocol = (old.seed, old.protocol) if old else (0, "as-run")
    if repeats is None:
        repeats = old.repeats if old else UPDATE_REPEATS
    if old and repeats != old.repeats and selection != Selection():
        raise UsageError(
            f"repeats={repeats} differs from the reference's {old.repeats}: only the whole can change."
        )
    datasets, methods, label = _asked_anew(old, selection, label)
    finished = _run(
        Study(datasets, ["all"], methods, repeats, seed, protocol, label=label), options
    )
    new = reference_of(finished.outcomes, protocol, seed, repeats)
    before = old.cells if old else {}
    changes = []
    for outcome in finished.outcomes:
        if outcome.available:
            place = outcome.cell.dataset, outcome.cell.variance, outcome.cell.method.name
            reason = "; ".join(outcome.reasons)
            changes += [
                _renewed(place, before.get(place), new.cells.get(place), metric, reason)
                for metric in METRICS
            ]
    # Cells that no table has any more go; those whose data could not be had this time stay.
    planned = {(cell.dataset, cell.variance, cell.method.name) for cell in finished.prepared.cells}
    gone = [place for place in before if selection.has(place) and place not in planned]
    changes += [_missing(before[place], "no longer in the table") for place in gone]
    kept = {place: cell for place, cell in before.items() if place not in gone}
    files = {**(old.files if old else {}), **_own_files(finished, datasets)}
    return (
        replace(new, cells=kept | new.cells, files=files, label=label if files else None),
        changes,
        finished,
    )


def _asked_anew(
    old: Reference | None, selection: Selection, label: str | None
) -> tuple[list[str], list[str], str | None]:
    """Data sets, methods and label column of an update; files that the reference knows are named by their paths."""
    datasets, methods = list(selection.datasets), list(selection.methods)
    if old is None or not old.files:
        return datasets, methods, label
    if label not in (None, old.label):
        raise UsageError(
            f"label={label} differs from the reference's {old.label}: make another reference for it."
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
    """The files among the data sets, with the hashes of what was read from them."""
    paths = {Path(name).name: Path(name) for name in datasets if name not in (*names(), "all")}
    found = {cell.dataset: cell.data for cell in finished.prepared.cells if cell.data is not None}
    return {
        name: OwnFile(paths[Path(name).name], data.sha256)
        for name, data in found.items()
        if name not in names()
    }


def _other_data(finished: FinishedStudy, files: Mapping[str, OwnFile]) -> set[str]:
    """Files that have changed since the reference was made: their numbers say nothing about the methods."""
    found = {cell.dataset: cell.data for cell in finished.prepared.cells if cell.data is not None}
    return {
        name for name, own in files.items() if name in found and found[name].sha256 != own.sha256
    }


def _named(wanted: Mapping[Place, Expected], dataset: str) -> bool:
    return any(place[0] == dataset for place in wanted)


def _exists(method: str) -> bool:
    """Whether a method of the reference can still be had."""
    try:
        resolve([method])
    except UsageError:
        return False
    return True


def _run(study: Study, options: RunOptions) -> FinishedStudy:
    """Without a store, records last until the check is through: one that was cut short goes on where it was."""
    if options.store is not None:
        return run_study(study, options)
    with resumable_folder(cache_folder(options.data_dir) / "check") as runs:
        return run_study(study, replace(options, store=runs))


def _check_names(reference: Reference, selection: Selection) -> None:
    """Refuse names that nobody knows: to skip them would be to pass without having compared."""
    there_already = {place[0] for place in reference.cells}
    datasets = [
        Path(name).name if Path(name).name in there_already else name for name in selection.datasets
    ]
    known_names = {
        "data set": (datasets, [*names(), *sorted(there_already)]),
        "method": (selection.methods, [*known(), *(place[2] for place in reference.cells)]),
    }
    for kind, (asked, there) in known_names.items():
        valid = [*dict.fromkeys(there), "all"]
        for name in asked:
            if name not in valid:
                raise UsageError(unknown(kind, name, valid))


def _as_expected(wanted: Mapping[Place, Expected], left_out: set[Place], full: bool) -> Vary:
    """Keep the cells of the reference, with what was chosen of a grid then; note those that are too slow."""

    def vary(cell: Cell) -> list[Cell]:
        place = cell.dataset, cell.variance, cell.method.name
        if place not in wanted:
            return []
        fixed = replace(
            cell,
            method=replace(cell.method, grid={}),
            settings={**cell.settings, **wanted[place].chosen},
        )
        if not full and _slow(fixed):
            left_out.add(place)
            return []
        return [fixed]

    return vary


def _slow(cell: Cell) -> bool:
    if cell.dataset not in names() or not cell.method.target.startswith("sgpmic_cli."):
        return False  # how long one's own take is for oneself to say
    if entry(cell.dataset).kind != "bundled":
        return True
    return runner.cost(runs_of(cell, 1, 0)[0]) > FAST_SECONDS


def _compare(
    before: Expected, now: Expected | None, metric: str, repeats: int | None, reason: str
) -> Change:
    """Judge one metric; a repeat that failed now but not before makes the cell a failed one."""
    was = before.stat(metric, repeats)
    values = now.values[metric][:repeats] if now else ()
    stat = Stat.of([value for value in values if value is not None])
    pairs = list(zip(before.values[metric][:repeats], values, strict=False))
    if not pairs or any(new is None and old is not None for old, new in pairs):
        return Change(before.place, metric, State.FAILED, was, stat, reason=reason)
    if was.mean is None or stat.mean is None:
        return Change(before.place, metric, State.MOVED, was, stat, reason=reason)
    count = sum(value is not None for value in values)
    spread = before.stat(metric).std or 0.0
    tolerance = max(1.0, 3.0 * spread / math.sqrt(count))
    difference = stat.mean - was.mean
    state = (
        State.DOWN
        if difference < -tolerance
        else State.UP
        if difference > tolerance
        else State.MOVED
    )
    if abs(difference) < STILL:
        state = State.SAME
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
    return Change(
        cell.place, METRICS[0], State.MISSING, cell.stat(METRICS[0]), Stat(), reason=reason
    )


def broken(changes: Sequence[Change]) -> list[Change]:
    """The changes that a gate must not let pass."""
    return [change for change in changes if change.state in BROKEN]


def compared(changes: Sequence[Change]) -> int:
    """How many numbers were really held against the reference."""
    return sum(
        change.state in (State.SAME, State.MOVED, State.UP, State.DOWN) for change in changes
    )
