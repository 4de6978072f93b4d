"""Load a registered data set or a user's table as a Dataset."""

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from sgpmic_cli._typing import PathLike
from sgpmic_cli.data.dataset import Dataset
from sgpmic_cli.data.generated import GENERATORS
from sgpmic_cli.data.intake.learning import decision_notes, learn_recipe
from sgpmic_cli.data.intake.options import TableOptions, TextFormat
from sgpmic_cli.data.intake.prepared_rows import IntakeReport, Prepared
from sgpmic_cli.data.intake.problems import USE_MEDIAN, Problem, TableError
from sgpmic_cli.data.intake.raw_table import RawTable
from sgpmic_cli.data.intake.reading import STANDARD_INPUT
from sgpmic_cli.data.intake.recipe import TableRecipe, unify_numbers
from sgpmic_cli.data.intake.table_files import read_blocks, read_table
from sgpmic_cli.data.originals import read_original
from sgpmic_cli.data.publishers import PARSERS
from sgpmic_cli.data.registry import Entry, bundled_folder, entry, names
from sgpmic_cli.errors import DataUnavailable, UsageError
from sgpmic_cli.safe_text import printable

_EXTENSIONS = (".csv", ".tsv", ".txt", ".gz", ".bz2", ".zip", ".parquet", ".npy")


def load(
    name_or_path: str,
    *,
    label: str | None = None,
    table: TableOptions | None = None,
    data_dir: PathLike | None = None,
    mirror: str | None = None,
    offline: bool = False,
) -> Dataset:
    """Load a registered data set, or a user's table.

    Parameters
    ----------
    name_or_path : str
        Registered name, path of a CSV (packed or not), Parquet or .npy file, or "-" for standard
        input.
    label : str or None
        Column of a table that holds the classes; overrides the one in `table`.
    table : TableOptions or None
        Meaning of the columns of a table, and treatment of text and missing values.
    data_dir, mirror, offline
        Cache folder, source and permission of downloads.

    Returns
    -------
    data : Dataset
        The values with labels, names and notes.
    """
    if is_table(name_or_path):
        options = table or TableOptions()
        return _load_table(
            name_or_path, options if label is None else replace(options, label=label)
        )
    found = entry(name_or_path)
    label = label or (table.label if table else None)
    if label is not None:
        raise UsageError(
            f"--label {label} is for a table of your own; {found.name} has its own classes"
        )
    if table is not None and replace(table, missing="median") != TableOptions():
        raise UsageError(
            f"{found.name} is a registered data set; options of a table are for files of your own"
        )
    return load_entry(found, data_dir, mirror, offline)


@dataclass
class NewRows:
    """Encoded rows of a table, in blocks. They can be iterated once."""

    name: str
    recipe: TableRecipe
    tables: Iterable[RawTable]
    label: str | None
    id: str | None
    classes: list[str] | None = None  # of all rows, if the tables do not have them
    header_note: list[str] = field(default_factory=list)
    report: IntakeReport = field(default_factory=IntakeReport)

    def __iter__(self) -> Iterator[Prepared]:
        for table in self.tables:
            self.header_note = _header_note(table)
            rows = self.recipe.apply(table, self.report, label=self.label, id=self.id)
            yield rows if self.classes is None else replace(rows, classes=self.classes)
        if self.report.rows == self.report.dropped_rows:
            raise _all_rows_dropped(self.name)

    @property
    def notes(self) -> list[str]:
        """Notes about the rows; complete after the iteration."""
        return [*self.header_note, *self.recipe.notes(self.report)]


def rows_for(
    recipe: TableRecipe,
    name_or_path: str,
    *,
    label: str | None = None,
    id: str | None = None,
    format: TextFormat | None = None,
    data_dir: PathLike | None = None,
    mirror: str | None = None,
    offline: bool = False,
) -> NewRows:
    """Read and encode the rows of a table with the recipe of a model, block by block.

    `label`, `id` and `format` override those of the recipe.
    """
    if is_table(name_or_path):
        named = {name for name in (label, id) if name is not None}
        tables = read_blocks(
            _path(name_or_path),
            format or recipe.format,
            known=recipe.known_names | named,
            as_text=recipe.read_as_text | named,
        )
        return NewRows(_name(name_or_path), recipe, tables, label, id)
    data = load(name_or_path, label=label, data_dir=data_dir, mirror=mirror, offline=offline)
    raw = RawTable(data.name, dict(zip(data.feature_names, data.Y.T, strict=True)), named=True)
    return NewRows(data.name, recipe, [raw], None, None, data.classes)


