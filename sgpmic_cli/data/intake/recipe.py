"""The recipe: how the columns of a raw table become numbers.

A recipe is learned from one table and applied to others. It is plain data, stored as JSON in the
model file.
"""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from sgpmic_cli.data.intake.columns import Column, NumberColumn, TextColumn
from sgpmic_cli.data.intake.notations import Notation
from sgpmic_cli.data.intake.options import TextFormat


@dataclass(frozen=True)
class ColumnRole:
    """What a column of the file was taken for."""

    name: str
    taken_as: str  # "numbers", "dates", "categories", "classes", "id" or "left out"
    why: str  # the reason or a detail, such as the categories; may be empty


@dataclass(frozen=True)
class TableRecipe:
    """How the rows of a table become numbers.

    If `evenly` is False, numbers are unchanged and a text column is weighted relative to a number
    column of mean variance. If True, each column is divided by its spread: numbers have unit
    variance, text is weighted relative to it.
    """

    named: bool  # whether columns of other tables are matched by name, otherwise by position
    file_columns: tuple[str, ...]  # all columns of the table that the recipe was learned from
    columns: tuple[Column, ...]  # those that are used
    missing: str = "median"  # treatment of missing values and of texts without a category
    label: str | None = None  # column with the classes
    id: str | None = None  # column with the names of the rows
    left_out: dict[str, str] = field(default_factory=dict)  # why each other column is not used
    evenly: bool = False
    format: TextFormat = field(default_factory=TextFormat)  # the default for later files

    @classmethod
    def of_numbers(
        cls, Y: np.ndarray, names: Sequence[str], *, named: bool = True
    ) -> "TableRecipe":
        """Create the recipe of a table of numbers Y (N, P)."""
        columns = map(NumberColumn.learn, names, Y.T)
        return cls(named, tuple(names), tuple(columns))

    @property
    def feature_names(self) -> tuple[str, ...]:
        """Names of the columns of Y."""
        return tuple(name for column in self.columns for name in column.feature_names)

    @property
    def text_columns(self) -> list[TextColumn]:
        """The text columns that are used."""
        return [column for column in self.columns if isinstance(column, TextColumn)]

    def is_encoded(self, columns: Iterable[str]) -> bool:
        """Return whether a table has the columns of Y and not those of the file."""
        found = list(columns)
        raw = {column.name for column in self.columns}
        return found == list(self.feature_names) and not raw.issubset(found)

    @property
    def roles(self) -> list[ColumnRole]:
        """What each column of the file was taken for, in the order of the file."""
        used = {column.name: column for column in self.columns}
        return [self._role(name, used.get(name)) for name in self.file_columns]

    def _role(self, name: str, column: Column | None) -> ColumnRole:
        if isinstance(column, TextColumn):
            return ColumnRole(name, "categories", ", ".join(column.categories))
        if isinstance(column, NumberColumn):
            notation = column.notation or Notation()
            kind = "dates" if notation.date else "numbers"
            return ColumnRole(name, kind, notation.words if column.notation else "")
        if name == self.label:
            return ColumnRole(name, "classes", "")
        return ColumnRole(
            name, "id" if name == self.id else "left out", self.left_out.get(name, "")
        )

    @property
    def divisors(self) -> np.ndarray:
        """Divisors of the columns of Y (P,)."""
        numbers = [isinstance(column, NumberColumn) for column in self.columns]
        found = np.array([column.spread or 1.0 for column in self.columns])
        if not self.evenly:
            variances = [one.spread**2 for one in self.columns if isinstance(one, NumberColumn)]
            typical = float(np.sqrt(np.mean(variances))) if variances else 1.0
            found = np.where(numbers, 1.0, found / (typical or 1.0))
        return np.repeat(found, [len(column.feature_names) for column in self.columns])

    def to_json(self) -> dict[str, Any]:
        """Return the recipe as plain values for `from_json`."""
        plain = asdict(self)
        for column, values in zip(self.columns, plain["columns"], strict=True):
            values["kind"] = "text" if isinstance(column, TextColumn) else "number"
        return plain

    @classmethod
    def from_json(cls, plain: dict[str, Any]) -> "TableRecipe":
        """Create the recipe that `to_json` described. Raise ValueError for other fields."""
        try:
            parts = {
                "columns": tuple(_column_from_json(**column) for column in plain["columns"]),
                "file_columns": tuple(plain["file_columns"]),
                "format": TextFormat(**plain["format"]),
            }
            return cls(**{**plain, **parts})
        except (TypeError, KeyError, AttributeError, ValueError) as error:
            raise ValueError(f"its recipe of the table cannot be read: {error}") from None


def _column_from_json(kind: str, **values: Any) -> Column:
    if kind == "text":
        return TextColumn(**{**values, "categories": tuple(values["categories"])})
    notation = values.pop("notation", None)
    return NumberColumn(**values, notation=notation and Notation(**notation))
