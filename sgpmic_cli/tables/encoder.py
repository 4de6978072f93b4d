"""Turn tables into numbers: `EncodedTable` for the blocks of a file, `TableEncoder` for frames."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from sgpmic_cli.errors import UsageError
from sgpmic_cli.tables.cells import RawTable, default_names
from sgpmic_cli.tables.columns import decision_notes, learn_recipe
from sgpmic_cli.tables.options import (
    Problem,
    TableError,
    TableOptions,
    invalid_cell,
    plural,
    shown,
    unknown_column,
)
from sgpmic_cli.tables.read import from_arrow
from sgpmic_cli.tables.recipe import Block, ColumnRole, NumberColumn, TableRecipe

MISSING_CLASS = ["", "?"]  # a class may have any other name


@dataclass
class EncodedTable:
    """The rows of a table as numbers, in blocks that can be iterated once.

    The iteration raises TableError with all problems of a block, after those that are given.
    """

    name: str
    recipe: TableRecipe
    tables: Iterable[RawTable]
    label: str | None = None  # overrides the recipe's
    id: str | None = None  # overrides the recipe's
    problems: list[Problem] = field(default_factory=list)
    all_classes: bool = True  # refuse rows without a class

    def __post_init__(self) -> None:
        self._n_rows = self._n_left_out = 0
        self._notes: dict[str, Any] = {}  # a set in order; most are equal for all blocks
        self._unknown: Counter[str] = Counter()  # texts without a category, by column
        self._first_unknown: dict[str, str] = {}  # with its position, by column
        self._n_missing = 0  # of the rows that are not left out

    def __iter__(self) -> Iterator[Block]:
        yield from map(self._encode_block, self.tables)
        if self._n_rows == self._n_left_out:
            every = Problem("no row has a value", ["fill in the columns of the model"])
            raise TableError(self.name, [every])

    @property
    def notes(self) -> list[str]:
        """Notes about all rows; complete after the iteration."""
        notes = list(self._notes)
        for name, n in self._unknown.items():
            notes.append(
                f"column {shown(name)} has {plural(n, 'value')} that the model does not know, such "
                f"as {self._first_unknown[name]}; counted as missing."
            )
        if self._n_left_out:
            notes.append(f"rows without any value are left out: {self._n_left_out}.")
        if self._n_missing:
            notes.append(f"{plural(self._n_missing, 'missing value')}: left to the model.")
        return notes

    def _encode_block(self, table: RawTable) -> Block:
        # A header of numbers looks like a row of data, so the user must check.
        if table.lines is not None and not table.named:
            self._notes.setdefault(
                f"no header was found in {table.path}, so its first line is read as data."
            )
        if table.format.encoding and not self.recipe.format.encoding:
            self._notes.setdefault(
                f"{table.path} is not in UTF-8 and is read as {table.format.encoding}."
            )
        names, note = self.recipe.match(table, (self.label, self.id))
        if isinstance(note, Problem):
            self.problems.append(note)
        elif note:
            self._notes.setdefault(note)
        for parameter, name in (("label", self.label), ("id", self.id)):
            if name is not None and name not in table.cells:
                self.problems.append(unknown_column(name, parameter, table.columns))
        Y, missing = self._encode(table, names)
        classes = self._read_classes(table)
        if self.problems:
            raise TableError(table.path, self.problems)
        id = self.id or self.recipe.id
        ids = table.cells[id].texts if id in table.cells else None
        rows = Block(Y, table.first_row + np.arange(table.n_rows) + 1, ids, classes)
        left_out = missing.all(axis=1)
        if left_out.any():
            rows, missing = rows.part(~left_out), missing[~left_out]
        self._n_rows += table.n_rows
        self._n_left_out += int(left_out.sum())
        self._n_missing += int(missing.sum())
        return rows

    def _encode(self, table: RawTable, names: dict[str, str]) -> tuple[np.ndarray, np.ndarray]:
        """Return Y (N, P) with NaN for missing values, and where values are missing (N, columns).

        A table that is one array of exactly the wanted numbers is not copied; it may be a mapped
        file. Texts without a category count as missing.
        """
        columns = [column for column in self.recipe.columns if column.name in names]
        plain = all(isinstance(one, NumberColumn) and not one.notation for one in columns)
        in_place = plain and [*names.values()] == table.columns
        direct = table.numbers if in_place else None
        Y = np.empty((table.n_rows, len(self.recipe.feature_names))) if direct is None else direct
        missing = np.empty((table.n_rows, len(names)), dtype=bool)
        first = 0
        for j, column in enumerate(columns):
            name = names[column.name]
            block, invalid = column.encode(table.cells[name])
            missing[:, j] = np.isnan(block[:, 0])
            n, row = int(invalid.sum()), int(invalid.argmax())
            cell = str(table.cells[name].raw[row])
            if n and isinstance(column, NumberColumn):
                kind = column.notation.kind if column.notation else "number"
                self.problems.append(invalid_cell(table.place(row, name), cell, n, kind))
            elif n:
                self._unknown[name] += n
                self._first_unknown.setdefault(name, f"{shown(cell)} in {table.place(row)}")
            if large := table.too_large(name, block[:, 0], np.inf):
                self.problems.append(large)
            end = first + block.shape[1]
            if direct is None:
                Y[:, first:end] = block
            first = end
        return Y, missing

    def _read_classes(self, table: RawTable) -> np.ndarray | None:
        """Return the classes, or None if the recipe's class column is absent or incomplete."""
        name = self.label or self.recipe.label
        if name is None or name not in table.cells:
            return None
        classes = table.cells[name].texts
        missing = np.isin(classes, MISSING_CLASS)
        if missing.any() and self.label is None:
            self._notes.setdefault(
                f"column {shown(name)} lacks classes, so no scores are reported."
            )
            return None
        if missing.any() and self.all_classes:
            n, place = int(missing.sum()), table.place(int(missing.argmax()), name)
            more = f", as it is in {n - 1} more rows" if n > 1 else ""
            what = f"{place}: the class is missing{more}"
            self.problems.append(Problem(what, ["fill it in or remove the row"]))
        return classes


