"""A finished cell beside the paper's, in the one form that tables, the terminal and the JSON document are made from."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from sgpmic_cli.data.registry import entry, names
from sgpmic_cli.experiments.compare.paper import Published, published
from sgpmic_cli.experiments.compare.verdicts import Difference, Verdict, compare, judge
from sgpmic_cli.experiments.plan.methods import Method
from sgpmic_cli.experiments.run.aggregate import Outcome, Stat
from sgpmic_cli.scores import SCORES

METRICS = ("acc", "nmi")  # what the paper prints
NMI_OF = {
    "nmi": "of the classes that the clusters stand for",
    "nmi_clusters": "of the clusters themselves",
    "nmi_stated": "of the clusters themselves, divided by the arithmetic mean",
}
SHOWN = tuple(
    name for name in SCORES if name == "nmi" or name not in NMI_OF
)  # under `nmi` stands the protocol's


@dataclass(frozen=True)
class GridPoint:
    """One of the settings that the labels chose among."""

    settings: dict[str, Any]  # what the grid varies
    stats: dict[str, Stat]  # acc, nmi
    failed: int
    seconds: float | None

    def document(self) -> dict[str, Any]:
        """The point as it stands in the JSON document."""
        stats = {metric: _stat(stat) for metric, stat in self.stats.items()}
        return {"settings": self.settings, "failed": self.failed, **stats, "seconds": self.seconds}


@dataclass(frozen=True)
class Result:
    """A cell: what came out, what was printed, and the verdicts on ACC and NMI.

    It holds what the JSON document holds and nothing more, so that a table read back is a table.
    """

    dataset: str
    data: str  # hash of the values that the method got; empty where there are none
    variance: int  # share in percent that set Q
    q: int | None
    n_clusters: int
    entrant: Method
    scores: dict[str, str]  # which of the scores stand as ACC and as NMI
    settings: dict[str, Any]
    repeats: int
    failed: int
    ours: dict[str, Stat]  # acc, nmi (the one of the protocol), and every other score
    paper: dict[str, Published | None]  # acc, nmi
    verdict: dict[str, Verdict]  # acc, nmi
    seconds: float | None  # mean of a successful run
    note: str
    grid: tuple[GridPoint, ...] = ()

    @property
    def method(self) -> str:
        """Name of the method."""
        return self.entrant.name

    @property
    def place(self) -> tuple[str, int, str]:
        """Where the cell stands: data set, variance, method."""
        return self.dataset, self.variance, self.method

    @property
    def experiment(self) -> tuple[object, ...]:
        """What was run, whatever the row is called: rows of equal data and equal Q repeat one experiment."""
        return (self.data, self.q, self.n_clusters, self.method) if self.data else self.place

    @property
    def available(self) -> bool:
        """Whether there were data to run on."""
        return Verdict.UNAVAILABLE not in self.verdict.values()

    @property
    def ok(self) -> bool:
        """Whether at least one run succeeded."""
        return self.repeats > self.failed

    @property
    def data_differ(self) -> bool:
        """Whether the data are not those of the paper."""
        return self.dataset in names() and entry(self.dataset).data_differ

    def chose(self, point: GridPoint) -> bool:
        """Whether the labels chose this point of the grid."""
        return all(self.settings[name] == value for name, value in point.settings.items())

    def difference(self, metric: str) -> Difference | None:
        """Ours minus the paper's, where both exist."""
        ours, paper = self.ours[metric], self.paper[metric]
        return (
            None
            if ours.mean is None or paper is None
            else Difference.of(ours, self.repeats - self.failed, paper)
        )

    def document(self) -> dict[str, Any]:
        """The cell as it stands in the JSON document."""
        content: dict[str, Any] = {
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
            "paper": {name: _stat(paper) for name, paper in self.paper.items()}
            if any(self.paper.values())
            else None,
            "verdict": {name: str(verdict) for name, verdict in self.verdict.items()},
            "difference": {name: _difference(self.difference(name)) for name in METRICS},
            "seconds": self.seconds,
            "note": self.note,
        }
        return content | ({"grid": [point.document() for point in self.grid]} if self.grid else {})


Mean = Callable[[Result, str], float | None]


def ours_of(result: Result, metric: str) -> float | None:
    """Our mean of a cell."""
    return result.ours[metric].mean


def printed_cell(result: Result, metric: str) -> Published | None:
    """What the paper prints in this cell; a variant is compared with another method's column and has none itself."""
    return None if result.entrant.variant_of else result.paper[metric]


