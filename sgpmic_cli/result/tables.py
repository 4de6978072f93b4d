"""Write the tables of a result: labels, embedding, profile, trace, and the user's table."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from sgpmic_cli._typing import Array, Indices
from sgpmic_cli.result import words
from sgpmic_cli.result.profile import Profile
from sgpmic_cli.result.result import Result
from sgpmic_cli.row_blocks import row_blocks
from sgpmic_cli.tables.rows import RowResults, Rows
from sgpmic_cli.text import LINE_END

LABELS, EMBEDDING = "labels.csv", "embedding.csv"
TABLE = "table-with-clusters.csv"
TABLE_DIGITS = 4  # of probabilities


def write_tables(result: Result, folder: Path) -> None:
    """Write all tables of a fit."""
    append_rows(folder, row_numbers(result.rows), result.rows.ids, result.results)
    write_profile(folder / "profile.csv", result.profile)
    if result.trace is not None:
        result.trace.to_csv(folder / "trace.csv", index=False, lineterminator="\n")
    write_table(folder / TABLE, result)


def summary(result: Result) -> dict[str, Any]:
    """Return a result as plain values, for JSON."""
    return {
        "dataset": result.rows.name,
        "rows": result.rows.Y.shape[0],
        "columns": result.rows.Y.shape[1],
        "classes": result.rows.n_classes or None,
        "clusters": len(result.sizes),
        "sizes": result.sizes.tolist(),
        "certainty": [round(float(value), 4) for value in result.profile.certainty],
        "stability": None if result.overlap is None else round(result.overlap, 4),
        "unusual_rows": int(result.results.unusual.sum()),
        "dims": result.results.points.shape[1],
        "numbers_tried": result.selection or None,
        **result.facts,
        **({"verdicts": result.verdicts} if result.verdicts else {}),
        "scores": result.scores,
        "notes": list(result.rows.notes),
        "warnings": [*result.warnings, *words.advice(result)],
    }


def row_numbers(rows: Rows) -> Indices:
    """Return the numbers (N,) of the rows in the file, counted from 1."""
    return np.arange(1, len(rows.Y) + 1) if rows.row_numbers is None else rows.row_numbers


def append_rows(
    folder: Path, numbers: Indices, ids: Sequence[str] | None, prediction: RowResults
) -> None:
    """Append rows to both files, given their numbers (n,) in the data and their ids."""
    keys = {"row": numbers} if ids is None else {"row": numbers, "id": ids}
    labels = {"cluster": prediction.labels}
    labels |= {f"p{m}": p.round(TABLE_DIGITS) for m, p in enumerate(prediction.probabilities.T)}
    labels["unusual"] = prediction.unusual.astype(int)
    coordinates = {f"x{q + 1}": x for q, x in enumerate(prediction.points.T)}
    for name, columns in ((LABELS, labels), (EMBEDDING, coordinates)):
        new = not (folder / name).exists()
        rows = pd.DataFrame(keys | columns)
        rows.to_csv(folder / name, mode="a", header=new, index=False, lineterminator=LINE_END)


def typicality(log_density: Array, labels: Indices) -> Array:
    """Return for each row the fraction of rows of its cluster that are not more typical."""
    ranks = pd.Series(log_density).groupby(labels).rank(method="max", pct=True)
    return np.asarray(ranks, dtype=np.float64)


def write_profile(path: Path, profile: Profile) -> None:
    """Write a line per feature and cluster: mean and spread of numbers, or a fraction."""
    m, n_features = profile.means.shape
    table = pd.DataFrame(
        {
            "cluster": np.repeat(np.arange(m), n_features),
            "size": np.repeat(profile.sizes, n_features),
            "certainty": np.repeat(profile.certainty, n_features),
            "feature": profile.features * m,
            "mean": np.where(profile.is_fraction, np.nan, profile.means).ravel(),
            "spread": np.where(profile.is_fraction, np.nan, profile.spreads).ravel(),
            "fraction": np.where(profile.is_fraction, profile.means, np.nan).ravel(),
            "elsewhere": profile.elsewhere.ravel(),
            "difference": profile.differences.ravel(),
        }
    )
    table.to_csv(path, index=False, lineterminator=LINE_END)


def write_table(path: Path, result: Result) -> None:
    """Write the table of a fit with the results of each row as further columns.

    The cells of a text file are copied as text, without spaces around them, so that ids and leading
    zeros do not change. A `.npy` array is not copied.
    """
    data, recipe, results = result.rows, result.rows.recipe, _results(result)
    if data.frame is None or recipe is None:
        frame = pd.DataFrame(data.Y, results.index, data.feature_names)
        _joined(frame, results).to_csv(path, index=False, lineterminator=LINE_END)
        return
    if not recipe.named and data.format.separator is None:
        return
    results = results.astype(object)
    if data.format.decimal == ",":
        results = results.map(lambda cell: str(cell).replace(".", ","))
    for rows in row_blocks(len(data.frame)):
        part = data.frame.iloc[rows]
        _joined(part.set_index(part.index + 1), results).to_csv(
            path,
            mode="a" if rows.start else "w",
            header=recipe.named and not rows.start,
            sep=data.format.separator or ",",
            index=False,
            lineterminator=LINE_END,
        )


def _results(result: Result) -> pd.DataFrame:
    """Return the columns that are added to the table, with the row numbers as index."""
    prediction = result.results
    results = {
        "cluster": prediction.labels,
        "probability": prediction.probabilities.max(axis=1),
        "typicality": typicality(prediction.log_density, prediction.labels),
        "unusual": prediction.unusual.astype(int),
        **{f"x{q + 1}": coordinate for q, coordinate in enumerate(prediction.points.T)},
    }
    return pd.DataFrame(results, row_numbers(result.rows)).round(TABLE_DIGITS)


def _joined(table: pd.DataFrame, results: pd.DataFrame) -> pd.DataFrame:
    named = results.set_axis(_new_names(results.columns, table.columns), axis=1)
    return table.join(named.astype(object))  # whole numbers stay whole beside empty cells


def _new_names(names: Iterable[str], taken: Iterable[str]) -> list[str]:
    """Return the names, all with a prefix if the table has a column with one of them."""
    new = list(names)
    while not set(taken).isdisjoint(new):
        new = [f"sgpmic_{name}" for name in new]
    return new
