"""The recipe: how the columns of a raw table become numbers.

A recipe is learned from one table and applied to others. It is plain data, stored as JSON in the
model file.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from sgpmic_cli.tables.notation import Notation, categories_of, numbers_of, to_number
from sgpmic_cli.tables.options import TextFormat


def unify_numbers(classes: Sequence[str]) -> list[str]:
    """Give equal numbers the same spelling, such as 1 and 1.0, if all classes are numbers."""
    parsed = [to_number(name) for name in classes]
    if any(number is None or np.isnan(number) for number in parsed):
        return list(classes)
    first: dict[float | None, str] = {}
    return [first.setdefault(number, name) for number, name in zip(parsed, classes, strict=True)]


@dataclass(frozen=True)
class ColumnRole:
    """What a column of the file was taken for."""

    name: str
    taken_as: str  # "numbers", "dates", "categories", "classes", "id" or "left out"
    why: str  # the reason or a detail, such as the categories; may be empty


@dataclass(frozen=True)
class NumberColumn:
    """A column of numbers."""

    name: str
    notation: Notation | None = None  # how texts are read, if they are not plain numbers

    @property
    def feature_names(self) -> list[str]:
        """Name of the one feature."""
        return [self.name]

    @property
    def is_date(self) -> bool:
        """Whether the numbers are days or fractions of a day."""
        return self.notation is not None and self.notation.date != ""

    @property
    def role(self) -> ColumnRole:
        """What the column was taken for."""
        words = self.notation.words if self.notation else ""
        return ColumnRole(self.name, "dates" if self.is_date else "numbers", words)

    def encode(self, column: pd.Series, decimal: str) -> tuple[np.ndarray, np.ndarray]:
        """Return the features (N, 1), NaN if missing, and which cells are invalid (N,)."""
        numbers, invalid = numbers_of(column, self.notation or Notation(decimal))
        if column.dtype.kind == "M" and not self.is_date:
            invalid = ~np.isnan(numbers)
        return numbers[:, None], invalid


@dataclass(frozen=True)
class TextColumn:
    """A column of few distinct texts, one-hot encoded."""

    name: str
    categories: tuple[str, ...]  # in alphabetical order

    @property
    def feature_names(self) -> list[str]:
        """Return column=text for each of the texts."""
        return [f"{self.name}={category}" for category in self.categories]

    @property
    def role(self) -> ColumnRole:
        """What the column was taken for."""
        return ColumnRole(self.name, "categories", ", ".join(self.categories))

    def encode(self, column: pd.Series, decimal: str) -> tuple[np.ndarray, np.ndarray]:
        """Return zeros and ones (N, k), NaN if missing, and which texts are unknown (N,)."""
        known = categories_of(column)
        index = pd.Index(self.categories).get_indexer(pd.Index(known, dtype=object))
        ones = np.eye(len(self.categories))[index]
        ones[index < 0] = np.nan
        return ones, (index < 0) & (known != "")


Column = NumberColumn | TextColumn


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
        columns = map(NumberColumn, names)
        return cls(named, tuple(names), tuple(columns))

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
        columns = [column for column in self.columns for _ in column.feature_names]
        return np.array([len(getattr(column, "categories", ())) for column in columns])

    @property
    def column_of_feature(self) -> np.ndarray:
        """Index of the column of each feature, (P,)."""
        sizes = [len(column.feature_names) for column in self.columns]
        return np.repeat(np.arange(len(sizes)), sizes)

    @classmethod
    def from_json(cls, plain: dict[str, Any]) -> "TableRecipe":
        """Create the recipe that `asdict` described."""
        lists = {name: tuple(plain[name]) for name in ("file_columns", "columns")}
        lists["columns"] = tuple(map(_column_from_json, lists["columns"]))
        return cls(**{**plain, **lists, "format": TextFormat(**plain["format"])})


def _column_from_json(plain: dict[str, Any]) -> Column:
    if "categories" in plain:
        return TextColumn(plain["name"], tuple(plain["categories"]))
    notation = plain["notation"]
    return NumberColumn(plain["name"], notation and Notation(**notation))
