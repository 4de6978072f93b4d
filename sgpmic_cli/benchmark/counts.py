"""Count the verdicts of a comparison and the wins of each method.

All tables and the page follow one rule: an experiment counts once, even if several rows show it.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from sgpmic_cli.benchmark.compare import (
    LEVEL,
    METRICS,
    NEAR,
    ROW,
    Verdict,
    distinct,
    is_best,
    statistics,
    welch,
)
from sgpmic_cli.benchmark.plan import USUAL_PERCENTAGE

CAVEATS = {
    "fitted_to_print": (
        "settings that the paper leaves open were searched, one for all data sets, to match the "
        "printed column; agreement is fitted, and our wins are not a blind comparison"
    ),
    "other_column": "not in the paper; compared with the column of another method",
}


def caveats(table: pd.DataFrame) -> dict[str, list[str]]:
    """Return the methods whose agreement or wins need a caveat, by the kind of caveat."""
    methods = table.drop_duplicates("method").set_index("method")
    return {
        "fitted_to_print": methods.index[methods["settings_searched"]].tolist(),
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
        table = in_print(table)
    unique = distinct(table)
    counts = is_best(unique, column).groupby(unique["method"]).sum()
    return {method: int(counts.get(method, 0)) for method in table["method"].unique()}


def in_print(table: pd.DataFrame) -> pd.DataFrame:
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
    size = judged["difference"].abs().sort_values(ascending=False, kind="stable")
    differing = judged.loc[size.index].query("verdict in ['differs up', 'differs down']")
    names = {"explained_variance": "variance", "mean": "ours", "paper_mean": "paper"}
    places = ["dataset", "explained_variance", "method", "metric"]
    cell = differing[[*places, "mean", "paper_mean", "difference"]].rename(columns=names)
    cell["interval"] = differing[["low", "high"]].to_numpy().tolist()
    return {
        "published": 0 if printed is None else len(printed),
        "compared": len(compared),
        "distinct": len(cells),
        "judged": len(judged),
        "within_one_point": int((size <= NEAR).sum()),
        "differ": len(differing),
        "verdicts": count_verdicts(cells["verdict"]),
        **{
            f"by_{column}": {
                str(name): count_verdicts(verdicts)
                for name, verdicts in cells.groupby(column, sort=False)["verdict"]
            }
            for column in ("metric", "method", "dataset")
        },
        "differing": cell.to_dict("records"),
        "rows": len(distinct(table).drop_duplicates(ROW)),
        **caveats(table),
        "wins": {
            metric: {"ours": wins(table, metric), "paper": wins(table, metric, "paper_mean")}
            for metric in metrics
        },
    }


def score_table(numbers: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Return the means of a metric by row and method, of a comparison or of printed numbers."""
    means = numbers[(numbers["metric"] == metric) & numbers["mean"].notna()]
    return means.set_index([*ROW, "method"])["mean"].unstack(sort=False)


def beside_best(table: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Compare every method with the method that has the highest mean over the data sets.

    Each data set counts once, by its row at 95 % of the variance if the table has it, because
    the rows of a data set are not independent. Methods without a number for a data set are omitted.
    The test over the data sets is the paired t test, that on one data set Welch's. The p-values are
    not adjusted for the number of methods.

    Returns
    -------
    methods : DataFrame
        By method, best first: its `mean`, the `difference` from the best with its 95 % interval
        (`low`, `high`) and `p_value`, and the data sets in which it is significantly better
        (`wins`), neither (`ties`) and worse (`losses`).
    """
    from scipy import stats
    from scipy.special import stdtr, stdtrit

    scores = one_row_each(score_table(table, metric)).dropna(axis="columns")
    means = scores.mean().sort_values(ascending=False, kind="stable")
    numbers = table[table["metric"] == metric].set_index([*ROW, "method"])
    rows = []
    for method, mean in means.items():
        ours, best = (
            statistics(numbers.loc[[(*row, name) for row in scores.index]])
            for name in (method, means.index[0])
        )
        differences, errors, freedoms = welch(ours, best)
        reach = stdtrit(freedoms, 1.0 - LEVEL / 2.0) * errors
        wins, losses = int((differences > reach).sum()), int((differences < -reach).sum())
        error, freedom = errors[0], freedoms[0]
        if len(scores) > 1:
            error, freedom = stats.sem(differences), len(scores) - 1
        difference, half = differences.mean(), stdtrit(freedom, 1.0 - LEVEL / 2.0) * error
        # Equal differences everywhere have no error: they are certain, or there is none.
        p_value = 2.0 * stdtr(freedom, -abs(difference) / error) if error else float(not difference)
        interval = difference - half, difference + half
        counts = wins, len(scores) - wins - losses, losses
        rows.append([mean, difference, *interval, p_value, *counts])
    names = ["mean", "difference", "low", "high", "p_value", "wins", "ties", "losses"]
    return pd.DataFrame(rows, means.index, names)


def one_row_each(scores: pd.DataFrame) -> pd.DataFrame:
    """Return one row for each data set: at 95 % of the variance, or at its largest percentage."""
    percentages = scores.index.to_frame()["explained_variance"].astype(float)
    preferred = percentages.mask(percentages == USUAL_PERCENTAGE, np.inf)
    return scores.loc[preferred.groupby("dataset", sort=False).idxmax()]
