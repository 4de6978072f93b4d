"""Measure how far the computed tables agree with the printed one: by counts, distance and order.

Reads the results of `make reproduce-table2`, `reproduce-as-stated`, `reproduce-nulls` and
`search-settings`, and computes no run. Writes four tables into OUT:

- methods: near cells of every column, as run and as stated, and those of null columns;
- column: SGP-MIC's column beside Algorithm 1 and the null models, by distance;
- halves: the distance on data sets that chose no setting;
- order: rank correlation of the methods, and SGP-MIC's lead over the best other method.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.shared import parse, write_csv
from sgpmic_cli._typing import Indices
from sgpmic_cli.benchmark.compare import METRICS, ROW, Verdict, distinct, judge
from sgpmic_cli.benchmark.tables import read_document
from sgpmic_cli.data import load
from sgpmic_cli.paper.experiments.protocols import paper_suite, table2

OWN = "sgp-mic"
# The folder and the method of each procedure that is compared with SGP-MIC's printed column.
PROCEDURES = {
    "SGP-MIC as run": ("table2", OWN),
    "Algorithm 1, pi and beta move": ("table2-nulls", "algorithm-1"),
    "Algorithm 1, pi and beta fixed": ("table2-nulls", "algorithm-1-fixed"),
    "SGP-MIC without experts in the E-step": ("table2-nulls", "null-experts"),
    "Gaussian mixture on ISOMAP": ("table2-nulls", "null-gmm"),
    "the same without log-determinants (Mahalanobis)": ("table2-nulls", "null-mahalanobis"),
    "fuzzy c-means on ISOMAP": ("table2-nulls", "null-fcm"),
}
ONE_CLUSTER, EVERY_PCA = "null: all rows in one cluster", "null: PCA-FCM in every other column"
RESAMPLES = 10_000
LEVELS = (2.5, 97.5)  # percentiles of an interval


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the tables."""
    place = {"results": Path("results"), "out": Path("results/agreement")}
    asked = parse(arguments, __doc__, **place)
    for make in (methods_table, column_table, halves_table, order_table):
        table, name = make(asked.results), make.__name__.removesuffix("_table")
        write_csv(table, asked.out / f"{name}.csv", "%.2f")
        print(table.to_string(index=False))


@cache
def compared(folder: Path) -> pd.DataFrame:
    """Return the comparison of the benchmark in a folder."""
    return read_document(folder / "benchmark.json", paper_suite().methods, table2())


def read_cells(folder: Path) -> pd.DataFrame:
    """Return the distinct cells of a benchmark that the paper prints, on the paper's data."""
    table = compared(folder)
    table = table[table["metric"].isin(METRICS) & table["difference"].notna()]
    return with_counts(distinct(table[~table["data_differ"]]))


def with_counts(cells: pd.DataFrame) -> pd.DataFrame:
    """Add what is counted of judged cells, and their distances from the print."""
    return cells.assign(
        near=lambda cells: cells["verdict"].isin([Verdict.EXACT, Verdict.NEAR]),
        differs=lambda cells: cells["verdict"].isin([Verdict.UP, Verdict.DOWN]),
        distance=lambda cells: cells["difference"].abs(),
    )


def null_columns(cells: pd.DataFrame) -> pd.DataFrame:
    """Return the cells with the numbers of a null model in place of those of their methods.

    The null models are all rows in one cluster, and PCA-FCM, which leaves out its own column.
    """
    classes = {name: np.asarray(load(name).labels) for name in cells["dataset"].unique()}
    largest = {name: 100.0 * np.bincount(of).max() / len(of) for name, of in classes.items()}
    one = cells["dataset"].map(largest).where(cells["metric"] == "acc", 0.0)
    place = ["metric", *ROW]
    pca = cells[cells["method"] == "pca-fcm"].set_index(place)[["mean", "std"]]
    others = cells[cells["method"] != "pca-fcm"].drop(columns=["mean", "std"]).join(pca, on=place)
    nulls = [cells.assign(method=ONE_CLUSTER, mean=one, std=0.0), others.assign(method=EVERY_PCA)]
    return pd.concat(with_counts(column.assign(**judge(column))) for column in nulls)


def methods_table(results: Path) -> pd.DataFrame:
    """Count near and differing cells of every method as run and as stated, and sum them up.

    A column is fitted if settings that the paper leaves open were chosen by closeness to it.
    """
    sides = {"as run": "table2", "as stated": "table2-as-stated"}
    cells = {side: read_cells(results / folder) for side, folder in sides.items()}
    first = cells["as run"].drop_duplicates("method")
    fitted = dict(zip(first["method"], first["settings_searched"], strict=True))
    groups = {title: [name] for name, title in zip(first["method"], first["title"], strict=True)}
    groups["fitted columns"] = [name for name in fitted if fitted[name]]
    groups["other columns"] = [name for name in fitted if not fitted[name]]
    groups["all columns"] = list(fitted)
    groups |= {name: [name] for name in (ONE_CLUSTER, EVERY_PCA)}
    cells = {side: pd.concat([judged, null_columns(judged)]) for side, judged in cells.items()}
    rows = []
    for title, names in groups.items():
        row = {"method": title, "cells": 0}
        for side, judged in cells.items():
            chosen = judged[judged["method"].isin(names)]
            row["cells"] = max(row["cells"], len(chosen))
            near, differ = int(chosen["near"].sum()), int(chosen["differs"].sum())
            row[side] = f"{near} / {differ}"
            row[f"% near, {side}"] = f"{100 * near / len(chosen):.0f}"
        rows.append(row)
    return pd.DataFrame(rows)


