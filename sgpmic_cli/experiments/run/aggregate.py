"""Aggregate the runs of a cell: means over the successful repeats, and notes on the others."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from sgpmic_cli.experiments.compare.comparison import SHOWN, Result
from sgpmic_cli.experiments.compare.paper import Stat
from sgpmic_cli.experiments.plan.cells import Cell, Run
from sgpmic_cli.experiments.run.records import Record


def aggregate_runs(cell: Cell, runs: Sequence[Run], records: Mapping[str, Record]) -> Result:
    """Aggregate the records of a cell's runs."""
    found = [records[run.key] for run in runs]
    good = [record for record in found if record.ok]
    reasons = tuple(dict.fromkeys(record.reason for record in found if not record.ok))
    result = Result(
        dataset=cell.dataset,
        data=cell.data.sha256 if cell.data else "",
        variance=cell.variance,
        q=cell.q,
        n_clusters=cell.n_clusters,
        entrant=cell.method,
        scores=cell.scores,
        settings=cell.settings,
        repeats=len(found),
        failed=len(found) - len(good),
        ours={name: _stat(good, cell.scores.get(name, name)) for name in SHOWN},
        duration=Stat.of([record.seconds for record in good]),
        note=cell.reason,
        reasons=reasons if cell.data else (cell.reason,),
        runs=tuple(runs),
    )
    return replace(result, note=_note(result, good)) if cell.data else result


def _stat(records: Sequence[Record], score: str) -> Stat:
    return Stat.of([record.scores[score] for record in records])


def _note(result: Result, good: Sequence[Record]) -> str:
    """Describe differing data, failures, warnings and an ACC that is not purity, in sentences."""
    parts = []
    if result.data_differ:
        parts.append("The public data are not those the paper used.")
    if result.failed:
        count = f"{result.failed} of" if good else "All"
        reasons = "; ".join(result.reasons).removesuffix(".")
        parts.append(f"{count} {result.repeats} runs failed: {reasons}.")
    warnings = dict.fromkeys(text for record in good for text in record.warnings)
    parts += [f"Warning: {text}" for text in warnings]
    if good and result.scores["acc"] != "acc":
        parts.append(
            "ACC is that of the best one-to-one match, as in the printed column; "
            f"purity is {_stat(good, 'acc').mean:.2f}."
        )
    return " ".join(parts)
