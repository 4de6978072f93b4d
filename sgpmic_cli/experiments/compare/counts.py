"""Count the wins of each method and the verdicts of a table.

All tables and the report follow one rule: an experiment counts once, even if several rows show it.
"""

from collections import Counter
from collections.abc import Iterable, Sequence

from sgpmic_cli.experiments.compare.comparison import (
    Mean,
    Result,
    ours_of,
    printed_cell,
    printed_of,
)
from sgpmic_cli.experiments.compare.verdicts import LEGEND


def rows_of(results: Iterable[Result]) -> dict[tuple[str, int], dict[str, Result]]:
    """Group cells by row (data set, variance) and method."""
    rows: dict[tuple[str, int], dict[str, Result]] = {}
    for result in results:
        rows.setdefault((result.dataset, result.variance), {})[result.method] = result
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


def best_of(results: Iterable[Result], metric: str, mean: Mean = ours_of) -> float | None:
    """Return the best mean of the cells of a row."""
    return best(mean(result, metric) for result in results)


def is_best(mean: float | None, top: float | None) -> bool:
    """Return whether a number equals the best one of its row."""
    return mean is not None and top is not None and round(mean, 2) == top


def wins(results: Sequence[Result], metric: str, mean: Mean) -> dict[str, int]:
    """Count the distinct rows in which each method is best.

    The counts of the paper's numbers include only the methods that have a column in the paper.
    """
    counts: dict[str, int] = {}
    for row in rows_of(distinct(results)).values():
        top = best_of(row.values(), metric, mean)
        for method, result in row.items():
            counts[method] = counts.get(method, 0) + is_best(mean(result, metric), top)
    if mean is not printed_of:
        return counts
    columns = {result.method for result in results if printed_cell(result, metric) is not None}
    return {method: count for method, count in counts.items() if method in columns}


def wins_by_side(results: Sequence[Result], metric: str) -> dict[str, dict[str, int]]:
    """Count the wins among all methods, among the printed cells, and in the printed numbers.

    Only the last two are comparable, because wins depend on the methods that take part.
    """
    printed = [result for result in results if printed_cell(result, metric) is not None]
    return {
        "ours": wins(results, metric, ours_of),
        "ours_in_printed_cells": wins(printed, metric, ours_of),
        "paper": wins(results, metric, printed_of),
    }


def count_verdicts(verdicts: Iterable[str]) -> dict[str, int]:
    """Count the verdicts that occur, in the order of the legend."""
    found = Counter(verdicts)
    return {str(verdict): found[verdict] for verdict in LEGEND if found[verdict]}


def count_by_group(judged: Iterable[tuple[str, str]]) -> dict[str, dict[str, int]]:
    """Count the verdicts of each group of (group, verdict) pairs."""
    pairs = list(judged)
    groups = dict.fromkeys(group for group, _ in pairs)
    return {name: count_verdicts(v for group, v in pairs if group == name) for name in groups}