def column_table(results: Path) -> pd.DataFrame:
    """Compare the procedures with SGP-MIC's printed column, with bootstrap intervals over rows.

    The last column is the mean distance over both scores less that of the model as run, row by row.
    """
    found = {}
    for title, (folder, method) in PROCEDURES.items():
        cells = read_cells(results / folder)
        found[title] = cells[cells["method"] == method]
    distances = {
        title: cells.pivot(index=ROW, columns="metric", values="distance")[[*METRICS]]
        for title, cells in found.items()
    }
    as_run = next(iter(distances.values()))
    draws = np.random.RandomState(0).randint(
        len(as_run), size=(RESAMPLES, len(as_run)), dtype=np.intp
    )
    rows = []
    for title, distance in distances.items():
        by_row = distance.loc[as_run.index]
        near, differ = found[title][["near", "differs"]].sum()
        row: dict[str, object] = {"procedure": title, "near / differ": f"{near} / {differ}"}
        for metric in METRICS:
            row[f"mean distance, {metric.upper()}"] = with_interval(by_row[metric], draws)
            row[f"median, {metric.upper()}"] = by_row[metric].median()
        more = (by_row - as_run).mean(axis="columns")
        rows.append(row | {"more than as run": with_interval(more, draws)})
    return pd.DataFrame(rows)


def with_interval(values: pd.Series, draws: Indices) -> str:
    """Return the mean of the rows with its bootstrap interval, as text."""
    rows = values.to_numpy(float)
    low, high = np.percentile(rows[draws].mean(axis=1), LEVELS)
    return f"{rows.mean():.2f} [{low:.2f}, {high:.2f}]"


def halves_table(results: Path) -> pd.DataFrame:
    """Choose each method's settings on half of the data sets; measure on the other half.

    All halves are used, each for the choice once. The criterion is the mean distance of all cells.
    """
    rows = []
    for title, (_, method) in PROCEDURES.items():
        path = results / "search" / method / "search.csv"
        if path.exists():
            cells = pd.read_csv(path).drop_duplicates(["variation", "dataset", "q", "metric"])
            cells = cells.assign(distance=cells["difference"].abs())
            halves = list(_held_out(cells))
            means = [other.groupby("metric")["distance"].mean() for _, other in halves]
            numbers, held_out = pd.DataFrame(means), [other["distance"] for _, other in halves]
            fixed = cells[cells["variation"] == "chosen"]["distance"]
            low, high = numbers.mean(axis="columns").quantile([0.05, 0.95])
            ((often, times),) = Counter(name for name, _ in halves).most_common(1)
            rows.append(
                {
                    "procedure": title,
                    "settings": cells["variation"].nunique(),
                    "distance, setting of the table": fixed.mean(),
                    **{f"held out, {name.upper()}": numbers[name].mean() for name in METRICS},
                    "held out, both": f"{numbers.to_numpy().mean():.2f} ({low:.2f} to {high:.2f})",
                    "median": float(np.median(np.concatenate(held_out))),
                    "chosen most often": f"{often} ({times} of {len(halves)})",
                }
            )
    return pd.DataFrame(rows)


def _held_out(cells: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield the variation that each half chooses, and its cells on the other half."""
    datasets = cells["dataset"].unique()
    for half in combinations(datasets, len(datasets) // 2):
        within = cells["dataset"].isin(half)
        best = cells[within].groupby("variation", sort=False)["distance"].mean().idxmin()
        yield str(best), cells[~within & (cells["variation"] == best)]


def order_table(results: Path) -> pd.DataFrame:
    """Compare the order of the methods, and SGP-MIC's lead over the best other method.

    Spearman's correlation and the lead are means over the distinct rows of a data set. Leads with
    opposite signs have no ratio.
    """
    cells = read_cells(results / "table2")
    rows = []
    for metric in METRICS:
        for place, row in cells[cells["metric"] == metric].groupby(ROW, sort=False):
            numbers = row.set_index("method")[["mean", "paper_mean"]]
            if OWN in numbers.index and len(numbers) > 2:
                lead = numbers.loc[OWN] - numbers.drop(OWN).max()
                order = numbers.rank().corr().iloc[0, 1]
                rows.append((place[0], metric.upper(), order, lead["paper_mean"], lead["mean"]))
    found = pd.DataFrame(rows, columns=["data set", "score", "order", "printed", "ours"])
    found["same sign"] = (found["printed"] > 0) == (found["ours"] > 0)
    groups = pd.concat([found, found.assign(**{"data set": "all"})]).groupby(
        ["score", "data set"], sort=False
    )
    table = groups[["order", "printed", "ours"]].mean()
    ratio = table["ours"] / table["printed"]
    table["ratio"] = ratio.where(ratio > 0)
    same, rows_each = groups["same sign"].sum(), groups.size()
    table["leads of equal sign"] = same.astype(str) + " of " + rows_each.astype(str)
    names = {"order": "rank correlation", "printed": "printed lead", "ours": "our lead"}
    return table.rename(columns=names).reset_index()


if __name__ == "__main__":
    main()
