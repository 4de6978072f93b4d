"""Tables for the terminal that show the plan and the results of an experiment."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from sgpmic_cli.benchmark.compare.results import METRICS, ROW, distinct, is_best, rows_of
from sgpmic_cli.benchmark.compare.summary import count_verdicts
from sgpmic_cli.benchmark.compare.verdicts import Verdict
from sgpmic_cli.benchmark.plan.study import Study
from sgpmic_cli.benchmark.render.formats import TITLES, plain, signed
from sgpmic_cli.benchmark.render.tables import RANKED, notes_of, ranking, row_title, used
from sgpmic_cli.benchmark.run.running import RunOptions, prepare
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


def result_tables(results: pd.DataFrame) -> Iterator[RenderableType]:
    """Yield a table of each metric, the legend, the counts of the verdicts and the notes.

    If nothing is printed for the results, yield the ARI of every method and data set with mean
    ranks and the result of the test as well.
    """
    marked = results.assign(best=is_best(results))
    for metric in METRICS:
        # The cells of a row stand together.
        rows = marked[marked["metric"] == metric].groupby(ROW, sort=False)
        cells = [_row(cell) for _, row in rows for cell in rows_of(row)]
        headings = ["data set", "% (Q)", "method", TITLES[metric], "paper", "diff", ""]
        yield table(headings, cells, left=("data set", "% (Q)", "method", ""))
    lines = [
        Text.assemble((str(verdict), STYLES[verdict]), f": {verdict.meaning}")
        for verdict in used(results)
    ]
    lines.append(Text.assemble(("bold", "bold"), ": best on the data set"))
    yield Padding(Group(*lines), (0, 0, 1, 0), expand=False)
    for metric in METRICS:
        every = results[results["metric"] == metric]
        counted = distinct(every)
        repeated = len(every) - len(counted)
        more = f"; {repeated} more repeat them" if repeated else ""
        counts = count_verdicts(counted["verdict"])
        parts = ", ".join(f"{count} {verdict}" for verdict, count in counts.items())
        yield note(f"{TITLES[metric]} cells", f"{parts}; {len(counted)} in total{more}")
    for about, names in notes_of(results).items():
        yield note(", ".join(names), about)
    if results["paper_mean"].isna().all():
        head, ranks, result = ranking(results)
        content = table(head, ranks, title=TITLES[RANKED], left=head[:1])
        content.rows[-3].end_section = True  # the last two rows are the mean and the mean rank
        yield content
        yield Text(result)


def _row(cell: Any) -> list[str | Text]:
    """Return the row of a cell; the difference has its confidence interval, as +1.2 [0.4, 2.0]."""
    succeeded = cell.repeats - cell.failed
    runs = f" ({succeeded}/{cell.repeats})" if cell.failed and succeeded else ""
    interval = f" [{cell.low:.1f}, {cell.high:.1f}]" if cell.error > 0 else ""
    return [
        cell.dataset,
        row_title(cell),
        cell.title,
        Text(plain(cell.mean, cell.std) + runs, style="bold" if cell.best else ""),
        plain(cell.paper_mean, cell.paper_std),
        signed(cell.difference) + interval,
        Text(cell.verdict, style=STYLES[cell.verdict]),
    ]


def print_plan(
    study: Study, options: RunOptions, out: Path, output: Output, parameter: str = ""
) -> None:
    """Print the runs of each cell and how many of them are stored; a sweep varies `parameter`."""
    prepared = prepare(study, options, out)
    stored, to_run = prepared.stored, len(prepared.pending)
    cells: list[dict[str, Any]] = [
        {
            "dataset": cell.dataset,
            "variance": cell.explained_variance,
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
