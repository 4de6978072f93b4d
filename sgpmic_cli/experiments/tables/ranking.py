"""Rank methods by the adjusted Rand index over data sets. The paper prints no such table."""

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
    """A row for each data set, and the means of the methods that have a number in every row."""

    head: list[str]
    body: list[list[str]]
    mean: dict[str, float]
    mean_rank: dict[str, float]  # 1 is the best; ties share the mean of their ranks
    critical_difference: float | None  # None if methods or data sets are too few for a test
    verdict: str  # Friedman's test and the critical difference, or why there is none

    def rows(self) -> list[list[str]]:
        """Return all rows, with the means last."""
        means = [
            [title, *(f"{numbers[name]:.2f}" if name in numbers else "–" for name in self.head[1:])]
            for title, numbers in (("mean", self.mean), ("mean rank", self.mean_rank))
        ]
        return [*self.body, *means]

    def markdown(self) -> str:
        """Return the table with its title and verdict."""
        title = f"{TITLES[METRIC]}, mean±std over the repeats"
        return f"{title}\n\n{markdown_table(self.head, self.rows())}\n{self.verdict}\n"


def ranking(results: Sequence[Result]) -> Ranking:
    """Rank the methods of a table over its rows."""
    methods, rows = pivot(results)
    body, complete = [], list(methods)
    for (dataset, variance), row in rows.items():
        single = sum(place[0] == dataset for place in rows) == 1
        stats = [row[method].ours[METRIC] if method in row else None for method in methods]
        body.append([dataset if single else f"{dataset} {variance}", *map(plain, stats)])
        found = [name for name in row if row[name].ours[METRIC].mean is not None]
        complete = [name for name in complete if name in found]
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
    """Return the ranking as a Markdown file."""
    return ranking(results).markdown()


def _verdict(compared: Comparison | None) -> str:
    if compared is None:
        return "No test: there are fewer than three methods or two data sets."
    return (
        f"Friedman's test over {len(compared.datasets)} data sets: p = {compared.p_value:.3g}. "
        f"Two methods differ at the {100 * LEVEL:.0f} % level (Nemenyi) if their mean ranks differ "
        f"by {compared.critical_difference:.2f}."
    )
