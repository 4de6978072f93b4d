"""Write a comparison as tidy CSV, Markdown and LaTeX.

`table.*` has our number, the printed one and the verdict in each cell. `table2.md` has the usual
layout of a paper: one table of our numbers and one of the printed numbers, each with the wins of
every method. `ari.md` ranks the methods by the adjusted Rand index. `summary.md` has the counts.

The tables hold no times and no dates, so a benchmark that was killed and resumed ends with the same
bytes.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from sgpmic_cli.benchmark.compare.results import METRICS, ROW, is_best, rows_of
from sgpmic_cli.benchmark.compare.significance import (
    LEVEL,
    rank_methods,
    ranks_in_rows,
    score_table,
)
from sgpmic_cli.benchmark.compare.summary import WINS, caveat_sentences, caveats, wins
from sgpmic_cli.benchmark.compare.verdicts import Verdict
from sgpmic_cli.benchmark.render.formats import (
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

SIDES = {"": "ours", "paper_": "the paper's"}  # prefixes of the columns, with their titles
RANKED = "ari"
HEAD = ["data set", "variance % (Q)"]


def tidy_csv(table: pd.DataFrame) -> str:
    """Return a CSV with one line for each score of each cell."""
    rows = [_tidy_row(cell) for cell in rows_of(table)]
    return csv_text(list(rows[0]), [list(row.values()) for row in rows]) if rows else ""


def _tidy_row(cell: Any) -> dict[str, object]:
    return {
        "metric": cell.metric,
        "dataset": cell.dataset,
        "variance": cell.explained_variance,
        "q": "" if pd.isna(cell.q) else cell.q,
        "method": cell.method,
        "mean": digits(cell.mean, 4),
        "std": digits(cell.std, 4),
        "repeats": cell.repeats,
        "failed": cell.failed,
        "paper_mean": digits(cell.paper_mean, 2),
        "paper_std": digits(cell.paper_std, 2),
        "difference": digits(cell.difference, 4),
        "difference_low": digits(cell.low, 4),
        "difference_high": digits(cell.high, 4),
        "verdict": cell.verdict if cell.metric in METRICS else "",
        "settings": json.dumps(cell.settings, sort_keys=True) if cell.settings else "",
        "note": cell.note,
    }


def markdown(table: pd.DataFrame) -> str:
    """Return a table of each metric with ours, the paper's number and the verdict."""
    parts = []
    for metric in METRICS:
        body = [
            [for_markdown(dataset), variance, *map(_markdown_cell, cells)]
            for dataset, variance, cells in _rows(table, metric)
        ]
        content = markdown_table([*HEAD, *table["method"].unique()], body, left=2)
        parts.append(f"### {TITLES[metric]}, ours over the paper's\n\n{content}")
    parts.append("".join(f"- {verdict}: {verdict.meaning}\n" for verdict in used(table)))
    if notes := notes_of(table):
        parts.append("".join(f"- {', '.join(where)}: {note}\n" for note, where in notes.items()))
    return "\n".join(parts)


def latex(table: pd.DataFrame) -> str:
    """Return one tabular for each metric with ours and, below in small type, the paper's number."""
    parts, methods = [], table["method"].unique()
    for metric in METRICS:
        lines = []
        for dataset, variance, cells in _rows(table, metric):
            paper = (
                (cell and _latex_number(cell.paper_mean, cell.paper_std)) or "--" for cell in cells
            )
            small = [rf"{{\footnotesize {number}}}" for number in paper]
            lines += [
                latex_row([escape(dataset), variance, *map(_latex_cell, cells)]),
                latex_row(["", "", *small]),
            ]
        head = ["data set", r"variance \% (Q)", *map(escape, methods)]
        parts.append(latex_table(f"ll{'r' * len(methods)}", head, lines, TITLES[metric]))
    signs = [f"${verdict.latex}$ {verdict}" for verdict in used(table) if verdict.latex]
    return "\n\n".join(parts) + (f"\n\n% Verdicts: {', '.join(signs)}\n" if signs else "\n")


