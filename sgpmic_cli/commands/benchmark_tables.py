"""Tables for the terminal that show the results of an experiment."""

from collections.abc import Iterator
from typing import Any

import pandas as pd
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from sgpmic_cli.benchmark.compare import METRICS, ROW, Verdict, distinct, is_best, rows_of
from sgpmic_cli.benchmark.counts import count_verdicts
from sgpmic_cli.benchmark.render.tables import (
    TITLES,
    notes_of,
    plain,
    row_title,
    signed,
    used,
)
from sgpmic_cli.commands.terminal_tables import note, table

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
    """Yield a table of each metric, the legend, the counts of the verdicts and the notes."""
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
