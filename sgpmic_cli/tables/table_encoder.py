"""The intake of raw tables as a scikit-learn transformer."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from sgpmic_cli.tables.encoding import EncodedTable
from sgpmic_cli.tables.learning import decision_notes, learn_recipe
from sgpmic_cli.tables.options import TableOptions
from sgpmic_cli.tables.problems import Problem, TableError
from sgpmic_cli.tables.raw_table import RawTable
from sgpmic_cli.tables.recipe import ColumnRole, TableRecipe


@dataclass(eq=False, repr=False, kw_only=True)
class TableEncoder(TransformerMixin, BaseEstimator):
    """A transformer that turns a raw data frame into numbers, as `sgpmic fit` does with a file.

    Numbers stay as they are. Texts and codes with few values become zeros and ones, dates become
    days, and texts such as "€ 1.234,50" or "12 %" become numbers. Identifiers, constant columns and
    texts with many values are left out. `SGPMIC.fit` uses this class for data frames that have
    columns other than numbers.

    Parameters
    ----------
    columns : sequence of str, default=()
        Columns to use; empty for all that can be used.
    drop : sequence of str, default=()
        Columns to leave out.
    encode : {"one-hot", "drop", "error"}, default="one-hot"
        Treatment of text columns: encode those with few values, leave all out, or raise an error.
    missing : {"model", "median", "error"}, default="model"
        Treatment of missing values: NaN, the median of the column (for text the most common value),
        or an error.
    evenly : bool, default=False
        Divide each number column by its standard deviation, and give each text column half the
        variance of a number column. If False, numbers are not scaled.

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
    encode: str = "one-hot"
    missing: str = "model"
    evenly: bool = False

    @classmethod
    def from_recipe(cls, recipe: TableRecipe) -> Self:
        """Create the fitted encoder of a recipe."""
        encoder = cls(missing=recipe.missing, evenly=recipe.evenly)
        encoder._set_recipe(recipe)
        return encoder

    def _set_recipe(self, recipe: TableRecipe) -> None:
        self.recipe_ = recipe
        self.n_features_in_ = len(recipe.file_columns)
        if recipe.named:
            self.feature_names_in_ = np.array(recipe.file_columns, dtype=object)

    def fit(self, X: Any, y: Any = None) -> Self:
        """Decide what each column is.

        Parameters
        ----------
        X : DataFrame or array-like of shape (n_samples, n_columns)
            The raw table.
        y : Ignored
            Not used, present for scikit-learn's interface.

        Returns
        -------
        self : TableEncoder
            The fitted encoder.
        """
        table = _raw_table(X)
        options = TableOptions(None, None, self.columns, self.drop, self.encode, self.missing)
        recipe, problems = learn_recipe(table, options)
        recipe = replace(recipe, evenly=self.evenly)
        _encode(recipe, table, problems)
        self._set_recipe(recipe)
        return self

    def transform(self, X: Any) -> Any:
        """Encode the rows of a table, which may have its columns in another order.

        Parameters
        ----------
        X : DataFrame or array-like of shape (n_samples, n_columns)
            The raw table.

        Returns
        -------
        Y : ndarray of shape (n_samples, n_features)
            The numbers, NaN for missing values. A row without any value is NaN in all columns.
        """
        check_is_fitted(self)
        return _encode(self.recipe_, _raw_table(X))

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Return the feature names: the column name of numbers, `column=text` of one-hot features.

        Parameters
        ----------
        input_features : Ignored
            Not used, present for scikit-learn's interface.

        Returns
        -------
        names : ndarray of str
            The names.
        """
        check_is_fitted(self)
        return np.array(self.recipe_.feature_names, dtype=object)

    @property
    def roles_(self) -> list[ColumnRole]:
        """What each column was taken for."""
        return self.recipe_.roles

    @property
    def notes_(self) -> list[str]:
        """The decisions in sentences."""
        return decision_notes(self.recipe_, TableOptions())


def _raw_table(X: Any) -> RawTable:
    if not len(X):
        raise ValueError("the table has no rows")
    if not isinstance(X, pd.DataFrame):
        frame = pd.DataFrame(X)
        frame.columns = pd.Index([f"column_{j + 1}" for j in range(frame.shape[1])])
        return replace(RawTable.from_frame("the table", frame), named=False)
    return RawTable.from_frame("the table", X.reset_index(drop=True))


def _encode(recipe: TableRecipe, table: RawTable, problems: Sequence[Problem] = ()) -> np.ndarray:
    try:
        (rows,) = EncodedTable(table.path, recipe, [table], problems=list(problems))
    except TableError as error:
        own = TableEncoder().get_params()
        raise ValueError(
            error.message(
                lambda name, value: f"TableEncoder({name}={value!r})" if name in own else None
            )
        ) from None
    if len(rows.Y) == table.n_rows:
        return rows.Y
    Y = np.full((table.n_rows, rows.Y.shape[1]), np.nan)
    Y[rows.row_numbers - 1] = rows.Y
    return Y
