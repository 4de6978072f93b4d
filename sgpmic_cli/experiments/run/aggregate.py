"""Aggregate the runs of a cell: means over the successful repeats, and notes on the others."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sgpmic_cli.experiments.compare.comparison import METRICS, NMI_OF, SHOWN, Result
from sgpmic_cli.experiments.compare.paper import Stat
from sgpmic_cli.experiments.compare.verdicts import Verdict
from sgpmic_cli.experiments.plan.cells import Cell, Run
from sgpmic_cli.experiments.run.records import Record


@dataclass(frozen=True, eq=False)
class _Point:
    """The records of all repeats with the same settings."""

    settings: dict[str, Any]
    records: Sequence[Record]

    @property
    def good(self) -> list[Record]:
        return [record for record in self.records if record.ok]

    @property
    def failed(self) -> int:
        return len(self.records) - len(self.good)

    @property
    def reasons(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(record.reason for record in self.records if not record.ok))

    @property
    def duration(self) -> Stat:
        return Stat.of([record.seconds for record in self.good])

    def stat(self, score: str) -> Stat:
        return Stat.of([record.scores[score] for record in self.good])


def aggregate_runs(cell: Cell, runs: Sequence[Run], records: Mapping[str, Record]) -> Result:
    """Aggregate the records of a cell's runs.

    With a grid, the labels choose the point with the best mean ACC, the first one of equals. Only
    points with the fewest failed runs are candidates, because a mean over fewer repeats is not
    comparable.
    """
    candidates = [cell.settings] if cell.data is None else cell.candidates()
    points = [
        _Point(settings, [records[run.key] for run in runs if run.settings == settings])
        for settings in candidates
    ]
    best = max(points, key=lambda point: (-point.failed, point.stat("acc").mean or 0.0))
    grid = points if len(points) > 1 else []
    return Result(
        dataset=cell.dataset,
        data=cell.data.sha256 if cell.data else "",
        variance=cell.variance,
        q=cell.q,
        n_clusters=cell.n_clusters,
        entrant=cell.method,
        scores=cell.scores,
        settings=best.settings,
        repeats=len(best.records),
        failed=best.failed,
        ours={name: best.stat(cell.scores.get(name, name)) for name in SHOWN},
        duration=best.duration,
        note=_note(cell, best, grid),
        grid=tuple(_document(cell, point) for point in grid),
        reasons=best.reasons if cell.data else (cell.reason,),
        runs=tuple(run for run in runs if run.settings == best.settings),
    )


def _document(cell: Cell, point: _Point) -> dict[str, Any]:
    """Return a point of the grid as it is in the JSON document."""
    return {
        "settings": {name: point.settings[name] for name in cell.method.grid},
        "failed": point.failed,
        **{metric: vars(point.stat(cell.scores[metric])) for metric in METRICS},
        "seconds": point.duration.mean,
    }


def _note(cell: Cell, best: _Point, grid: Sequence[_Point]) -> str:
    """Describe missing data, failures, warnings and the chosen settings of a cell, in sentences."""
    if cell.data is None:
        return cell.reason
    parts = []
    if cell.data_differ:
        parts.append("The public data are not those the paper used.")
    if grid and best.good:
        chosen = ", ".join(f"{name} = {best.settings[name]:g}" for name in cell.method.grid)
        candidates = sum(point.failed == best.failed for point in grid)
        among = f"{candidates} settings"
        if candidates < len(grid):
            among = f"the {candidates} settings with fewest failures"
        parts.append(f"The labels chose {chosen}: the best mean ACC of {among}.")
    if best.failed:
        count = f"{best.failed} of" if best.good else "All"
        parts.append(f"{count} {len(best.records)} runs failed: {_sentence(best.reasons)}")
    others = [point for point in grid if point is not best]
    if failed := sum(point.failed for point in others):
        reasons = dict.fromkeys(reason for point in others for reason in point.reasons)
        parts.append(f"{failed} runs of other settings failed: {_sentence(reasons)}")
    warnings = dict.fromkeys(text for record in best.good for text in record.warnings)
    return " ".join([*parts, *(f"Warning: {text}" for text in warnings)])


def _sentence(reasons: Iterable[str]) -> str:
    return "; ".join(reasons).removesuffix(".") + "."


def note_scores(result: Result, records: Mapping[str, Record]) -> Result:
    """Add notes on the definitions of ACC and NMI.

    A note says that ACC is not purity, as in the other cells, or that the printed NMI agrees with
    another definition than the one shown.
    """
    notes = [result.note] if result.note else []
    point = _Point(result.settings, [records[run.key] for run in result.runs])
    if result.scores["acc"] != "acc" and result.ok:
        notes.append(
            "ACC is that of the best one-to-one match, as in the printed column; "
            f"purity is {point.stat('acc').mean:.2f}."
        )
    if result.verdict["nmi"] in (Verdict.UP, Verdict.DOWN):
        for name, words in NMI_OF.items():
            stat = point.stat(name)
            difference = result.difference("nmi", stat)
            if difference and difference.verdict in (Verdict.EXACT, Verdict.NEAR):
                notes.append(
                    f"The printed NMI agrees with that {words}, which is {stat.mean:.2f} here."
                )
                break
    return replace(result, note=" ".join(notes))
