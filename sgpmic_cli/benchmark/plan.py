"""Plan a benchmark: data sets and methods give cells, and cells give a frame of runs.

A cell is a method on a data set with a number Q of latent dimensions. The seed and the key of a run
are hashes of what the run computes, not of its place in the plan. Adding a method or a repeat
changes no other run. Two cells with the same experiment (WDBC has the same Q at 50 and 95 % of the
variance) share their runs.

The frame has a row for each run of each cell:

| columns | content | filled by |
|---|---|---|
| cell, dataset, data, explained_variance, q | the cell | plan |
| n_clusters, method, settings, scores | of the cell | plan |
| repeat, seed, key | the run; equal runs of two cells have one key | plan |
| status | "planned", then "ok" or "failed"; "unavailable" without data | plan, run |
| reason | why a run failed or has no data | plan, run |
| seconds, warnings | of the fit | run |
| a column for each of `SCORES` | the scores of a run that succeeded | run |
"""

import glob
import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from sgpmic_cli import __version__
from sgpmic_cli.benchmark.methods import Method, Methods, resolve, unknown
from sgpmic_cli.data.registered import load_entry
from sgpmic_cli.data.registry import entry, find, names
from sgpmic_cli.errors import DataUnavailable, UsageError
from sgpmic_cli.scores import SCORES
from sgpmic_cli.tables.options import TableOptions
from sgpmic_cli.tables.rows import Rows

PERCENTAGES = (50, 95, 99)  # of the variance
USUAL_PERCENTAGE = 95
USUAL_INDUCING = 50
CELL = ["cell", "dataset", "data", "explained_variance", "q", "n_clusters", "method"]
CELL += ["scores", "settings"]
RUN = ["repeat", "seed", "key"]
# The columns that a run fills, with their values before.
FILLED: dict[str, Any] = {"status": "planned", "reason": "", "seconds": None, "warnings": []}
FILLED |= dict.fromkeys(SCORES)


@dataclass(frozen=True, eq=False)
class Cell:
    """One method on one data set with one number of latent dimensions."""

    dataset: str
    explained_variance: int  # percentage that sets Q
    q: int | None
    method: Method
    n_clusters: int
    settings: dict[str, Any] = field(default_factory=dict)
    # The scores shown as ACC and as NMI.
    scores: dict[str, str] = field(default_factory=lambda: {"acc": "acc", "nmi": "nmi"})
    data: Rows | None = None  # with the columns that the method gets; None if unavailable
    reason: str = ""  # why the data are unavailable

    @property
    def cost(self) -> float:
        """Estimate the seconds of a run, to order the work and to choose the fast cells."""
        assert self.data is not None
        clusters = self.n_clusters / max(1, self.data.n_classes)
        inducing = self.settings.get("n_inducing", USUAL_INDUCING) / USUAL_INDUCING
        rows = len(self.data.Y) / 1000
        return self.method.cost * rows * max(1.0, clusters) * max(1.0, inducing)

    def parameter(self, name: str) -> Any:
        """Return a parameter that a sweep varies, or None if the cell does not have it."""
        return self.n_clusters if name == "n_clusters" else self.settings.get(name)


Vary = Callable[[Cell], Iterable[Cell]]


def unvaried(cell: Cell) -> list[Cell]:
    """Return the cell unchanged."""
    return [cell]


@dataclass(frozen=True)
class Study:
    """Everything that determines the numbers; see also `RunOptions`."""

    datasets: Sequence[str]  # names of the registry, `all`, paths or patterns of CSV files
    methods: Methods
    explained_variances: Sequence[str | int] = (95,)  # percentages that set Q, or `all`
    repeats: int = 10
    seed: int = 0
    protocol: str = ""
    label: str | None = None  # label column of the CSV files; None for the last column
    vary: Vary = unvaried  # replaces a cell of the table by the cells to run

    def arguments(self) -> dict[str, Any]:
        """Return the arguments as plain values, for the manifest."""
        names = ("datasets", "explained_variances", "repeats", "seed", "protocol", "label")
        return {"methods": [*self.methods]} | {name: getattr(self, name) for name in names}


@dataclass(frozen=True)
class Suite:
    """The methods and protocols that the studies of a benchmark can name.

    A protocol replaces a cell by the cell that it prescribes, with other settings for example.
    """

    methods: Methods
    protocols: Mapping[str, Vary]

    def study(
        self,
        datasets: Sequence[str],
        methods: Iterable[str] = ("all",),
        explained_variances: Sequence[str | int] = (95,),
        *,
        protocol: str | None = None,
        vary: Vary = unvaried,
        **fields: Any,
    ) -> Study:
        """Return a study with methods and protocol by name; the first protocol by default."""
        name = protocol or next(iter(self.protocols))
        if name not in self.protocols:
            raise UsageError(unknown("protocol", name, self.protocols))

        def both(cell: Cell) -> list[Cell]:
            return [varied for each in self.protocols[name](cell) for varied in vary(each)]

        chosen = resolve(methods, self.methods)
        return Study(datasets, chosen, explained_variances, protocol=name, vary=both, **fields)


@dataclass(frozen=True)
class LoadedData:
    """A requested data set with its data, or the reason why they are unavailable."""

    name: str
    explained_variances: tuple[int, ...]  # percentages, one row of the table each
    data: Rows | None
    reason: str = ""


