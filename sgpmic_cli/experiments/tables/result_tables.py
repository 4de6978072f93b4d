"""A result as text: tidy CSV, Markdown and LaTeX.

The tables hold nothing that differs between two computers or two attempts at the same work (no seconds, no dates):
an experiment that was killed and resumed ends with the same bytes.
"""

import json
from collections.abc import Sequence

from sgpmic_cli.experiments.compare.comparison import METRICS, Result
from sgpmic_cli.experiments.compare.counts import best_of, is_best, rows_of
from sgpmic_cli.experiments.compare.paper import Published
from sgpmic_cli.experiments.compare.verdicts import LEGEND, SIGNS, Verdict
from sgpmic_cli.experiments.tables.formats import (
    TITLES,
    csv_text,
    digits,
    escape,
    markdown_table,
    plain,
    signed,
)
from sgpmic_cli.safe_text import for_markdown

TIDY = [
    "metric",
    "dataset",
    "variance",
    "q",
    "method",
    "mean",
    "std",
    "repeats",
    "failed",
    "paper_mean",
    "paper_std",
    "difference",
    "difference_low",
    "difference_high",
    "verdict",
    "settings",
    "note",
]


def tidy_csv(results: Sequence[Result]) -> str:
    """One line for each score of each cell."""
    rows = []
    for result in results:
        for metric, ours in result.ours.items():
            paper = result.paper.get(metric)
            difference = result.difference(metric) if metric in METRICS else None
            low, high = difference.interval() if difference else (None, None)
            row = {
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
            rows.append([row[name] for name in TIDY])
    return csv_text(TIDY, rows)


def markdown(results: Sequence[Result]) -> str:
    """A table of each metric, ours over the paper's number and the verdict, and the notes below."""
    parts = []
    for metric in METRICS:
        methods, rows = pivot(results)
        body = []
        for (dataset, share), row in rows.items():
            top = best_of(row.values(), metric)
            body.append(
                [
                    for_markdown(dataset),
                    share,
                    *(_markdown_cell(row.get(method), metric, top) for method in methods),
                ]
            )
        table = markdown_table(["data set", "variance % (Q)", *methods], body, left=2)
        parts.append(f"### {TITLES[metric]}, ours over the paper's\n\n{table}")
    parts.append("\n".join(f"- {verdict}: {meaning}" for verdict, meaning in _used(results)) + "\n")
    notes = notes_of(results)
    if notes:
        parts.append(
            "\n".join(f"- {', '.join(where)}: {note}" for note, where in notes.items()) + "\n"
        )
    return "\n".join(parts)


def latex(results: Sequence[Result]) -> str:
    """One tabular for each metric (needs booktabs): ours, and the paper's number beneath in small type."""
    parts = []
    methods, rows = pivot(results)
    for metric in METRICS:
        lines = [
            rf"% {TITLES[metric]}",
            rf"\begin{{tabular}}{{ll{'r' * len(methods)}}}",
            r"\toprule",
        ]
        lines += [
            " & ".join(["data set", r"variance \% (Q)", *map(escape, methods)]) + r" \\",
            r"\midrule",
        ]
        for (dataset, share), row in rows.items():
            top = best_of(row.values(), metric)
            ours = [_latex_ours(row.get(method), metric, top) for method in methods]
            paper = [
                _latex_paper(row[method].paper[metric] if method in row else None)
                for method in methods
            ]
            lines += [
                " & ".join([escape(dataset), share, *ours]) + r" \\",
                " & ".join(["", "", *paper]) + r" \\",
            ]
        parts.append("\n".join([*lines, r"\bottomrule", r"\end{tabular}"]))
    legend = ", ".join(
        f"${SIGNS[verdict].latex}$ {verdict}"
        for verdict, _ in _used(results)
        if SIGNS[verdict].latex
    )
    return "\n\n".join(parts) + (f"\n\n% Verdicts: {legend}\n" if legend else "\n")


def pivot(results: Sequence[Result]) -> tuple[list[str], dict[tuple[str, str], dict[str, Result]]]:
    """Methods in their order, and the rows (data set, "variance (Q)") with their cells by method."""
    rows = {
        (dataset, share_of(next(iter(row.values())))): row
        for (dataset, _), row in rows_of(results).items()
    }
    return list(dict.fromkeys(result.method for result in results)), rows


def share_of(result: Result) -> str:
    """`95 (2)`: the variance of a cell and its Q, a question mark where that is unknown."""
    return f"{result.variance} ({'?' if result.q is None else result.q})"


def notes_of(results: Sequence[Result]) -> dict[str, list[str]]:
    """Notes with the cells they belong to."""
    notes: dict[str, list[str]] = {}
    for result in results:
        if result.note:
            notes.setdefault(result.note, []).append(
                f"{result.method} on {result.dataset} {result.variance}"
            )
    return notes


def _used(results: Sequence[Result]) -> list[tuple[Verdict, str]]:
    seen = {verdict for result in results for verdict in result.verdict.values()}
    return [(verdict, meaning) for verdict, meaning in LEGEND.items() if verdict in seen]


def _markdown_cell(result: Result | None, metric: str, top: float | None) -> str:
    if result is None:
        return ""
    ours = result.ours[metric]
    text = plain(ours)
    if is_best(ours.mean, top):
        text = f"**{text}**"
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
    number = rf"{ours.mean:.2f} \pm {ours.std:.2f}"
    if is_best(ours.mean, top):
        number = rf"\mathbf{{{number}}}"
    return f"${number}^{{{SIGNS[verdict].latex}}}$"


def _latex_paper(paper: Published | None) -> str:
    return (
        r"{\footnotesize --}"
        if paper is None
        else rf"{{\footnotesize ${paper.mean:.2f} \pm {paper.std:.2f}$}}"
    )
