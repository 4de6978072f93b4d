"""Write the tables with one line for each row: labels, embedding, and the user's table."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd

from sgpmic_cli._typing import Array, Indices
from sgpmic_cli.data.dataset import Dataset
from sgpmic_cli.estimator_base.prediction import Prediction
from sgpmic_cli.tables.csv_text import CsvText
from sgpmic_cli.tables.reading import NPY, PARQUET, decompressed, text_lines, with_encoding
from sgpmic_cli.tables.table_files import CELLS, read_table

LABELS, EMBEDDING = "labels.csv", "embedding.csv"
TABLE = "table-with-clusters.csv"
DIGITS = 4  # of probabilities


def row_numbers(data: Dataset) -> Indices:
    """Return the numbers (N,) of the rows in the file, counted from 1."""
    return np.arange(1, len(data.Y) + 1) if data.row_numbers is None else data.row_numbers


def append_rows(
    folder: Path, numbers: Indices, ids: Sequence[str] | None, prediction: Prediction
) -> None:
    """Append rows to both files, given their numbers (n,) in the data and their ids."""
    keys = {"row": numbers} if ids is None else {"row": numbers, "id": ids}
    labels = {"cluster": prediction.labels}
    labels |= {f"p{m}": p.round(DIGITS) for m, p in enumerate(prediction.probabilities.T)}
    if prediction.unusual is not None:
        labels["unusual"] = prediction.unusual.astype(int)
    coordinates = {f"x{q + 1}": x for q, x in enumerate(prediction.embedding.T)}
    _append(folder / LABELS, pd.DataFrame({**keys, **labels}))
    _append(folder / EMBEDDING, pd.DataFrame({**keys, **coordinates}))


def typicality(log_density: Array, labels: Indices) -> Array:
    """Return for each row the fraction of rows of its cluster that are not more typical."""
    ranks = np.empty(len(labels))
    for cluster in np.unique(labels):
        rows = np.flatnonzero(labels == cluster)
        ordered = np.sort(log_density[rows])
        ranks[rows] = np.searchsorted(ordered, log_density[rows], side="right") / len(rows)
    return ranks


def unusual_notes(n: int, n_rows: int, others: str) -> list[str]:
    """Return a note if there are unusual rows; `others` are the rows that they do not resemble."""
    if not n:
        return []
    rows = f"1 of {n_rows} rows resembles" if n == 1 else f"{n} of {n_rows} rows resemble"
    return [f"{rows} nothing {others}: see the column 'unusual' in labels.csv."]


def write_table(path: Path, data: Dataset, prediction: Prediction) -> None:
    """Write the table of a fit with the results of each row as further columns.

    The lines of a text file are copied as they are, so that ids and leading zeros do not change. A
    `.npy` array is not copied.
    """
    if data.path is None:
        results = _results(data, prediction)
        frame = pd.DataFrame(data.Y, results.index, data.feature_names)
        if data.recipe is not None:  # standard input cannot be read again
            ids = {} if data.ids is None else {"id": data.ids}
            frame = pd.DataFrame({"row": results.index, **ids}, results.index)
        _joined(frame, results).to_csv(path, index=False)
        return
    recipe = data.recipe
    assert recipe is not None
    columns = recipe.file_columns if recipe.named else ()
    with decompressed(data.path) as file:
        if file.starts_with(NPY):
            return
        results = _results(data, prediction)
        if not file.starts_with(PARQUET):
            format = with_encoding(file, recipe.format)
            text = CsvText(file.name, format, columns)
            lines = text_lines(file, format.encoding, whole=False)
            with path.open("w", encoding="utf-8", newline="\n") as output:
                output.writelines(_extended_lines(text, lines, results))
            return
    table = read_table(data.path, recipe.format)
    frame = pd.DataFrame({name: cells.raw for name, cells in table.cells.items()})
    _joined(frame.set_index(np.arange(1, len(frame) + 1)), results).to_csv(path, index=False)


def _results(data: Dataset, prediction: Prediction) -> pd.DataFrame:
    """Return the columns that are added to the table, with the row numbers as index."""
    assert prediction.unusual is not None
    ranks = typicality(prediction.log_density, prediction.labels)
    results = {
        "cluster": prediction.labels,
        "probability": prediction.probabilities.max(axis=1).round(DIGITS),
        "typicality": ranks.round(DIGITS),
        "unusual": prediction.unusual.astype(int),
    }
    for q, coordinate in enumerate(prediction.embedding.T):
        results[f"x{q + 1}"] = coordinate.round(DIGITS)
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


def _extended_lines(text: CsvText, lines: Iterator[str], results: pd.DataFrame) -> Iterator[str]:
    """Yield the lines of a text file with the results at the end of each row.

    Rows that were left out get empty cells.
    """
    taken: list[str] = []

    def recorded() -> Iterator[str]:
        for line in lines:
            taken.append(line)
            yield line

    n_lines = 0
    for table in text.tables(recorded(), CELLS):
        assert table.lines is not None
        starts = [*(table.lines - n_lines - 1).tolist(), len(taken)]
        if text.named and not n_lines:
            names = _new_names(results.columns, text.columns)
            yield text.separator.join([_row(taken[: starts[0]]), *names]) + "\n"
        numbers = range(table.first_row + 1, table.first_row + table.n_rows + 1)
        block = results.loc[numbers[0] : numbers[-1]].astype(str)
        cells = block.reindex(numbers, fill_value="").to_numpy().tolist()
        for row, (start, end) in zip(cells, pairwise(starts), strict=True):
            added = [cell.replace(".", text.decimal) for cell in row]
            yield text.separator.join([_row(taken[start:end]), *added]) + "\n"
        n_lines += len(taken)
        taken.clear()


def _row(lines: Sequence[str]) -> str:
    """Return the text of a row without blank lines around it and without its line break."""
    full = [line for line in lines if line.strip()] or lines[:1]
    first, last = lines.index(full[0]), len(lines) - 1 - lines[::-1].index(full[-1])
    return "".join(lines[first : last + 1]).removesuffix("\n")


def _append(path: Path, table: pd.DataFrame) -> None:
    table.to_csv(path, mode="a", header=not path.exists(), index=False, lineterminator="\n")
