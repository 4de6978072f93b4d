"""One way in: a registered name or the path of a table becomes a Dataset."""

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from sgpmic_cli._typing import PathLike
from sgpmic_cli.data.dataset import Dataset
from sgpmic_cli.data.generated import GENERATORS
from sgpmic_cli.data.installed import INSTALLED
from sgpmic_cli.data.intake.learning import learn_recipe, notes_on
from sgpmic_cli.data.intake.options import TableOptions, TextFormat
from sgpmic_cli.data.intake.problems import Problem, TableError
from sgpmic_cli.data.intake.raw_table import RawTable, read_blocks, read_table
from sgpmic_cli.data.intake.reading import STANDARD_INPUT
from sgpmic_cli.data.intake.recipe import Prepared, TableRecipe, same_numbers, use_median
from sgpmic_cli.data.intake.tally import Tally
from sgpmic_cli.data.originals import read_original
from sgpmic_cli.data.publishers import PARSERS
from sgpmic_cli.data.registry import Entry, bundled_folder, entry, names
from sgpmic_cli.errors import DataUnavailable, UsageError
from sgpmic_cli.safe_text import printable

_ENDINGS = (".csv", ".tsv", ".txt", ".gz", ".bz2", ".zip", ".parquet", ".npy")


def load(
    name_or_path: str,
    *,
    label: str | None = None,
    table: TableOptions | None = None,
    data_dir: PathLike | None = None,
    mirror: str | None = None,
    offline: bool = False,
) -> Dataset:
    """Load a registered data set, or a table of one's own to be clustered.

    Parameters
    ----------
    name_or_path : str
        Name of the registry, path of a CSV (packed or not), Parquet or .npy file, or "-" for standard input.
    label : str or None
        Column of a table that holds the classes; short for the one in `table`.
    table : TableOptions or None
        What the columns of a table are, and what is done with text and missing values.
    """
    if is_table(name_or_path):
        options = table or TableOptions()
        return _read_to_cluster(
            name_or_path, options if label is None else replace(options, label=label)
        )
    found = entry(name_or_path)
    asked = label or (table.label if table else None)
    if asked is not None:
        raise UsageError(
            f"label={asked!r} goes with the path of a CSV file; {found.name} brings its own classes"
        )
    if table is not None and replace(table, missing="median") != TableOptions():
        raise UsageError(
            f"{found.name} is a registered set, whose columns are known; say so of a file of your own only"
        )
    return _load_entry(found, data_dir, mirror, offline)


@dataclass
class RowsToPlace:
    """Rows that are to be placed under a model, block after block; they can be gone through once."""

    name: str
    recipe: TableRecipe
    tables: Iterable[RawTable]
    label: str | None
    id: str | None
    classes: list[str] | None = None  # of all rows, where the tables do not have them
    header_note: list[str] = field(default_factory=list)
    tally: Tally = field(default_factory=Tally)

    def __iter__(self) -> Iterator[Prepared]:
        for table in self.tables:
            self.header_note = _on_header(table)
            rows = self.recipe.apply(table, self.tally, label=self.label, id=self.id)
            yield rows if self.classes is None else replace(rows, classes=self.classes)
        if self.tally.rows == self.tally.rows_left_out:
            raise _all_left_out(self.name)

    @property
    def notes(self) -> list[str]:
        """What a person should know of them; complete when all have gone by."""
        return [*self.header_note, *self.recipe.notes(self.tally)]


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
) -> RowsToPlace:
    """Rows that are to be placed under a model, whose recipe says what its columns are; read when they are asked for.

    `label` and `id` name columns of this table, `format` how it is written, where that differs from the recipe's.
    """
    if is_table(name_or_path):
        named = {name for name in (label, id) if name is not None}
        tables = read_blocks(
            _path(name_or_path),
            format or recipe.format,
            known=recipe.names | named,
            as_text=recipe.written_as_text | named,
        )
        return RowsToPlace(_name(name_or_path), recipe, tables, label, id)
    data = load(name_or_path, label=label, data_dir=data_dir, mirror=mirror, offline=offline)
    raw = RawTable(data.name, dict(zip(data.feature_names, data.Y.T, strict=True)), named=True)
    classes = None if data.labels is None else [data.class_names[label] for label in data.labels]
    return RowsToPlace(data.name, recipe, [raw], None, None, classes)