def load_data(
    datasets: Sequence[str], explained_variances: Sequence[str | int], label: str | None = None
) -> list[LoadedData]:
    """Load every data set. An unavailable one stays in the list with its reason."""
    loaded: dict[str, LoadedData] = {}
    for name, percentages in _requested(datasets, _percentages(explained_variances)):
        registered = find(name)
        try:
            data = load_entry(registered) if registered else _load_file(name, label)
            new = LoadedData(data.name, percentages, data)
        except DataUnavailable as error:
            new = LoadedData(name, percentages, None, str(error))
        if new.name in loaded and not registered:
            raise UsageError(f"two data sets are called {new.name!r}: rename the file {name!r}.")
        loaded.setdefault(new.name, new)
    if not loaded:
        raise UsageError("no data set was named: give iris,wine for example, or a CSV file.")
    if label is not None and all(map(find, loaded)):
        raise UsageError(f"--label {label} names a column, and no CSV file is among the data.")
    if all(one.data is None for one in loaded.values()):
        raise DataUnavailable(" ".join(one.reason for one in loaded.values()))
    return list(loaded.values())


def _load_file(name: str, label: str | None) -> Rows:
    """Load a file. Its last column is the label column unless one is named."""
    from sgpmic_cli.data.loading import is_table, read, rows_of

    if not is_table(name):
        entry(name)  # raises the error of an unknown name
    table = read(name, known=(label,))
    column = label or table.frame.columns[-1]
    data = rows_of(table, TableOptions(column))
    if np.isnan(data.Y).any():
        raise UsageError(f"{name} has missing values, which few methods take: fill them in.")
    if label is None and 2 * data.n_classes > len(data.Y):
        raise UsageError(
            f"the last column of {name}, {column!r}, has {data.n_classes} different values in "
            f"{len(data.Y)} rows, so it is not a label column: name one with --label COLUMN."
        )
    return data


def _requested(
    datasets: Sequence[str], wanted: tuple[int, ...] | None
) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Yield names with their percentages, and the files of a pattern such as FOLDER/*.csv."""
    for name in datasets:
        registered, found = find(name), [name]
        if name == "all":  # only the registered rows
            for each in map(entry, names()):
                rows = tuple(row for row in each.variances if row in (wanted or PERCENTAGES))
                if each.in_paper and rows:
                    yield each.name, rows
            continue
        if registered is None and glob.has_magic(name) and not os.path.exists(name):
            found = sorted(glob.glob(os.path.expanduser(name), recursive=True))
            if not found:
                raise UsageError(
                    f"no file matches {name!r}: check the folder, and put the pattern in quotes."
                )
        usual = registered.variances if registered else PERCENTAGES
        yield from ((each, wanted or usual) for each in found)


def _percentages(given: Sequence[str | int]) -> tuple[int, ...] | None:
    """Parse percentages; None stands for all of each data set."""
    texts = [str(text).strip().removesuffix("%") for text in given]
    valid = [*map(str, PERCENTAGES), "all"]
    for text in texts or [""]:
        if text not in valid:
            raise UsageError(unknown("variance", text, valid))
    return None if "all" in texts else tuple(dict.fromkeys(map(int, texts)))


def plan_cells(loaded: Iterable[LoadedData], study: Study) -> list[Cell]:
    """Return the cells of a study, row by row. All methods of a row have the same Q."""
    from sgpmic_cli.gp import dimensions_for

    cells: list[Cell] = []
    for one in loaded:
        counted = one.data or find(one.name)
        n_classes = counted.n_classes if counted else 0
        for percentage in one.explained_variances:
            q = dimensions_for(one.data.Y, percentage / 100) if one.data else None
            for method in study.methods.values():
                place = one.name, percentage, q, method, n_classes, dict(method.settings)
                cells += study.vary(Cell(*place, data=one.data, reason=one.reason))
    return cells


def plan_runs(cells: Sequence[Cell], repeats: int, seed: int) -> pd.DataFrame:
    """Return the frame of the runs of all cells; one row without a key for a cell without data."""
    rows: list[dict[str, Any]] = []
    for number, cell in enumerate(cells):
        data, row = cell.data.sha256 if cell.data else "", (cell.explained_variance, cell.q)
        what = cell.n_clusters, cell.method.name, cell.scores, cell.settings
        place = dict(zip(CELL, (number, cell.dataset, data, *row, *what), strict=True))
        if cell.data is None:
            gone = {"status": "unavailable", "reason": cell.reason}
            rows.append({**place, **dict.fromkeys(RUN, 0), "key": "", **FILLED, **gone})
        else:
            rows += [{**place, **_identity(place, cell, i, seed), **FILLED} for i in range(repeats)]
    return pd.DataFrame(rows, columns=[*CELL, *RUN, *FILLED]).astype({"q": "Int64"})


def _identity(place: dict[str, Any], cell: Cell, repeat: int, base: int) -> dict[str, Any]:
    """Return number, seed and key of a run, which do not depend on the other runs."""
    content = {name: place[name] for name in ("q", "n_clusters", "settings")}
    # A method with its own number of dimensions has the same runs in all rows of a data set.
    content["q"] = cell.settings.get("n_components", cell.q)
    names = {"dataset": cell.dataset, "method": cell.method.name, "seed": base, "repeat": repeat}
    seed = int(_digest({**content, **names})[:8], 16)  # 32 bits, as RandomState requires
    code = {"data": place["data"], "method": cell.method.target, "version": __version__}
    return {"repeat": repeat, "seed": seed, "key": _digest({**content, **code, "seed": seed})}


def _digest(content: dict[str, Any]) -> str:
    canonical = json.dumps(content, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(canonical.encode()).hexdigest()
