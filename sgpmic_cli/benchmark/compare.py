"""Aggregate the results frame, and judge the means beside printed means.

Means are compared, not single runs: the question is whether ten repeats of ours would print the
same number. The tolerance is the uncertainty of the mean, not the standard deviation of the runs.

The comparison is a data frame with a row for each cell and score:

| columns | content |
|---|---|
| cell, dataset, explained_variance, method, metric | the place of the number |
| title, column, settings_searched | of the method, see `Method` |
| data, q, n_clusters, scores, settings | what was run |
| repeats, failed, mean, std, seconds | our runs; no mean if all failed or there are no data |
| note, reasons, tracebacks | warnings, and why runs failed or data are unavailable |
| experiment | equal for rows that show the same runs |
| paper_mean, paper_std, paper_repeats, data_differ | the printed number |
| difference, low, high, error, verdict | see `judge` |
"""

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Any, Self

import numpy as np
import pandas as pd

from sgpmic_cli.benchmark.methods import Method, Methods
from sgpmic_cli.scores import SCORES

# The scores of a table; `nmi` holds the definition of the protocol.
SHOWN = tuple(name for name in SCORES if name not in ("nmi_clusters", "nmi_stated"))
KEY = ["metric", "dataset", "explained_variance", "method"]
NUMBERS = ["mean", "std", "repeats"]
METRICS = ("acc", "nmi")  # the metrics of the tables
ROW = ["dataset", "explained_variance"]
KEPT_TRACEBACKS = 3  # of a cell; the runs have all
# The fields of a cell in a document, by their columns in the comparison.
FIELDS = {
    **{name: name for name in ("dataset", "data")},
    "explained_variance": "variance",
    **{name: name for name in ("q", "n_clusters", "method", "scores", "settings")},
    **{name: name for name in ("repeats", "failed")},
}
ROUNDING = 0.01 + 1e-9  # two decimals are printed; 1e-9 covers the error of binary fractions
NEAR = 1.0  # points
LEVEL = 0.05


class Verdict(StrEnum):
    """The verdicts on a cell in the order of the legend, with their meanings and signs.

    LaTeX has no sign for verdicts without a number.
    """

    meaning: str
    sign: str
    latex: str

    def __new__(cls, name: str, meaning: str = "", sign: str = "", latex: str = "") -> Self:
        """Create a member whose value is its name."""
        verdict = str.__new__(cls, name)
        verdict._value_ = name
        verdict.meaning, verdict.sign, verdict.latex = meaning, sign, latex
        return verdict

    EXACT = "exact", "the two means are within 0.01", "=", "="
    NEAR = "within 1", "within one point", "≈", r"\approx"
    COMPATIBLE = (
        "compatible",
        "further apart, but the means do not differ significantly (Welch, 5 %)",
        *("~", r"\sim"),
    )
    UP = (
        "differs up",
        "ours is more than one point above, and the means differ significantly",
        *("▲", r"\uparrow"),
    )
    DOWN = (
        "differs down",
        "ours is more than one point below, and the means differ significantly",
        *("▼", r"\downarrow"),
    )
    NEW = "new", "the paper has no such cell", "∗", r"\ast"
    DATA_DIFFER = "data differ", "the public data are not those the paper used", "≠", r"\neq"
    FAILED = "failed", "no run succeeded", "✕"
    UNAVAILABLE = "unavailable", "the data are unavailable", "–"
    NOT_RUN = "not run", "no run of ours yet", "·"


def compare(
    runs: pd.DataFrame, methods: Sequence[Method], printed: pd.DataFrame | None = None
) -> pd.DataFrame:
    """Aggregate the results frame and compare it with printed numbers, if there are any."""
    cells: list[dict[str, Any]] = []
    for _, group in runs.groupby("cell", sort=False):
        cell, good = group.iloc[0], group[group["status"] == "ok"]
        repeats = int((group["status"] != "unavailable").sum())
        numbers = {}
        for metric in SHOWN:
            values = good[cell["scores"].get(metric, metric)].to_numpy(float) if len(good) else []
            numbers[metric] = (np.mean(values), np.std(values)) if len(good) else (None, None)
        reasons = group["reason"][group["status"] != "ok"].unique().tolist()
        tracebacks = [text for text in group.get("traceback", ()) if text] if repeats else []
        cells.append(
            {
                **{name: cell[name] for name in FIELDS if name in runs},
                "repeats": repeats,
                "failed": repeats - len(good),
                "seconds": good["seconds"].mean() if len(good) else None,
                "numbers": numbers,
                "reasons": tuple(reasons),
                "tracebacks": tuple(dict.fromkeys(tracebacks))[:KEPT_TRACEBACKS],
                "note": _note(group, good, reasons) if repeats else reasons[0],
            }
        )
    return with_printed(long_table(cells, {method.name: method for method in methods}), printed)


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


def best_settings(table: pd.DataFrame) -> pd.DataFrame:
    """Keep the cell with the highest mean ACC where a protocol tunes a setting of a method."""
    acc = table[table["metric"] == "acc"].sort_values("mean", ascending=False, kind="stable")
    return table[table["cell"].isin(acc.drop_duplicates([*ROW, "method"])["cell"])]


