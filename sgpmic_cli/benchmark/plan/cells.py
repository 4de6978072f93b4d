"""Describe a study, and plan its cells (data set, variance, method) and the runs behind them.

There are two protocols. `as-run` is the procedure that reproduces most cells of the deterministic
methods to the second decimal: Wine without its last column for most methods, NMI of the mapped
labels. `as-stated` follows the text of the paper; docs/printed-numbers.md lists what it takes where
the text is silent. Both take the printed Q where the public data give another one.

The seed and the key of a run are hashes of what the run computes, not of its place in the plan.
Adding a method or a repeat changes no other run. Two cells with the same experiment (WDBC has the
same Q at 50 and 95 %) share their runs.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from sgpmic_cli.benchmark.plan.methods import Method, unknown
from sgpmic_cli.benchmark.plan.table_data import TableData
from sgpmic_cli.code_version import code_version
from sgpmic_cli.data.dataset import Dataset
from sgpmic_cli.errors import UsageError

PROTOCOLS = {"as-run": "nmi", "as-stated": "nmi_stated"}  # with the score shown as NMI


@dataclass(frozen=True, eq=False)
class Cell:
    """One method on one data set with one number of latent dimensions."""

    dataset: str
    variance: int
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
        """Return data set, variance and method."""
        return self.dataset, self.variance, self.method.name

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
    variances: Sequence[str | int] = (95,)  # percentages of variance that set Q, or `all`
    methods: Sequence[str] = ("all",)
    repeats: int = 10
    seed: int = 0
    protocol: str = "as-run"
    label: str | None = None  # label column of the CSV files; None for the last column
    scale: str | None = None  # scaling of the columns for all methods; None for their own scaling
    vary: Vary = unvaried  # replaces a cell of the table by the cells to run

    def __post_init__(self) -> None:
        """Check the protocol."""
        if self.protocol not in PROTOCOLS:
            raise UsageError(unknown("protocol", self.protocol, PROTOCOLS))

    def arguments(self) -> dict[str, Any]:
        """Return the arguments as plain values, for the manifest."""
        names = [field.name for field in fields(self) if field.name != "vary"]
        return {name: getattr(self, name) for name in names}


def plan_cells(
    tables: Iterable[TableData],
    methods: Sequence[Method],
    protocol: str = "as-run",
    scale: str | None = None,
) -> list[Cell]:
    """Return the cells of a table, row by row.

    Methods that scale the columns themselves get the common `scale` as an argument.
    """
    return [
        _cell(table, variance, q, method, protocol, scale)
        for table in tables
        for variance in table.variances
        for q in [_q(table, variance, protocol)]
        for method in methods
    ]


def _q(table: TableData, variance: int, protocol: str) -> int | None:
    """Return the number of latent dimensions of a row, which all its methods share."""
    if table.entry and variance in table.entry.printed_q:
        return table.entry.printed_q[variance]
    if table.data is None:
        return None
    from sgpmic_cli.gp.pca import dimensions_for

    return dimensions_for(_without_dropped(table, table.data, protocol).Y, variance / 100)


def _without_dropped(table: TableData, data: Dataset, protocol: str) -> Dataset:
    """Return the data without the columns that the paper left out."""
    dropped = table.entry.as_run_drop if table.entry and protocol == "as-run" else ()
    return data.without(dropped) if dropped else data


def _cell(
    table: TableData, variance: int, q: int | None, method: Method, protocol: str, scale: str | None
) -> Cell:
    """Return one cell.

    Settings and scores that match the printed numbers apply to data sets of the registry only.
    """
    entry, data = table.entry, table.data
    if data is None:
        n_classes = entry.n_classes if entry else 0
        return Cell(table.name, variance, q, method, n_classes, reason=table.reason)
    if data.labels is None:
        raise UsageError(
            f"{table.name!r} has no label column to score against: name it with --label COLUMN."
        )
    settings = dict(method.settings)
    scores = {"acc": "acc", "nmi": PROTOCOLS[protocol]}
    if protocol == "as-stated":
        settings |= method.as_stated
    elif entry is not None:
        settings |= method.as_run
        scores |= method.as_run_scores
    if entry is not None and "n_inducing" in method.accepts():
        settings = {"n_inducing": min(entry.inducing, len(data.Y)), **settings}
    if scale is not None and "scale" in method.accepts():
        settings["scale"] = scale
    return Cell(
        dataset=table.name,
        variance=variance,
        q=q,
        method=method,
        n_clusters=data.n_classes,
        settings=settings,
        scores=scores,
        data=_without_dropped(table, data, protocol) if method.drops_columns else data,
    )


def plan_runs(planned: Iterable[Cell], repeats: int, seed: int) -> list[Run]:
    """Return all runs of the cells in the order of the plan, without duplicates."""
    unique: dict[str, Run] = {}
    for cell in planned:
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
