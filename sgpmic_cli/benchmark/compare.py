"""Aggregate the frame of runs, judge means beside printed ones or between methods, and count.

Means are compared, not single runs: the question is whether ten repeats of ours would print the
same number. The tolerance is the uncertainty of the mean, not the standard deviation of the runs.
In counts of verdicts and wins an experiment counts once, even if several rows show it.

The comparison is a data frame with a row for each cell and score:

| columns | content |
|---|---|
| cell, dataset, explained_variance, method, metric | the place of the number |
| title, column, settings_searched | of the method, see `Method` |
| data, q, n_clusters, scores, settings | what was run |
| repeats, failed, mean, std, seconds | our runs; no mean if all failed or there are no data |
| note | warnings, and why runs failed or data are unavailable |
| paper_mean, paper_std, paper_repeats, data_differ | the printed number |
| difference, low, high, verdict | see `judge` |
"""

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Any, Self

import numpy as np
import pandas as pd

from sgpmic_cli.benchmark.methods import Method, Methods
from sgpmic_cli.benchmark.plan import CELL
from sgpmic_cli.scores import SCORES

# The scores of a table; `nmi` holds the definition of the protocol.
SHOWN = tuple(name for name in SCORES if name not in ("nmi_clusters", "nmi_stated"))
METRICS = ("acc", "nmi")  # of the paper's tables
OWN_METRICS = ("ari", *METRICS)  # without printed numbers; ACC and NMI favour too many clusters
ROW = ["dataset", "explained_variance"]
# Our numbers: a row for each score of a cell.
NUMBER = [*CELL, "repeats", "failed", "seconds", "note", "metric", "mean", "std"]
KEY = ["metric", *ROW, "method"]
NUMBERS = ["mean", "std", "repeats"]
ROUNDING = 0.01 + 1e-9  # two decimals are printed; 1e-9 covers the error of binary fractions
NEAR = 1.0  # points
SPREAD = 1e-9  # smaller deviations are rounding: those of equal runs are near 1e-14
LEVEL = 0.05
CAVEATS = {
    "fitted_to_print": (
        "settings that the paper leaves open were searched, one for all data sets, to match the "
        "printed column; agreement is fitted, and our wins are not a blind comparison"
    ),
    "other_column": "not in the paper; compared with the column of another method",
}


_DIFFER = "and the means differ significantly"
_AGREE = "the means do not differ significantly (Welch, 5 %)"


class Verdict(StrEnum):
    """The verdicts on a number in the order of the legend, with signs on the page."""

    meaning: str
    sign: str

    def __new__(cls, name: str, meaning: str = "", sign: str = "") -> Self:
        """Create a verdict, which is its name."""
        verdict = str.__new__(cls, name)
        verdict._value_, verdict.meaning, verdict.sign = name, meaning, sign
        return verdict

    EXACT = "exact", "the two means are within 0.01", "="
    NEAR = "within 1", "within one point", "≈"
    COMPATIBLE = "compatible", f"further apart, but {_AGREE}", "~"
    UP = "differs up", f"ours is more than one point above, {_DIFFER}", "▲"
    DOWN = "differs down", f"ours is more than one point below, {_DIFFER}", "▼"
    DATA_DIFFER = "data differ", "the public data are not those the paper used", "≠"
    BEST = "best", "the best mean of the row"
    TIED = "tied", "not significantly below the best mean of the row (Welch, 5 %)"
    LOWER = "lower", "significantly below the best mean of the row"
    ALONE = "alone", "no other method has a number in the row"
    FAILED = "failed", "no run succeeded", "✕"
    UNAVAILABLE = "unavailable", "the data are unavailable", "–"
    NOT_RUN = "not run", "no run of ours yet", "·"


def compare(
    runs: pd.DataFrame, methods: Methods, printed: pd.DataFrame | None = None
) -> pd.DataFrame:
    """Aggregate the frame of runs and compare it with printed numbers, if there are any."""
    rows = [row for _, cell in runs.groupby("cell", sort=False) for row in _numbers(cell)]
    return comparison(pd.DataFrame(rows), methods, printed)