def paper_layout(table: pd.DataFrame) -> str:
    """Return two tables for each metric, one of our numbers and one of the printed numbers."""
    titles = table.drop_duplicates("method").set_index("method")["title"]
    parts = []
    for metric in METRICS:
        for prefix, side in SIDES.items():
            body = []
            for dataset, variance, cells in _rows(table, metric, f"{prefix}mean"):
                numbers = [_number(cell, prefix) for cell in cells]
                body.append([for_markdown(dataset) + _mark(cells), variance, *numbers])
            counts = wins(table, metric, f"{prefix}mean")
            body.append(["wins", "", *(str(counts.get(name, "–")) for name in titles.index)])
            content = markdown_table([*HEAD, *titles], body, left=2)
            parts.append(f"### {TITLES[metric]}, {side}\n\n{content}")
    lines = "".join(f"- {line}\n" for line in caveat_sentences(caveats(table)))
    return "\n".join([*parts, lines] if lines else parts)


def ranking(table: pd.DataFrame) -> tuple[list[str], list[list[str]], str]:
    """Rank the methods of a table over its rows; return heading, rows and the result of the test.

    The last two rows are the mean and the mean rank of the methods with a number in every row.
    """
    methods, rows = list(table["method"].unique()), list(_rows(table, RANKED))
    datasets = [dataset for dataset, _, _ in rows]
    body = []
    for dataset, variance, cells in rows:
        name = dataset if datasets.count(dataset) == 1 else f"{dataset} {variance}"
        body.append([name, *(plain(cell.mean, cell.std) if cell else "–" for cell in cells)])
    scores = score_table(table, RANKED)
    # A row without any number is not in the scores, and leaves no method with a mean.
    complete = scores.dropna(axis="columns") if len(scores) == len(rows) else scores[[]]
    for title, means in (("mean", complete.mean()), ("mean rank", ranks_in_rows(complete).mean())):
        body.append([title, *(f"{means[name]:.2f}" if name in means else "–" for name in methods)])
    result = "No test: there are fewer than three methods or two data sets."
    if ranks := rank_methods(scores):
        result = (
            f"Friedman's test over {len(ranks.datasets)} data sets: p = {ranks.p_value:.3g}. "
            f"Two methods differ at the {100 * LEVEL:.0f} % level (Nemenyi) if their mean ranks "
            f"differ by {ranks.critical_difference:.2f}."
        )
    return ["data set", *methods], body, result


def ranking_markdown(table: pd.DataFrame) -> str:
    """Return the ranking as a Markdown file."""
    head, rows, result = ranking(table)
    title = f"{TITLES[RANKED]}, mean±std over the repeats"
    return f"{title}\n\n{markdown_table(head, rows)}\n{result}\n"


def summary_markdown(counts: Mapping[str, Any]) -> str:
    """Return the summary of a comparison as Markdown."""
    verdicts = [verdict for verdict in Verdict if verdict in counts["verdicts"]]
    listed = ", ".join(f"{counts['verdicts'][verdict]} {verdict}" for verdict in verdicts)
    near, differ, equivalent = (
        f"{counts[name]} ({100.0 * counts[name] / max(1, counts['judged']):.0f} %)"
        for name in ("within_one_point", "differ", "equivalent")
    )
    parts = [
        f"{counts['compared']} cells are compared with the {counts['published']} numbers that the "
        f"paper prints; {counts['compared'] - counts['distinct']} of them repeat an experiment "
        f"(equal data, equal Q) and are counted once. The other {counts['distinct']}: "
        f"{listed or 'none'}.\n",
        f"Of the {counts['judged']} cells on the paper's data, {near} are within one point, "
        f"{differ} differ, and {equivalent} are shown to be within two points (two one-sided tests "
        "at 5 %).\n",
    ]
    for title, groups, more in (
        ("metric", counts["by_metric"], {}),
        ("method", counts["by_method"], {"within 2 (TOST)": counts["equivalent_by_method"]}),
        ("data set", counts["by_dataset"], {}),
    ):
        columns = [
            *({name: of.get(verdict, 0) for name, of in groups.items()} for verdict in verdicts)
        ]
        columns += more.values()
        body = [[TITLES.get(name, name), *(str(of[name]) for of in columns)] for name in groups]
        parts.append(markdown_table([title, *verdicts, *more], body))
    best = {
        f"{TITLES[metric]}, {title}": counts["wins"][metric][side]
        for metric in METRICS
        for side, title in WINS.items()
    }
    methods = next(iter(best.values()))
    body = [[name, *(str(of.get(name, "–")) for of in best.values())] for name in methods]
    parts.append(markdown_table(["best of the row", *best], body))
    lines = [f"{verdict}: {verdict.meaning}" for verdict in verdicts]
    lines.append(
        f"best of the row: in {counts['rows']} distinct rows, ties count for each method; ours: "
        "among all methods that were run; ours, printed cells: among the cells that have a number "
        "in the paper"
    )
    parts.append("".join(f"- {line}\n" for line in [*lines, *caveat_sentences(counts)]))
    if counts["differing"]:
        parts.append(_differing(counts["differing"]))
    return "\n".join(parts)


