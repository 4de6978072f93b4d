"""The recipe: how the columns of a raw table become numbers.

A recipe is learned from one table and applied to others. It is plain data, stored as JSON in the
model file.
"""

from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, is_dataclass
from math import isfinite
from types import UnionType
from typing import Any, Literal, NamedTuple, get_args, get_origin, get_type_hints, is_typeddict

import numpy as np
import pandas as pd

from sgpmic_cli.tables.cells import MISSING, Cells, Notation, RawTable, check_names, to_number
from sgpmic_cli.tables.options import Problem, TextFormat, listed
from sgpmic_cli.text import nearest


def unify_numbers(classes: Sequence[str]) -> list[str]:
    """Give equal numbers the same spelling, such as 1 and 1.0, if all classes are numbers."""
    parsed = [to_number(name) for name in classes]
    if any(number is None or np.isnan(number) for number in parsed):
        return list(classes)
    first: dict[float | None, str] = {}
    return [first.setdefault(number, name) for number, name in zip(parsed, classes, strict=True)]


@dataclass(frozen=True)
class NumberColumn:
    """A column of numbers."""

    name: str
    notation: Notation | None = None  # how texts are read, if they are not plain numbers
    kind: Literal["number"] = "number"  # in model files

    @property
    def feature_names(self) -> list[str]:
        """Name of the one feature."""
        return [self.name]

    @property
    def is_date(self) -> bool:
        """Whether the numbers are days or fractions of a day."""
        return self.notation is not None and self.notation.date != ""

    def encode(self, cells: Cells) -> tuple[np.ndarray, np.ndarray]:
        """Return the features (N, 1), NaN if missing, and which cells are invalid (N,)."""
        if cells.are_dates:
            return cells.numbers[:, None], ~np.isnan(cells.numbers) & (not self.is_date)
        if self.notation is None:
            return cells.numbers[:, None], cells.invalid
        numbers, texts = self.notation.read(cells.texts), np.char.lower(cells.texts.astype(str))
        return numbers[:, None], np.isnan(numbers) & ~np.isin(texts, list(MISSING))


@dataclass(frozen=True)
class TextColumn:
    """A column of few distinct texts, one-hot encoded."""

    name: str
    categories: tuple[str, ...]  # in alphabetical order
    kind: Literal["text"] = "text"  # in model files

    @classmethod
    def learn(cls, name: str, cells: np.ndarray) -> "TextColumn":
        """Create the column from its texts, "" for missing ones."""
        return cls(name, tuple(sorted(set(cells[cells != ""]))))

    @property
    def feature_names(self) -> list[str]:
        """Return column=text for each of the texts."""
        return [f"{self.name}={category}" for category in self.categories]

    def encode(self, cells: Cells) -> tuple[np.ndarray, np.ndarray]:
        """Return zeros and ones (N, k), NaN if missing, and which texts are unknown (N,)."""
        known = cells.categories
        index = pd.Index(self.categories).get_indexer(pd.Index(known, dtype=object))
        ones = np.eye(len(self.categories))[index]
        ones[index < 0] = np.nan
        return ones, (index < 0) & (known != "")


Column = NumberColumn | TextColumn


@dataclass(frozen=True)
class ColumnRole:
    """What a column of the file was taken for."""

    name: str
    taken_as: str  # "numbers", "dates", "categories", "classes", "id" or "left out"
    why: str  # the reason or a detail, such as the categories; may be empty


class Block(NamedTuple):
    """Rows of a table as numbers."""

    Y: np.ndarray  # (N, P); NaN for missing values that the model handles
    row_numbers: np.ndarray  # (N,) row of the file, from 1
    ids: Any  # (N,) texts, or None
    classes: Any  # (N,) texts, or None

    def part(self, rows: Any) -> "Block":
        """Return some of the rows."""
        parts: list[Any] = [None if each is None else each[rows] for each in self]
        return Block(*parts)

    @classmethod
    def joined(cls, blocks: Sequence["Block"]) -> "Block":
        """Concatenate blocks of one table. The result has classes only if all blocks have them."""
        parts: list[Any] = [
            None if any(each is None for each in parts) else np.concatenate(parts)
            for parts in zip(*blocks, strict=True)
        ]
        return cls(*parts)


