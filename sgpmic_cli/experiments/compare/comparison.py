"""Compare a finished cell with the printed one, for tables, terminal and JSON document."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from sgpmic_cli.data.registry import entry, names
from sgpmic_cli.experiments.compare.paper import Published, published
from sgpmic_cli.experiments.compare.verdicts import Difference, Verdict, compare, judge
from sgpmic_cli.experiments.plan.methods import Method
from sgpmic_cli.experiments.run.aggregate import Outcome, Stat
from sgpmic_cli.scores import SCORES

METRICS = ("acc", "nmi")  # the metrics of the paper
NMI_OF = {
    "nmi": "of the classes that the clusters are mapped to",
    "nmi_clusters": "of the clusters themselves",
    "nmi_stated": "of the clusters themselves, divided by the arithmetic mean",
}
# The scores of a table; `nmi` holds the definition of the protocol.
SHOWN = tuple(name for name in SCORES if name == "nmi" or name not in NMI_OF)


@dataclass(frozen=True)
class Result:
    """A cell with our numbers, the printed numbers, and the verdicts on ACC and NMI.

    It holds the content of the JSON document, so that a table can be read back.
    """

    dataset: str
    data: str  # hash of the values that the method got; empty if unavailable
    variance: int  # percentage that set Q
    q: int | None
    n_clusters: int
    entrant: Method
    scores: dict[str, str]  # the scores shown as ACC and as NMI
    settings: dict[str, Any]
    repeats: int
    failed: int
    ours: dict[str, Stat]  # acc, nmi by the definition of the protocol, and every other score
    paper: dict[str, Published | None]  # acc, nmi
    verdict: dict[str, Verdict]  # acc, nmi
    seconds: float | None  # mean of a successful run
    note: str
    # The points of the grid that the labels chose from, as in the document.
    grid: tuple[dict[str, Any], ...] = ()

    @property
    def method(self) -> str:
        """Return the name of the method."""
        return self.entrant.name

    @property
    def place(self) -> tuple[str, int, str]:
        """Return data set, variance and method."""
        return self.dataset, self.variance, self.method

    @property
    def experiment(self) -> tuple[object, ...]:
        """Return what identifies the experiment: rows with equal data and Q are one experiment."""
        return (self.data, self.q, self.n_clusters, self.method) if self.data else self.place

    @property
    def available(self) -> bool:
        """Return whether there were data to run on."""
        return Verdict.UNAVAILABLE not in self.verdict.values()

    @property
    def ok(self) -> bool:
        """Return whether at least one run succeeded."""
        return self.repeats > self.failed

    @property
    def data_differ(self) -> bool:
        """Return whether the data are not those of the paper."""
        return self.dataset in names() and entry(self.dataset).data_differ

    def chose(self, point: dict[str, Any]) -> bool:
        """Return whether the labels chose this point of the grid."""
        return point["settings"].items() <= self.settings.items()

    def difference(self, metric: str) -> Difference | None:
        """Return our mean minus the paper's, if both exist."""
        ours, paper = self.ours[metric], self.paper[metric]
        if ours.mean is None or paper is None:
            return None
        return Difference.of(ours, self.repeats - self.failed, paper)

    def document(self) -> dict[str, Any]:
        """Return the cell as it is in the JSON document."""
        paper = {name: _stat(printed) for name, printed in self.paper.items()}
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
            **{name: _stat(stat) for name, stat in self.ours.items()},
            "paper": paper if any(self.paper.values()) else None,
            "verdict": {name: str(verdict) for name, verdict in self.verdict.items()},
            "difference": {name: _difference(self.difference(name)) for name in METRICS},
            "seconds": self.seconds,
            "note": self.note,
            **({"grid": list(self.grid)} if self.grid else {}),
        }


Mean = Callable[[Result, str], float | None]


def ours_of(result: Result, metric: str) -> float | None:
    """Return our mean of a cell."""
    return result.ours[metric].mean


def printed_cell(result: Result, metric: str) -> Published | None:
    """Return the printed number of a cell; None for a variant, which has no column of its own."""
    return None if result.entrant.variant_of else result.paper[metric]


def printed_of(result: Result, metric: str) -> float | None:
    """Return the printed mean of a cell."""
    paper = printed_cell(result, metric)
    return None if paper is None else paper.mean


