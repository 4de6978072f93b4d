"""Tables for the terminal that show the plan and the results of an experiment."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from sgpmic_cli.benchmark.compare.comparison import METRICS, Result
from sgpmic_cli.benchmark.compare.counts import best, count_verdicts, distinct, is_best, rows_of
from sgpmic_cli.benchmark.compare.verdicts import Verdict
from sgpmic_cli.benchmark.plan.cells import Study
from sgpmic_cli.benchmark.run.pipeline import RunOptions, prepare
from sgpmic_cli.benchmark.tables.formats import TITLES, plain, signed
from sgpmic_cli.benchmark.tables.result_tables import RANKED, notes_of, ranking, share_of, used
from sgpmic_cli.commands.output import Output
from sgpmic_cli.commands.terminal_tables import as_text, note, table

STYLES = {
    Verdict.EXACT: "bold green",
    Verdict.NEAR: "green",
    Verdict.COMPATIBLE: "cyan",
    Verdict.UP: "magenta",
    Verdict.DOWN: "red",
    Verdict.NEW: "blue",
    Verdict.DATA_DIFFER: "yellow",
    Verdict.FAILED: "bold red",
    Verdict.UNAVAILABLE: "dim",
    Verdict.NOT_RUN: "dim",
}


def result_tables(results: Sequence[Result]) -> Iterator[RenderableType]:
    """Yield a table of each metric, the legend, the counts of the verdicts and the notes.

    If the paper has no numbers for the results, yield the ARI of every method and data set with
    mean ranks and the result of the test as well.
    """
    for metric in METRICS:
        rows = []
        for cells in rows_of(results).values():
            top = best(result.mean(metric) for result in cells.values())
            rows += [_row(result, metric, top) for result in cells.values()]
        headings = ["data set", "% (Q)", "method", TITLES[metric], "paper", "diff", ""]
        yield table(headings, rows, left=("data set", "% (Q)", "method", ""))
    lines = [
        Text.assemble((str(verdict), STYLES[verdict]), f": {verdict.meaning}")
        for verdict in used(results)
    ]
    lines.append(Text.assemble(("bold", "bold"), ": best on the data set"))
    yield Padding(Group(*lines), (0, 0, 1, 0), expand=False)
    counted = distinct(results)
    repeated = len(results) - len(counted)
    more = f"; {repeated} more repeat them" if repeated else ""
    for metric in METRICS:
        counts = count_verdicts(result.verdict(metric) for result in counted)
        parts = ", ".join(f"{count} {verdict}" for verdict, count in counts.items())
        yield note(f"{TITLES[metric]} cells", f"{parts}; {len(counted)} in total{more}")
    for about, names in notes_of(results).items():
        yield note(", ".join(names), about)
    if not any(any(result.paper.values()) for result in results):  # the paper has no numbers
        head, ranks, verdict = ranking(results)
        content = table(head, ranks, title=TITLES[RANKED], left=head[:1])
        content.rows[-3].end_section = True  # the last two rows are the mean and the mean rank
        yield content
        yield Text(verdict)


def _row(result: Result, metric: str, top: float | None) -> list[str | Text]:
    """Return the row of a cell; the difference has its confidence interval, as +1.2 [0.4, 2.0]."""
    stat, verdict = result.ours[metric], result.verdict(metric)
    partial = result.failed and result.ok
    runs = f" ({result.repeats - result.failed}/{result.repeats})" if partial else ""
    interval, difference = "", result.difference(metric)
    if difference is not None and difference.error:
        interval = " [{:.1f}, {:.1f}]".format(*difference.interval())
    return [
        result.dataset,
        share_of(result),
        result.method.label,
        Text(plain(stat) + runs, style="bold" if is_best(stat.mean, top) else ""),
        plain(result.paper[metric]),
        signed(difference and difference.value) + interval,
        Text(verdict, style=STYLES[verdict]),
    ]


def print_plan(
    study: Study, options: RunOptions, out: Path, output: Output, parameter: str = ""
) -> None:
    """Print the runs of each cell and how many of them are stored; a sweep varies `parameter`."""
    prepared = prepare(study, options, out)
    stored, to_run = prepared.kept, len(prepared.pending)
    cells: list[dict[str, Any]] = [
        {
            "dataset": cell.dataset,
            "variance": cell.variance,
            "q": cell.q,
            "method": cell.method.name,
            **({parameter: cell.parameter(parameter)} if parameter else {}),
            "runs": len(prepared.runs_of(cell)),
            "at_hand": sum(run.key in stored for run in prepared.runs_of(cell)),
            "note": cell.reason,
        }
        for cell in prepared.cells
    ]
    titles = {"dataset": "data set", "at_hand": "stored"}
    headings = [titles.get(name, name) for name in cells[0]] if cells else []
    rows = [[as_text(value) for value in cell.values()] for cell in cells]
    document = {"to_run": to_run, "at_hand": len(stored), "cells": cells}
    output.result(document, [table(headings, rows, left=("data set", "method", "note"))])
    output.note(f"{to_run} runs to compute, {len(stored)} stored; equal runs are computed once")
