"""What the report is made from: the files that the benchmark and the figures left in a folder of results."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from sgpmic_cli.data.registry import entry, names
from sgpmic_cli.experiments.compare.comparison import Result
from sgpmic_cli.experiments.compare.paper import published, table2
from sgpmic_cli.experiments.compare.result_file import (
    ResultTable,
    expect,
    of_this_version,
    read_document,
    read_table,
)
from sgpmic_cli.experiments.compare.verdicts import Verdict
from sgpmic_cli.experiments.plan.methods import known

STATED = "table2-as-stated"  # folder of SGP-MIC's column under the other protocol
Place = tuple[str, int, str]  # data set, variance, method


@dataclass(frozen=True)
class Results:
    """Table 2 as it was computed, cell by cell, and where the figures lie."""

    table: ResultTable
    cells: Mapping[Place, Result]
    manifest: Mapping[str, Any]
    figures: Path
    stated: Mapping[
        Place, Result
    ]  # SGP-MIC under the protocol `as-stated`; empty where it has not been run

    @property
    def methods(self) -> list[str]:
        """The paper's methods in its order, then whatever else was run."""
        printed = dict.fromkeys(method for _, _, _, method in table2())
        ordered = [name for name in _titles() if name in printed]
        return list(dict.fromkeys([*ordered, *printed, *(method for _, _, method in self.cells)]))

    @property
    def rows(self) -> list[tuple[str, int]]:
        """Data set and variance: the paper's rows, then whatever else was run."""
        printed = [
            (name, variance)
            for name in names()
            if entry(name).in_paper
            for variance in entry(name).variances
        ]
        return list(
            dict.fromkeys([*printed, *((dataset, variance) for dataset, variance, _ in self.cells)])
        )

    def ours(self, place: Place, metric: str) -> float | None:
        """Our mean of a cell."""
        return self.cells[place].ours[metric].mean if place in self.cells else None

    def paper(self, place: Place, metric: str) -> float | None:
        """The printed mean of a cell."""
        printed = published(metric, *place)
        return None if printed is None else printed.mean

    def verdict(self, place: Place, metric: str) -> Verdict:
        """The verdict on a cell."""
        return self.cells[place].verdict[metric] if place in self.cells else Verdict.NOT_RUN


@cache
def _titles() -> dict[str, str]:
    """Titles by name, read once: `known` looks through all installed packages at every call."""
    return {name: method.label for name, method in known().items()}


def title_of(method: str) -> str:
    """The name of a method in the report."""
    return _titles().get(method, method)


def dataset_title(name: str) -> str:
    """The name of a data set in the report, which is the paper's."""
    return name.upper() if name in ("wdbc", "bc", "cmc") else name[:1].upper() + name[1:]


def read_folder(folder: Path) -> Results:
    """Read `table2/benchmark.json` and its manifest, and the as-stated column where there is one."""
    table = read_table(folder / "table2" / "benchmark.json")
    path = folder / "table2" / "manifest.json"
    manifest = read_document(path)
    with of_this_version(path):
        for part in (manifest.get("versions", {}), manifest.get("data", {})):
            expect(part, dict)
    stated = folder / STATED / "benchmark.json"
    beside = read_table(stated).results if stated.exists() else []
    cells, others = (
        {result.place: result for result in results} for results in (table.results, beside)
    )
    return Results(table, cells, manifest, folder / "figures", others)