def is_table(text: str) -> bool:
    """Whether a word names a file, or standard input, and not a registered set."""
    if text in names():
        return False
    has_folder = any(separator in text for separator in ("/", os.sep, os.altsep) if separator)
    # os.path.exists answers False where a Path would raise: for names too long or with a zero byte.
    return (
        text == STANDARD_INPUT
        or has_folder
        or text.lower().endswith(_ENDINGS)
        or os.path.exists(text)
    )


def _read_to_cluster(name_or_path: str, options: TableOptions) -> Dataset:
    named = [name for name in (options.label, options.id) if name is not None]
    raw = read_table(
        _path(name_or_path),
        options.format,
        known=[*named, *options.columns, *options.drop],
        as_text=named,
    )
    recipe = learn_recipe(raw, options)
    data = _dataset(_name(name_or_path), recipe, raw, notes_on(recipe))
    if len(data.Y) < 2:
        raise UsageError(f"{raw.path} has one row of data only; clustering needs two or more")
    if (data.Y[0] == data.Y).all():
        raise UsageError(
            f"all rows of {raw.path} are equal, so there is nothing to cluster; check the file"
        )
    return data


def _dataset(name: str, recipe: TableRecipe, raw: RawTable, decided: Sequence[str] = ()) -> Dataset:
    tally = Tally()
    rows = recipe.apply(raw, tally)
    if not len(rows.Y):
        raise _all_left_out(raw.path)
    return Dataset.from_classes(
        name,
        rows.Y,
        None if rows.classes is None else same_numbers(rows.classes),
        rows.feature_names,
        names_made_up=not recipe.named,
        recipe=recipe,
        row_numbers=rows.row_numbers,
        ids=rows.ids,
        notes=(*_on_header(raw), *decided, *recipe.notes(tally)),
    )


def _on_header(raw: RawTable) -> list[str]:
    # A header of numbers cannot be told from a row: the user can.
    is_bare_text = raw.lines is not None and not raw.named
    return (
        [f"no header was found in {raw.path}, so its first line is read as data."]
        if is_bare_text
        else []
    )


def _all_left_out(path: str) -> TableError:
    return TableError(path, [Problem("every row has a missing value", (use_median(),))])


def _path(text: str) -> str:
    return text if text == STANDARD_INPUT else os.path.expanduser(text)


def _name(text: str) -> str:
    """What a table is called; a file that happens to be called like a registered set must not be taken for it."""
    if text == STANDARD_INPUT:
        return "standard-input"
    name = Path(text).name
    return printable(text if name in names() else name)


def _load_entry(
    found: Entry, data_dir: PathLike | None, mirror: str | None, offline: bool
) -> Dataset:
    if found.kind == "generated":
        return load_generated(found)
    if found.kind == "installed":
        return load_installed(found)
    if found.kind == "bundled":
        dataset = load_bundled(found)
        if dataset.sha256 != found.values_sha256:
            raise DataUnavailable(
                f"the bundled file {found.name}.csv in {bundled_folder()} is not the published data any more; "
                "reinstall sgpmic or restore the file"
            )
        return dataset
    return parse_original(
        found, read_original(found, data_dir=data_dir, mirror=mirror, offline=offline)
    )


def load_bundled(found: Entry) -> Dataset:
    """A bundled CSV as it is on disk, its hash not yet compared."""
    table = read_table(
        str(bundled_folder() / f"{found.name}.csv"),
        TextFormat(),
        known=["label"],
        as_text=["label"],
    )
    features = [
        name for name in table.columns if name != "label"
    ]  # all of them: nothing is taken for an id
    recipe = learn_recipe(
        table, TableOptions("label", columns=tuple(features), encode="error", missing="error")
    )
    return replace(_dataset(found.name, recipe, table), recipe=None)


def load_generated(found: Entry) -> Dataset:
    """A generated set, drawn with the registry's seed."""
    generate, feature_names = GENERATORS[found.name]
    Y, classes = generate(found.n, found.n_classes, found.seed or 0)
    return Dataset.from_classes(found.name, Y, classes, feature_names)


def load_installed(found: Entry) -> Dataset:
    """A set that an installed library brings."""
    return Dataset.from_classes(found.name, *INSTALLED[found.name]())


def parse_original(found: Entry, raw: bytes) -> Dataset:
    """The publisher's file, already checked against its hash, as a data set."""
    Y, classes = PARSERS[found.parser](raw)
    width = len(str(Y.shape[1]))
    return Dataset.from_classes(
        found.name, Y, classes, [f"v{j + 1:0{width}d}" for j in range(Y.shape[1])]
    )
