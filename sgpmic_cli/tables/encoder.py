"""Turn tables into numbers: `encode_table` for files, `TableEncoder` for data frames."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from sgpmic_cli._typing import BoolArray
from sgpmic_cli.errors import UsageError, warn_caller
from sgpmic_cli.tables.columns import decision_notes, doubts, learn_recipe
from sgpmic_cli.tables.notation import texts_of
from sgpmic_cli.tables.options import (
    TableOptions,
    invalid_cell,
    listed,
    plural,
    shown,
    table_error,
    unknown_column,
)
from sgpmic_cli.tables.read import Table, default_names, from_arrow, table_of_frame
from sgpmic_cli.tables.recipe import ColumnRole, TableRecipe
from sgpmic_cli.tables.rows import Rows
from sgpmic_cli.text import nearest

FLOAT = {np.dtype(np.float64)}
MISSING_CLASS = ["", "?"]  # a class may have any other name
UNKNOWN = "counted as missing."  # end of the note on texts that a model does not know


def encode_table(
    table: Table, recipe: TableRecipe, options: TableOptions, problems: Sequence[str] = ()
) -> Rows:
    """Return the rows that have values. Raise UsageError with all problems, after those given.

    The label of the options overrides that of the recipe.
    """
    problems, notes = [*problems], [*table.notes]
    label, id, classes = options.label or recipe.label, recipe.id, None
    if options.label is not None and options.label not in table.frame:
        problems.append(unknown_column(options.label, "label", [*table.frame]))
    known = {*recipe.file_columns, options.label}
    extra = [name for name in table.frame if name not in known]
    if extra:
        notes.append(f"columns that the model does not know are ignored: {listed(extra)}.")
    if absent := [column.name for column in recipe.columns if column.name not in table.frame]:
        near = nearest(absent[0], extra) if len(absent) == 1 else ""
        has = f", and the table has unknown columns: {listed(extra)}" if extra else ""
        what = f"columns of the model are missing: {listed(absent)}{near}{has}"
        problems.append(f"{what}; add them, or fit a model without them")
    Y, missing = _features(table, recipe, problems, notes)
    if label in table.frame:
        classes = texts_of(table.frame[label])
        without = np.flatnonzero(np.isin(classes, MISSING_CLASS))
        if len(without) and options.label is None:
            notes.append(f"column {shown(str(label))} lacks classes, so no scores are reported.")
            classes = None
        elif len(without) and options.all_classes:
            place = table.place(without[0], str(label))
            problems.append(f"{place}: the class is missing; fill it in or remove the row")
    used = ~missing.all(axis=1)
    if not problems and not used.any():
        problems.append("no row has a value; fill in the columns of the model")
    if problems:
        raise table_error(table.name, problems)
    if not used.all():
        notes.append(f"rows without any value are left out: {np.count_nonzero(~used)}.")
        Y = Y[used]
    if n_missing := int(missing[used].sum()):
        notes.append(f"{plural(n_missing, 'missing value')}: left to the model.")
    return Rows.from_classes(
        table.name,
        Y,
        None if classes is None else classes[used].tolist(),
        recipe.feature_names,
        recipe=recipe,
        frame=table.frame,
        format=table.format,
        row_numbers=np.flatnonzero(used) + 1,
        ids=tuple(texts_of(table.frame[id])[used]) if id in table.frame else None,
        notes=tuple(notes),
    )


def _features(
    table: Table, recipe: TableRecipe, problems: list[str], notes: list[str]
) -> tuple[np.ndarray, BoolArray]:
    """Return Y (N, P) with NaN for missing values, and where values are missing (N, columns).

    Texts without a category count as missing.
    """
    columns = [column for column in recipe.columns if column.name in table.frame]
    parts = [np.empty((len(table.frame), 0))]
    missing = np.empty((len(table.frame), len(columns)), dtype=bool)
    for j, column in enumerate(columns):
        name, cells = column.name, table.frame[column.name]
        part, invalid = column.encode(cells, table.format.decimal or ".")
        n, row = int(invalid.sum()), int(invalid.argmax())
        cell = str(cells.iloc[row])
        if n and not column.categories:
            kind = column.notation.kind if column.notation else "number"
            problems.append(invalid_cell(table.place(row, name), cell, n, kind))
        elif n:
            values = f"{plural(n, 'value')} that the model does not know, such as {shown(cell)}"
            notes.append(f"column {shown(name)} has {values} in row {row + 1}; {UNKNOWN}")
        if large := table.too_large(name, part[:, 0]):
            problems.append(large)
        if column.log is not None and (part <= -column.log).any():
            low = f"{np.nanmin(part):g}"
            problems.append(f"column {shown(name)} has values without a logarithm, such as {low}")
        parts.append(part)
        missing[:, j] = np.isnan(part[:, 0])
    plain = [column.name for column in columns if not (column.categories or column.notation)]
    if plain == [*table.frame] and set(table.frame.dtypes) == FLOAT:
        return table.frame.to_numpy(), missing  # not copied, it may be a mapped file
    return np.hstack(parts), missing


@dataclass(eq=False, repr=False, kw_only=True)
class TableEncoder(TransformerMixin, BaseEstimator):
    """A transformer that turns a raw data frame into numbers, as `sgpmic fit` does with a file.

    Numbers stay as they are. Texts and codes with few values become zeros and ones, dates become
    days, and texts such as "€ 1.234,50" or "12 %" become numbers. Identifiers, constant columns and
    texts with many values are left out. A raw table X of shape (n_samples, n_columns) is a data
    frame of pandas, polars or pyarrow, or an array. `GroupMap.fit` uses this class for data frames.

    Parameters
    ----------
    columns, drop : sequence of str, default=()
        Columns to use, empty for all that can be used, and columns to leave out.

    Attributes
    ----------
    roles_ : list of ColumnRole
        What each column was taken for: its `name`, `taken_as` and `why`.
    notes_ : list of str
        The decisions, and what may be wrong in the table, in sentences.
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
        self.recipe_, self.notes_ = recipe, decision_notes(recipe)
        self.n_features_in_ = len(recipe.file_columns)
        if recipe.named:
            self.feature_names_in_ = np.array(recipe.file_columns, dtype=object)

    def fit(self, X: Any, y: Any = None) -> Self:
        """Decide what each column of a raw table X is."""
        table = self._table(X, fitting=True)
        options = TableOptions(columns=self.columns, drop=self.drop)
        recipe, problems = learn_recipe(table, options)
        rows = encode_table(table, recipe, options, problems)
        self._set_recipe(recipe)
        self.notes_ += doubts(recipe, rows.Y)
        return self

    def transform(self, X: Any) -> Any:
        """Return the numbers (n_samples, n_features) of a table, NaN for missing values.

        Its columns may have another order. A row without any value is NaN throughout. A warning
        names texts that the fitted table did not have.
        """
        check_is_fitted(self)
        table = self._table(X, fitting=False)
        rows = encode_table(table, self.recipe_, TableOptions())
        warn_of_notes([note for note in rows.notes if note.endswith(UNKNOWN)])
        Y = np.full((len(table.frame), rows.Y.shape[1]), np.nan)
        assert rows.row_numbers is not None
        Y[rows.row_numbers - 1] = rows.Y
        return Y

    def inverse_transform(self, X: np.ndarray) -> pd.DataFrame:
        """Return a table of the columns that are used, for features that a model sees."""
        check_is_fitted(self)
        recipe, X = self.recipe_, self.recipe_.powers(X)
        return pd.DataFrame(
            {
                column.name: column.decode(X[:, recipe.column_of_feature == i])
                for i, column in enumerate(recipe.columns)
            }
        )

    def _table(self, X: Any, *, fitting: bool) -> Table:
        X = as_table(X)
        if isinstance(X, pd.DataFrame):
            frame = X.reset_index(drop=True)
        elif is_frame(X):
            frame = from_arrow(X)
        else:
            X = validate_data(self, X, reset=fitting, dtype=None, ensure_all_finite=False)
            names = default_names(X.shape[1]) if fitting else self.recipe_.file_columns
            frame = pd.DataFrame(X, columns=names)
        if not frame.size:
            raise UsageError(f"the table has no {'columns' if len(frame) else 'rows'}")
        return replace(table_of_frame("the table", frame), named=is_frame(X))

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


