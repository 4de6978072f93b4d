"""Load a registered data set or a user's table as a Rows."""

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pandas as pd

from sgpmic_cli.data.registered import load_entry
from sgpmic_cli.data.registry import entry, find
from sgpmic_cli.errors import UsageError
from sgpmic_cli.tables.columns import decision_notes, doubts, learn_recipe
from sgpmic_cli.tables.encoder import encode_table
from sgpmic_cli.tables.options import TableOptions, TextFormat
from sgpmic_cli.tables.read import STANDARD_INPUT, Table, read_table, table_of_frame
from sgpmic_cli.tables.recipe import TableRecipe
from sgpmic_cli.tables.rows import Rows
from sgpmic_cli.text import printable

_EXTENSIONS = (".csv", ".tsv", ".txt", ".gz", ".zip", ".parquet", ".npy", ".xlsx")
CLASSES = "classes"  # the name of the class column of a registered data set


def load(
    name_or_path: str,
    *,
    label: str | None = None,
    table: TableOptions | None = None,
) -> Rows:
    """Load a registered data set by its name, or a user's table by its path; "-" is stdin.

    `label` is the column that holds the classes; it overrides the one in `table`.
    """
    options = table or TableOptions()
    if label is not None:
        options = replace(options, label=label)
    if is_table(name_or_path):
        known = (options.label, *options.columns, *options.drop)
        return rows_of(read(name_or_path, options.format, known), options)
    found = entry(name_or_path)
    if replace(options, all_classes=True) != TableOptions():
        raise UsageError(
            f"{found.name} is a registered data set; options of a table, such as --label, are for "
            f"files of your own, and {found.name} has its own classes"
        )
    return load_entry(found)


def read(given: str, format: TextFormat = TextFormat(), known: Sequence[str | None] = ()) -> Table:
    """Read the file of a user. A first line with one of the `known` names is a header."""
    return read_table(os.path.expanduser(given), format, known)


def rows_of(table: Table, options: TableOptions) -> Rows:
    """Decide what the columns of a table are, and return its rows."""
    recipe, problems = learn_recipe(table, options)
    rows = encode_table(table, recipe, options, problems)
    if len(rows.Y) < 2:
        raise UsageError(f"{table.name} has one row of data only; clustering needs two or more")
    notes = (*decision_notes(recipe), *doubts(recipe, rows.Y), *rows.notes)
    return replace(rows, name=_name(table.name), notes=notes)


def rows_for(
    recipe: TableRecipe,
    name_or_path: str,
    *,
    format: TextFormat,
    label: str | None = None,
) -> Rows:
    """Read and encode the rows of a table with the recipe of a model.

    `label` overrides that of the recipe.
    """
    if is_table(name_or_path):
        known = (label, *(recipe.file_columns if recipe.named else ()))
        # A point is the usual separator, so a file may have another one than that of the fit.
        decimal = "," if format.decimal == "," else None
        table = read(name_or_path, replace(format, decimal=decimal), known)
    else:
        data = load(name_or_path, label=label)
        frame = pd.DataFrame(data.Y, columns=data.feature_names).assign(**{CLASSES: data.classes})
        table, label = table_of_frame(data.name, frame), CLASSES
    rows = encode_table(table, recipe, TableOptions(label))
    return replace(rows, name=_name(table.name))


def is_table(text: str) -> bool:
    """Return whether a word names a file or standard input, and not a registered data set."""
    if find(text) is not None:
        return False
    has_folder, has_extension = os.path.dirname(text) != "", text.lower().endswith(_EXTENSIONS)
    return text == STANDARD_INPUT or has_folder or has_extension or os.path.exists(text)


def _name(text: str) -> str:
    """Return the name of a table, which must differ from the names of registered data sets."""
    name = Path(text).name.replace("standard input", "standard-input")
    return printable(text if find(name) else name)
