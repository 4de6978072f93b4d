"""Are the methods of a table different at all, and which of them: Friedman's test and Nemenyi's critical difference.

Data sets are the blocks, one row of the table each (95 % of the variance where the table has it), because the rows of
one data set are not independent. Only methods with a number for every data set can be ranked (Demšar 2006).
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
    """Methods ranked over data sets; rank 1 is the best, ties share the mean of their ranks."""

    methods: tuple[str, ...]  # best mean rank first
    mean_ranks: tuple[float, ...]
    datasets: tuple[str, ...]
    statistic: float  # Friedman's chi square
    p_value: float
    critical_difference: float  # two methods whose mean ranks lie closer are not told apart
    omitted: tuple[str, ...]  # methods with a gap, here or on the side that this is compared with

    def cliques(self) -> list[tuple[int, int]]:
        """First and last place of every largest run of two or more methods that are not told apart."""
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
    """Rank `methods` (all of them unless named) by their scores; None when fewer than three methods or two data sets.

    A data set on which no method has a number is left out; after that a method with a gap is.
    """
    asked = (
        list(dict.fromkeys(method for _, _, method in scores)) if methods is None else list(methods)
    )
    rows = _rows(scores, asked)
    complete = [method for method in asked if all(method in row for row in rows.values())]
    if len(complete) < 3 or len(rows) < 2:
        return None
    from scipy.stats import (
        friedmanchisquare,
    )  # half a second, which tables of few methods do without

    table = np.array(
        [[row[method] for method in complete] for row in rows.values()]
    )  # (data sets, methods)
    ranks = ranks_in_rows(table).mean(axis=0)
    order = np.argsort(ranks, kind="stable")
    # Where all methods tie on every data set the statistic is 0 / 0: no difference at all.
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
    """Both sides ranked over the same rows and among the same methods, since a rank depends on who else is ranked.

    The rows are those in which both sides have a number, the methods those with one in each of these rows on both
    sides. None when fewer than three methods or two data sets remain.
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
    """Ranks along every row of scores (data sets, methods): 1 is the highest, ties share the mean of their ranks.

    Scores count with two decimals, as they are printed: what is equal there is equal here. Not SciPy's `rankdata`: its
    import takes longer than all else that a table of finished runs needs.
    """
    shown = table.round(2)
    higher = np.sum(shown[:, None, :] > shown[:, :, None], axis=2)
    equal = np.sum(shown[:, None, :] == shown[:, :, None], axis=2)  # itself among them
    return higher + (equal + 1) / 2


def critical_difference(n_methods: int, n_datasets: int, level: float = LEVEL) -> float:
    """Nemenyi's q sqrt(k (k + 1) / 6 n), where q is the studentised range over sqrt 2."""
    from scipy.stats import studentized_range

    q = studentized_range.ppf(1.0 - level, n_methods, np.inf) / np.sqrt(2.0)
    return float(q * np.sqrt(n_methods * (n_methods + 1) / (6.0 * n_datasets)))


def published_scores(metric: str) -> dict[tuple[str, int, str], float]:
    """What the paper prints for a metric."""
    return {key[1:]: cell.mean for key, cell in table2().items() if key[0] == metric}


def our_scores(results: Iterable[Result], metric: str) -> dict[tuple[str, int, str], float]:
    """Our means of a metric, where there are any."""
    means = {result.place: result.ours[metric].mean for result in results}
    return {place: mean for place, mean in means.items() if mean is not None}


def _rows(scores: Scores, methods: Sequence[str]) -> dict[str, dict[str, float]]:
    """One row for each data set: at 95 % of the variance, or at its only share."""
    shares: dict[str, set[int]] = {}
    for dataset, variance, _ in scores:
        shares.setdefault(dataset, set()).add(variance)
    return {
        dataset: {
            method: scores[dataset, share, method]
            for method in methods
            if (dataset, share, method) in scores
        }
        for dataset, found in shares.items()
        for share in [PREFERRED_VARIANCE if PREFERRED_VARIANCE in found else max(found)]
    }
