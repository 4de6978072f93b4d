"""Count the verdicts of a comparison and the wins of each method.

All tables and the page follow one rule: an experiment counts once, even if several rows show it.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from sgpmic_cli.benchmark.compare.results import METRICS, ROW, distinct, is_best, rows_of
from sgpmic_cli.benchmark.compare.verdicts import NEAR, Verdict

# The groups of cells in which wins are counted, with their titles.
WINS = {"ours": "ours", "ours_in_printed_cells": "ours, printed cells", "paper": "the paper's"}
CAVEATS = {
    "fitted_to_print": (
        "settings that the paper leaves open were searched, one for all data sets, to match the "
        "printed column; agreement is fitted, and our wins are not a blind comparison"
    ),
    "scored_otherwise": (
        "scored as the printed column was, not like the others; wins are not comparable"
    ),
    "other_column": "not in the paper; compared with the column of another method",
}


def caveats(table: pd.DataFrame) -> dict[str, list[str]]:
    """Return the methods whose settings or scores need a caveat, by the kind of caveat."""
    methods = table.drop_duplicates("method").set_index("method")
    last = table.drop_duplicates("method", keep="last").set_index("method")["scores"]
    scores = {name: tuple(sorted(scores.items())) for name, scores in last.items()}
    usual = Counter(scores[name] for name in methods.index).most_common(1)
    return {
        "fitted_to_print": methods.index[methods["settings_searched"]].tolist(),
        "scored_otherwise": [name for name in methods.index if scores[name] != usual[0][0]],
        "other_column": methods.index[methods["column"] != methods.index].tolist(),
    }


def caveat_sentences(named: Mapping[str, Any]) -> list[str]:
    """Return the sentences that belong to every count of agreement and of wins."""
    return [
        f"{', '.join(named[kind])}: {text}" for kind, text in CAVEATS.items() if named.get(kind)
    ]


def count_verdicts(verdicts: pd.Series) -> dict[str, int]:
    """Count the verdicts that occur, in the order of the legend."""
    counts = verdicts.value_counts()
    return {str(verdict): int(counts[verdict]) for verdict in Verdict if verdict in counts}


def wins(table: pd.DataFrame, metric: str, column: str = "mean") -> dict[str, int]:
    """Count the distinct rows in which the mean of each method is the best.

    The counts of the printed numbers, with column "paper_mean", include only the methods that have
    a printed column of their own.
    """
    table = table[table["metric"] == metric]
    if column == "paper_mean":
        table = _printed(table)
    unique = distinct(table)
    counts = is_best(unique, column).groupby(unique["method"]).sum()
    return {method: int(counts.get(method, 0)) for method in table["method"].unique()}


def wins_by_side(table: pd.DataFrame, metric: str) -> dict[str, dict[str, int]]:
    """Count the wins among all methods, among the printed cells, and in the printed numbers.

    Only the last two are comparable, because wins depend on the methods that take part.
    """
    return {
        "ours": wins(table, metric),
        "ours_in_printed_cells": wins(_printed(table), metric),
        "paper": wins(table, metric, "paper_mean"),
    }


def _printed(table: pd.DataFrame) -> pd.DataFrame:
    """Return the cells that have a printed number of their own."""
    return table[(table["column"] == table["method"]) & table["paper_mean"].notna()]


def summary(
    table: pd.DataFrame, printed: pd.DataFrame | None, metrics: Sequence[str] = METRICS
) -> dict[str, Any]:
    """Count the verdicts on the printed cells and the wins.

    Rows that repeat an experiment are counted once.
    """
    compared = table[table["metric"].isin(metrics) & table["paper_mean"].notna()]
    cells = distinct(compared)
    judged = cells[cells["difference"].notna() & ~cells["data_differ"]]
    differing = judged[judged["verdict"].isin([Verdict.UP, Verdict.DOWN])]
    order = differing["difference"].abs().sort_values(ascending=False, kind="stable").index
    methods = [name for name in table["method"].unique() if name in set(cells["method"])]
    equivalent = judged[judged["equivalent"]]["method"].value_counts()
    return {
        "published": 0 if printed is None else len(printed),
        "compared": len(compared),
        "distinct": len(cells),
        "judged": len(judged),
        "within_one_point": int((judged["difference"].abs() <= NEAR).sum()),
        "differ": len(differing),
        "equivalent": int(equivalent.sum()),
        "verdicts": count_verdicts(cells["verdict"]),
        "by_metric": _count_by(cells, "metric", metrics),
        "by_method": _count_by(cells, "method", methods),
        "by_dataset": _count_by(cells, "dataset", cells["dataset"].unique().tolist()),
        "equivalent_by_method": {name: int(equivalent.get(name, 0)) for name in methods},
        "differing": [
            {
                "dataset": cell.dataset,
                "variance": cell.explained_variance,
                "method": cell.method,
                "metric": cell.metric,
                "ours": cell.mean,
                "paper": cell.paper_mean,
                "difference": cell.difference,
                "interval": [cell.low, cell.high],
            }
            for cell in rows_of(differing.loc[order])
        ],
        "rows": len(distinct(table).drop_duplicates(ROW)),
        **caveats(table),
        "wins": {metric: wins_by_side(table, metric) for metric in metrics},
    }


def _count_by(cells: pd.DataFrame, column: str, groups: Sequence[str]) -> dict[str, dict[str, int]]:
    """Count the verdicts of each group that has any."""
    verdicts = dict(list(cells.groupby(column, sort=False)["verdict"]))
    return {group: count_verdicts(verdicts[group]) for group in groups if group in verdicts}