def long_table(cells: Sequence[Mapping[str, Any]], methods: Methods) -> pd.DataFrame:
    """Return a row for each score of each cell. `numbers` of a cell are means and deviations."""
    rows = []
    for number, cell in enumerate(cells):
        method = methods.get(cell["method"]) or Method(cell["method"], "")
        place = cell["dataset"], cell["explained_variance"], method.name
        run = cell["data"], cell["q"], cell["n_clusters"], method.name
        facts = {
            "cell": number,
            **{name: value for name, value in cell.items() if name != "numbers"},
            "title": method.label,
            "column": method.column or method.name,
            "settings_searched": method.settings_searched,
            "experiment": run if cell["data"] else place,
        }
        for metric, (mean, std) in cell["numbers"].items():
            rows.append({**facts, "metric": metric, "mean": mean, "std": std})
    types: Any = {"q": "Int64", "mean": float, "std": float, "seconds": float}
    return pd.DataFrame(rows).astype(types)


def with_printed(table: pd.DataFrame, printed: pd.DataFrame | None) -> pd.DataFrame:
    """Add the printed numbers and the verdicts to the numbers of a benchmark."""
    columns = {name: f"paper_{name}" for name in ("mean", "std", "repeats")}
    if printed is None:
        table = table.assign(**dict.fromkeys(columns.values(), np.nan), data_differ=False)
    else:
        right = printed[[*KEY, *columns, "data_differ"]].rename(
            columns={**columns, "method": "column"}
        )
        table = table.merge(right, "left", on=["metric", *ROW, "column"])
        table["data_differ"] = table["data_differ"] == True  # noqa: E712 - NaN without a number
    note = "The public data are not those the paper used."
    differ = table["data_differ"] & ~table["note"].str.startswith(note) & (table["repeats"] > 0)
    table["note"] = table["note"].where(~differ, (note + " " + table["note"]).str.strip())
    return table.join(judge(table))


def rows_of(table: pd.DataFrame) -> Iterator[Any]:
    """Yield the rows of a data frame, with its columns as attributes."""
    yield from table.itertuples()


def distinct(table: pd.DataFrame) -> pd.DataFrame:
    """Return the numbers without those that repeat an earlier experiment."""
    return table.drop_duplicates(["experiment", "metric"])


def is_best(table: pd.DataFrame, column: str = "mean") -> pd.Series:
    """Return whether each mean is the best of its row, to two decimals; one alone is not."""
    means = table[column].round(2)
    rows = means.groupby([table[name] for name in ("metric", *ROW)], sort=False)
    return (means == rows.transform("max")) & (rows.transform("count") > 1)


def judge(table: pd.DataFrame) -> pd.DataFrame:
    """Return the differences from the printed means, their intervals and the verdicts.

    The standard error is the standard deviation over sqrt(n). Both sides show the population's
    deviation, so the interval is slightly too narrow, which is the stricter test. If the deviation
    of one side is zero, as that of a single run, that of the other side is used for both: some
    printed cells vary in ACC and not in NMI, so a zero proves little.

    Parameters
    ----------
    table : DataFrame
        Columns `repeats`, `failed`, `mean`, `std`, and the printed `paper_mean`, `paper_std`,
        `paper_repeats` and `data_differ`.

    Returns
    -------
    judged : DataFrame
        `difference` of the means with its 95 % interval `low` to `high` (Welch) and its standard
        `error`, and the `verdict`.
    """
    from scipy.special import stdtrit

    n = (table["repeats"] - table["failed"]).to_numpy(float)
    mean, std, paper_mean, paper_std, m = (
        table[name].to_numpy(float)
        for name in ("mean", "std", "paper_mean", "paper_std", "paper_repeats")
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        ours = np.where(std > 0.0, std, paper_std) ** 2 / n
        printed = np.where(paper_std > 0.0, paper_std, std) ** 2 / m
        squared = ours + printed
        welch = squared**2 / (ours**2 / (n - 1.0) + printed**2 / (m - 1.0))
    usual = (np.minimum(n, m) > 1) & (squared > 0.0)
    freedom = np.where(usual, welch, np.maximum(np.maximum(n, m), 2.0) - 1.0)
    difference, error = mean - paper_mean, np.sqrt(squared)
    reach = stdtrit(freedom, 1.0 - LEVEL / 2.0) * error
    low, high = difference - reach, difference + reach
    verdicts = {
        Verdict.UNAVAILABLE: table["repeats"] == 0,
        Verdict.FAILED: n == 0,
        Verdict.NEW: np.isnan(difference),
        Verdict.DATA_DIFFER: table["data_differ"],
        Verdict.EXACT: np.abs(difference) <= ROUNDING,
        Verdict.NEAR: np.abs(difference) <= NEAR,
        Verdict.COMPATIBLE: (low <= 0.0) & (high >= 0.0),
        Verdict.UP: difference > 0.0,
    }
    names = [str(verdict) for verdict in verdicts]
    verdict = np.select([np.asarray(each, bool) for each in verdicts.values()], names, Verdict.DOWN)
    columns = {"difference": difference, "low": low, "high": high, "error": error}
    return pd.DataFrame({**columns, "verdict": verdict.astype(object)}, index=table.index)
