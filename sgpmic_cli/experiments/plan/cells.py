"""What is to be computed: cells (data set, variance, method) and the runs behind them.

A run knows its seed and its key from the start. Both are hashes of what the run *is*, never of its place in the plan:
adding a method or a repeat changes no other run, and two cells that ask for the same experiment (WDBC at 50 and 95 %
has one Q) share its runs.
"""

import hashlib
import itertools
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sgpmic_cli.code_version import code_version
from sgpmic_cli.data.dataset import Dataset
from sgpmic_cli.errors import UsageError
from sgpmic_cli.experiments.plan.methods import Method
from sgpmic_cli.experiments.plan.protocol import Protocol
from sgpmic_cli.experiments.plan.table_data import TableData


@dataclass(frozen=True, eq=False)
class Cell:
    """One method on one data set at one Q."""

    dataset: str
    variance: int
    q: int | None
    method: Method
    n_clusters: int
    settings: dict[str, Any] = field(default_factory=dict)
    scores: dict[str, str] = field(
        default_factory=lambda: {"acc": "acc", "nmi": "nmi"}
    )  # shown as ACC and as NMI
    data: Dataset | None = None  # with the columns that the method gets; None when unavailable
    reason: str = ""
    data_differ: bool = False  # the data are not those of the paper

    def parameter(self, name: str) -> Any:
        """What a sweep varies: the number of clusters, or a setting; None where the cell has no such setting."""
        return self.n_clusters if name == "n_clusters" else self.settings.get(name)

    def candidates(self) -> list[dict[str, Any]]:
        """Settings to run: one dict, or one for each point of the method's grid."""
        points = itertools.product(*self.method.grid.values())
        return [
            {**self.settings, **dict(zip(self.method.grid, point, strict=True))} for point in points
        ]


@dataclass(frozen=True, eq=False)
class Run:
    """One fit: a cell, its settings, and a repeat."""

    cell: Cell
    q: int | None
    settings: dict[str, Any]
    repeat: int
    seed: int
    key: str
    code: str  # version of the method's code

    def arguments(self) -> dict[str, Any]:
        """What the estimator's constructor gets (a clusterer from elsewhere only what it accepts)."""
        common = {
            "n_clusters": self.cell.n_clusters,
            "n_components": self.q,
            "random_state": self.seed,
        }
        accepted = self.cell.method.accepts()
        return {name: value for name, value in common.items() if name in accepted} | self.settings


def plan_cells(
    asked: Iterable[TableData],
    methods: Sequence[Method],
    protocol: Protocol,
    scale: str | None = None,
) -> list[Cell]:
    """The cells of a table, row by row; methods that scale columns by themselves are told the one `scale` of all."""
    planned: list[Cell] = []
    for table_data in asked:
        for variance in table_data.variances:
            q = _q(table_data, variance, protocol)
            planned += [
                _told_scale(_cell(table_data, variance, q, method, protocol), scale)
                for method in methods
            ]
    return planned


def _told_scale(cell: Cell, scale: str | None) -> Cell:
    if scale is None or "scale" not in cell.method.accepts():
        return cell
    return replace(cell, settings={**cell.settings, "scale": scale})


def _q(table_data: TableData, variance: int, protocol: Protocol) -> int | None:
    if table_data.data is not None:
        return protocol.q(table_data.data, table_data.entry, variance)
    return table_data.entry.as_run_q.get(variance) if table_data.entry and protocol.as_run else None


def _cell(
    table_data: TableData, variance: int, q: int | None, method: Method, protocol: Protocol
) -> Cell:
    entry, data = table_data.entry, table_data.data
    if data is None:
        return Cell(
            table_data.name,
            variance,
            q,
            method,
            entry.n_classes if entry else 0,
            reason=table_data.reason,
        )
    if data.labels is None:
        raise UsageError(
            f"{table_data.name!r} has no label column to score against: name it with label=COLUMN."
        )
    settings = protocol.settings(method, entry)
    if entry is not None and "n_inducing" in method.accepts():
        settings = {"n_inducing": min(entry.inducing, len(data.Y)), **settings}
    return Cell(
        dataset=table_data.name,
        variance=variance,
        q=q,
        method=method,
        n_clusters=data.n_classes,
        settings=settings,
        scores=protocol.scores(method, entry),
        data=protocol.columns(data, entry, method),
        data_differ=entry is not None and entry.data_differ,
    )


def plan_runs(planned: Iterable[Cell], repeats: int, seed: int) -> list[Run]:
    """All runs of the cells, equal ones once, in the order of the plan."""
    unique: dict[str, Run] = {}
    for cell in planned:
        for run in runs_of(cell, repeats, seed):
            unique.setdefault(run.key, run)
    return list(unique.values())


def runs_of(cell: Cell, repeats: int, seed: int) -> list[Run]:
    """The runs behind one cell, grid point by grid point; none when the data are unavailable."""
    if cell.data is None:
        return []
    return [
        _run(cell, settings, repeat, seed)
        for settings in cell.candidates()
        for repeat in range(repeats)
    ]


def _run(cell: Cell, settings: dict[str, Any], repeat: int, base: int) -> Run:
    assert cell.data is not None
    q = settings.get(
        "n_components", cell.q
    )  # a method with a number of its own has one run for all rows of a data set
    identity = {
        "dataset": cell.dataset,
        "q": q,
        "n_clusters": cell.n_clusters,
        "method": cell.method.name,
        "settings": settings,
    }
    seed = int(
        _digest({**identity, "seed": base, "repeat": repeat})[:8], 16
    )  # 32 bits: what RandomState takes
    code = code_version(cell.method.module)
    key = _digest(
        {
            "data": cell.data.sha256,
            "q": q,
            "n_clusters": cell.n_clusters,
            "method": cell.method.target,
            "settings": settings,
            "seed": seed,
            "code": code,
        }
    )
    return Run(cell, q, settings, repeat, seed, key, code)


def _digest(content: dict[str, Any]) -> str:
    canonical = json.dumps(content, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(canonical.encode()).hexdigest()
