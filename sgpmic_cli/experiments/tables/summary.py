"""The summary of a benchmark: how many printed cells came out as printed, and how often each method is best."""

from collections.abc import Iterable, Sequence
from typing import Any

from sgpmic_cli.experiments.compare.comparison import METRICS, Result, ours_of, printed_of
from sgpmic_cli.experiments.compare.counts import count_by_group, count_verdicts, rows_of, wins
from sgpmic_cli.experiments.compare.paper import table2
from sgpmic_cli.experiments.compare.verdicts import LEGEND
from sgpmic_cli.experiments.plan.methods import Method
from sgpmic_cli.experiments.tables.formats import TITLES, markdown_table


def chosen_with_labels(results: Sequence[Result]) -> list[str]:
    """Methods whose settings the labels chose: their numbers, and so their wins, are not blind like the others'."""
    return list(dict.fromkeys(result.method for result in results if result.grid))


def fitted_to_print(methods: Iterable[Method]) -> list[str]:
    """Methods whose open settings were searched for closeness to the printed column."""
    return list(dict.fromkeys(method.name for method in methods if method.fitted))


def remarks(chosen: Sequence[str], fitted: Sequence[str]) -> list[str]:
    """What must stand under every count of agreement and of wins, for the methods it holds for."""
    lines = []
    if chosen:
        lines.append(
            f"{', '.join(chosen)}: the setting with the best mean ACC of a grid is shown, chosen with the labels as in "
            "the paper, and NMI is the one at that setting; lambda.csv has the whole curve"
        )
    if fitted:
        lines.append(
            f"{', '.join(fitted)}: what the paper leaves open was searched, one setting for all data sets, for "
            "closeness to the printed column; agreement there is fitted, and our wins are no blind comparison"
        )
    return lines


def summary(results: Sequence[Result]) -> dict[str, Any]:
    """Verdicts on the printed cells (in all, and by metric, method and data set) and wins, ours and the paper's.

    Variants of a method are left out of the counts: the cell they are compared with belongs to the method itself.
    """
    cells = [
        (metric, result)
        for result in results
        for metric in METRICS
        if result.paper[metric] is not None and not result.entrant.variant_of
    ]
    close = [abs(d) <= 1.0 for metric, result in cells if (d := result.difference(metric)) is not None]
    return {
        "published": len(table2()),
        "compared": len(cells),
        "within_one_point": sum(close),
        "verdicts": count_verdicts(result.verdict[metric] for metric, result in cells),
        "by_metric": count_by_group((metric, result.verdict[metric]) for metric, result in cells),
        "by_method": count_by_group((result.method, result.verdict[metric]) for metric, result in cells),
        "by_dataset": count_by_group((result.dataset, result.verdict[metric]) for metric, result in cells),
        "rows": len(rows_of(results)),
        "chosen_with_labels": chosen_with_labels(results),
        "fitted_to_print": fitted_to_print(result.entrant for result in results),
        "wins": {
            metric: {"ours": wins(results, metric, ours_of), "paper": wins(results, metric, printed_of)}
            for metric in METRICS
        },
    }


def summary_markdown(content: dict[str, Any]) -> str:
    """The summary for people."""
    verdicts = content["verdicts"]
    used = [verdict for verdict in LEGEND if verdict in verdicts]
    told = ", ".join(f"{verdicts[verdict]} {verdict}" for verdict in used) or "none"
    parts = [
        f"{content['compared']} of the paper's {content['published']} printed cells were run: {told}. "
        f"{content['within_one_point']} lie within one point.\n"
    ]
    for title, key in (("metric", "by_metric"), ("method", "by_method"), ("data set", "by_dataset")):
        body = [
            [TITLES.get(name, name), *(str(counts.get(verdict, 0)) for verdict in used)]
            for name, counts in content[key].items()
        ]
        parts.append(markdown_table([title, *used], body))
    head = ["best of the row", *(f"{TITLES[metric]}, {who}" for metric in METRICS for who in ("ours", "the paper's"))]
    columns = [content["wins"][metric][who] for metric in METRICS for who in ("ours", "paper")]
    body = [[method, *(str(column.get(method, "–")) for column in columns)] for method in columns[0]]
    parts.append(markdown_table(head, body))
    legend = "".join(f"- {verdict}: {LEGEND[verdict]}\n" for verdict in used)
    parts.append(f"{legend}- best of the row: of {content['rows']} rows, equal cells all counted\n")
    parts[-1] += "".join(f"- {line}\n" for line in remarks(content["chosen_with_labels"], content["fitted_to_print"]))
    return "\n".join(parts)
