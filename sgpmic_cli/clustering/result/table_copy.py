"""Copy the user's table, with the results of each row as further columns."""

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pandas as pd

from sgpmic_cli.clustering.result.fitting import Fitted
from sgpmic_cli.clustering.result.row_density import typicality
from sgpmic_cli.clustering.result.row_tables import DIGITS, row_numbers
from sgpmic_cli.tables.read import read_blocks

TABLE = "table-with-clusters.csv"


def write_table(path: Path, fitted: Fitted, source: str | None) -> None:
    """Write the table of a fit with the results of each row as further columns.

    The cells of a text file are copied as they are, so that ids and leading zeros do not change.
    `source` is the path of the user's file, None if there is none. A `.npy` array is not copied.
    """
    results = _results(fitted)
    recipe = fitted.data.recipe
    if source is None:
        data = fitted.data
        frame = pd.DataFrame(data.Y, results.index, data.feature_names)
        if recipe is not None:  # standard input cannot be read again
            ids = {} if data.ids is None else {"id": data.ids}
            frame = pd.DataFrame({"row": results.index, **ids}, results.index)
        _joined(frame, results).to_csv(path, index=False)
        return
    assert recipe is not None
    known = recipe.file_columns if recipe.named else ()
    for table in read_blocks(source, recipe.format, known):
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
            lineterminator="\r\n",  # otherwise a carriage return in a cell is not quoted
        )


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