@dataclass(frozen=True)
class TableRecipe:
    """How the rows of a table become numbers. The estimators weight the columns."""

    named: bool  # whether columns of other tables are matched by name, otherwise by position
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

    def match(
        self, table: RawTable, others: Collection[str | None] = ()
    ) -> tuple[dict[str, str], str | Problem]:
        """Find the used columns in a table: by name, or by position if names are not known.

        Return the name in the table of each used column, and a note, which may be empty, or a
        problem. `others` are columns of the table with another purpose.
        """
        used, names = [column.name for column in self.columns], table.columns
        if self.named and table.named:
            found = {name: name for name in used if name in table.cells}
            absent = [name for name in used if name not in found]
            extra = [name for name in names if name not in {*self.file_columns, *others}]
            if absent:
                near = nearest(absent[0], extra) if len(absent) == 1 else ""
                has = f", and the table has unknown columns: {listed(extra)}" if extra else ""
                what = f"columns of the model are missing: {listed(absent)}{near}{has}"
                return found, Problem(what, ["add them, or fit a model without them"])
            ignored = f"columns that the model does not know are ignored: {listed(extra)}."
            return found, ignored if extra else ""
        nameless = table.path if self.named else "the file that the model was fitted to"
        note = f"{nameless} has no header, so columns are taken by position."
        note = note if self.named != table.named else ""
        if len(names) == len(self.file_columns):
            same_place = dict(zip(self.file_columns, names, strict=True))
            return {name: same_place[name] for name in used}, note
        left = [name for name in names if name not in others]
        if len(left) == len(used):
            return dict(zip(used, left, strict=True)), note
        what = (
            f"{len(names)} columns where the model has {len(used)} of {len(self.file_columns)}; "
            f"columns are matched by position, since {nameless} has no header"
        )
        return {}, Problem(what, ["give it the columns that the model was fitted to"])

    @property
    def roles(self) -> list[ColumnRole]:
        """What each column of the file was taken for, in the order of the file."""
        used = {column.name: column for column in self.columns}
        return [self._role(name, used.get(name)) for name in self.file_columns]

    def _role(self, name: str, column: Column | None) -> ColumnRole:
        if isinstance(column, TextColumn):
            return ColumnRole(name, "categories", ", ".join(column.categories))
        if isinstance(column, NumberColumn):
            words = column.notation.words if column.notation else ""
            return ColumnRole(name, "dates" if column.is_date else "numbers", words)
        kind = {self.id: "id", self.label: "classes"}.get(name, "left out")
        return ColumnRole(name, kind, self.left_out.get(name, ""))

    @property
    def levels(self) -> np.ndarray:
        """Number of categories of the text column of each feature, 0 for numbers, (P,)."""
        sizes = [len(column.feature_names) for column in self.columns]
        text = [isinstance(column, TextColumn) for column in self.columns]
        return np.repeat(np.multiply(sizes, text), sizes)

    @property
    def column_of_feature(self) -> np.ndarray:
        """Index of the column of each feature, (P,)."""
        sizes = [len(column.feature_names) for column in self.columns]
        return np.repeat(np.arange(len(sizes)), sizes)

    @classmethod
    def from_json(cls, plain: dict[str, Any]) -> "TableRecipe":
        """Create the recipe that `asdict` described. Raise ValueError for anything else."""
        try:
            recipe: TableRecipe = typed(cls, plain)
            for names in (recipe.file_columns, [column.name for column in recipe.columns]):
                check_names("the recipe", names)
            for column in recipe.columns:
                categories = getattr(column, "categories", (None,))
                if column.name not in recipe.file_columns:
                    raise ValueError(f"the file has no column {column.name!r}")
                if len({*categories}) < len(categories):
                    raise ValueError(f"column {column.name!r} has impossible categories")
        except (TypeError, KeyError, AttributeError, ValueError) as error:
            raise ValueError(f"its recipe of the table cannot be read: {error}") from None
        return recipe


def typed(kind: Any, plain: Any) -> Any:
    """Return a value of a JSON file as a type, or raise TypeError. Numbers are finite."""
    inner, origin = get_args(kind), get_origin(kind)
    if is_dataclass(kind) or is_typeddict(kind) or hasattr(kind, "_fields"):
        types: Any = get_type_hints(kind)
        if is_typeddict(kind) and plain.keys() != types.keys():
            raise TypeError(f"{plain!r} is not of type {kind}")
        return kind(**{name: typed(types[name], value) for name, value in plain.items()})
    if origin in (tuple, list) and isinstance(plain, list | tuple):
        return origin(typed(inner[0], each) for each in plain)
    if origin is dict:
        return {typed(str, key): typed(inner[1], each) for key, each in plain.items()}
    if origin is UnionType:
        for each in inner:
            with suppress(TypeError, KeyError, AttributeError):
                return typed(each, plain)
    elif kind is float:
        if type(plain) is float and isfinite(plain):
            return plain
    elif plain in inner if origin is Literal else type(plain) is kind:
        return plain
    raise TypeError(f"{plain!r} is not of type {kind}")
