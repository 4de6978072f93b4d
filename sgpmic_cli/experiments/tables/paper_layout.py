"""The table in the paper's shape: rows by data set and variance, a column for each method, the best in bold.

Our numbers and the printed ones stand in two tables of the same rows, each with the wins of every method below.
A method that the paper does not print, such as a variant of one of its own, has dashes in the second.
"""

from collections.abc import Sequence

from sgpmic_cli.experiments.compare.comparison import (
    METRICS,
    Mean,
    Result,
    ours_of,
    printed_cell,
    printed_of,
)
from sgpmic_cli.experiments.compare.counts import best_of, is_best, wins
from sgpmic_cli.experiments.compare.paper import Published
from sgpmic_cli.experiments.run.aggregate import Stat
from sgpmic_cli.experiments.tables.formats import TITLES, digits, escape, markdown_table, plain
from sgpmic_cli.experiments.tables.result_tables import pivot
from sgpmic_cli.experiments.tables.summary import (
    chosen_with_labels,
    fitted_to_print,
    remarks,
    scored_otherwise,
)
from sgpmic_cli.safe_text import for_markdown

SIDES: dict[str, Mean] = {"ours": ours_of, "the paper's": printed_of}


def shape_markdown(results: Sequence[Result]) -> str:
    """Two tables for each metric."""
    methods, rows = pivot(results)
    labels = _labels(results)
    parts = []
    for metric in METRICS:
        for side, mean in SIDES.items():
            body = []
            for (dataset, share), row in rows.items():
                top = best_of(row.values(), metric, mean)
                cells = [_markdown(row.get(method), metric, mean, top) for method in methods]
                body.append([for_markdown(dataset) + _mark(row), share, *cells])
            counts = wins(results, metric, mean)
            body.append(["wins", "", *(str(counts.get(method, "–")) for method in methods)])
            table = markdown_table(["data set", "variance % (Q)", *labels], body, left=2)
            parts.append(f"### {TITLES[metric]}, {side}\n\n{table}")
    told = "".join(f"- {line}\n" for line in _remarks(results))
    return "\n".join([*parts, told] if told else parts)


def shape_latex(results: Sequence[Result]) -> str:
    """The same for LaTeX (needs booktabs)."""
    methods, rows = pivot(results)
    labels = [escape(label) for label in _labels(results)]
    parts = []
    for metric in METRICS:
        for side, mean in SIDES.items():
            lines = [
                rf"% {TITLES[metric]}, {side}",
                rf"\begin{{tabular}}{{ll{'r' * len(methods)}}}",
                r"\toprule",
            ]
            lines += [_row(["data set", r"variance \% (Q)", *labels]), r"\midrule"]
            before = ""
            for (dataset, share), row in rows.items():
                top = best_of(row.values(), metric, mean)
                cells = [_latex(row.get(method), metric, mean, top) for method in methods]
                lines += [r"\midrule"] if before and before != dataset else []
                lines.append(
                    _row([escape(dataset + _mark(row)) if before != dataset else "", share, *cells])
                )
                before = dataset
            counts = wins(results, metric, mean)
            lines += [
                r"\midrule",
                _row(["wins", "", *(str(counts.get(method, "--")) for method in methods)]),
            ]
            parts.append("\n".join([*lines, r"\bottomrule", r"\end{tabular}"]))
    told = [f"% {line}" for line in _remarks(results)]
    return "\n\n".join([*parts, "\n".join(told)]).rstrip() + "\n"


def _remarks(results: Sequence[Result]) -> list[str]:
    fitted = fitted_to_print(result.entrant for result in results)
    return remarks(chosen_with_labels(results), fitted, scored_otherwise(results))


def _labels(results: Sequence[Result]) -> list[str]:
    return list({result.method: result.entrant.label for result in results}.values())


def _mark(row: dict[str, Result]) -> str:
    """What is said of a row whose data are not the paper's, or not to be had."""
    if not all(result.available for result in row.values()):
        return " (unavailable)"
    return " (data differ)" if any(result.data_differ for result in row.values()) else ""


def _stat(result: Result | None, metric: str, mean: Mean) -> Stat | Published | None:
    if result is None:
        return None
    return result.ours[metric] if mean is ours_of else printed_cell(result, metric)


def _markdown(result: Result | None, metric: str, mean: Mean, top: float | None) -> str:
    stat = _stat(result, metric, mean)
    return f"**{plain(stat)}**" if _is_top(stat, top) else plain(stat)


def _latex(result: Result | None, metric: str, mean: Mean, top: float | None) -> str:
    stat = _stat(result, metric, mean)
    if stat is None or stat.mean is None:
        return "--"
    number = rf"{digits(stat.mean, 2)} \pm {digits(stat.std, 2)}"
    return rf"$\mathbf{{{number}}}$" if _is_top(stat, top) else f"${number}$"


def _is_top(stat: Stat | Published | None, top: float | None) -> bool:
    return stat is not None and is_best(stat.mean, top)


def _row(entries: Sequence[str]) -> str:
    return " & ".join(entries) + r" \\"
