"""Apply a recipe to the blocks of a raw table."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from sgpmic_cli.tables.problems import (
    DROP_ROWS,
    USE_MEDIAN,
    Problem,
    TableError,
    listed,
    not_a_number,
    plural,
    shown,
    unknown_column,
)
from sgpmic_cli.tables.raw_table import RawTable
from sgpmic_cli.tables.recipe import NumberColumn, TableRecipe
from sgpmic_cli.text import nearest

MISSING_CLASS = ["", "?"]  # a class may have any other name


class Rows(NamedTuple):
    """Rows of a table as numbers."""

    Y: np.ndarray  # (N, P); NaN for missing values that the model handles
    row_numbers: np.ndarray  # (N,) row of the file, from 1
    ids: Any  # (N,) texts, or None
    classes: Any  # (N,) texts, or None

    def part(self, rows: Any) -> "Rows":
        """Return some of the rows."""
        parts: list[Any] = [None if each is None else each[rows] for each in self]
        return Rows(*parts)

    @classmethod
    def joined(cls, blocks: Sequence["Rows"]) -> "Rows":
        """Concatenate blocks of one table. The result has classes only if all blocks have them."""
        parts: list[Any] = [
            None if any(each is None for each in parts) else np.concatenate(parts)
            for parts in zip(*blocks, strict=True)
        ]
        return cls(*parts)


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

    def __post_init__(self) -> None:
        self._n_rows = self._n_left_out = 0
        self._notes: dict[str, None] = {}  # a set in order; most are equal for all blocks
        self._unknown: Counter[str] = Counter()  # texts without a category, by column
        self._first_unknown: dict[str, str] = {}  # with its position, by column
        self._missing: Counter[str] = Counter()  # of the rows that are not left out, by column

    def __iter__(self) -> Iterator[Rows]:
        yield from map(self._encode_block, self.tables)
        if self._n_rows == self._n_left_out:
            some = Problem("every row has a missing value", [USE_MEDIAN])
            every = Problem("no row has a value", ["fill in the columns of the model"])
            raise TableError(self.name, [some if self.recipe.missing == "drop" else every])

    @property
    def notes(self) -> list[str]:
        """Notes about all rows; complete after the iteration."""
        notes = list(self._notes)
        for name, n in self._unknown.items():
            notes.append(
                f"column {shown(name)} has {plural(n, 'value')} that the model does not know, such "
                f"as {self._first_unknown[name]}; counted as missing."
            )
        if self._n_left_out and self.recipe.missing == "drop":
            rows = f"{self._n_left_out} of {self._n_rows} rows"
            notes.append(f"{rows} have missing values and are left out.")
        elif self._n_left_out:
            notes.append(f"rows without any value are left out: {self._n_left_out}.")
        names = [name for name, n in self._missing.items() if n]
        values = plural(self._missing.total(), "missing value")
        if names and self.recipe.missing == "model":
            notes.append(f"{values}: left to the model.")
        elif names:
            has_text = any(column.name in names for column in self.recipe.text_columns)
            text = ", for text its most common value" if has_text else ""
            notes.append(
                f"{values} in {listed(names)}: filled with the median of the column{text}."
            )
        return notes

    def _note(self, sentence: str) -> None:
        self._notes[sentence] = None

    def _encode_block(self, table: RawTable) -> Rows:
        # A header of numbers looks like a row of data, so the user must check.
        if table.lines is not None and not table.named:
            self._note(f"no header was found in {table.path}, so its first line is read as data.")
        if table.format.encoding and not self.recipe.format.encoding:
            self._note(f"{table.path} is not in UTF-8 and is read as {table.format.encoding}.")
        names = self._match_columns(table)
        for parameter, name in (("label", self.label), ("id", self.id)):
            if name is not None and name not in table.cells:
                self.problems.append(unknown_column(name, parameter, table.columns))
        Y, missing = self._encode(table, names)
        classes = self._read_classes(table)
        if self.problems:
            raise TableError(table.path, self.problems)
        id = self.id or self.recipe.id
        ids = table.cells[id].texts if id in table.cells else None
        rows = Rows(Y, table.first_row + np.arange(table.n_rows) + 1, ids, classes)
        left_out = missing.any(axis=1) if self.recipe.missing == "drop" else missing.all(axis=1)
        if left_out.any():
            rows, missing = rows.part(~left_out), missing[~left_out]
        self._n_rows += table.n_rows
        self._n_left_out += int(left_out.sum())
        self._missing.update(dict(zip(names, missing.sum(axis=0).tolist(), strict=True)))
        if self.recipe.missing == "median" and missing.any():
            filling = np.concatenate([column.fill_value() for column in self.recipe.columns])
            filled = np.where(np.isnan(rows.Y), filling / self.recipe.divisors, rows.Y)
            rows = rows._replace(Y=filled)
        return rows

    def _match_columns(self, table: RawTable) -> dict[str, str]:
        """Return the name in this table of each used column."""
        recipe, found = self.recipe, table.columns
        wanted = [column.name for column in recipe.columns]
        if recipe.named and table.named:
            known = {*recipe.file_columns, self.label, self.id}
            absent = [name for name in wanted if name not in table.cells]
            extra = [name for name in found if name not in known]
            if absent:
                near = nearest(absent[0], extra) if len(absent) == 1 else ""
                has = f", and the table has unknown columns: {listed(extra)}" if extra else ""
                what = f"columns of the model are missing: {listed(absent)}{near}{has}"
                self.problems.append(Problem(what))
            elif extra:
                self._note(f"columns that the model does not know are ignored: {listed(extra)}.")
            return {name: name for name in wanted if name in table.cells}
        nameless = table.path if recipe.named else "the file that the model was fitted to"
        if recipe.named != table.named:
            self._note(f"{nameless} has no header, so columns are taken by position.")
        if len(found) == len(recipe.file_columns):
            same_place = dict(zip(recipe.file_columns, found, strict=True))
            return {name: same_place[name] for name in wanted}
        others = [name for name in found if name not in (self.label, self.id)]
        if len(others) == len(wanted):
            return dict(zip(wanted, others, strict=True))
        used, all_columns = len(wanted), len(recipe.file_columns)
        expected = f"{used}" + (f" (or all {all_columns})" if all_columns != used else "")
        what = (
            f"{len(found)} columns where the model has {expected}; columns are matched by "
            f"position, since {nameless} has no header"
        )
        remedy = "give it the columns that the model was fitted to"
        self.problems.append(Problem(what, [remedy]))
        return {}

    def _encode(self, table: RawTable, names: dict[str, str]) -> tuple[np.ndarray, np.ndarray]:
        """Return Y (N, P) with NaN for missing values, and where values are missing (N, columns).

        A table that is one array of exactly the wanted numbers is not copied; it may be a mapped
        file. Texts without a category count as missing.
        """
        divisors, refuse = self.recipe.divisors, self.recipe.missing == "error"
        columns = [column for column in self.recipe.columns if column.name in names]
        plain = all(isinstance(one, NumberColumn) and not one.notation for one in columns)
        in_place = plain and [*names.values()] == table.columns and (divisors == 1.0).all()
        direct = table.numbers if in_place else None
        Y = np.empty((table.n_rows, len(divisors))) if direct is None else direct
        missing = np.empty((table.n_rows, len(names)), dtype=bool)
        first = 0
        for j, column in enumerate(columns):
            name = names[column.name]
            block, invalid = column.encode(table.cells[name])
            missing[:, j] = np.isnan(block[:, 0])
            n, row = int(invalid.sum()), int(invalid.argmax())
            cell = str(table.cells[name].raw[row])
            if n and isinstance(column, NumberColumn):
                self.problems.append(not_a_number(table.place(row, name), cell, n))
            elif n and not refuse:
                self._unknown[name] += n
                self._first_unknown.setdefault(name, f"{shown(cell)} in {table.place(row)}")
            if large := table.too_large(name, block[:, 0], np.inf):
                self.problems.append(large)
            end = first + block.shape[1]
            if direct is None:
                Y[:, first:end] = block / divisors[first:end]
            first = end
        if refuse and missing.any():
            row, j = divmod(int(missing.argmax()), missing.shape[1])
            where, n = table.place(row, list(names.values())[j]), int(missing.sum())
            some = f"{n} values are missing, the first in {where}"
            what = f"{where}: the value is missing" if n == 1 else some
            self.problems.append(Problem(what, [USE_MEDIAN, DROP_ROWS, "fill them in"]))
        return Y, missing

    def _read_classes(self, table: RawTable) -> np.ndarray | None:
        """Return the classes, or None if the recipe's class column is absent or incomplete."""
        name = self.label or self.recipe.label
        if name is None or name not in table.cells:
            return None
        classes = table.cells[name].texts
        missing = np.isin(classes, MISSING_CLASS)
        if missing.any() and self.label is None:
            self._note(f"column {shown(name)} lacks classes, so no scores are reported.")
            return None
        if missing.any():
            n, place = int(missing.sum()), table.place(int(missing.argmax()), name)
            more = f", as it is in {n - 1} more rows" if n > 1 else ""
            what = f"{place}: the class is missing{more}"
            self.problems.append(Problem(what, ["fill it in or remove the row"]))
        return classes
