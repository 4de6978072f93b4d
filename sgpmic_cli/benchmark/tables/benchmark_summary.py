"""Summarise a benchmark: how many cells agree with the paper, and how often each method is best."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from sgpmic_cli.benchmark.compare.comparison import METRICS, Result
from sgpmic_cli.benchmark.compare.counts import (
    count_by_group,
    count_verdicts,
    distinct,
    rows_of,
    wins_by_side,
)
from sgpmic_cli.benchmark.compare.verdicts import NEAR, Verdict
from sgpmic_cli.benchmark.tables.formats import TITLES, markdown_table, signed

# The groups of cells in which wins are counted, with their titles.
WINS = {"ours": "ours", "ours_in_printed_cells": "ours, printed cells", "paper": "the paper's"}
CAVEATS = {
    "fitted_to_print": (
        "settings that the paper leaves open were searched, one for all data sets, to match the "
        "printed column; agreement is fitted, and our wins are not a blind comparison"
    ),
    "scored_otherwise": (
        "scored as the printed column was, not like the others (NMI of the cluster labels; for "
        "deepc ACC of a one-to-one match); wins are not comparable"
    ),
    "other_column": "not in the paper; compared with its column sgp-mic",
}


def caveats(results: Sequence[Result]) -> dict[str, list[str]]:
    """Return the methods whose settings or scores need a caveat, by the kind of caveat."""
    methods = {result.method_name: result.method for result in results}
    scores = {result.method_name: tuple(sorted(result.scores.items())) for result in results}
    usual = Counter(scores.values()).most_common(1)
    return {
        "fitted_to_print": [name for name, method in methods.items() if method.settings_searched],
        "scored_otherwise": [name for name, own in scores.items() if own != usual[0][0]],
        "other_column": [name for name, method in methods.items() if method.column],
    }


def caveat_sentences(found: Mapping[str, Any]) -> list[str]:
    """Return the sentences that belong to every count of agreement and of wins."""
    return [
        f"{', '.join(found[kind])}: {text}" for kind, text in CAVEATS.items() if found.get(kind)
    ]


def summary(results: Sequence[Result], metrics: Sequence[str] = METRICS) -> dict[str, Any]:
    """Count the verdicts on the printed cells and the wins.

    Rows that repeat an experiment are counted once.
    """
    kept = distinct(results)
    cells = [(metric, each) for each in kept for metric in metrics if each.paper[metric]]
    judged = [
        (metric, result, difference)
        for metric, result in cells
        if not result.data_differ and (difference := result.difference(metric)) is not None
    ]
    differing = [
        {
            "dataset": result.dataset,
            "variance": result.variance,
            "method": result.method_name,
            "metric": metric,
            "ours": result.mean(metric),
            "paper": result.mean(metric, "paper"),
            "difference": difference.value,
            "interval": difference.interval(),
        }
        for metric, result, difference in judged
        if difference.verdict in (Verdict.UP, Verdict.DOWN)
    ]
    by_method = count_by_group((each.method_name, each.verdict(metric)) for metric, each in cells)
    run = dict.fromkeys(result.method_name for result in results)
    equivalent = Counter(result.method_name for _, result, one in judged if one.equivalent)
    return {
        "published": len(results[0].printed) if results else 0,
        "compared": sum(each.paper[metric] is not None for each in results for metric in metrics),
        "distinct": len(cells),
        "judged": len(judged),
        "within_one_point": sum(abs(difference.value) <= NEAR for _, _, difference in judged),
        "differ": len(differing),
        "equivalent": equivalent.total(),
        "verdicts": count_verdicts(result.verdict(metric) for metric, result in cells),
        "by_metric": count_by_group((metric, result.verdict(metric)) for metric, result in cells),
        "by_method": {method: by_method[method] for method in run if method in by_method},
        "by_dataset": count_by_group((one.dataset, one.verdict(metric)) for metric, one in cells),
        "equivalent_by_method": {name: equivalent[name] for name in run if name in by_method},
        "differing": sorted(differing, key=lambda cell: -abs(cell["difference"])),
        "rows": len(rows_of(kept)),
        **caveats(results),
        "wins": {metric: wins_by_side(results, metric) for metric in metrics},
    }


def summary_markdown(content: dict[str, Any]) -> str:
    """Return the summary as Markdown."""
    verdicts = content["verdicts"]
    used = [verdict for verdict in Verdict if verdict in verdicts]
    counts_text = ", ".join(f"{verdicts[verdict]} {verdict}" for verdict in used) or "none"
    repeated = content["compared"] - content["distinct"]
    parts = [
        f"{content['compared']} cells are compared with the {content['published']} numbers that "
        f"the paper prints; {repeated} of them repeat an experiment (equal data, equal Q) and are "
        "counted once. "
        f"The other {content['distinct']}: {counts_text}.\n",
        f"Of the {content['judged']} cells on the paper's data, "
        f"{_fraction(content, 'within_one_point')} are within one point, "
        f"{_fraction(content, 'differ')} differ, and {_fraction(content, 'equivalent')} are shown "
        "to be within two points (two one-sided tests at 5 %).\n",
    ]
    for title, key in (
        ("metric", "by_metric"),
        ("method", "by_method"),
        ("data set", "by_dataset"),
    ):
        body = [
            [TITLES.get(name, name), *(str(counts.get(verdict, 0)) for verdict in used)]
            for name, counts in content[key].items()
        ]
        head = [title, *used]
        if key == "by_method":
            head.append("within 2 (TOST)")
            for row, count in zip(body, content["equivalent_by_method"].values(), strict=True):
                row.append(str(count))
        parts.append(markdown_table(head, body))
    head = [
        "best of the row",
        *(f"{TITLES[metric]}, {title}" for metric in METRICS for title in WINS.values()),
    ]
    columns = [content["wins"][metric][side] for metric in METRICS for side in WINS]
    body = [
        [method, *(str(column.get(method, "–")) for column in columns)] for method in columns[0]
    ]
    parts.append(markdown_table(head, body))
    legend = "".join(f"- {verdict}: {verdict.meaning}\n" for verdict in used)
    notes = "".join(f"- {line}\n" for line in caveat_sentences(content))
    parts.append(
        f"{legend}- best of the row: in {content['rows']} distinct rows, ties count for each "
        "method; ours: among all methods that were run; ours, printed cells: among the cells that "
        "have a number in the paper\n" + notes
    )
    if content["differing"]:
        parts.append(_differing(content["differing"]))
    return "\n".join(parts)


def _differing(cells: Sequence[dict[str, Any]]) -> str:
    """Return a table of the cells that differ, the largest difference first."""
    body = [
        [
            f"{cell['method']} on {cell['dataset']} {cell['variance']}",
            TITLES[cell["metric"]],
            f"{cell['ours']:.2f}",
            f"{cell['paper']:.2f}",
            signed(cell["difference"]),
            f"{cell['interval'][0]:.1f} to {cell['interval'][1]:.1f}",
        ]
        for cell in cells
    ]
    return "Cells that differ, the largest difference first:\n\n" + markdown_table(
        ["cell", "score", "ours", "paper", "difference", "95 % interval"], body, left=2
    )


def _fraction(content: dict[str, Any], name: str) -> str:
    return f"{content[name]} ({100.0 * content[name] / max(1, content['judged']):.0f} %)"