def printed_of(result: Result, metric: str) -> float | None:
    """The paper's mean of a cell."""
    paper = printed_cell(result, metric)
    return None if paper is None else paper.mean


def printed_beside(entrant: Method, dataset: str, variance: int) -> dict[str, Published | None]:
    """The printed numbers that a cell is compared with: a variant has those of the method it varies."""
    column = entrant.variant_of or entrant.name
    return {metric: published(metric, dataset, variance, column) for metric in METRICS}


def compare_cell(outcome: Outcome) -> Result:
    """Put an outcome beside the printed cell."""
    cell = outcome.cell
    score = cell.scores
    paper = printed_beside(cell.method, cell.dataset, cell.variance)
    verdict = {metric: judge(outcome, score[metric], paper[metric]) for metric in METRICS}
    note = " ".join(
        filter(
            None,
            [
                note_of(outcome),
                _own_scores(outcome),
                _other_nmi(outcome, verdict["nmi"], paper["nmi"]),
            ],
        )
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
        ours={name: outcome.stats[score.get(name, name)] for name in SHOWN},
        paper=paper,
        verdict=verdict,
        seconds=outcome.seconds,
        note=note,
        grid=tuple(
            GridPoint(
                settings={name: point.settings[name] for name in cell.method.grid},
                stats={metric: point.stats[score[metric]] for metric in METRICS},
                failed=point.failed,
                seconds=point.seconds,
            )
            for point in outcome.grid
        ),
    )


def note_of(outcome: Outcome) -> str:
    """What a reader must know about a cell of a table or a point of a sweep, in sentences."""
    if not outcome.available:
        return outcome.reasons[0]
    parts = []
    if outcome.cell.data_differ:
        parts.append("The public data are not those the paper used.")
    if outcome.grid and outcome.ok:
        names = outcome.cell.method.grid
        chosen = ", ".join(f"{name} = {outcome.settings[name]:g}" for name in names)
        rivals = sum(point.failed == outcome.failed for point in outcome.grid)
        among = (
            f"{rivals} settings"
            if rivals == len(outcome.grid)
            else f"the {rivals} settings with fewest failures"
        )
        parts.append(f"The labels chose {chosen}: the best mean ACC of {among}.")
    if outcome.failed:
        share = "All" if not outcome.ok else f"{outcome.failed} of"
        parts.append(f"{share} {outcome.repeats} runs failed: {_sentence(outcome.reasons)}")
    # Failures at grid points that were not chosen leave no mark on the cell's own numbers, so they are told here.
    elsewhere = [
        point for point in outcome.grid if point.failed and point.settings != outcome.settings
    ]
    if elsewhere:
        reasons = dict.fromkeys(reason for point in elsewhere for reason in point.reasons)
        count = sum(point.failed for point in elsewhere)
        parts.append(f"{count} runs of other settings failed: {_sentence(reasons)}")
    parts += [f"Warning: {text}" for text in outcome.warnings]
    return " ".join(parts)


def _sentence(reasons: Iterable[str]) -> str:
    return "; ".join(reasons).removesuffix(".") + "."


def _own_scores(outcome: Outcome) -> str:
    """What a cell is scored with where that is not what the rest of the table is."""
    if outcome.cell.scores["acc"] == "acc" or not outcome.ok:
        return ""
    purity = outcome.stats["acc"].mean
    return f"ACC is that of the best one-to-one match, which the printed column fits; purity is {purity:.2f}."


def _other_nmi(outcome: Outcome, verdict: Verdict, paper: Published | None) -> str:
    """A note where the printed NMI disagrees with the NMI shown but agrees with another definition."""
    if paper is None or verdict not in (Verdict.UP, Verdict.DOWN):
        return ""
    for other, words in NMI_OF.items():
        stat = outcome.stats[other]
        if compare(Difference.of(stat, outcome.repeats - outcome.failed, paper)) in (
            Verdict.EXACT,
            Verdict.NEAR,
        ):
            return f"The printed NMI agrees with that {words}, which is {stat.mean:.2f} here."
    return ""


def _difference(difference: Difference | None) -> dict[str, float] | None:
    if difference is None:
        return None
    low, high = difference.interval()
    return {"mean": difference.value, "low": low, "high": high}


def _stat(stat: Stat | Published | None) -> dict[str, float | None] | None:
    return None if stat is None else {"mean": stat.mean, "std": stat.std}
