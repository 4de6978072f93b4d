"""One cell of a table: what was run, our numbers, and the paper's numbers beside them.

A finished table is written as a JSON document and read back for the report, ranks and figures. The
printed numbers come from their own file, not from the document.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from sgpmic_cli.benchmark.compare.paper import SHOWN, Printed, Published, Stat, table2
from sgpmic_cli.benchmark.compare.verdicts import Difference, Verdict
from sgpmic_cli.benchmark.plan.cells import Run
from sgpmic_cli.benchmark.plan.methods import Method, known
from sgpmic_cli.data.registry import find
from sgpmic_cli.errors import SgpmicError
from sgpmic_cli.files.output_folder import read_json

METRICS = ("acc", "nmi")  # the metrics of the paper
Place = tuple[str, int, str]  # data set, variance, method
# The fields of a result that are in the JSON document as they are, with their types.
PLAIN: dict[str, Callable[[Any], Any]] = {
    **{"dataset": str, "data": str, "variance": int},
    **{"q": lambda q: None if q is None else int(q)},
    **{"n_clusters": int, "method": str, "scores": dict, "settings": dict},
    **{"repeats": int, "failed": int},
}


@dataclass(frozen=True)
class Result:
    """The numbers of a finished cell.

    All fields up to the tracebacks are in the JSON document, so that a table can be read back. The
    verdicts follow from them and from the printed numbers.
    """

    dataset: str
    data: str  # hash of the values that the method got; empty if unavailable
    variance: int  # percentage that set Q
    q: int | None
    n_clusters: int
    method: Method
    scores: dict[str, str]  # the scores shown as ACC and as NMI
    settings: dict[str, Any]
    repeats: int  # 0 if the data are unavailable
    failed: int
    ours: dict[str, Stat]  # acc, nmi by the definition of the protocol, and every other score
    duration: Stat  # seconds of a successful run
    note: str = ""
    tracebacks: tuple[str, ...] = ()  # of the failed runs, each text once
    reasons: tuple[str, ...] = ()  # why runs failed, or why the data are unavailable
    runs: tuple[Run, ...] = ()  # behind the numbers, in the order of the repeats
    printed: Printed = field(default_factory=table2, repr=False)

    @property
    def method_name(self) -> str:
        """Return the name of the method."""
        return self.method.name

    @property
    def place(self) -> Place:
        """Return data set, variance and method."""
        return self.dataset, self.variance, self.method_name

    @property
    def experiment(self) -> tuple[object, ...]:
        """Return what identifies the experiment: rows with equal data and Q are one experiment."""
        data = self.data, self.q, self.n_clusters, self.method_name
        return data if self.data else self.place

    @property
    def available(self) -> bool:
        """Return whether there were data to run on."""
        return self.repeats > 0

    @property
    def ok(self) -> bool:
        """Return whether at least one run succeeded."""
        return self.repeats > self.failed

    @property
    def data_differ(self) -> bool:
        """Return whether the data are not those of the paper."""
        known = find(self.dataset)
        return known is not None and known.data_differ

    @cached_property
    def paper(self) -> dict[str, Published | None]:
        """The printed numbers by metric."""
        place = self.dataset, self.variance, self.method.column or self.method_name
        return {metric: self.printed.get((metric, *place)) for metric in SHOWN}

    def verdict(self, metric: str) -> Verdict:
        """Return the verdict on a metric."""
        difference = self.difference(metric)
        if not self.available:
            return Verdict.UNAVAILABLE
        if not self.ok:
            return Verdict.FAILED
        if difference is None:
            return Verdict.NEW
        return Verdict.DATA_DIFFER if self.data_differ else difference.verdict

    def difference(self, metric: str) -> Difference | None:
        """Return our mean minus the paper's, if both exist."""
        ours, paper = self.ours[metric], self.paper[metric]
        if ours.mean is None or paper is None:
            return None
        return Difference.of(ours, self.repeats - self.failed, paper)

    def mean(self, metric: str, side: str = "ours") -> float | None:
        """Return our mean, or the printed one if `side` is "paper"."""
        stat = getattr(self, side)[metric]
        return None if stat is None else stat.mean

    def document(self) -> dict[str, Any]:
        """Return the cell as it is in the JSON document."""
        printed = {name: self.paper[name] for name in METRICS}
        paper = {
            name: stat and {"mean": stat.mean, "std": stat.std} for name, stat in printed.items()
        }
        return {
            **{name: getattr(self, name) for name in PLAIN},
            "method": self.method_name,
            **{name: vars(stat) for name, stat in self.ours.items()},
            "paper": paper if any(printed.values()) else None,
            "verdict": {name: str(self.verdict(name)) for name in METRICS},
            "difference": {name: _difference(self.difference(name)) for name in METRICS},
            "seconds": self.duration.mean,
            "note": self.note,
            **({"tracebacks": list(self.tracebacks)} if self.tracebacks else {}),
        }


def _difference(difference: Difference | None) -> dict[str, float] | None:
    if difference is None:
        return None
    low, high = difference.interval()
    return {"mean": difference.value, "low": low, "high": high}


@dataclass(frozen=True)
class ResultTable:
    """A finished table that was read back, and how it was computed."""

    protocol: str
    repeats: int
    results: list[Result]


def read_table(path: Path, printed: Printed | None = None) -> ResultTable:
    """Read the `benchmark.json` of a benchmark; `printed` replaces the numbers of the paper."""
    with reading(path) as content:
        methods = known()
        return ResultTable(
            protocol=str(content["protocol"]),
            repeats=int(content["repeats"]),
            results=[_result(cell, methods, printed) for cell in content["cells"]],
        )


@contextmanager
def reading(path: Path) -> Iterator[dict[str, Any]]:
    """Yield a JSON object that a benchmark wrote. Turn every fault in it into one sentence."""
    try:
        yield dict(read_json(path))
    except (OSError, KeyError, TypeError, ValueError) as error:
        problem = f"{error} is missing" if isinstance(error, KeyError) else error
        raise SgpmicError(
            f"{str(path)!r} is not a document of this version ({problem}): run the benchmark again."
        ) from None


def _result(cell: dict[str, Any], methods: dict[str, Method], printed: Printed | None) -> Result:
    plain = {name: kind(cell[name]) for name, kind in PLAIN.items()}
    name = plain.pop("method")
    return Result(
        **plain,
        method=methods.get(name) or Method(name, name),
        ours={score: _stat(**cell[score]) for score in SHOWN},
        duration=_stat(cell["seconds"], 0.0),
        note=str(cell["note"]),
        tracebacks=tuple(map(str, cell.get("tracebacks", ()))),
        printed=table2() if printed is None else printed,
    )


def _stat(mean: Any, std: Any) -> Stat:
    return Stat() if mean is None else Stat(float(mean), float(std))
