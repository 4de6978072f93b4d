"""Counts over a table: how often each method is the best of its row, and how many cells have which verdict.

One rule for all tables, the terminal, the summary and the report: an experiment counts once, however many rows of the
table show it.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from sgpmic_cli.experiments.compare.comparison import (
    Mean,
    Result,
    ours_of,
    printed_cell,
    printed_of,
)
from sgpmic_cli.experiments.compare.verdicts import LEGEND


def rows_of(results: Iterable[Result]) -> dict[tuple[str, int], dict[str, Result]]:
    """The rows (data set, variance) of a table with their cells by method."""
    rows: dict[tuple[str, int], dict[str, Result]] = {}
    for result in results:
        rows.setdefault((result.dataset, result.variance), {})[result.method] = result
    return rows


def distinct(results: Iterable[Result]) -> list[Result]:
    """The cells without those that repeat an earlier one: equal data, equal Q, the same method."""
    return list({result.experiment: result for result in reversed(list(results))}.values())[::-1]


def best(means: Iterable[float | None]) -> float | None:
    """The highest number of a row, to two decimals as shown; None where there is nothing to be better than."""
    there = [round(mean, 2) for mean in means if mean is not None]
    return max(there) if len(there) > 1 else None


def best_of(results: Iterable[Result], metric: str, mean: Mean = ours_of) -> float | None:
    """The best mean of the cells of a row."""
    return best(mean(result, metric) for result in results)


def is_best(mean: float | None, top: float | None) -> bool:
    """Whether a number is the best of its row; equal ones all are."""
    return mean is not None and top is not None and round(mean, 2) == top


def wins(results: Sequence[Result], metric: str, mean: Mean) -> dict[str, int]:
    """In how many distinct rows each method is best; on the paper's side only methods that have a column there."""
    rows = rows_of(distinct(results)).values()
    counts = _count_wins(
        {method: mean(result, metric) for method, result in row.items()} for row in rows
    )
    if mean is not printed_of:
        return counts
    columns = {result.method for result in results if printed_cell(result, metric) is not None}
    return {method: count for method, count in counts.items() if method in columns}


def wins_by_side(results: Sequence[Result], metric: str) -> dict[str, dict[str, int]]:
    """The wins in our numbers among all methods run, in ours among the cells that the paper prints, and in the paper's.

    Only the last two can be compared: who wins depends on who takes part.
    """
    printed = [result for result in results if printed_cell(result, metric) is not None]
    return {
        "ours": wins(results, metric, ours_of),
        "ours_in_printed_cells": wins(printed, metric, ours_of),
        "paper": wins(results, metric, printed_of),
    }


def count_verdicts(verdicts: Iterable[str]) -> dict[str, int]:
    """How often each verdict occurs, in the order of the legend; those that do not are left out."""
    found = Counter(verdicts)
    return {str(verdict): found[verdict] for verdict in LEGEND if found[verdict]}


def count_by_group(judged: Iterable[tuple[str, str]]) -> dict[str, dict[str, int]]:
    """The same for each group of (group, verdict) pairs, in the order in which the groups come."""
    groups: dict[str, list[str]] = {}
    for group, verdict in judged:
        groups.setdefault(group, []).append(verdict)
    return {group: count_verdicts(verdicts) for group, verdicts in groups.items()}


def _count_wins(rows: Iterable[Mapping[str, float | None]]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for row in rows:
        top = best(row.values())
        for method, mean in row.items():
            counts[method] = counts.get(method, 0) + is_best(mean, top)
    return counts
