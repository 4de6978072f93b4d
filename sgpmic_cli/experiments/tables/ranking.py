"""Rank methods by the adjusted Rand index over data sets. The paper prints no such table."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sgpmic_cli.experiments.compare.comparison import Result
from sgpmic_cli.experiments.compare.significance import (
    LEVEL,
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


def ranking(results: Sequence[Result]) -> Ranking:
    """Rank the methods of a table over its rows."""
    methods, rows = pivot(results)
    stats = {
        place: {name: each.ours[METRIC] for name, each in row.items()}
        for place, row in rows.items()
    }
    body = []
    for dataset, variance in rows:
        single = sum(place[0] == dataset for place in rows) == 1
        numbers = (plain(stats[dataset, variance].get(method)) for method in methods)
        body.append([dataset if single else f"{dataset} {variance}", *numbers])
    complete = [
        name
        for name in methods
        if all(name in row and row[name].mean is not None for row in stats.values())
    ]
    table = np.array([[row[name].mean for name in complete] for row in stats.values()], dtype=float)
    ranks = ranks_in_rows(table) if complete else table
    compared = compare_methods(our_scores(results, METRIC))
    verdict = "No test: there are fewer than three methods or two data sets."
    if compared is not None:
        verdict = (
            f"Friedman's test over {len(compared.datasets)} data sets: p = {compared.p_value:.3g}. "
            f"Two methods differ at the {100 * LEVEL:.0f} % level (Nemenyi) if their mean ranks "
            f"differ by {compared.critical_difference:.2f}."
        )
    return Ranking(
        head=["data set", *methods],
        body=body,
        mean=dict(zip(complete, table.mean(axis=0).tolist(), strict=True)),
        mean_rank=dict(zip(complete, ranks.mean(axis=0).tolist(), strict=True)),
        critical_difference=None if compared is None else compared.critical_difference,
        verdict=verdict,
    )


def ranking_markdown(results: Sequence[Result]) -> str:
    """Return the ranking as a Markdown file."""
    ranked = ranking(results)
    title = f"{TITLES[METRIC]}, mean±std over the repeats"
    return f"{title}\n\n{markdown_table(ranked.head, ranked.rows())}\n{ranked.verdict}\n"
