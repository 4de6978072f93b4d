"""A finished cell beside the paper's, in the one form that tables, the terminal and the JSON document are made from."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from sgpmic_cli.experiments.compare.paper import Published, published
from sgpmic_cli.experiments.compare.verdicts import Verdict, compare, judge
from sgpmic_cli.experiments.plan.protocol import Protocol
from sgpmic_cli.experiments.run.aggregate import Outcome, Stat

METRICS = ("acc", "nmi")
NMI_OF = {"nmi": "of the classes that the clusters stand for", "nmi_stated": "of the clusters themselves"}


@dataclass(frozen=True)
class Result:
    """A cell: what came out, what was printed, and the verdicts on ACC and NMI."""

    outcome: Outcome
    ours: dict[str, Stat]  # acc, nmi (the one of the protocol), ari, acc_hungarian
    paper: dict[str, Published | None]  # acc, nmi
    verdict: dict[str, Verdict]  # acc, nmi
    note: str
    nmi: str = "nmi"  # the score that the protocol shows as NMI

    @property
    def dataset(self) -> str:
        """Name of the data set."""
        return self.outcome.cell.dataset

    @property
    def variance(self) -> int:
        """Share of variance in percent that set Q."""
        return self.outcome.cell.variance

    @property
    def method(self) -> str:
        """Name of the method."""
        return self.outcome.cell.method.name

    def difference(self, metric: str) -> float | None:
        """Ours minus the paper's, where both exist."""
        ours, paper = self.ours[metric].mean, self.paper[metric]
        return None if ours is None or paper is None else ours - paper.mean

    def document(self) -> dict[str, Any]:
        """The cell as it stands in the JSON document."""
        outcome, cell = self.outcome, self.outcome.cell
        content: dict[str, Any] = {
            "dataset": cell.dataset,
            "variance": cell.variance,
            "q": cell.q,
            "n_clusters": cell.n_clusters,
            "method": cell.method.name,
            "settings": outcome.settings,
            "repeats": outcome.repeats,
            "failed": outcome.failed,
            **{name: _stat(stat) for name, stat in self.ours.items()},
            "paper": {name: _stat(paper) for name, paper in self.paper.items()} if any(self.paper.values()) else None,
            "verdict": {name: str(verdict) for name, verdict in self.verdict.items()},
            "seconds": outcome.seconds,
            "note": self.note,
        }
        if outcome.grid:
            content["grid"] = [
                {
                    "settings": {name: point.settings[name] for name in cell.method.grid},
                    "failed": point.failed,
                    "acc": _stat(point.stats["acc"]),
                    "nmi": _stat(point.stats[self.nmi]),
                    "seconds": point.seconds,
                }
                for point in outcome.grid
            ]
        return content


Mean = Callable[[Result, str], float | None]


def ours_of(result: Result, metric: str) -> float | None:
    """Our mean of a cell."""
    return result.ours[metric].mean


def printed_cell(result: Result, metric: str) -> Published | None:
    """What the paper prints in this cell; a variant is compared with another method's column and has none itself."""
    return None if result.outcome.cell.method.variant_of else result.paper[metric]


def printed_of(result: Result, metric: str) -> float | None:
    """The paper's mean of a cell."""
    paper = printed_cell(result, metric)
    return None if paper is None else paper.mean


def compare_cell(outcome: Outcome, protocol: Protocol) -> Result:
    """Put an outcome beside the printed cell."""
    cell, stats = outcome.cell, outcome.stats
    ours = {"acc": stats["acc"], "nmi": stats[protocol.nmi], "ari": stats["ari"]}
    ours["acc_hungarian"] = stats["acc_hungarian"]
    column = cell.method.variant_of or cell.method.name
    paper = {metric: published(metric, cell.dataset, cell.variance, column) for metric in METRICS}
    score = {"acc": "acc", "nmi": protocol.nmi}
    verdict = {metric: judge(outcome, score[metric], paper[metric]) for metric in METRICS}
    note = " ".join(filter(None, [note_of(outcome), _other_nmi(outcome, verdict["nmi"], paper["nmi"], protocol.nmi)]))
    return Result(outcome, ours, paper, verdict, note, protocol.nmi)


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
        among = f"{rivals} settings" if rivals == len(outcome.grid) else f"the {rivals} settings with fewest failures"
        parts.append(f"The labels chose {chosen}: the best mean ACC of {among}, as in the paper.")
    if outcome.failed:
        share = "All" if not outcome.ok else f"{outcome.failed} of"
        parts.append(f"{share} {outcome.repeats} runs failed: {_sentence(outcome.reasons)}")
    # Failures at grid points that were not chosen leave no mark on the cell's own numbers, so they are told here.
    elsewhere = [point for point in outcome.grid if point.failed and point.settings != outcome.settings]
    if elsewhere:
        reasons = dict.fromkeys(reason for point in elsewhere for reason in point.reasons)
        count = sum(point.failed for point in elsewhere)
        parts.append(f"{count} runs of other settings failed: {_sentence(reasons)}")
    parts += [f"Warning: {text}" for text in outcome.warnings]
    return " ".join(parts)


def _sentence(reasons: Iterable[str]) -> str:
    return "; ".join(reasons).removesuffix(".") + "."


def _other_nmi(outcome: Outcome, verdict: Verdict, paper: Published | None, shown: str) -> str:
    """Where the printed NMI is not the one the protocol shows, say so if it is the other one."""
    (other,) = NMI_OF.keys() - {shown}
    if paper is None or verdict not in (Verdict.WORSE, Verdict.BETTER):
        return ""
    stat = outcome.stats[other]
    if compare(stat, paper) not in (Verdict.EXACT, Verdict.MATCH):
        return ""
    return f"The printed NMI agrees with that {NMI_OF[other]}, which is {stat.mean:.2f} here."


def _stat(stat: Stat | Published | None) -> dict[str, float | None] | None:
    return None if stat is None else {"mean": stat.mean, "std": stat.std}