def _numbers(runs: pd.DataFrame) -> Iterator[dict[str, Any]]:
    """Yield the mean and the deviation of each score of a cell, with the facts of the cell."""
    good, failed = (runs[runs["status"] == status] for status in ("ok", "failed"))
    cell, reasons = runs.iloc[0], runs["reason"][runs["status"] != "ok"].unique().tolist()
    repeats = len(good) + len(failed)
    facts = {
        **cell[CELL],
        "repeats": repeats,
        "failed": len(failed),
        "seconds": good["seconds"].mean(),
        "note": _note(runs, good, reasons) if repeats else reasons[0],
    }
    for metric in SHOWN:
        scores = good[cell["scores"].get(metric, metric)].astype(float)
        yield {**facts, "metric": metric, "mean": scores.mean(), "std": scores.std(ddof=0)}


def _note(runs: pd.DataFrame, good: pd.DataFrame, reasons: Sequence[str]) -> str:
    """Describe failures, warnings and an ACC that is not purity, in sentences."""
    parts = []
    if len(good) < len(runs):
        count = f"{len(runs) - len(good)} of" if len(good) else "All"
        parts.append(f"{count} {len(runs)} runs failed: {'; '.join(reasons).removesuffix('.')}.")
    warnings = dict.fromkeys(text for texts in good["warnings"] for text in texts)
    parts += [f"Warning: {text}" for text in warnings]
    if len(good) and runs["scores"].iloc[0]["acc"] != "acc":
        parts.append(
            "ACC is that of the best one-to-one match, as in the printed column; "
            f"purity is {good['acc'].mean():.2f}."
        )
    return " ".join(parts)


def comparison(
    numbers: pd.DataFrame, methods: Methods, printed: pd.DataFrame | None
) -> pd.DataFrame:
    """Add the facts of the methods, the printed numbers and the verdicts to our numbers."""
    run = [methods.get(name, Method(name, "")) for name in numbers["method"]]
    types: Any = {"q": "Int64", "mean": float, "std": float, "seconds": float}
    table = numbers[NUMBER].astype(types)
    table["title"] = [method.label for method in run]
    table["column"] = [method.column or method.name for method in run]
    table["settings_searched"] = [method.settings_searched for method in run]
    columns = {name: f"paper_{name}" for name in NUMBERS}
    if printed is None:
        table = table.assign(**dict.fromkeys(columns.values(), np.nan), data_differ=False)
    else:
        right = printed.rename(columns={**columns, "method": "column"})
        table = table.merge(right, "left", on=["metric", *ROW, "column"])
        table["data_differ"] = table["data_differ"] == True  # noqa: E712 - NaN without a number
    return table.join(judge(table))


def best_settings(table: pd.DataFrame) -> pd.DataFrame:
    """Keep the cell with the highest mean ACC where a protocol tunes a setting of a method."""
    acc = table[table["metric"] == "acc"].sort_values("mean", ascending=False, kind="stable")
    return table[table["cell"].isin(acc.drop_duplicates([*ROW, "method"])["cell"])]


def has_print(table: pd.DataFrame) -> bool:
    """Return whether a comparison has any printed number."""
    return bool(table["paper_mean"].notna().any())


def shown_metrics(table: pd.DataFrame) -> tuple[str, ...]:
    """Return the metrics of the tables, the most important first."""
    return (*METRICS, "ari") if has_print(table) else OWN_METRICS


def rows_of(table: pd.DataFrame) -> Iterator[Any]:
    """Yield the rows of a data frame, with its columns as attributes."""
    yield from table.itertuples()


def distinct(table: pd.DataFrame) -> pd.DataFrame:
    """Return the numbers without those that repeat an experiment: equal data, Q and method."""
    repeated = table.duplicated(["metric", "data", "q", "n_clusters", "method"])
    return table[~repeated | (table["data"] == "")]


def is_best(table: pd.DataFrame) -> pd.Series:
    """Return whether each mean is the best of its row, to two decimals; one alone is not."""
    means = table["mean"].round(2)
    rows = means.groupby([table[name] for name in ("metric", *ROW)], sort=False)
    return (means == rows.transform("max")) & (rows.transform("count") > 1)


def welch(ours: Any, others: Any) -> tuple[Any, Any, Any]:
    """Return the difference of means, its standard error and its degrees of freedom (Welch).

    Both sides are arrays of means, population standard deviations and numbers of runs; see
    `statistics`. The interval is slightly too narrow, which is the stricter test. If the deviation
    of one side is at most `SPREAD`, as that of a single run, that of the other side is used for
    both: some printed cells vary in ACC and not in NMI, so a zero proves little.
    """
    (mean, std, n), (other_mean, other_std, m) = ours, others
    with np.errstate(divide="ignore", invalid="ignore"):
        first = np.where(std > SPREAD, std, other_std) ** 2 / n
        second = np.where(other_std > SPREAD, other_std, std) ** 2 / m
        squared = first + second
        freedom = squared**2 / (first**2 / (n - 1.0) + second**2 / (m - 1.0))
    usual = (np.minimum(n, m) > 1) & (squared > 0.0)
    freedom = np.where(usual, freedom, np.maximum(np.maximum(n, m), 2.0) - 1.0)
    return mean - other_mean, np.sqrt(squared), freedom


