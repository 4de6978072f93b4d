"""Many data sets, one table: the adjusted Rand index of every method, mean, mean rank and what tells them apart.

The paper prints no adjusted Rand index, so this table stands beside nothing but itself.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sgpmic_cli.experiments.compare.comparison import Result
from sgpmic_cli.experiments.compare.significance import (
    LEVEL,
    Comparison,
    compare_methods,
    our_scores,
    ranks_in_rows,
)
from sgpmic_cli.experiments.tables.formats import TITLES, markdown_table, plain
from sgpmic_cli.experiments.tables.result_tables import pivot

METRIC = "ari"


@dataclass(frozen=True)
class Ranking:
    """The table for people: a row for each data set, then the means of the methods that have a number in every row."""

    head: list[str]
    body: list[list[str]]
    mean: dict[str, float]
    mean_rank: dict[str, float]  # 1 is the best; ties share the mean of their ranks
    critical_difference: float | None  # None where methods or data sets are too few for a test
    verdict: str  # Friedman's test and the critical difference, or why there is none

    def rows(self) -> list[list[str]]:
        """All rows, those of the means last."""
        means = [
            [title, *(f"{numbers[name]:.2f}" if name in numbers else "–" for name in self.head[1:])]
            for title, numbers in (("mean", self.mean), ("mean rank", self.mean_rank))
        ]
        return [*self.body, *means]

    def markdown(self) -> str:
        """The table with what is said under it."""
        return f"{TITLES[METRIC]}, mean±std over the repeats\n\n{markdown_table(self.head, self.rows())}\n{self.verdict}\n"


def ranking(results: Sequence[Result]) -> Ranking:
    """Rank the methods of a table over its rows."""
    methods, rows = pivot(results)
    body, complete = [], list(methods)
    for (dataset, share), row in rows.items():
        alone = sum(place[0] == dataset for place in rows) == 1
        stats = [row[method].ours[METRIC] if method in row else None for method in methods]
        body.append([dataset if alone else f"{dataset} {share}", *map(plain, stats)])
        complete = [
            name for name in complete if name in row and row[name].ours[METRIC].mean is not None
        ]
    table = np.array(
        [[row[name].ours[METRIC].mean for name in complete] for row in rows.values()], dtype=float
    )
    compared = compare_methods(our_scores(results, METRIC))
    ranks = ranks_in_rows(table) if complete else table
    return Ranking(
        head=["data set", *methods],
        body=body,
        mean=dict(zip(complete, table.mean(axis=0).tolist(), strict=True)),
        mean_rank=dict(zip(complete, ranks.mean(axis=0).tolist(), strict=True)),
        critical_difference=None if compared is None else compared.critical_difference,
        verdict=_verdict(compared),
    )


def ranking_markdown(results: Sequence[Result]) -> str:
    """The ranking as a Markdown file."""
    return ranking(results).markdown()


def _verdict(compared: Comparison | None) -> str:
    if compared is None:
        return "Fewer than three methods or two data sets: no test tells the methods apart."
    sure = f"p = {compared.p_value:.3g}"
    return (
        f"Friedman's test over {len(compared.datasets)} data sets: {sure}. Two methods differ at the "
        f"{100 * LEVEL:.0f} % level (Nemenyi) where their mean ranks are {compared.critical_difference:.2f} apart."
    )