def warn_of_notes(notes: Sequence[str]) -> None:
    """Issue one warning of all notes, if there are any."""
    if notes:
        warn_caller(" ".join(note[0].upper() + note[1:] for note in notes))


def as_table(X: Any) -> Any:
    """Return a table as a data frame, an array or a list. Raise UsageError for anything else.

    scikit-learn ignores the mask of an array.
    """
    if isinstance(X, np.ma.MaskedArray):
        return np.ma.filled(X.astype(np.float64), np.nan)
    if is_frame(X) or hasattr(X, "shape") or hasattr(X, "__array__"):
        return X
    if isinstance(X, Mapping) or (isinstance(X, list) and X and isinstance(X[0], Mapping)):
        try:
            return pd.DataFrame(X)
        except (ValueError, AttributeError):
            raise UsageError("X is no table: its columns are not lists of one length") from None
    if not isinstance(X, list | tuple) or not X:
        raise UsageError(
            f"X is no table ({type(X).__name__}): give a data frame or an array of two "
            "dimensions; collect a lazy frame, and read a file with pandas first"
        )
    return X


def is_frame(X: Any) -> bool:
    """Return whether a table is a data frame of pandas, polars, pyarrow or others, not a series."""
    is_series = hasattr(X, "dtype") or hasattr(X, "type")  # the latter in pyarrow
    return isinstance(X, pd.DataFrame) or (hasattr(X, "__arrow_c_stream__") and not is_series)
