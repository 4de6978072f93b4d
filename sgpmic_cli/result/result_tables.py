"""Write the tables with one line for each row: labels, embedding, and the user's table."""

import csv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from sgpmic_cli._typing import Array, Indices
from sgpmic_cli.errors import UsageError
from sgpmic_cli.estimator_base.prediction import RowResults
from sgpmic_cli.tables.read import read_blocks
from sgpmic_cli.tables.rows import Rows
from sgpmic_cli.text import LINE_END

LABELS, EMBEDDING = "labels.csv", "embedding.csv"
TABLE = "table-with-clusters.csv"
TABLE_DIGITS = 4  # of probabilities


def row_numbers(data: Rows) -> Indices:
    """Return the numbers (N,) of the rows in the file, counted from 1."""
    return np.arange(1, len(data.Y) + 1) if data.row_numbers is None else data.row_numbers


def append_rows(
    folder: Path,
    numbers: Indices,
    ids: Sequence[str] | None,
    prediction: RowResults,
    groups: Indices | None = None,
) -> None:
    """Append rows to both files, given their numbers (n,) in the data, their ids and groups."""
    keys = {"row": numbers} if ids is None else {"row": numbers, "id": ids}
    labels = {"cluster": prediction.labels, **_group_column(groups)}
    labels |= {f"p{m}": p.round(TABLE_DIGITS) for m, p in enumerate(prediction.probabilities.T)}
    labels["unusual"] = prediction.unusual.astype(int)
    coordinates = {f"x{q + 1}": x for q, x in enumerate(prediction.embedding.T)}
    _append(folder / LABELS, {**keys, **labels})
    _append(folder / EMBEDDING, {**keys, **coordinates})


def typicality(log_density: Array, labels: Indices) -> Array:
    """Return for each row the fraction of rows of its cluster that are not more typical."""
    ranks = np.empty(len(labels))
    for cluster in np.unique(labels):
        rows = np.flatnonzero(labels == cluster)
        ordered = np.sort(log_density[rows])
        ranks[rows] = np.searchsorted(ordered, log_density[rows], side="right") / len(rows)
    return ranks


def unusual_notes(n: int, n_rows: int, others: str) -> list[str]:
    """Return a note if there are unusual rows; `others` are the rows that they are unlike."""
    if not n:
        return []
    rows = f"1 of {n_rows} rows is" if n == 1 else f"{n} of {n_rows} rows are"
    return [f"{rows} unlike most {others}: {'it is' if n == 1 else 'they are'} marked as unusual."]


def write_table(
    path: Path, data: Rows, prediction: RowResults, groups: Indices | None = None
) -> None:
    """Write the table of a fit with the results of each row as further columns.

    The cells of a text file are copied as they are, so that ids and leading zeros do not change. A
    `.npy` array is not copied.
    """
    results, recipe = _results(data, prediction, groups), data.recipe
    if data.path is None:
        frame = pd.DataFrame(data.Y, results.index, data.feature_names)
        if recipe is not None:  # standard input cannot be read again
            ids = {} if data.ids is None else {"id": data.ids}
            frame = pd.DataFrame({"row": results.index, **ids}, results.index)
        _joined(frame, results).to_csv(path, index=False, lineterminator=LINE_END)
        return
    assert recipe is not None
    columns = recipe.file_columns if recipe.named else ()
    for table in read_blocks(data.path, recipe.format, columns):
        if table.numbers is not None:
            return
        first = table.first_row == 0
        rows = np.arange(table.n_rows) + table.first_row + 1
        frame = pd.DataFrame({name: cells.raw for name, cells in table.cells.items()}, rows)
        added = results.astype(object)
        if table.format.decimal == ",":
            added = added.map(lambda cell: str(cell).replace(".", ","))
        _joined(frame, added).to_csv(
            path,
            mode="w" if first else "a",
            header=first and table.named,
            sep=table.format.separator or ",",
            index=False,
            lineterminator=LINE_END,
        )


def file_texts(data: Rows, column: str | None = None) -> dict[str, list[str]]:
    """Return columns of the user's file as texts, for the rows of a data set.

    Without a column, return those that are neither numbers nor categories of the model: ids,
    classes and columns that were left out. Standard input cannot be read again.
    """
    recipe, found = data.recipe, dict[str, list[str]]()
    if recipe is None or data.path is None:
        return found
    used = {each.name for each in recipe.columns}
    wanted = set(recipe.file_columns) - used if column is None else {column}
    rows = row_numbers(data) - 1
    for table in read_blocks(data.path, recipe.format, recipe.file_columns if recipe.named else ()):
        own = rows[(rows >= table.first_row) & (rows < table.first_row + table.n_rows)]
        for name in table.columns:
            if name in wanted:
                found.setdefault(name, []).extend(table.cells[name].texts[own - table.first_row])
    return found


def with_names(data: Rows, column: str) -> Rows:
    """Return the data set with rows named by a column of its file, which may repeat texts."""
    names = file_texts(data, column)
    if column not in names:
        raise UsageError(f"--name {column!r}: {data.name} is no file with a column of that name.")
    return replace(data, ids=tuple(names[column]))


def _group_column(groups: Indices | None) -> dict[str, list[str]]:
    """Return the column of the surviving groups, empty for rows without one."""
    return {} if groups is None else {"group": [str(g) if g >= 0 else "" for g in groups]}


def _results(data: Rows, prediction: RowResults, groups: Indices | None) -> pd.DataFrame:
    """Return the columns that are added to the table, with the row numbers as index."""
    ranks = typicality(prediction.log_density, prediction.labels)
    results = {
        "cluster": prediction.labels,
        **_group_column(groups),
        "probability": prediction.probabilities.max(axis=1).round(TABLE_DIGITS),
        "typicality": ranks.round(TABLE_DIGITS),
        "unusual": prediction.unusual.astype(int),
    }
    for q, coordinate in enumerate(prediction.embedding.T):
        results[f"x{q + 1}"] = coordinate.round(TABLE_DIGITS)
    return pd.DataFrame(results, row_numbers(data))


def _joined(table: pd.DataFrame, results: pd.DataFrame) -> pd.DataFrame:
    named = results.set_axis(_new_names(results.columns, table.columns), axis=1)
    return table.join(named.astype(object))  # whole numbers stay whole beside empty cells


def _new_names(names: Iterable[str], taken: Iterable[str]) -> list[str]:
    """Return the names, all with a prefix if the table has a column with one of them."""
    new = list(names)
    while not set(taken).isdisjoint(new):
        new = [f"sgpmic_{name}" for name in new]
    return new


def _append(path: Path, columns: Mapping[str, Any]) -> None:
    """Append rows to a file. Python's writer takes 0.6 of the time of that of pandas."""
    is_new = not path.exists()
    with path.open("a", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator=LINE_END)
        if is_new:
            writer.writerow(columns)
        cells = (np.asarray(column).tolist() for column in columns.values())
        writer.writerows(zip(*cells, strict=True))
