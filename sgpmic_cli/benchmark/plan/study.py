"""Describe a study, and plan its cells and the runs behind them.

A cell is a method on a data set with a number Q of latent dimensions. The seed and the key of a run
are hashes of what the run computes, not of its place in the plan. Adding a method or a repeat
changes no other run. Two cells with the same experiment (WDBC has the same Q at 50 and 95 % of the
variance) share their runs.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sgpmic_cli.benchmark.plan.datasets import LoadedData
from sgpmic_cli.benchmark.plan.methods import Method, Methods, resolve, unknown
from sgpmic_cli.code_version import code_version
from sgpmic_cli.data.dataset import Dataset
from sgpmic_cli.errors import UsageError


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
    data: Dataset | None = None  # with the columns that the method gets; None if unavailable
    reason: str = ""  # why the data are unavailable

    @property
    def place(self) -> tuple[str, int, str]:
        """Return data set, explained variance and method."""
        return self.dataset, self.explained_variance, self.method.name

    def parameter(self, name: str) -> Any:
        """Return a parameter that a sweep varies, or None if the cell does not have it."""
        return self.n_clusters if name == "n_clusters" else self.settings.get(name)


@dataclass(frozen=True, eq=False)
class Run:
    """One fit: a cell and a repeat."""

    cell: Cell
    q: int | None
    repeat: int
    seed: int
    key: str
    code: str  # version of the method's code


Vary = Callable[[Cell], Iterable[Cell]]


def unvaried(cell: Cell) -> list[Cell]:
    """Return the cell unchanged."""
    return [cell]


@dataclass(frozen=True)
class Study:
    """Everything that determines the numbers. `RunOptions` says how and where they are computed."""

    datasets: Sequence[str]  # names of the registry, `all`, paths or patterns of CSV files
    methods: Sequence[Method]
    explained_variances: Sequence[str | int] = (95,)  # percentages that set Q, or `all`
    repeats: int = 10
    seed: int = 0
    protocol: str = ""
    label: str | None = None  # label column of the CSV files; None for the last column
    scale: str | None = None  # scaling of the columns for all methods; None for their own scaling
    vary: Vary = unvaried  # replaces a cell of the table by the cells to run

    def arguments(self) -> dict[str, Any]:
        """Return the arguments as plain values, for the manifest."""
        names = ("datasets", "explained_variances", "repeats", "seed", "protocol", "label", "scale")
        methods = [method.name for method in self.methods]
        return {"methods": methods} | {name: getattr(self, name) for name in names}


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
        name = next(iter(self.protocols)) if protocol is None else protocol
        if name not in self.protocols:
            raise UsageError(unknown("protocol", name, self.protocols))
        prescribe = self.protocols[name]

        def both(cell: Cell) -> list[Cell]:
            return [varied for prescribed in prescribe(cell) for varied in vary(prescribed)]

        chosen = resolve(methods, self.methods)
        return Study(datasets, chosen, explained_variances, protocol=name, vary=both, **fields)


def plan_cells(loaded: Iterable[LoadedData], study: Study) -> list[Cell]:
    """Return the cells of a study, row by row."""
    return [
        varied
        for data in loaded
        for explained_variance in data.explained_variances
        for q in [_dimensions(data.data, explained_variance)]
        for method in study.methods
        for varied in study.vary(_cell(data, explained_variance, q, method, study.scale))
    ]


def _dimensions(data: Dataset | None, explained_variance: int) -> int | None:
    """Return the number of latent dimensions of a row, which all its methods share."""
    if data is None:
        return None
    from sgpmic_cli.gp.pca import dimensions_for

    return dimensions_for(data.Y, explained_variance / 100)


def _cell(
    loaded: LoadedData, explained_variance: int, q: int | None, method: Method, scale: str | None
) -> Cell:
    """Return a cell. Methods that scale the columns themselves get `scale` as an argument."""
    place = loaded.name, explained_variance, q, method
    data, entry = loaded.data, loaded.entry
    if data is None:
        return Cell(*place, entry.n_classes if entry else 0, reason=loaded.reason)
    if data.labels is None:
        raise UsageError(
            f"{loaded.name!r} has no label column to score against: name it with --label COLUMN."
        )
    settings = dict(method.settings)
    if scale is not None and "scale" in method.accepts():
        settings["scale"] = scale
    return Cell(*place, data.n_classes, settings, data=data)


def plan_runs(cells: Iterable[Cell], repeats: int, seed: int) -> list[Run]:
    """Return all runs of the cells in the order of the plan, without duplicates."""
    unique: dict[str, Run] = {}
    for cell in cells:
        for run in runs_of(cell, repeats, seed):
            unique.setdefault(run.key, run)
    return list(unique.values())


def runs_of(cell: Cell, repeats: int, seed: int) -> list[Run]:
    """Return the runs of one cell; none if the data are unavailable."""
    data = cell.data
    return [] if data is None else [_run(cell, data, repeat, seed) for repeat in range(repeats)]


def _run(cell: Cell, data: Dataset, repeat: int, base: int) -> Run:
    # A method with its own number of dimensions has the same runs in all rows of a data set.
    q = cell.settings.get("n_components", cell.q)
    common = {"q": q, "n_clusters": cell.n_clusters, "settings": cell.settings}
    method = cell.method
    identity = {"dataset": cell.dataset, "method": method.name, "seed": base, "repeat": repeat}
    seed = int(_digest({**common, **identity})[:8], 16)  # 32 bits, as RandomState requires
    code = code_version(method.module)
    content = {"data": data.sha256, "method": method.target, "seed": seed, "code": code}
    return Run(cell, q, repeat, seed, _digest({**common, **content}), code)


def _digest(content: dict[str, Any]) -> str:
    canonical = json.dumps(content, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(canonical.encode()).hexdigest()
