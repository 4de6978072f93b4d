"""Write a result as tidy CSV, Markdown and LaTeX.

`table.*` has our number, the printed one and the verdict in each cell. `table2.md` has the layout
of the paper: one table of our numbers and one of the printed numbers, each with the wins of every
method. `ari.md` ranks the methods by the adjusted Rand index, for which the paper has no table.

The tables hold no times and no dates, so an experiment that was killed and resumed ends with the
same bytes.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from operator import attrgetter

from sgpmic_cli.benchmark.compare.comparison import METRICS, Result
from sgpmic_cli.benchmark.compare.counts import best, is_best, rows_of, wins
from sgpmic_cli.benchmark.compare.paper import Stat
from sgpmic_cli.benchmark.compare.significance import (
    LEVEL,
    compare_methods,
    our_scores,
    ranks_in_rows,
)
from sgpmic_cli.benchmark.compare.verdicts import Verdict
from sgpmic_cli.benchmark.tables.benchmark_summary import caveat_sentences, caveats
from sgpmic_cli.benchmark.tables.formats import (
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
from sgpmic_cli.text import for_markdown

Cells = list[tuple[Result | None, bool]]  # the cells of a row, and whether each is the best
SIDES = {"ours": "ours", "paper": "the paper's"}
NOTHING = Stat()
RANKED = "ari"


def tidy_csv(results: Sequence[Result]) -> str:
    """Return a CSV with one line for each score of each cell."""
    rows = [_tidy_row(result, metric) for result in results for metric in result.ours]
    return csv_text(list(rows[0]), [list(row.values()) for row in rows]) if rows else ""


def _tidy_row(result: Result, metric: str) -> dict[str, object]:
    ours, paper = result.ours[metric], result.paper[metric] or NOTHING
    difference = result.difference(metric)
    value, low, high = (
        (difference.value, *difference.interval()) if difference else (None, None, None)
    )
    return {
        "metric": metric,
        "dataset": result.dataset,
        "variance": result.variance,
        "q": result.q,
        "method": result.method_name,
        "mean": digits(ours.mean, 4),
        "std": digits(ours.std, 4),
        "repeats": result.repeats,
        "failed": result.failed,
        "paper_mean": digits(paper.mean, 2),
        "paper_std": digits(paper.std, 2),
        "difference": digits(value, 4),
        "difference_low": digits(low, 4),
        "difference_high": digits(high, 4),
        "verdict": result.verdict(metric) if metric in METRICS else "",
        "settings": json.dumps(result.settings, sort_keys=True) if result.settings else "",
        "note": result.note,
    }


def markdown(results: Sequence[Result]) -> str:
    """Return a table of each metric with ours, the paper's number and the verdict."""
    parts = []
    for metric in METRICS:
        body = [
            [for_markdown(dataset), variance, *(_markdown_cell(*cell, metric) for cell in cells)]
            for dataset, variance, cells in _rows(results, metric)
        ]
        table = markdown_table(["data set", "variance % (Q)", *methods_of(results)], body, left=2)
        parts.append(f"### {TITLES[metric]}, ours over the paper's\n\n{table}")
    parts.append("".join(f"- {verdict}: {verdict.meaning}\n" for verdict in used(results)))
    if notes := notes_of(results):
        parts.append("".join(f"- {', '.join(where)}: {note}\n" for note, where in notes.items()))
    return "\n".join(parts)


def latex(results: Sequence[Result]) -> str:
    """Return one tabular for each metric with ours and, below in small type, the paper's number."""
    parts = []
    for metric in METRICS:
        lines = []
        for dataset, variance, cells in _rows(results, metric):
            ours = [_latex_ours(*cell, metric) for cell in cells]
            paper = [_latex_number(each.paper[metric] if each else None) for each, _ in cells]
            small = [rf"{{\footnotesize {number}}}" for number in paper]
            lines += [latex_row([escape(dataset), variance, *ours]), latex_row(["", "", *small])]
        methods = methods_of(results)
        head = ["data set", r"variance \% (Q)", *map(escape, methods)]
        parts.append(latex_table(f"ll{'r' * len(methods)}", head, lines, TITLES[metric]))
    signs = [f"${verdict.latex}$ {verdict}" for verdict in used(results) if verdict.latex]
    return "\n\n".join(parts) + (f"\n\n% Verdicts: {', '.join(signs)}\n" if signs else "\n")


def shape_markdown(results: Sequence[Result]) -> str:
    """Return the table in the paper's layout: two tables for each metric."""
    labels = {result.method_name: result.method.label for result in results}
    head = ["data set", "variance % (Q)", *labels.values()]
    parts = []
    for metric in METRICS:
        for side, title in SIDES.items():
            body = []
            for dataset, variance, cells in _rows(results, metric, side):
                numbers = [plain(getattr(each, side)[metric]) if each else "–" for each, _ in cells]
                tops = (top for _, top in cells)
                texts = [f"**{n}**" if top else n for n, top in zip(numbers, tops, strict=True)]
                body.append([for_markdown(dataset) + _mark(cells), variance, *texts])
            counts = wins(results, metric, side)
            body.append(["wins", "", *(str(counts.get(method, "–")) for method in labels)])
            parts.append(f"### {TITLES[metric]}, {title}\n\n{markdown_table(head, body, left=2)}")
    lines = "".join(f"- {line}\n" for line in caveat_sentences(caveats(results)))
    return "\n".join([*parts, lines] if lines else parts)


