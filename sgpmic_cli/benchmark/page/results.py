"""The input of the benchmark report: files that `sgpmic benchmark` and `sgpmic plot` wrote."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from sgpmic_cli.benchmark.compare.comparison import METRICS, Place, Result, read_table, reading
from sgpmic_cli.benchmark.compare.paper import SHOWN, Printed, read_printed, table2
from sgpmic_cli.benchmark.plan.methods import known
from sgpmic_cli.benchmark.tables.benchmark_summary import summary
from sgpmic_cli.data.registry import find
from sgpmic_cli.errors import UsageError

TABLE2_FOLDER, AS_STATED_FOLDER = "table2", "table2-as-stated"
OWN_METHOD = "sgp-mic"
USUAL_METRICS = (*METRICS, "ari")  # of a page that is not about the paper
# Methods with settings that the paper does not give, chosen by the distance to its column.
FITTED = ", ".join(method.label for method in known().values() if method.settings_searched)


@dataclass(frozen=True)
class Table2Results:
    """The cells of a benchmark, the printed numbers beside them, and the manifest of the run."""

    run: Sequence[Result]
    printed: Printed
    protocol: str
    repeats: int
    manifest: Mapping[str, Any]
    figures: Path | None = None  # folder of the paper's figures; None for another benchmark
    # SGP-MIC under the protocol `as-stated`; may be empty
    as_stated: Mapping[Place, Result] = field(default_factory=dict)

    @property
    def of_paper(self) -> bool:
        """Whether the page reproduces the paper."""
        return self.figures is not None

    @cached_property
    def cells(self) -> dict[Place, Result]:
        """The cells by data set, variance and method."""
        return {result.place: result for result in self.run}

    @cached_property
    def metrics(self) -> list[str]:
        """The metrics of the page: the usual ones and those with printed numbers."""
        usual = METRICS if self.of_paper else USUAL_METRICS
        found = {*usual, *(metric for metric, *_ in self.printed)}
        return [metric for metric in SHOWN if metric in found]

    @cached_property
    def methods(self) -> list[str]:
        """The methods with a printed number, then the others that were run."""
        printed = dict.fromkeys(method for *_, method in self.printed)
        ordered = [name for name in known() if name in printed]
        return list(dict.fromkeys([*ordered, *printed, *(each.method_name for each in self.run)]))

    @cached_property
    def rows(self) -> list[tuple[str, int]]:
        """Data sets and variances: the printed rows, then other rows that were run."""
        printed = [(dataset, variance) for _, dataset, variance, _ in self.printed]
        run = [(each.dataset, each.variance) for each in self.run]
        return list(dict.fromkeys([*printed, *run]))

    @cached_property
    def summary(self) -> dict[str, Any]:
        """The counts of verdicts and wins."""
        return summary(self.run, self.metrics)


def dataset_title(name: str) -> str:
    """Return the name of a data set on the page; a registered one as in the paper."""
    if find(name) is None:
        return name
    return name.upper() if name in ("wdbc", "bc", "cmc") else name[:1].upper() + name[1:]


def css_class(verdict: str) -> str:
    """Return the CSS class of a verdict."""
    return "v-" + verdict.replace(" ", "-")


def read_results(folder: Path, printed: Path | None = None) -> Table2Results:
    """Read the results of the paper, or of any other benchmark.

    Parameters
    ----------
    folder : Path
        Folder of a benchmark; or a folder that holds the benchmark of Table 2 as `table2`, which
        makes the page of the paper.
    printed : Path or None
        CSV file of printed numbers. None takes those of the paper for the cells that were run.
    """
    of_paper = (folder / TABLE2_FOLDER / "benchmark.json").exists()
    table = folder / TABLE2_FOLDER if of_paper else folder
    if not (table / "benchmark.json").exists():
        raise UsageError(
            f"there is no benchmark in {str(folder)!r}: run `sgpmic benchmark --out {folder}`, or "
            f"for the paper `sgpmic benchmark --dataset all --variance all --out "
            f"{folder / TABLE2_FOLDER}` first."
        )
    if of_paper and printed is not None:
        raise UsageError(
            f"{str(folder)!r} holds the results of the paper, which has its own printed numbers: "
            f"give --results {table} to compare them with others."
        )
    numbers = table2() if printed is None else read_printed(printed)
    content = read_table(table / "benchmark.json", numbers)
    run, stated = content.results, folder / AS_STATED_FOLDER / "benchmark.json"
    if of_paper:
        columns = {method for *_, method in numbers}
        run = [result for result in run if result.method_name in columns]
    elif printed is None:
        places = {result.place for result in run}
        numbers = {key: number for key, number in numbers.items() if key[1:] in places}
    as_stated = read_table(stated).results if of_paper and stated.exists() else []
    with reading(table / "manifest.json") as manifest:
        manifest |= {name: dict(manifest.get(name, {})) for name in ("versions", "data")}
    return Table2Results(
        run,
        numbers,
        content.protocol,
        content.repeats,
        manifest,
        folder / "figures" if of_paper else None,
        {result.place: result for result in as_stated},
    )