@dataclass(eq=False, repr=False, kw_only=True)
class TableEncoder(TransformerMixin, BaseEstimator):
    """A transformer that turns a raw data frame into numbers, as `sgpmic fit` does with a file.

    Numbers stay as they are. Texts and codes with few values become zeros and ones, dates become
    days, and texts such as "€ 1.234,50" or "12 %" become numbers. Identifiers, constant columns and
    texts with many values are left out. A raw table X of shape (n_samples, n_columns) is a data
    frame of pandas, polars or pyarrow, or an array. `GroupMap.fit` uses this class for data frames.

    Parameters
    ----------
    columns : sequence of str, default=()
        Columns to use; empty for all that can be used.
    drop : sequence of str, default=()
        Columns to leave out.

    Attributes
    ----------
    roles_ : list of ColumnRole
        What each column was taken for: its `name`, `taken_as` and `why`.
    notes_ : list of str
        The decisions in sentences.
    recipe_ : TableRecipe
        The decisions as plain data.
    n_features_in_, feature_names_in_
        Number and names of the columns of the data frame.

    Examples
    --------
    >>> import pandas as pd
    >>> from sgpmic import TableEncoder
    >>> frame = pd.DataFrame({"size": ["1,5", "2"], "price": ["€ 3", "€ 4"]})
    >>> encoder = TableEncoder().set_output(transform="pandas")
    >>> encoder.fit_transform(frame).to_numpy().tolist()
    [[1.5, 3.0], [2.0, 4.0]]
    """

    columns: Sequence[str] = ()
    drop: Sequence[str] = ()

    @classmethod
    def from_recipe(cls, recipe: TableRecipe) -> Self:
        """Create the fitted encoder of a recipe."""
        encoder = cls()
        encoder._set_recipe(recipe)
        return encoder

    def _set_recipe(self, recipe: TableRecipe) -> None:
        self.recipe_ = recipe
        self.n_features_in_ = len(recipe.file_columns)
        if recipe.named:
            self.feature_names_in_ = np.array(recipe.file_columns, dtype=object)

    def fit(self, X: Any, y: Any = None) -> Self:
        """Decide what each column of a raw table X is."""
        table = self._raw_table(X, fitting=True)
        options = TableOptions(None, None, self.columns, self.drop)
        recipe, problems = learn_recipe(table, options)
        _encode(recipe, table, problems)
        self._set_recipe(recipe)
        return self

    def transform(self, X: Any) -> Any:
        """Return the numbers (n_samples, n_features) of a table, NaN for missing values.

        Its columns may have another order. A row without any value is NaN throughout.
        """
        check_is_fitted(self)
        return _encode(self.recipe_, self._raw_table(X, fitting=False))

    def _raw_table(self, X: Any, *, fitting: bool) -> RawTable:
        if isinstance(X, pd.DataFrame):
            frame = X.reset_index(drop=True)
        elif is_frame(X):
            frame = from_arrow(X)
        else:
            X = validate_data(self, X, reset=fitting, dtype=None, ensure_all_finite=False)
            frame = pd.DataFrame(X, columns=default_names(X.shape[1]))
        if not frame.size:
            raise UsageError(f"the table has no {'columns' if len(frame) else 'rows'}")
        return replace(RawTable.from_frame("the table", frame), named=is_frame(X))

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Return the column name of each number and `column=text` of each one-hot feature."""
        check_is_fitted(self)
        return np.array(self.recipe_.feature_names, dtype=object)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = tags.input_tags.string = True
        return tags

    @property
    def roles_(self) -> list[ColumnRole]:
        """What each column was taken for."""
        return self.recipe_.roles

    @property
    def notes_(self) -> list[str]:
        """The decisions in sentences."""
        return decision_notes(self.recipe_, TableOptions())


def is_frame(X: Any) -> bool:
    """Return whether a table is a data frame of pandas, polars, pyarrow or others, not a series."""
    is_series = hasattr(X, "dtype") or hasattr(X, "type")  # the latter in pyarrow
    return isinstance(X, pd.DataFrame) or (hasattr(X, "__arrow_c_stream__") and not is_series)


def _encode(recipe: TableRecipe, table: RawTable, problems: Sequence[Problem] = ()) -> np.ndarray:
    try:
        (rows,) = EncodedTable(table.path, recipe, [table], problems=list(problems))
    except TableError as error:
        own = TableEncoder().get_params()
        raise UsageError(
            error.message(
                lambda name, value: f"TableEncoder({name}={value!r})" if name in own else None
            )
        ) from None
    if len(rows.Y) == table.n_rows:
        return rows.Y
    Y = np.full((table.n_rows, rows.Y.shape[1]), np.nan)
    Y[rows.row_numbers - 1] = rows.Y
    return Y
