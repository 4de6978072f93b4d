"""The benchmark's tables for the terminal.

One data set at one variance, or one method, is a list: a line for each cell. Otherwise a grid as in the paper: a row
for each data set and variance, a column for each method, cut into as many tables as the width asks for.
"""

from collections.abc import Iterator, Sequence

from rich import box
from rich.console import Console, Group, RenderableType
from rich.measure import Measurement
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from sgpmic_cli.experiments.compare.comparison import METRICS, Result
from sgpmic_cli.experiments.compare.counts import best_of, count_verdicts, distinct, is_best
from sgpmic_cli.experiments.compare.verdicts import LEGEND, SIGNS, Difference, Verdict
from sgpmic_cli.experiments.tables.formats import TITLES, plain, signed
from sgpmic_cli.experiments.tables.result_tables import notes_of, pivot, share_of

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
GRID_COLUMN = 17  # columns of one method in a grid
GRID_MARGIN = 19  # columns of the row's name


def render(results: Sequence[Result], console: Console) -> Iterator[RenderableType]:
    """The tables, their legend, a count of verdicts and the notes."""
    methods, rows = pivot(results)
    listed = len(methods) == 1 or len(rows) == 1
    if listed:
        by_method = len(rows) == 1
        beside = _list(results, METRICS, by_method)
        if (
            Measurement.get(console, console.options.update(width=1000), beside).maximum
            <= console.width
        ):
            yield beside
        else:
            yield from (_list(results, [metric], by_method) for metric in METRICS)
    else:
        room = max(1, (console.width - GRID_MARGIN) // GRID_COLUMN)
        parts = -(-len(methods) // room)
        size = -(-len(methods) // parts)
        for metric in METRICS:
            for start in range(0, len(methods), size):
                yield _grid(results, methods[start : start + size], metric)
    yield _legend(results, signs=not listed, bold=len(methods) > 1)
    yield _summary(results)
    yield from _notes(results)


def _list(results: Sequence[Result], metrics: Sequence[str], by_method: bool) -> Table:
    first = results[0]
    where = f"{first.dataset}, {first.variance} % of the variance (Q = {'?' if first.q is None else first.q})"
    table = Table(
        box=box.SIMPLE_HEAD,
        title=where if by_method else first.method,
        title_style="bold",
        pad_edge=False,
    )
    table.add_column("method" if by_method else "data set, % (Q)", no_wrap=True)
    for metric in metrics:
        for heading in (TITLES[metric], "paper", "diff"):
            table.add_column(heading, justify="right", no_wrap=True)
        table.add_column("", no_wrap=True)
    best = {metric: best_of(results, metric) for metric in metrics}
    for result in results:
        row = Text(result.entrant.label if by_method else _row_name(result))
        entries: list[Text] = []
        for metric in metrics:
            verdict = result.verdict[metric]
            entries += [
                _ours(result, metric, best[metric] if by_method else None),
                Text(plain(result.paper[metric])),
                Text(_interval(result.difference(metric))),
                Text(verdict, style=STYLES[verdict]),
            ]
        table.add_row(row, *entries)
    return table


def _grid(results: Sequence[Result], methods: Sequence[str], metric: str) -> Table:
    table = Table(
        box=box.SIMPLE_HEAD, title=TITLES[metric], title_style="bold", pad_edge=False, leading=0
    )
    table.add_column("data set, % (Q)", no_wrap=True)
    for method in methods:
        table.add_column(method, justify="right", no_wrap=False, overflow="fold")
    before = None
    for row in pivot(results)[1].values():
        best = best_of(row.values(), metric)  # of the whole row, also where the table is cut
        first = next(iter(row.values()))
        if before is not None and before != first.dataset:
            table.add_section()
        before = first.dataset
        entries = [
            _grid_cell(row[method], metric, best) if method in row else Text("")
            for method in methods
        ]
        table.add_row(_row_name(first), *entries)
    return table


def _grid_cell(result: Result, metric: str, best: float | None) -> Text:
    """Two lines: ours; the paper's mean, the difference and the verdict's sign."""
    verdict, paper = result.verdict[metric], result.paper[metric]
    text = Text()
    if result.ours[metric].mean is not None:
        text.append_text(_ours(result, metric, best)).append("\n")
    if paper is not None:
        text.append(f"{paper.mean:.2f} ", style="dim")
        difference = result.difference(metric)
        text.append(signed(difference.value if difference else None) + " ", style="dim")
    return text.append(_sign(verdict), style=STYLES[verdict])


def _ours(result: Result, metric: str, best: float | None) -> Text:
    stat = result.ours[metric]
    some = (
        f" ({result.repeats - result.failed}/{result.repeats})"
        if result.failed and result.ok
        else ""
    )
    return Text(plain(stat) + some, style="bold" if is_best(stat.mean, best) else "")


def _row_name(result: Result) -> str:
    return f"{result.dataset} {share_of(result)}"


def _sign(verdict: Verdict) -> str:
    """The sign of a verdict, or its word where there is no number to put a sign beside."""
    return SIGNS[verdict].text if SIGNS[verdict].latex else str(verdict)


def _interval(difference: Difference | None) -> str:
    """`+1.20 [0.4, 2.0]`: the difference of the means with its confidence interval; without spread there is none."""
    if difference is None:
        return ""
    low, high = difference.interval()
    return signed(difference.value) + (f" [{low:.1f}, {high:.1f}]" if difference.error else "")


def _legend(results: Sequence[Result], signs: bool, bold: bool) -> RenderableType:
    used = {verdict for result in results for verdict in result.verdict.values()}
    lines = (
        [Text("Upper line ours, mean±std; lower line the paper's, difference, verdict.")]
        if signs
        else []
    )
    for verdict, meaning in LEGEND.items():
        if verdict in used:
            name = (
                f"{_sign(verdict)} {verdict}"
                if signs and _sign(verdict) != verdict
                else str(verdict)
            )
            lines.append(Text.assemble((name, STYLES[verdict]), f": {meaning}"))
    if bold:
        lines.append(
            Text.assemble(("bold", "bold"), f": best of the {'row' if signs else 'column'}")
        )
    return Padding(Group(*lines), (0, 0, 1, 0), expand=False)


def _summary(results: Sequence[Result]) -> Text:
    text = Text()
    counted = distinct(results)
    repeated = (
        f"; {len(results) - len(counted)} more repeat them" if len(counted) < len(results) else ""
    )
    for metric in METRICS:
        counts = count_verdicts(result.verdict[metric] for result in counted)
        parts = ", ".join(f"{count} {verdict}" for verdict, count in counts.items())
        told = f" cells: {parts}; {len(counted)} in all{repeated}\n"
        text.append(f"{TITLES[metric]}", style="bold").append(told)
    text.rstrip()
    return text


def _notes(results: Sequence[Result]) -> Iterator[RenderableType]:
    for note, where in notes_of(results).items():
        yield Text.assemble((f"{', '.join(where)}: ", "bold"), note)
