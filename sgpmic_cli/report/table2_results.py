"""The input of the Table 2 report: files that `sgpmic benchmark` and `sgpmic plot` wrote."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from sgpmic_cli.data.registry import entry, names
from sgpmic_cli.experiments.compare.comparison import Result
from sgpmic_cli.experiments.compare.paper import Stat, table2
from sgpmic_cli.experiments.compare.result_file import of_this_version, read_document, read_table
from sgpmic_cli.experiments.compare.verdicts import Verdict
from sgpmic_cli.experiments.plan.methods import known

AS_STATED_FOLDER = "table2-as-stated"
OWN_METHOD = "sgp-mic"
Place = tuple[str, int, str]  # data set, variance, method


@dataclass(frozen=True)
class Table2Results:
    """The cells of the paper's methods, the manifest of the run, and the folder of figures."""

    run: Sequence[Result]
    protocol: str
    repeats: int
    manifest: Mapping[str, Any]
    figures: Path
    as_stated: Mapping[Place, Result]  # SGP-MIC under the protocol `as-stated`; may be empty

    @cached_property
    def cells(self) -> dict[Place, Result]:
        """The cells by data set, variance and method."""
        return {result.place: result for result in self.run}

    @property
    def methods(self) -> list[str]:
        """The methods of the paper."""
        return paper_methods()

    @cached_property
    def rows(self) -> list[tuple[str, int]]:
        """Data sets and variances: the rows of the paper, then other rows that were run."""
        printed = [
            (name, variance)
            for name in names()
            if entry(name).in_paper
            for variance in entry(name).variances
        ]
        return list(
            dict.fromkeys([*printed, *((each.dataset, each.variance) for each in self.run)])
        )

    def ours(self, place: Place, metric: str) -> Stat:
        """Return our numbers of a cell."""
        cell = self.cells.get(place)
        return Stat() if cell is None else cell.ours[metric]

    def verdict(self, place: Place, metric: str) -> Verdict:
        """Return the verdict on a cell."""
        cell = self.cells.get(place)
        return Verdict.NOT_RUN if cell is None else cell.verdict[metric]


@cache
def _labels() -> dict[str, str]:
    """Return the labels of all methods; cached because `known` searches the installed packages."""
    return {name: method.label for name, method in known().items()}


@cache
def paper_methods() -> list[str]:
    """Return the methods that Table 2 prints."""
    printed = dict.fromkeys(method for _, _, _, method in table2())
    return list(dict.fromkeys([*(name for name in _labels() if name in printed), *printed]))


def method_title(method: str) -> str:
    """Return the name of a method on the page."""
    return _labels().get(method, method)


def dataset_title(name: str) -> str:
    """Return the name of a data set in the paper."""
    return name.upper() if name in ("wdbc", "bc", "cmc") else name[:1].upper() + name[1:]


def read_table2(folder: Path) -> Table2Results:
    """Read `table2/benchmark.json`, its manifest and, if it exists, the as-stated column.

    Methods that Table 2 does not print are ignored.
    """
    content = read_table(folder / "table2" / "benchmark.json")
    path = folder / "table2" / "manifest.json"
    manifest = read_document(path)
    with of_this_version(path):
        manifest |= {name: dict(manifest.get(name, {})) for name in ("versions", "data")}
    stated = folder / AS_STATED_FOLDER / "benchmark.json"
    as_stated = read_table(stated).results if stated.exists() else []
    return Table2Results(
        [result for result in content.results if result.method in paper_methods()],
        content.protocol,
        content.repeats,
        manifest,
        folder / "figures",
        {result.place: result for result in as_stated},
    )
