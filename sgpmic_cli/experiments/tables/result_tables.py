"""Write a result as tidy CSV, Markdown and LaTeX.

`table.*` has our number, the printed one and the verdict in each cell. `table2.*` has the layout of
the paper: one table of our numbers and one of the printed numbers, each with the wins of every
method.

The tables hold no times and no dates, so an experiment that was killed and resumed ends with the
same bytes.
"""

import json
from collections.abc import Iterator, Sequence

from sgpmic_cli.experiments.compare.comparison import (
    METRICS,
    Mean,
    Result,
    ours_of,
    printed_cell,
    printed_of,
)
from sgpmic_cli.experiments.compare.counts import best_of, is_best, rows_of, wins
from sgpmic_cli.experiments.compare.paper import Published
from sgpmic_cli.experiments.compare.verdicts import LEGEND, SIGNS, Verdict
from sgpmic_cli.experiments.run.aggregate import Stat
from sgpmic_cli.experiments.tables.benchmark_summary import (
    chosen_with_labels,
    fitted_to_print,
    remarks,
    scored_otherwise,
)
from sgpmic_cli.experiments.tables.formats import (
    TITLES,
    csv_text,
    digits,
    escape,
    latex_row,
    latex_table,
    markdown_table,
    plain,
    signed,
)
from sgpmic_cli.safe_text import for_markdown

Rows = dict[tuple[str, str], dict[str, Result]]
Number = Stat | Published | None
# Data set, its mark, variance, and each number with whether it is the best of the row.
Row = tuple[str, str, str, list[tuple[Number, bool]]]
SIDES: dict[str, Mean] = {"ours": ours_of, "the paper's": printed_of}


def tidy_csv(results: Sequence[Result]) -> str:
    """Return a CSV with one line for each score of each cell."""
    rows = [_tidy_row(result, metric) for result in results for metric in result.ours]
    return csv_text(list(rows[0]), [list(row.values()) for row in rows]) if rows else ""


def _tidy_row(result: Result, metric: str) -> dict[str, object]:
    ours = result.ours[metric]
    paper = result.paper.get(metric)
    difference = result.difference(metric) if metric in METRICS else None
    low, high = difference.interval() if difference else (None, None)
    return {
        "metric": metric,
        "dataset": result.dataset,
        "variance": result.variance,
        "q": result.q,
        "method": result.method,
        "mean": digits(ours.mean, 4),
        "std": digits(ours.std, 4),
        "repeats": result.repeats,
        "failed": result.failed,
        "paper_mean": digits(paper.mean if paper else None, 2),
        "paper_std": digits(paper.std if paper else None, 2),
        "difference": digits(difference.value if difference else None, 4),
        "difference_low": digits(low, 4),
        "difference_high": digits(high, 4),
        "verdict": result.verdict.get(metric, ""),
        "settings": json.dumps(result.settings, sort_keys=True) if result.settings else "",
        "note": result.note,
    }


def markdown(results: Sequence[Result]) -> str:
    """Return a table of each metric with ours, the paper's number and the verdict."""
    methods, rows = pivot(results)
    parts = []
    for metric in METRICS:
        body = []
        for (dataset, variance), row in rows.items():
            top = best_of(row.values(), metric)
            cells = [_markdown_cell(row.get(method), metric, top) for method in methods]
            body.append([for_markdown(dataset), variance, *cells])
        table = markdown_table(["data set", "variance % (Q)", *methods], body, left=2)
        parts.append(f"### {TITLES[metric]}, ours over the paper's\n\n{table}")
    parts.append("".join(f"- {verdict}: {meaning}\n" for verdict, meaning in _used(results)))
    if notes := notes_of(results):
        parts.append("".join(f"- {', '.join(where)}: {note}\n" for note, where in notes.items()))
    return "\n".join(parts)


def latex(results: Sequence[Result]) -> str:
    """Return one tabular for each metric with ours and, below in small type, the paper's number."""
    methods, rows = pivot(results)
    head = ["data set", r"variance \% (Q)", *map(escape, methods)]
    parts = []
    for metric in METRICS:
        lines = []
        for (dataset, variance), row in rows.items():
            top = best_of(row.values(), metric)
            cells = [row.get(method) for method in methods]
            ours = [_latex_ours(cell, metric, top) for cell in cells]
            paper = [_latex_number(cell.paper[metric] if cell else None) for cell in cells]
            small = [rf"{{\footnotesize {number}}}" for number in paper]
            lines += [latex_row([escape(dataset), variance, *ours]), latex_row(["", "", *small])]
        parts.append(latex_table(f"ll{'r' * len(methods)}", head, lines, TITLES[metric]))
    signs = [(SIGNS[verdict].latex, verdict) for verdict, _ in _used(results)]
    legend = ", ".join(f"${sign}$ {verdict}" for sign, verdict in signs if sign)
    return "\n\n".join(parts) + (f"\n\n% Verdicts: {legend}\n" if legend else "\n")


