"""Load a registered data set or a user's table as a Rows."""

import os
from dataclasses import replace
from pathlib import Path

import pandas as pd

from sgpmic_cli._typing import PathLike
from sgpmic_cli.data.registered import load_entry
from sgpmic_cli.data.registry import entry, find
from sgpmic_cli.errors import UsageError
from sgpmic_cli.tables.cells import RawTable
from sgpmic_cli.tables.columns import decision_notes, learn_recipe
from sgpmic_cli.tables.encoder import EncodedTable
from sgpmic_cli.tables.options import TableOptions, TextFormat
from sgpmic_cli.tables.read import STANDARD_INPUT, read_blocks, read_table
from sgpmic_cli.tables.recipe import TableRecipe, unify_numbers
from sgpmic_cli.tables.rows import Rows
from sgpmic_cli.text import printable

_EXTENSIONS = (".csv", ".tsv", ".txt", ".gz", ".bz2", ".zip", ".parquet", ".npy", ".xlsx")
CLASSES = "classes"  # the name of the class column of a registered data set


def load(
    name_or_path: str,
    *,
    label: str | None = None,
    table: TableOptions | None = None,
    data_dir: PathLike | None = None,
) -> Rows:
    """Load a registered data set by its name, or a user's table by its path; "-" is stdin.

    `label` is the column that holds the classes; it overrides the one in `table`. `data_dir` is the
    folder of downloaded data.
    """
    options = table or TableOptions()
    if label is not None:
        options = replace(options, label=label)
    if is_table(name_or_path):
        return _load_table(name_or_path, options)
    found = entry(name_or_path)
    if replace(options, all_classes=True) != TableOptions():
        raise UsageError(
            f"{found.name} is a registered data set; options of a table, such as --label, are for "
            f"files of your own, and {found.name} has its own classes"
        )
    return load_entry(found, data_dir)


def rows_for(
    recipe: TableRecipe,
    name_or_path: str,
    *,
    format: TextFormat,
    label: str | None = None,
    id: str | None = None,
    data_dir: PathLike | None = None,
) -> EncodedTable:
    """Read and encode the rows of a table with the recipe of a model, block by block.

    `label` and `id` override those of the recipe. `data_dir` is the folder of downloaded data.
    """
    if is_table(name_or_path):
        known = {label, id, *(recipe.file_columns if recipe.named else ())}
        tables = read_blocks(os.path.expanduser(name_or_path), format, known)
        return EncodedTable(_name(name_or_path), recipe, tables, label, id)
    data = load(name_or_path, label=label, data_dir=data_dir)
    frame = pd.DataFrame(data.Y, columns=data.feature_names).assign(**{CLASSES: data.classes})
    table = RawTable.from_frame(data.name, frame)
    return EncodedTable(data.name, recipe, [table], label=CLASSES)


def is_table(text: str) -> bool:
    """Return whether a word names a file or standard input, and not a registered data set."""
    if find(text) is not None:
        return False
    has_folder, has_extension = os.path.dirname(text) != "", text.lower().endswith(_EXTENSIONS)
    return text == STANDARD_INPUT or has_folder or has_extension or os.path.exists(text)


def last_column(path: str) -> str | None:
    """Return the name of the last column of a file. Return None for other data.

    Standard input is not read, because it can be read only once.
    """
    if path == STANDARD_INPUT or not is_table(path):
        return None
    return next(read_blocks(os.path.expanduser(path), TextFormat())).columns[-1]


def _load_table(given: str, options: TableOptions) -> Rows:
    path = os.path.expanduser(given)
    named = {options.label, options.id, *options.columns, *options.drop}
    table = read_table(path, options.format, named)
    recipe, problems = learn_recipe(table, options)
    encoded = EncodedTable(
        table.path, recipe, [table], options.label, options.id, problems, options.all_classes
    )
    (rows,) = encoded
    if len(rows.Y) < 2:
        raise UsageError(f"{table.path} has one row of data only; clustering needs two or more")
    return Rows.from_classes(
        _name(given),
        rows.Y,
        None if rows.classes is None else unify_numbers(rows.classes.tolist()),
        recipe.feature_names,
        recipe=recipe,
        path=path if path != STANDARD_INPUT and os.path.isfile(path) else None,
        row_numbers=rows.row_numbers,
        ids=None if rows.ids is None else tuple(rows.ids),
        notes=(*decision_notes(recipe, options), *encoded.notes),
    )


def _name(text: str) -> str:
    """Return the name of a table, which must differ from the names of registered data sets."""
    if text == STANDARD_INPUT:
        return "standard-input"
    name = Path(text).name
    return printable(text if find(name) else name)
