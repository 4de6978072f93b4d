"""Test whether the methods of a table differ: Friedman's test and Nemenyi's critical difference.

The data sets are the blocks (Demšar 2006). Each has one row, at 95 % of the variance if the table
has it, because the rows of one data set are not independent. Only methods with a number for every
data set are ranked.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from sgpmic_cli._typing import Array
from sgpmic_cli.experiments.compare.comparison import Result
from sgpmic_cli.experiments.compare.paper import table2

LEVEL = 0.05
PREFERRED_VARIANCE = 95

Scores = Mapping[tuple[str, int, str], float]  # (data set, variance, method) -> mean


@dataclass(frozen=True)
class Comparison:
    """Methods ranked over data sets. Rank 1 is the best; ties share the mean of their ranks."""

    methods: tuple[str, ...]  # best mean rank first
    mean_ranks: tuple[float, ...]
    datasets: tuple[str, ...]
    statistic: float  # Friedman's chi square
    p_value: float
    critical_difference: float  # methods whose mean ranks differ by less are not distinguished
    omitted: tuple[str, ...]  # methods without a number for some data set

    def cliques(self) -> list[tuple[int, int]]:
        """Return the first and last place of each maximal group that is not distinguished."""
        found: list[tuple[int, int]] = []
        for first, rank in enumerate(self.mean_ranks):
            near = [
                i
                for i, other in enumerate(self.mean_ranks)
                if 0 <= other - rank <= self.critical_difference
            ]
            last = max(first, *near)
            if last > first and (not found or last > found[-1][1]):
                found.append((first, last))
        return found


def compare_methods(scores: Scores, methods: Sequence[str] | None = None) -> Comparison | None:
    """Rank `methods`, or all methods, by their scores.

    Return None if there are fewer than three methods or two data sets. A data set without any
    number is left out first, then a method without a number for some data set.
    """
    every = dict.fromkeys(method for _, _, method in scores)
    asked = list(every if methods is None else methods)
    rows = _rows(scores, asked)
    complete = [method for method in asked if all(method in row for row in rows.values())]
    if len(complete) < 3 or len(rows) < 2:
        return None
    from scipy.stats import friedmanchisquare  # imported here because it takes half a second

    # (data sets, methods)
    table = np.array([[row[method] for method in complete] for row in rows.values()])
    ranks = ranks_in_rows(table).mean(axis=0)
    order = np.argsort(ranks, kind="stable")
    # If all methods tie on every data set, the statistic is 0 / 0.
    tied = bool(np.all(np.ptp(table.round(2), axis=1) == 0.0))
    statistic, p_value = (0.0, 1.0) if tied else friedmanchisquare(*table.round(2).T)
    return Comparison(
        methods=tuple(complete[i] for i in order),
        mean_ranks=tuple(ranks[order].tolist()),
        datasets=tuple(rows),
        statistic=float(statistic),
        p_value=float(p_value),
        critical_difference=critical_difference(len(complete), len(rows)),
        omitted=tuple(method for method in asked if method not in complete),
    )


def compare_sides(printed: Scores, ours: Scores) -> tuple[Comparison, Comparison] | None:
    """Rank both sides over the same rows and methods, so that their ranks are comparable.

    The rows are those in which both sides have a number. The methods are those with a number in all
    of these rows on both sides. Return None if fewer than three methods or two data sets remain.
    """
    places = {key[:2] for key in printed} & {key[:2] for key in ours}
    sides = [
        {key: score for key, score in scores.items() if key[:2] in places}
        for scores in (printed, ours)
    ]
    every = list(dict.fromkeys(method for scores in (printed, ours) for _, _, method in scores))
    rows = [row for scores in sides for row in _rows(scores, every).values()]
    shared = [method for method in every if all(method in row for row in rows)]
    first, second = (compare_methods(scores, shared) for scores in sides)
    if first is None or second is None:
        return None
    omitted = tuple(method for method in every if method not in shared)
    return replace(first, omitted=omitted), replace(second, omitted=omitted)


def ranks_in_rows(table: Array) -> Array:
    """Rank every row of scores (data sets, methods) after rounding to two decimals, as printed.

    Rank 1 is the highest; ties share the mean of their ranks.
    """
    from scipy.stats import rankdata  # imported here because it takes half a second

    return rankdata(-table.round(2), axis=1)


def critical_difference(n_methods: int, n_datasets: int, level: float = LEVEL) -> float:
    """Return Nemenyi's q sqrt(k (k + 1) / 6 n), where q is the studentised range over sqrt 2."""
    from scipy.stats import studentized_range

    q = studentized_range.ppf(1.0 - level, n_methods, np.inf) / np.sqrt(2.0)
    return float(q * np.sqrt(n_methods * (n_methods + 1) / (6.0 * n_datasets)))


def published_scores(metric: str) -> dict[tuple[str, int, str], float]:
    """Return the printed means of a metric."""
    return {key[1:]: cell.mean for key, cell in table2().items() if key[0] == metric}


def our_scores(results: Iterable[Result], metric: str) -> dict[tuple[str, int, str], float]:
    """Return our means of a metric."""
    means = {result.place: result.ours[metric].mean for result in results}
    return {place: mean for place, mean in means.items() if mean is not None}


def _rows(scores: Scores, methods: Sequence[str]) -> dict[str, dict[str, float]]:
    """Return one row for each data set: at 95 % of the variance, or at its largest percentage."""
    variances: dict[str, set[int]] = {}
    for dataset, variance, _ in scores:
        variances.setdefault(dataset, set()).add(variance)
    return {
        dataset: {
            method: scores[dataset, chosen, method]
            for method in methods
            if (dataset, chosen, method) in scores
        }
        for dataset, found in variances.items()
        for chosen in [PREFERRED_VARIANCE if PREFERRED_VARIANCE in found else max(found)]
    }