def ranking(results: Sequence[Result]) -> tuple[list[str], list[list[str]], str]:
    """Rank the methods of a table over its rows; return heading, rows and the result of the test.

    The last two rows are the mean and the mean rank of the methods with a number in every row.
    """
    methods, rows = methods_of(results), list(_rows(results, RANKED))
    datasets = [dataset for dataset, _, _ in rows]
    body = []
    for dataset, variance, cells in rows:
        name = dataset if datasets.count(dataset) == 1 else f"{dataset} {variance}"
        body.append([name, *(plain(each.ours[RANKED] if each else None) for each, _ in cells)])
    scores = our_scores(results, RANKED)
    # A row without any number is not in the scores, and leaves no method with a mean.
    complete = scores.dropna(axis="columns") if len(scores) == len(rows) else scores[[]]
    for title, means in (("mean", complete.mean()), ("mean rank", ranks_in_rows(complete).mean())):
        body.append([title, *(f"{means[name]:.2f}" if name in means else "–" for name in methods)])
    verdict = "No test: there are fewer than three methods or two data sets."
    if compared := compare_methods(scores):
        verdict = (
            f"Friedman's test over {len(compared.datasets)} data sets: p = {compared.p_value:.3g}. "
            f"Two methods differ at the {100 * LEVEL:.0f} % level (Nemenyi) if their mean ranks "
            f"differ by {compared.critical_difference:.2f}."
        )
    return ["data set", *methods], body, verdict


def ranking_markdown(results: Sequence[Result]) -> str:
    """Return the ranking as a Markdown file."""
    head, rows, verdict = ranking(results)
    title = f"{TITLES[RANKED]}, mean±std over the repeats"
    return f"{title}\n\n{markdown_table(head, rows)}\n{verdict}\n"


def methods_of(results: Sequence[Result]) -> list[str]:
    """Return the methods of a table, which are its columns."""
    return list(dict.fromkeys(result.method_name for result in results))


def share_of(result: Result) -> str:
    """Return the variance of a cell and its Q, such as `95 (2)`, or `95 (?)` if Q is unknown."""
    return f"{result.variance} ({'?' if result.q is None else result.q})"


def notes_of(
    results: Sequence[Result], row: Callable[[Result], object] = attrgetter("variance")
) -> dict[str, list[str]]:
    """Return each note with the cells that have it; `row` tells the rows of a data set apart."""
    notes: dict[str, list[str]] = {}
    for result in results:
        if result.note:
            place = f"{result.method_name} on {result.dataset} {row(result)}"
            notes.setdefault(result.note, []).append(place)
    return notes


def used(results: Sequence[Result]) -> list[Verdict]:
    """Return the verdicts that occur in a table, in the order of the legend."""
    found = {result.verdict(metric) for result in results for metric in METRICS}
    return [verdict for verdict in Verdict if verdict in found]


def _rows(
    results: Sequence[Result], metric: str, side: str = "ours"
) -> Iterator[tuple[str, str, Cells]]:
    """Yield data set, variance and cells of every row."""
    methods = methods_of(results)
    for (dataset, _), row in rows_of(results).items():
        top = best(result.mean(metric, side) for result in row.values())
        found = (row.get(method) for method in methods)
        cells = [(each, bool(each and is_best(each.mean(metric, side), top))) for each in found]
        yield dataset, share_of(next(iter(row.values()))), cells


def _markdown_cell(result: Result | None, is_top: bool, metric: str) -> str:
    if result is None:
        return ""
    ours, paper = plain(result.ours[metric]), result.paper[metric]
    verdict, difference = result.verdict(metric), result.difference(metric)
    size = f" {signed(difference.value)}" if difference and verdict is not Verdict.EXACT else ""
    text = f"**{ours}**" if is_top else ours
    return f"{text}<br>{plain(paper) + ' ' if paper else ''}{verdict}{size}"


def _latex_ours(result: Result | None, is_top: bool, metric: str) -> str:
    if result is None:
        return ""
    verdict = result.verdict(metric)
    if not result.ok:
        return str(verdict)
    return _latex_number(result.ours[metric], is_top, f"^{{{verdict.latex}}}")


def _latex_number(stat: Stat | None, bold: bool = False, sign: str = "") -> str:
    if stat is None or stat.mean is None:
        return "--"
    number = rf"{stat.mean:.2f} \pm {stat.std:.2f}"
    return rf"$\mathbf{{{number}}}{sign}$" if bold else f"${number}{sign}$"


def _mark(cells: Cells) -> str:
    """Return the mark of a row whose data are unavailable or not the paper's."""
    found = [result for result, _ in cells if result is not None]
    if not all(result.available for result in found):
        return " (unavailable)"
    return " (data differ)" if any(result.data_differ for result in found) else ""