def reach(error: Any, freedom: Any) -> Any:
    """Return half the width of a 95 % interval."""
    from scipy.special import stdtrit

    return stdtrit(freedom, 1.0 - LEVEL / 2.0) * error


def statistics(table: pd.DataFrame) -> tuple[Any, Any, Any]:
    """Return the means, the deviations and the numbers of successful runs of a comparison."""
    runs = (table["repeats"] - table["failed"]).to_numpy(float)
    return table["mean"].to_numpy(float), table["std"].to_numpy(float), runs


def judge(table: pd.DataFrame) -> pd.DataFrame:
    """Return the differences from the printed means, their intervals and the verdicts.

    The intervals `low` to `high` are Welch's at 95 %. A number without a printed one is compared
    with the best of its row instead, also by Welch's test. Runs of two methods are no pairs,
    because every method has its own seeds.
    """
    paper = tuple(table[f"paper_{name}"].to_numpy(float) for name in NUMBERS)
    ours = statistics(table)
    difference, error, freedom = welch(ours, paper)
    half = reach(error, freedom)
    low, high = difference - half, difference + half
    rows = table.groupby(["metric", *ROW], sort=False)["mean"]
    # The row of the best mean; of itself if the row has no mean.
    best = rows.transform(lambda means: means.idxmax() if means.notna().any() else means.index[0])
    below, spread, degrees = welch(ours, statistics(table.loc[best]))
    new = np.isnan(difference)
    verdicts = {
        Verdict.UNAVAILABLE: table["repeats"] == 0,
        Verdict.FAILED: ours[2] == 0,
        Verdict.ALONE: new & (rows.transform("count") == 1),
        Verdict.BEST: new & (np.abs(below) < ROUNDING),
        Verdict.TIED: new & (below + reach(spread, degrees) >= 0.0),
        Verdict.LOWER: new,
        Verdict.DATA_DIFFER: table["data_differ"],
        Verdict.EXACT: np.abs(difference) <= ROUNDING,
        Verdict.NEAR: np.abs(difference) <= NEAR,
        Verdict.COMPATIBLE: (low <= 0.0) & (high >= 0.0),
        Verdict.UP: difference > 0.0,
    }
    names = [str(verdict) for verdict in verdicts]
    verdict = np.select([np.asarray(each, bool) for each in verdicts.values()], names, Verdict.DOWN)
    columns = {"difference": difference, "low": low, "high": high}
    return pd.DataFrame({**columns, "verdict": verdict.astype(object)}, index=table.index)


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


def wins(table: pd.DataFrame, metric: str) -> dict[str, int]:
    """Count the distinct rows in which the mean of each method is the best."""
    table = table[table["metric"] == metric]
    unique = distinct(table)
    counts = is_best(unique).groupby(unique["method"]).sum()
    return {method: int(counts.get(method, 0)) for method in table["method"].unique()}


def in_print(table: pd.DataFrame) -> pd.DataFrame:
    """Return the cells that have a printed number of their own."""
    return table[(table["column"] == table["method"]) & table["paper_mean"].notna()]


def summary(table: pd.DataFrame, metrics: Sequence[str] = METRICS) -> dict[str, Any]:
    """Count the verdicts on the printed cells, and those of them that are near or differ."""
    compared = table[table["metric"].isin(metrics) & table["paper_mean"].notna()]
    cells = distinct(compared)
    judged = cells[cells["difference"].notna() & ~cells["data_differ"]]
    by = {name: cells.groupby(name, sort=False)["verdict"] for name in ("method", "dataset")}
    return {
        "compared": len(compared),
        "distinct": len(cells),
        "judged": len(judged),
        "within_one_point": int((judged["difference"].abs() <= NEAR).sum()),
        "differ": int(judged["verdict"].isin([Verdict.UP, Verdict.DOWN]).sum()),
        "verdicts": count_verdicts(cells["verdict"]),
        **{f"by_{name}": {str(key): count_verdicts(it) for key, it in by[name]} for name in by},
        "rows": len(distinct(table).drop_duplicates(ROW)),
        **caveats(table),
    }