def is_table(text: str) -> bool:
    """Return whether a word names a file or standard input, and not a registered data set."""
    if text in names():
        return False
    has_folder = any(separator in text for separator in ("/", os.sep, os.altsep) if separator)
    has_extension = text.lower().endswith(_EXTENSIONS)
    return text == STANDARD_INPUT or has_folder or has_extension or os.path.exists(text)


def last_column(path: str) -> str | None:
    """Return the name of the last column of a file. Return None for other data.

    Standard input is not read, because it can be read only once.
    """
    if path == STANDARD_INPUT or not is_table(path):
        return None
    return next(read_blocks(_path(path), TextFormat())).columns[-1]


def _load_table(name_or_path: str, options: TableOptions) -> Dataset:
    as_text = [name for name in (options.label, options.id) if name is not None]
    known = [*as_text, *options.columns, *options.drop]
    raw = read_table(_path(name_or_path), options.format, known=known, as_text=as_text)
    recipe = learn_recipe(raw, options)
    data = _encode(_name(name_or_path), recipe, raw, decision_notes(recipe))
    if len(data.Y) < 2:
        raise UsageError(f"{raw.path} has one row of data only; clustering needs two or more")
    if (data.Y[0] == data.Y).all():
        raise UsageError(
            f"all rows of {raw.path} are equal, so there is nothing to cluster; check the file"
        )
    return data


def _encode(name: str, recipe: TableRecipe, raw: RawTable, notes: Sequence[str] = ()) -> Dataset:
    report = IntakeReport()
    rows = recipe.apply(raw, report)
    if not len(rows.Y):
        raise _all_rows_dropped(raw.path)
    return Dataset.from_classes(
        name,
        rows.Y,
        None if rows.classes is None else unify_numbers(rows.classes),
        recipe.feature_names,
        names_made_up=not recipe.named,
        recipe=recipe,
        row_numbers=rows.row_numbers,
        ids=rows.ids,
        notes=(*_header_note(raw), *notes, *recipe.notes(report)),
    )


def _header_note(raw: RawTable) -> list[str]:
    # A header of numbers looks like a row of data, so the user must check.
    if raw.lines is None or raw.named:
        return []
    return [f"no header was found in {raw.path}, so its first line is read as data."]


def _all_rows_dropped(path: str) -> TableError:
    return TableError(path, [Problem("every row has a missing value", [USE_MEDIAN])])


def _path(text: str) -> str:
    return text if text == STANDARD_INPUT else os.path.expanduser(text)


def _name(text: str) -> str:
    """Return the name of a table, which must differ from the names of registered data sets."""
    if text == STANDARD_INPUT:
        return "standard-input"
    name = Path(text).name
    return printable(text if name in names() else name)


def load_entry(
    found: Entry,
    data_dir: PathLike | None = None,
    mirror: str | None = None,
    offline: bool = False,
) -> Dataset:
    """Load a registered data set. Raise DataUnavailable if it is not as published."""
    if found.kind == "generated":
        generate, feature_names = GENERATORS[found.name]
        Y, classes = generate(found.n, found.n_classes, found.seed or 0)
        return Dataset.from_classes(found.name, Y, classes, feature_names)
    if found.kind == "installed":
        return _load_digits(found.name)
    if found.kind == "download":
        raw = read_original(found, data_dir=data_dir, mirror=mirror, offline=offline)
        return parse_original(found, raw)
    dataset = _load_bundled(found)
    if dataset.sha256 != found.values_sha256:
        raise DataUnavailable(
            f"the bundled file {found.name}.csv in {bundled_folder()} is not the published data "
            "any more; reinstall sgpmic or restore the file"
        )
    return dataset


def _load_bundled(found: Entry) -> Dataset:
    path = str(bundled_folder() / f"{found.name}.csv")
    table = read_table(path, TextFormat(), known=["label"], as_text=["label"])
    features = tuple(name for name in table.columns if name != "label")
    options = TableOptions("label", columns=features, encode="error", missing="error")
    return replace(_encode(found.name, learn_recipe(table, options), table), recipe=None)


def _load_digits(name: str) -> Dataset:
    """Load scikit-learn's handwritten digits: 1,797 images of 8 x 8 pixels."""
    from sklearn.datasets import load_digits

    found = load_digits()
    classes = [str(digit) for digit in found.target]
    return Dataset.from_classes(name, found.data, classes, list(found.feature_names))


def parse_original(found: Entry, raw: bytes) -> Dataset:
    """Parse the publisher's file, whose hash has been checked."""
    Y, classes = PARSERS[found.parser](raw)
    width = len(str(Y.shape[1]))
    feature_names = [f"v{j + 1:0{width}d}" for j in range(Y.shape[1])]
    return Dataset.from_classes(found.name, Y, classes, feature_names)
