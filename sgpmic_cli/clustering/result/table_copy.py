"""Copy the user's table, with the results of each row as further columns."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd

from sgpmic_cli.clustering.result.fitting import Fitted
from sgpmic_cli.clustering.result.row_density import typicality
from sgpmic_cli.clustering.result.row_tables import DIGITS, row_numbers
from sgpmic_cli.tables.csv_text import CsvText
from sgpmic_cli.tables.reading import NPY, PARQUET, decompressed, text_lines, with_encoding
from sgpmic_cli.tables.table_files import CELLS, read_table

TABLE = "table-with-clusters.csv"


def write_table(path: Path, fitted: Fitted, source: str | None) -> None:
    """Write the table of a fit with the results of each row as further columns.

    The lines of a text file are copied as they are, so that ids and leading zeros do not change.
    `source` is the path of the user's file, None if there is none. A `.npy` array is not copied.
    """
    if source is None:
        data, results = fitted.data, _results(fitted)
        frame = pd.DataFrame(data.Y, results.index, data.feature_names)
        if data.recipe is not None:  # standard input cannot be read again
            ids = {} if data.ids is None else {"id": data.ids}
            frame = pd.DataFrame({"row": results.index, **ids}, results.index)
        _joined(frame, results).to_csv(path, index=False)
        return
    recipe = fitted.data.recipe
    assert recipe is not None
    known = recipe.file_columns if recipe.named else ()
    with decompressed(source) as file:
        if file.starts_with(NPY):
            return
        results = _results(fitted)
        if not file.starts_with(PARQUET):
            format = with_encoding(file, recipe.format)
            text = CsvText(file.name, format, known)
            lines = text_lines(file, format.encoding, whole=False)
            with path.open("w", encoding="utf-8", newline="\n") as output:
                output.writelines(_extended_lines(text, lines, results))
            return
    table = read_table(source, recipe.format)
    frame = pd.DataFrame({name: cells.raw for name, cells in table.cells.items()})
    _joined(frame.set_index(np.arange(1, len(frame) + 1)), results).to_csv(path, index=False)


def _results(fitted: Fitted) -> pd.DataFrame:
    """Return the columns that are added to the table, with the row numbers as index."""
    model = fitted.model
    results = {
        "cluster": model.labels_,
        "probability": model.responsibilities_.max(axis=1).round(DIGITS),
        "typicality": typicality(fitted.log_density, model.labels_).round(DIGITS),
        "unusual": fitted.unusual.astype(int),
    }
    for q, coordinate in enumerate(model.embedding_.T):
        results[f"x{q + 1}"] = coordinate.round(DIGITS)
    return pd.DataFrame(results, row_numbers(fitted.data))


def _joined(table: pd.DataFrame, results: pd.DataFrame) -> pd.DataFrame:
    named = results.set_axis(_new_names(results.columns, table.columns), axis=1)
    return table.join(named.astype(object))  # whole numbers stay whole beside empty cells


def _new_names(names: Iterable[str], taken: Iterable[str]) -> list[str]:
    """Return the names, all with a prefix if the table has a column with one of them."""
    found, known = list(names), set(taken)
    while not known.isdisjoint(found):
        found = [f"sgpmic_{name}" for name in found]
    return found


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
        known = results.loc[numbers[0] : numbers[-1]].astype(str)
        cells = known.reindex(numbers, fill_value="").to_numpy().tolist()
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
