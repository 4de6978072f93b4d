"""One cell of a table: what was run, our numbers, and the paper's numbers beside them."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from sgpmic_cli.data.registry import find
from sgpmic_cli.experiments.compare.paper import SHOWN, Printed, Published, Stat, table2
from sgpmic_cli.experiments.compare.verdicts import Difference, Verdict
from sgpmic_cli.experiments.plan.cells import Run
from sgpmic_cli.experiments.plan.methods import Method

METRICS = ("acc", "nmi")  # the metrics of the paper
Place = tuple[str, int, str]  # data set, variance, method


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
    entrant: Method
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
    def method(self) -> str:
        """Return the name of the method."""
        return self.entrant.name

    @property
    def place(self) -> Place:
        """Return data set, variance and method."""
        return self.dataset, self.variance, self.method

    @property
    def experiment(self) -> tuple[object, ...]:
        """Return what identifies the experiment: rows with equal data and Q are one experiment."""
        return (self.data, self.q, self.n_clusters, self.method) if self.data else self.place

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
        place = self.dataset, self.variance, self.entrant.column or self.method
        return {metric: self.printed.get((metric, *place)) for metric in SHOWN}

    @cached_property
    def verdict(self) -> dict[str, Verdict]:
        """The verdicts on ACC and NMI."""
        return {metric: self.judge(metric) for metric in METRICS}

    def judge(self, metric: str) -> Verdict:
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
            "dataset": self.dataset,
            "data": self.data,
            "variance": self.variance,
            "q": self.q,
            "n_clusters": self.n_clusters,
            "method": self.method,
            "scores": self.scores,
            "settings": self.settings,
            "repeats": self.repeats,
            "failed": self.failed,
            **{name: vars(stat) for name, stat in self.ours.items()},
            "paper": paper if any(printed.values()) else None,
            "verdict": {name: str(verdict) for name, verdict in self.verdict.items()},
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