def shape_markdown(results: Sequence[Result]) -> str:
    """Return the table in the paper's layout: two tables for each metric."""
    head = ["data set", "variance % (Q)", *_labels(results)]
    parts = []
    for title, rows, counts in _sides(results):
        body = [
            [
                for_markdown(dataset) + mark,
                variance,
                *(f"**{plain(stat)}**" if is_top else plain(stat) for stat, is_top in cells),
            ]
            for dataset, mark, variance, cells in rows
        ]
        body.append(["wins", "", *("–" if count is None else str(count) for count in counts)])
        parts.append(f"### {title}\n\n{markdown_table(head, body, left=2)}")
    lines = "".join(f"- {line}\n" for line in _remarks(results))
    return "\n".join([*parts, lines] if lines else parts)


def shape_latex(results: Sequence[Result]) -> str:
    """Return the table in the paper's layout for LaTeX."""
    head = ["data set", r"variance \% (Q)", *map(escape, _labels(results))]
    parts = []
    for title, rows, counts in _sides(results):
        lines: list[str] = []
        before = ""
        for dataset, mark, variance, cells in rows:
            lines += [r"\midrule"] if before and before != dataset else []
            name = escape(dataset + mark) if before != dataset else ""
            numbers = [_latex_number(stat, bold=is_top) for stat, is_top in cells]
            lines.append(latex_row([name, variance, *numbers]))
            before = dataset
        total = ["--" if count is None else str(count) for count in counts]
        lines += [r"\midrule", latex_row(["wins", "", *total])]
        parts.append(latex_table(f"ll{'r' * len(counts)}", head, lines, title))
    comments = "\n".join(f"% {line}" for line in _remarks(results))
    return "\n\n".join([*parts, comments]).rstrip() + "\n"


def _sides(results: Sequence[Result]) -> Iterator[tuple[str, list[Row], list[int | None]]]:
    """Yield the tables in the paper's layout: title, rows, and the wins of the methods."""
    methods, rows = pivot(results)
    for metric in METRICS:
        for side, mean in SIDES.items():
            body = []
            for (dataset, variance), row in rows.items():
                top = best_of(row.values(), metric, mean)
                found = [row.get(method) for method in methods]
                cells = [
                    (_number(each, metric, mean), bool(each and is_best(mean(each, metric), top)))
                    for each in found
                ]
                body.append((dataset, _mark(row), variance, cells))
            counts = wins(results, metric, mean)
            yield f"{TITLES[metric]}, {side}", body, [counts.get(method) for method in methods]


def pivot(results: Sequence[Result]) -> tuple[list[str], Rows]:
    """Return the methods, and the cells by row (data set, "variance (Q)") and method."""
    rows = {
        (dataset, share_of(next(iter(row.values())))): row
        for (dataset, _), row in rows_of(results).items()
    }
    return list(dict.fromkeys(result.method for result in results)), rows


def share_of(result: Result) -> str:
    """Return the variance of a cell and its Q, such as `95 (2)`, or `95 (?)` if Q is unknown."""
    return f"{result.variance} ({'?' if result.q is None else result.q})"


def notes_of(results: Sequence[Result]) -> dict[str, list[str]]:
    """Return each note with the cells that have it."""
    notes: dict[str, list[str]] = {}
    for result in results:
        if result.note:
            place = f"{result.method} on {result.dataset} {result.variance}"
            notes.setdefault(result.note, []).append(place)
    return notes


def _used(results: Sequence[Result]) -> list[tuple[Verdict, str]]:
    found = {verdict for result in results for verdict in result.verdict.values()}
    return [(verdict, meaning) for verdict, meaning in LEGEND.items() if verdict in found]


def _markdown_cell(result: Result | None, metric: str, top: float | None) -> str:
    if result is None:
        return ""
    ours = result.ours[metric]
    text = f"**{plain(ours)}**" if is_best(ours.mean, top) else plain(ours)
    paper = result.paper[metric]
    verdict, difference = result.verdict[metric], result.difference(metric)
    size = f" {signed(difference.value)}" if difference and verdict is not Verdict.EXACT else ""
    return f"{text}<br>{plain(paper) + ' ' if paper else ''}{verdict}{size}"


def _latex_ours(result: Result | None, metric: str, top: float | None) -> str:
    if result is None:
        return ""
    ours, verdict = result.ours[metric], result.verdict[metric]
    if ours.mean is None:
        return str(verdict)
    return _latex_number(ours, is_best(ours.mean, top), f"^{{{SIGNS[verdict].latex}}}")


def _latex_number(stat: Number, bold: bool = False, sign: str = "") -> str:
    if stat is None or stat.mean is None:
        return "--"
    number = rf"{stat.mean:.2f} \pm {stat.std:.2f}"
    return rf"$\mathbf{{{number}}}{sign}$" if bold else f"${number}{sign}$"


def _number(result: Result | None, metric: str, mean: Mean) -> Number:
    if result is None:
        return None
    return result.ours[metric] if mean is ours_of else printed_cell(result, metric)


def _labels(results: Sequence[Result]) -> list[str]:
    return list({result.method: result.entrant.label for result in results}.values())


def _mark(row: dict[str, Result]) -> str:
    """Return the mark of a row whose data are unavailable or not the paper's."""
    if not all(result.available for result in row.values()):
        return " (unavailable)"
    return " (data differ)" if any(result.data_differ for result in row.values()) else ""


def _remarks(results: Sequence[Result]) -> list[str]:
    fitted = fitted_to_print(result.entrant for result in results)
    return remarks(chosen_with_labels(results), fitted, scored_otherwise(results))