def printed_beside(entrant: Method, dataset: str, variance: int) -> dict[str, Published | None]:
    """Return the printed numbers to compare with; a variant has those of its original method."""
    column = entrant.variant_of or entrant.name
    return {metric: published(metric, dataset, variance, column) for metric in METRICS}


def compare_cell(outcome: Outcome) -> Result:
    """Compare an outcome with the printed cell."""
    cell = outcome.cell
    paper = printed_beside(cell.method, cell.dataset, cell.variance)
    verdict = {metric: judge(outcome, cell.scores[metric], paper[metric]) for metric in METRICS}
    notes = note_of(outcome), _hungarian_note(outcome), _other_nmi(outcome, verdict, paper)
    grid = (
        {
            "settings": {name: point.settings[name] for name in cell.method.grid},
            "failed": point.failed,
            **{metric: _stat(point.stats[cell.scores[metric]]) for metric in METRICS},
            "seconds": point.duration.mean,
        }
        for point in outcome.grid
    )
    return Result(
        dataset=cell.dataset,
        data=cell.data.sha256 if cell.data else "",
        variance=cell.variance,
        q=cell.q,
        n_clusters=cell.n_clusters,
        entrant=cell.method,
        scores=cell.scores,
        settings=outcome.settings,
        repeats=outcome.repeats,
        failed=outcome.failed,
        ours={name: outcome.stats[cell.scores.get(name, name)] for name in SHOWN},
        paper=paper,
        verdict=verdict,
        seconds=outcome.duration.mean,
        note=" ".join(filter(None, notes)),
        grid=tuple(grid),
    )


def note_of(outcome: Outcome) -> str:
    """Describe missing data, failures, warnings and the chosen settings of a cell, in sentences."""
    if not outcome.available:
        return outcome.reasons[0]
    parts = []
    if outcome.cell.data_differ:
        parts.append("The public data are not those the paper used.")
    if outcome.grid and outcome.ok:
        names = outcome.cell.method.grid
        chosen = ", ".join(f"{name} = {outcome.settings[name]:g}" for name in names)
        candidates = sum(point.failed == outcome.failed for point in outcome.grid)
        among = f"{candidates} settings"
        if candidates < len(outcome.grid):
            among = f"the {candidates} settings with fewest failures"
        parts.append(f"The labels chose {chosen}: the best mean ACC of {among}.")
    if outcome.failed:
        count = "All" if not outcome.ok else f"{outcome.failed} of"
        parts.append(f"{count} {outcome.repeats} runs failed: {_sentence(outcome.reasons)}")
    others = [point for point in outcome.grid if point.settings != outcome.settings]
    if failed := sum(point.failed for point in others):
        reasons = dict.fromkeys(reason for point in others for reason in point.reasons)
        parts.append(f"{failed} runs of other settings failed: {_sentence(reasons)}")
    return " ".join([*parts, *(f"Warning: {text}" for text in outcome.warnings)])


def _sentence(reasons: Iterable[str]) -> str:
    return "; ".join(reasons).removesuffix(".") + "."


def _hungarian_note(outcome: Outcome) -> str:
    """Return a note if ACC is not purity, as in the other cells."""
    if outcome.cell.scores["acc"] == "acc" or not outcome.ok:
        return ""
    return (
        "ACC is that of the best one-to-one match, as in the printed column; "
        f"purity is {outcome.stats['acc'].mean:.2f}."
    )


def _other_nmi(
    outcome: Outcome, verdict: dict[str, Verdict], paper: dict[str, Published | None]
) -> str:
    """Return a note if the printed NMI agrees with another definition than the one shown."""
    printed = paper["nmi"]
    if printed is None or verdict["nmi"] not in (Verdict.UP, Verdict.DOWN):
        return ""
    for other, words in NMI_OF.items():
        stat = outcome.stats[other]
        found = compare(Difference.of(stat, outcome.repeats - outcome.failed, printed))
        if found in (Verdict.EXACT, Verdict.NEAR):
            return f"The printed NMI agrees with that {words}, which is {stat.mean:.2f} here."
    return ""


def _difference(difference: Difference | None) -> dict[str, float] | None:
    if difference is None:
        return None
    low, high = difference.interval()
    return {"mean": difference.value, "low": low, "high": high}


def _stat(stat: Stat | None) -> dict[str, float | None] | None:
    return None if stat is None else {"mean": stat.mean, "std": stat.std}
