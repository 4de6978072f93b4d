"""Tables for the terminal that show the plan and the results of an experiment.

The results of one method, or of one data set at one variance, are a list with one line per cell.
Other results are a grid as in the paper, split into several tables if the terminal is too narrow.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from sgpmic_cli.commands.output import Output
from sgpmic_cli.commands.terminal_tables import as_text, note, table
from sgpmic_cli.experiments.compare.comparison import METRICS, Result
from sgpmic_cli.experiments.compare.counts import best, count_verdicts, distinct, is_best
from sgpmic_cli.experiments.compare.verdicts import Difference, Verdict
from sgpmic_cli.experiments.plan.study import Study
from sgpmic_cli.experiments.run.pipeline import RunOptions, prepare
from sgpmic_cli.experiments.tables.formats import TITLES, plain, signed
from sgpmic_cli.experiments.tables.ranking import METRIC, ranking
from sgpmic_cli.experiments.tables.result_tables import notes_of, pivot, share_of, used

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
METHOD_WIDTH = 17  # characters of one method in a grid
ROW_NAME_WIDTH = 19
ROW_NAME = "data set, % (Q)"


def result_tables(results: Sequence[Result], console: Console) -> Iterator[RenderableType]:
    """Yield the tables, their legend, the counts of the verdicts and the notes."""
    methods, rows = pivot(results)
    is_list = len(methods) == 1 or len(rows) == 1
    columns = max(1, (console.width - ROW_NAME_WIDTH) // METHOD_WIDTH)
    n_tables = -(-len(methods) // columns)
    size = -(-len(methods) // n_tables)
    for metric in METRICS:
        if is_list:
            yield _list(results, metric, by_method=len(rows) == 1)
        else:
            for start in range(0, len(methods), size):
                yield _grid(results, methods[start : start + size], metric)
    yield _legend(results, in_grid=not is_list, has_best=len(methods) > 1)
    yield _verdict_counts(results)
    for about, cells in notes_of(results).items():
        yield note(", ".join(cells), about)


def _list(results: Sequence[Result], metric: str, by_method: bool) -> Table:
    first = results[0]
    q = "?" if first.q is None else first.q
    cell = f"{first.dataset}, {first.variance} % of the variance (Q = {q})"
    name = "method" if by_method else ROW_NAME
    top = best(result.mean(metric) for result in results) if by_method else None
    rows: list[list[str | Text]] = [
        [
            result.entrant.label if by_method else _row_name(result),
            _ours(result, metric, top),
            plain(result.paper[metric]),
            _difference(result.difference(metric)),
            Text(result.verdict[metric], style=STYLES[result.verdict[metric]]),
        ]
        for result in results
    ]
    headings = [name, TITLES[metric], "paper", "diff", ""]
    return table(headings, rows, title=cell if by_method else first.method, left=(name, ""))


def _grid(results: Sequence[Result], methods: Sequence[str], metric: str) -> Table:
    content = table([ROW_NAME, *methods], [], title=TITLES[metric], left=[ROW_NAME])
    content.columns[0].no_wrap = True
    previous = None
    for row in pivot(results)[1].values():
        # The best of all methods, also if the grid is split.
        top = best(result.mean(metric) for result in row.values())
        first = next(iter(row.values()))
        if previous is not None and previous != first.dataset:
            content.add_section()
        previous = first.dataset
        cells = (_grid_cell(row[name], metric, top) if name in row else "" for name in methods)
        content.add_row(_row_name(first), *cells)
    return content


def _grid_cell(result: Result, metric: str, top: float | None) -> Text:
    """Return two lines: our mean; the paper's mean, the difference and the verdict."""
    verdict, paper = result.verdict[metric], result.paper[metric]
    text = Text()
    if result.ok:
        text.append_text(_ours(result, metric, top)).append("\n")
    if paper is not None:
        difference = result.difference(metric)
        value = signed(difference.value if difference else None)
        text.append(f"{paper.mean:.2f} {value} ", style="dim")
    return text.append(_sign(verdict), style=STYLES[verdict])


def _ours(result: Result, metric: str, top: float | None) -> Text:
    stat = result.ours[metric]
    partial = result.failed and result.ok
    runs = f" ({result.repeats - result.failed}/{result.repeats})" if partial else ""
    return Text(plain(stat) + runs, style="bold" if is_best(stat.mean, top) else "")


def _row_name(result: Result) -> str:
    return f"{result.dataset} {share_of(result)}"


def _sign(verdict: Verdict) -> str:
    """Return the sign of a verdict, or its name if it has no sign."""
    return verdict.sign if verdict.latex else str(verdict)


def _difference(difference: Difference | None) -> str:
    """Return the difference of the means and its confidence interval, as `+1.20 [0.4, 2.0]`."""
    if difference is None:
        return ""
    low, high = difference.interval()
    return signed(difference.value) + (f" [{low:.1f}, {high:.1f}]" if difference.error else "")


def _legend(results: Sequence[Result], in_grid: bool, has_best: bool) -> RenderableType:
    lines = []
    if in_grid:
        lines.append(Text("Upper line: our mean±std. Lower line: paper, difference, verdict."))
    for verdict in used(results):
        has_sign = in_grid and _sign(verdict) != verdict
        name = f"{_sign(verdict)} {verdict}" if has_sign else str(verdict)
        lines.append(Text.assemble((name, STYLES[verdict]), f": {verdict.meaning}"))
    if has_best:
        where = "row" if in_grid else "column"
        lines.append(Text.assemble(("bold", "bold"), f": best of the {where}"))
    return Padding(Group(*lines), (0, 0, 1, 0), expand=False)


def _verdict_counts(results: Sequence[Result]) -> Text:
    counted = distinct(results)
    repeated = len(results) - len(counted)
    lines = []
    for metric in METRICS:
        counts = count_verdicts(result.verdict[metric] for result in counted)
        parts = ", ".join(f"{count} {verdict}" for verdict, count in counts.items())
        more = f"; {repeated} more repeat them" if repeated else ""
        text = f" cells: {parts}; {len(counted)} in total{more}"
        lines.append(Text.assemble((TITLES[metric], "bold"), text))
    return Text("\n").join(lines)


def ranking_tables(results: Sequence[Result]) -> Iterator[RenderableType]:
    """Yield the ARI of every method and data set with mean ranks, and the result of the test."""
    ranked = ranking(results)
    content = table(ranked.head, ranked.rows, title=TITLES[METRIC], left=ranked.head[:1])
    content.rows[-3].end_section = True  # the last two rows are the mean and the mean rank
    yield content
    yield Text(ranked.verdict)


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
    if output.json:
        output.document({"to_run": to_run, "at_hand": len(stored), "cells": cells})
        return
    titles = {"dataset": "data set", "at_hand": "stored"}
    headings = [titles.get(name, name) for name in cells[0]] if cells else []
    rows = [[as_text(value) for value in cell.values()] for cell in cells]
    output.show(table(headings, rows, left=("data set", "method", "note")))
    output.note(f"{to_run} runs to compute, {len(stored)} stored; equal runs are computed once")
