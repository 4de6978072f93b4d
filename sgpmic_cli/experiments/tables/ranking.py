"""Rank methods by the adjusted Rand index over data sets. The paper prints no such table."""

from collections.abc import Sequence
from dataclasses import dataclass

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
    """A table with a row for each data set, and the means of methods with a number in every row."""

    head: list[str]
    rows: list[list[str]]  # the last two are the mean and the mean rank
    mean_rank: dict[str, float]  # 1 is the best; ties share the mean of their ranks
    critical_difference: float | None  # None if methods or data sets are too few for a test
    verdict: str  # Friedman's test and the critical difference, or why there is none


def ranking(results: Sequence[Result]) -> Ranking:
    """Rank the methods of a table over its rows."""
    methods, rows = pivot(results)
    datasets = [dataset for dataset, _ in rows]
    body = []
    for (dataset, variance), row in rows.items():
        name = dataset if datasets.count(dataset) == 1 else f"{dataset} {variance}"
        numbers = (row[each].ours[METRIC] if each in row else None for each in methods)
        body.append([name, *map(plain, numbers)])
    scores = our_scores(results, METRIC)
    # A row without any number is not in the scores, and leaves no method with a mean.
    complete = scores.dropna(axis="columns") if len(scores) == len(rows) else scores[[]]
    mean_rank: dict[str, float] = dict(ranks_in_rows(complete).mean())
    for title, means in (("mean", complete.mean().to_dict()), ("mean rank", mean_rank)):
        body.append([title, *(f"{means[name]:.2f}" if name in means else "–" for name in methods)])
    compared = compare_methods(scores)
    verdict = "No test: there are fewer than three methods or two data sets."
    if compared is not None:
        verdict = (
            f"Friedman's test over {len(compared.datasets)} data sets: p = {compared.p_value:.3g}. "
            f"Two methods differ at the {100 * LEVEL:.0f} % level (Nemenyi) if their mean ranks "
            f"differ by {compared.critical_difference:.2f}."
        )
    return Ranking(
        head=["data set", *methods],
        rows=body,
        mean_rank=mean_rank,
        critical_difference=None if compared is None else compared.critical_difference,
        verdict=verdict,
    )


def ranking_markdown(results: Sequence[Result]) -> str:
    """Return the ranking as a Markdown file."""
    ranked = ranking(results)
    title = f"{TITLES[METRIC]}, mean±std over the repeats"
    return f"{title}\n\n{markdown_table(ranked.head, ranked.rows)}\n{ranked.verdict}\n"