def _differing(cells: Sequence[Mapping[str, Any]]) -> str:
    """Return a table of the cells that differ, the largest difference first."""
    body = [
        [
            f"{cell['method']} on {cell['dataset']} {cell['variance']}",
            TITLES[cell["metric"]],
            f"{cell['ours']:.2f}",
            f"{cell['paper']:.2f}",
            signed(cell["difference"]),
            "{:.1f} to {:.1f}".format(*cell["interval"]),
        ]
        for cell in cells
    ]
    return "Cells that differ, the largest difference first:\n\n" + markdown_table(
        ["cell", "score", "ours", "paper", "difference", "95 % interval"], body, left=2
    )


def row_title(cell: Any) -> str:
    """Return the variance of a cell and its Q, such as `95 (2)`, or `95 (?)` if Q is unknown."""
    return f"{cell.explained_variance} ({'?' if pd.isna(cell.q) else cell.q})"


def notes_of(table: pd.DataFrame, row: str = "explained_variance") -> dict[str, list[str]]:
    """Return each note with the cells that have it; the column `row` tells rows apart."""
    notes: dict[str, list[str]] = {}
    for cell in table[table["note"] != ""].drop_duplicates("cell").to_dict("records"):
        place = f"{cell['method']} on {cell['dataset']} {cell[row]}"
        notes.setdefault(cell["note"], []).append(place)
    return notes


def used(table: pd.DataFrame) -> list[Verdict]:
    """Return the verdicts that occur in a table, in the order of the legend."""
    verdicts = set(table[table["metric"].isin(METRICS)]["verdict"])
    return [verdict for verdict in Verdict if verdict in verdicts]


def _rows(
    table: pd.DataFrame, metric: str, column: str = "mean"
) -> Iterator[tuple[str, str, list[Any]]]:
    """Yield data set, variance and the cells of every row, in the order of the methods.

    A cell is None if it was not run. Its attribute `best` says whether `column` is the best.
    """
    table = table.assign(best=is_best(table, column))
    for (dataset, _), row in table[table["metric"] == metric].groupby(ROW, sort=False):
        cells = {cell.method: cell for cell in rows_of(row)}
        title = row_title(next(iter(cells.values())))
        yield str(dataset), title, [cells.get(method) for method in table["method"].unique()]


def _number(cell: Any, prefix: str) -> str:
    if cell is None:
        return "–"
    text = plain(getattr(cell, f"{prefix}mean"), getattr(cell, f"{prefix}std"))
    return f"**{text}**" if cell.best else text


def _markdown_cell(cell: Any) -> str:
    if cell is None:
        return ""
    printed = "" if pd.isna(cell.paper_mean) else f"{plain(cell.paper_mean, cell.paper_std)} "
    difference = signed(cell.difference)
    size = f" {difference}" if difference and cell.verdict != Verdict.EXACT else ""
    return f"{_number(cell, '')}<br>{printed}{cell.verdict}{size}"


def _latex_cell(cell: Any) -> str:
    if cell is None:
        return ""
    sign = f"^{{{Verdict(cell.verdict).latex}}}"
    return _latex_number(cell.mean, cell.std, cell.best, sign) or cell.verdict


def _latex_number(mean: float, std: float, bold: bool = False, sign: str = "") -> str:
    if pd.isna(mean):
        return ""
    number = rf"{mean:.2f} \pm {std:.2f}"
    return rf"$\mathbf{{{number}}}{sign}$" if bold else f"${number}{sign}$"


def _mark(cells: Sequence[Any]) -> str:
    """Return the mark of a row whose data are unavailable or not the paper's."""
    present = [cell for cell in cells if cell is not None]
    if not all(cell.repeats for cell in present):
        return " (unavailable)"
    return " (data differ)" if any(cell.data_differ for cell in present) else ""
