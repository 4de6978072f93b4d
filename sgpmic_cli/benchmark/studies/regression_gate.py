"""Recompute cells and compare them with the reference.

The same repeats with the same seeds are compared, so unchanged code on the same machine gives equal
numbers. Another machine or library version may change single runs.
"""

from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from shutil import rmtree

from sgpmic_cli.benchmark.compare.comparison import METRICS, Place, Result
from sgpmic_cli.benchmark.plan.cells import Cell, Study
from sgpmic_cli.benchmark.plan.methods import known, resolve, unknown
from sgpmic_cli.benchmark.run import runner
from sgpmic_cli.benchmark.run.pipeline import FinishedStudy, RunOptions, run_study
from sgpmic_cli.benchmark.studies.reference import (
    Change,
    OwnFile,
    Reference,
    Scores,
    changes_of,
    missing,
)
from sgpmic_cli.data.originals import cache_folder
from sgpmic_cli.data.registry import find, names
from sgpmic_cli.errors import UsageError

FAST_SECONDS = 0.5  # the fast cells have shorter runs, by estimate, on bundled data
FAST_REPEATS = 3
UPDATE_REPEATS = 10
DIGITS = 4  # of the scores in a reference


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
    if repeats > reference.repeats:
        raise UsageError(
            f"--repeats {repeats}: the reference has {reference.repeats}, so give 1 to that many."
        )
    wanted = {place: cell for place, cell in reference.cells.items() if selection.has(place)}
    # Data sets and methods that no longer exist are missing, not wrong arguments.
    files = {name: str(own.path) for name, own in reference.files.items() if own.path.is_file()}
    selected = dict.fromkeys(place[0] for place in wanted)
    datasets = [files.get(name, name) for name in selected if name in files or find(name)]
    methods = [name for name in dict.fromkeys(place[2] for place in wanted) if _exists(name)]
    if not datasets or not methods:
        return [missing(place, cell) for place, cell in wanted.items()]
    too_slow: set[Place] = set()

    def vary(cell: Cell) -> list[Cell]:
        """Keep the wanted cells."""
        if cell.place not in wanted:
            return []
        if not full and is_slow(cell):
            too_slow.add(cell.place)
            return []
        return [cell]

    label = reference.label if files.keys() & selected.keys() else None
    how = repeats, reference.seed, reference.protocol, label
    finished = _run(Study(datasets, ["all"], methods, *how, vary=vary), options)
    found = {result.place: result for result in finished.results}
    changes = []
    for place, cell in wanted.items():
        own, result = reference.files.get(place[0]), found.get(place)
        reason = "; ".join(result.reasons) if result else ""
        if own and result and result.available and result.data != own.sha256:
            reason = f"'{place[0]}' is not the file that the reference was made with"
            changes.append(missing(place, cell, reason))
        elif result and result.available:
            now = _scores(finished, result)
            changes += changes_of(place, cell, now, repeats, reason)
        elif place not in too_slow:
            changes.append(missing(place, cell, reason))
    return changes


def update(
    old: Reference | None,
    selection: Selection = Selection(),
    options: RunOptions = RunOptions(),
    *,
    repeats: int | None = None,
    label: str | None = None,
) -> tuple[Reference, list[Change], FinishedStudy]:
    """Recompute the selected cells and put them into the reference.

    A cell in which every run failed keeps its old values and is among the changes as failed.
    `label` is the label column of CSV files; a reference has one. If the reference has such files,
    "all" selects what it contains.
    """
    base = old or Reference("as-run", 0, UPDATE_REPEATS, {})
    repeats = base.repeats if repeats is None else repeats
    if old and repeats != old.repeats and selection != Selection():
        raise UsageError(
            f"--repeats {repeats} differs from the reference's {old.repeats}: update all cells to "
            "change it."
        )
    datasets, methods, label = _arguments_of_update(base, selection, label)
    study = Study(datasets, ["all"], methods, repeats, base.seed, base.protocol, label=label)
    finished = _run(study, options)
    # Cells that are no longer in the table are removed; cells without data stay.
    found = {result.place: result for result in finished.results}
    removed = [place for place in base.cells if selection.has(place) and place not in found]
    cells = {place: cell for place, cell in base.cells.items() if place not in removed}
    files = dict(base.files)
    paths = {Path(name).name: Path(name) for name in datasets}
    changes = []
    for place, result in found.items():
        if result.available:
            now = _scores(finished, result)
            reason = "; ".join(result.reasons)
            changes += changes_of(place, base.cells.get(place), now, reason=reason)
            if now is not None:
                cells[place] = now
            if find(result.dataset) is None:
                files[result.dataset] = OwnFile(paths[result.dataset], result.data)
    changes += [missing(place, base.cells[place], "no longer in the table") for place in removed]
    label = label if files else None
    renewed = replace(base, repeats=repeats, cells=cells, files=files, label=label)
    return renewed, changes, finished


def _scores(finished: FinishedStudy, result: Result) -> Scores | None:
    """Convert a computed cell to a cell of the reference; None if every run failed."""
    if not result.ok:
        return None
    records = [finished.records[run.key] for run in result.runs]
    return {
        metric: [
            round(record.scores[result.scores[metric]], DIGITS) if record.ok else None
            for record in records
        ]
        for metric in METRICS
    }


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
    folder = cache_folder(options.data_dir) / ".sgpmic-check"
    finished = run_study(study, replace(options, store=folder))
    rmtree(finished.prepared.store.memory, ignore_errors=True)
    with suppress(OSError):  # the folder has files of others, such as records of another check
        for key in finished.records:
            (folder / f"{key}.json").unlink(missing_ok=True)
        folder.rmdir()
    return finished


def _check_names(reference: Reference, selection: Selection) -> None:
    """Raise UsageError for unknown names, which would otherwise pass without a comparison."""
    datasets = [*names(), *(place[0] for place in reference.cells), "all"]
    methods = [*known(), *(place[2] for place in reference.cells), "all"]
    for kind, asked, valid in (
        ("data set", selection.datasets, datasets),
        ("method", selection.methods, methods),
    ):
        for name in asked:
            if Path(name).name not in valid:  # a user's file may be named by its path
                raise UsageError(unknown(kind, name, dict.fromkeys(valid)))


def is_slow(cell: Cell) -> bool:
    """Return whether a cell is left out of the fast check. Users' data and methods never are."""
    known = find(cell.dataset)
    if known is None or cell.method.third_party:
        return False
    if known.kind != "bundled":
        return True
    return runner.cost(cell) > FAST_SECONDS
