"""Count the wins of each method and the verdicts of a table.

All tables and the report follow one rule: an experiment counts once, even if several rows show it.
"""

from collections import Counter
from collections.abc import Iterable, Sequence

from sgpmic_cli.benchmark.compare.comparison import Result
from sgpmic_cli.benchmark.compare.verdicts import Verdict


def rows_of(results: Iterable[Result]) -> dict[tuple[str, int], dict[str, Result]]:
    """Group cells by row (data set, variance) and method."""
    rows: dict[tuple[str, int], dict[str, Result]] = {}
    for result in results:
        rows.setdefault((result.dataset, result.variance), {})[result.method_name] = result
    return rows


def distinct(results: Iterable[Result]) -> list[Result]:
    """Return the cells without those that repeat an earlier experiment."""
    unique: dict[tuple[object, ...], Result] = {}
    for result in results:
        unique.setdefault(result.experiment, result)
    return list(unique.values())


def best(means: Iterable[float | None]) -> float | None:
    """Return the highest number of a row to two decimals, or None if it has fewer than two."""
    found = [round(mean, 2) for mean in means if mean is not None]
    return max(found) if len(found) > 1 else None


def is_best(mean: float | None, top: float | None) -> bool:
    """Return whether a number equals the best one of its row."""
    return mean is not None and top is not None and round(mean, 2) == top


def wins(results: Sequence[Result], metric: str, side: str = "ours") -> dict[str, int]:
    """Count the distinct rows in which each method is best.

    The counts of the printed numbers include only the methods that have a column in the paper.
    """
    if side == "paper":
        results = [result for result in results if _is_printed(result, metric)]
    counts = {result.method_name: 0 for result in results}
    for row in rows_of(distinct(results)).values():
        top = best(result.mean(metric, side) for result in row.values())
        for method, result in row.items():
            if is_best(result.mean(metric, side), top):
                counts[method] += 1
    return counts


def wins_by_side(results: Sequence[Result], metric: str) -> dict[str, dict[str, int]]:
    """Count the wins among all methods, among the printed cells, and in the printed numbers.

    Only the last two are comparable, because wins depend on the methods that take part.
    """
    printed = [result for result in results if _is_printed(result, metric)]
    return {
        "ours": wins(results, metric),
        "ours_in_printed_cells": wins(printed, metric),
        "paper": wins(results, metric, "paper"),
    }


def _is_printed(result: Result, metric: str) -> bool:
    """Return whether the cell has a printed number of its own."""
    return not result.method.column and result.paper[metric] is not None


def count_verdicts(verdicts: Iterable[str]) -> dict[str, int]:
    """Count the verdicts that occur, in the order of the legend."""
    found = Counter(verdicts)
    return {str(verdict): found[verdict] for verdict in Verdict if found[verdict]}


def count_by_group(judged: Iterable[tuple[str, str]]) -> dict[str, dict[str, int]]:
    """Count the verdicts of each group of (group, verdict) pairs."""
    groups: dict[str, list[str]] = {}
    for group, verdict in judged:
        groups.setdefault(group, []).append(verdict)
    return {group: count_verdicts(verdicts) for group, verdicts in groups.items()}
