"""The recipe: how the columns of a raw table become numbers.

A recipe is learned from one table and applied to others. The model file stores it as JSON.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from sgpmic_cli.tables.notation import Notation, categories_of, numbers_of, to_number
from sgpmic_cli.tables.options import TextFormat


class ColumnRole(NamedTuple):
    """What a column of the file was taken for."""

    name: str
    taken_as: str  # "numbers", "dates", "categories", "classes", "id" or "left out"
    why: str  # the reason or a detail, such as the categories; may be empty


@dataclass(frozen=True)
class Column:
    """A column of numbers, or of few distinct texts, which are one-hot encoded."""

    name: str
    notation: Notation | None = None  # how texts are read as numbers, if they are not plain
    categories: tuple[str, ...] = ()  # the texts in alphabetical order, none for numbers
    has_rest: bool = False  # whether the last category stands for all other texts
    log: float | None = None  # added to numbers before the logarithm that the model sees, if any

    @property
    def feature_names(self) -> list[str]:
        """Return the name of the one feature, or column=text for each of the texts."""
        return [f"{self.name}={each}" for each in self.categories] or [self.name]

    @property
    def role(self) -> ColumnRole:
        """What the column was taken for."""
        if self.categories:
            # Numbers come first, by value.
            ordered = sorted(self.categories, key=lambda x: (to_number(x) is None, to_number(x)))
            return ColumnRole(self.name, "categories", ", ".join(ordered))
        kind = "dates" if self.notation is not None and self.notation.date else "numbers"
        why = [] if self.notation is None else [self.notation.words]
        why += [] if self.log is None else ["as logarithms"]
        return ColumnRole(self.name, kind, ", ".join(why))

    def encode(self, cells: pd.Series, decimal: str) -> tuple[np.ndarray, np.ndarray]:
        """Return the features (N, k), NaN if missing, and which cells are invalid (N,)."""
        if self.categories:
            known = categories_of(cells, self.categories)
            names = pd.Index(self.categories, dtype=object)
            index = names.get_indexer(pd.Index(known, dtype=object))
            if self.has_rest:
                index[(index < 0) & (known != "")] = len(names) - 1
            ones = np.eye(len(self.categories))[index]
            ones[index < 0] = np.nan
            return ones, (index < 0) & (known != "")
        notation = self.notation or Notation(decimal)
        numbers, invalid = numbers_of(cells, notation)
        if self.notation is None and invalid.any():
            texts = categories_of(cells)
            if {*texts} <= {"", "True", "False"}:  # flags that were 1 and 0
                numbers, invalid = np.where(texts == "", np.nan, texts == "True"), invalid & False
        if cells.dtype.kind == "M" and not notation.date:
            invalid = ~np.isnan(numbers)
        return numbers[:, None], invalid

    def decode(self, features: np.ndarray) -> Any:
        """Return the cells (N,) of features (N, k): numbers, days, or the likeliest categories."""
        if self.categories:
            return np.array(self.categories, dtype=object)[features.argmax(axis=1)]
        if self.notation is not None and self.notation.is_day:
            return pd.to_datetime(np.round(features[:, 0]), unit="D")
        return features[:, 0]


@dataclass(frozen=True)
class TableRecipe:
    """How the rows of a table become numbers. The estimators weight the columns."""

    named: bool  # whether the columns had names of their own
    file_columns: tuple[str, ...]  # all columns of the table that the recipe was learned from
    columns: tuple[Column, ...]  # those that are used
    label: str | None = None  # column with the classes
    id: str | None = None  # column with the names of the rows
    left_out: dict[str, str] = field(default_factory=dict)  # why each other column is not used
    format: TextFormat = field(default_factory=TextFormat)  # the default for later files

    @classmethod
    def of_numbers(cls, names: Sequence[str], *, named: bool = True) -> "TableRecipe":
        """Create the recipe of a table of numbers."""
        return cls(named, tuple(names), tuple(map(Column, names)))

    @property
    def feature_names(self) -> tuple[str, ...]:
        """Names of the columns of Y."""
        return tuple(name for column in self.columns for name in column.feature_names)

    @property
    def roles(self) -> list[ColumnRole]:
        """What each column of the file was taken for, in the order of the file."""
        kinds = {self.id: "id", self.label: "classes"}
        left = {name: self.left_out.get(name, "") for name in self.file_columns}
        roles = {name: ColumnRole(name, kinds.get(name, "left out"), left[name]) for name in left}
        return [*(roles | {column.name: column.role for column in self.columns}).values()]

    @property
    def levels(self) -> np.ndarray:
        """Number of categories of the text column of each feature, 0 for numbers, (P,)."""
        counts = [len(column.categories) for column in self.columns]
        return np.array(counts)[self.column_of_feature]

    @property
    def column_of_feature(self) -> np.ndarray:
        """Index of the column of each feature, (P,)."""
        sizes = [len(column.feature_names) for column in self.columns]
        return np.repeat(np.arange(len(sizes)), sizes)

    def logarithms(self, Y: np.ndarray) -> np.ndarray:
        """Return features (N, P) with the logarithms that the model sees."""
        return self._changed(Y, lambda values, shift: np.log(values + shift))

    def powers(self, Y: np.ndarray) -> np.ndarray:
        """Return the features (N, P) that have these logarithms."""
        return self._changed(Y, lambda values, shift: np.exp(values) - shift)

    def _changed(self, Y: np.ndarray, change: Callable[[np.ndarray, float], np.ndarray]) -> Any:
        logs = {j: column.log for j, column in enumerate(self.columns) if column.log is not None}
        Y = Y.copy() if logs else Y
        for j in np.flatnonzero(np.isin(self.column_of_feature, list(logs))):
            Y[:, j] = change(Y[:, j], logs[self.column_of_feature[j]])
        return Y

    @classmethod
    def from_json(cls, plain: dict[str, Any]) -> "TableRecipe":
        """Create the recipe that `asdict` described."""
        columns = tuple(_column_from_json(**each) for each in plain["columns"])
        names, format = tuple(plain["file_columns"]), TextFormat(**plain["format"])
        return cls(**plain | {"file_columns": names, "columns": columns, "format": format})


def _column_from_json(
    name: str, notation: Any = None, categories: Sequence[str] = (), **others: Any
) -> Column:
    return Column(name, notation and Notation(**notation), tuple(categories), **others)
