"""The recipe: what was done to the columns of one table, and is done again to every further one.

It is plain data, is kept in the model file as JSON, and can be read by anybody.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import chain
from typing import Any

import numpy as np

from sgpmic_cli.data.intake.cells import MISSING_CLASS, to_number
from sgpmic_cli.data.intake.columns import NumberColumn, TextColumn, number_column
from sgpmic_cli.data.intake.options import WAYS_WITH_HOLES, TextFormat
from sgpmic_cli.data.intake.problems import Problem, Remedy, TableError, listed, shown
from sgpmic_cli.data.intake.raw_table import RawTable
from sgpmic_cli.data.intake.tally import Tally
from sgpmic_cli.data.registry import nearest


@dataclass(frozen=True, eq=False)
class Prepared:
    """Rows of a table as numbers."""

    Y: np.ndarray  # (N, P); NaN where a value is missing and the model is to deal with it
    feature_names: tuple[str, ...]
    row_numbers: np.ndarray  # (N,) of the file's rows, from 1
    ids: tuple[str, ...] | None
    classes: list[str] | None  # as they are written

    def part(self, rows: slice) -> "Prepared":
        """Some of the rows."""
        ids = None if self.ids is None else self.ids[rows]
        classes = None if self.classes is None else self.classes[rows]
        return replace(
            self, Y=self.Y[rows], row_numbers=self.row_numbers[rows], ids=ids, classes=classes
        )

    @classmethod
    def joined(cls, parts: Sequence["Prepared"]) -> "Prepared":
        """All rows of several parts of one table; without classes where a part has none."""
        ids = [part.ids for part in parts if part.ids is not None]
        classes = [part.classes for part in parts if part.classes is not None]
        return cls(
            np.concatenate([part.Y for part in parts]),
            parts[0].feature_names,
            np.concatenate([part.row_numbers for part in parts]),
            tuple(chain(*ids)) if ids else None,
            list(chain(*classes)) if len(classes) == len(parts) else None,
        )


@dataclass(frozen=True)
class TableRecipe:
    """How the rows of a table become numbers.

    Attributes
    ----------
    named : bool
        Whether the columns had names. If so, those of other tables are found by name; if not, by position.
    file_columns : tuple of str
        All columns of the table that the recipe was learned from, in its order.
    columns : tuple of NumberColumn or TextColumn
        Those that are used.
    missing : {"median", "drop", "error", "model"}
        What happens to missing values, and to texts that are none of a column's categories.
    label, id : str or None
        Columns that hold the classes and name the rows.
    left_out : dict
        Why each of the other columns is not used.
    evenly : bool
        False leaves numbers as they are and gives text its weight beside a column of numbers of mean variance. True
        divides every column by its spread, so that numbers have variance one and text weighs beside it.
    format : TextFormat
        How the file was written; the first guess for further ones.
    """

    named: bool
    file_columns: tuple[str, ...]
    columns: tuple[NumberColumn | TextColumn, ...]
    missing: str = "median"
    label: str | None = None
    id: str | None = None
    left_out: dict[str, str] = field(default_factory=dict)
    evenly: bool = False
    format: TextFormat = field(default_factory=TextFormat)

    @classmethod
    def of_numbers(
        cls, Y: np.ndarray, names: Sequence[str], *, named: bool = True
    ) -> "TableRecipe":
        """The recipe of a table that has nothing but numbers, Y (N, P)."""
        columns = tuple(
            number_column(name, values) for name, values in zip(names, Y.T, strict=True)
        )
        return cls(named, tuple(names), columns)

    @property
    def feature_names(self) -> tuple[str, ...]:
        """Names of the columns of Y."""
        return tuple(name for column in self.columns for name in column.feature_names)

    @property
    def has_text(self) -> bool:
        """Whether a column of text is used."""
        return any(isinstance(column, TextColumn) for column in self.columns)

    @property
    def names(self) -> frozenset[str]:
        """Every name that it knows."""
        return frozenset(self.file_columns) if self.named else frozenset()

    @property
    def written_as_text(self) -> frozenset[str]:
        """Columns whose cells are to be read as they are written, by name and by position."""
        own = {column.name for column in self.columns if isinstance(column, TextColumn)} | {
            self.label,
            self.id,
        }
        places = {f"column_{j + 1}" for j, name in enumerate(self.file_columns) if name in own}
        return frozenset(name for name in own | places if name is not None)

    @property
    def divisors(self) -> np.ndarray:
        """What the columns of Y (P,) have been divided by."""
        return np.array(
            [self._divisor(column) for column in self.columns for _ in column.feature_names]
        )

    def divided_evenly(self) -> "TableRecipe":
        """The same recipe with all columns of numbers at equal weight, and those of text at theirs beside them."""
        return replace(self, evenly=True)

    def apply(
        self, table: RawTable, tally: Tally, *, label: str | None = None, id: str | None = None
    ) -> Prepared:
        """The rows of a table as numbers; what stands in the way is a `TableError` with all of it.

        `label` and `id` name columns of this table where they are not those of the recipe. `tally` is told what was
        met, for the notes on all blocks of a table.
        """
        problems: list[Problem] = []
        tally.columns = []
        chosen = self._matched(table, {label, id}, problems, tally.columns)
        for parameter, name in (("label", label), ("id", id)):
            if name is not None and name not in table.columns:
                problems.append(unknown_column(name, parameter, table))
        Y, holes = self._encoded(table, chosen, problems, tally)
        if self.missing == "error" and holes.any():
            problems.append(holes_problem(table, [name for _, name in chosen], holes))
        classes = self._classes(table, label, problems, tally)
        if problems:
            raise TableError(table.path, problems)
        Y, kept = self._without_holes(Y, holes, tally)
        id = id or (self.id if self.id in table.columns else None)
        ids = None if id is None else tuple(written(cell) for cell in table.cells[id][kept])
        classes = None if classes is None else [classes[row] for row in kept]
        return Prepared(Y, self.feature_names, table.first_row + kept + 1, ids, classes)

    def notes(self, tally: Tally) -> tuple[str, ...]:
        """What a person should know of the rows that it was applied to."""
        return tuple(
            tally.notes(
                self.missing, [one.name for one in self.columns if isinstance(one, TextColumn)]
            )
        )

    def _matched(
        self, table: RawTable, besides: set[str | None], problems: list[Problem], notes: list[str]
    ) -> list[tuple[NumberColumn | TextColumn, str]]:
        """Every used column that is in this table, with the name that it has there."""
        wanted, found = [column.name for column in self.columns], table.columns
        if self.named and table.named:
            there, known = set(found), {*self.file_columns, *besides}
            absent = [name for name in wanted if name not in there]
            extra = [name for name in found if name not in known]
            if absent:
                near = nearest(absent[0], extra) if len(absent) == 1 else ""
                has = f", and unknown ones are there: {listed(extra)}" if extra else ""
                problems.append(
                    Problem(f"columns of the model are missing: {listed(absent)}{near}{has}")
                )
            elif extra:
                notes.append(f"columns that the model does not know are ignored: {listed(extra)}.")
            return [(column, column.name) for column in self.columns if column.name in there]
        if len(found) == len(self.file_columns):
            place = {name: j for j, name in enumerate(self.file_columns)}
            places = [place[name] for name in wanted]
        elif len(found) - len([name for name in besides if name in found]) == len(wanted):
            places = [j for j, name in enumerate(found) if name not in besides]
        else:
            lacking = (
                f"{table.path} has no header"
                if self.named
                else "the model was fitted to a file without a header"
            )
            own = f"{len(wanted)}" + (
                f" (or all {n})" if (n := len(self.file_columns)) != len(wanted) else ""
            )
            problems.append(
                Problem(
                    f"{len(found)} columns where the model has {own}, and they can be told by position only, since "
                    f"{lacking}",
                    (Remedy("give it the columns that the model was fitted to"),),
                )
            )
            return []
        if self.named != table.named:
            who = table.path if self.named else "the file that the model was fitted to"
            notes.append(f"{who} has no header, so columns are taken by position.")
        return [(column, found[j]) for column, j in zip(self.columns, places, strict=True)]

    def _divisor(self, column: NumberColumn | TextColumn) -> float:
        spread = column.spread or 1.0
        if self.evenly:
            return spread
        if isinstance(column, NumberColumn):
            return 1.0
        variances = [one.spread**2 for one in self.columns if isinstance(one, NumberColumn)]
        typical = float(np.sqrt(np.mean(variances))) if variances else 1.0
        return spread / (typical or 1.0)

    def _encoded(
        self,
        table: RawTable,
        chosen: list[tuple[NumberColumn | TextColumn, str]],
        problems: list[Problem],
        tally: Tally,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Y (N, P), NaN for holes, and where holes are (N, columns).

        Numbers that lie in one array as they are needed are left there, and may be a file.
        """
        n, widths = table.n_rows, [len(column.feature_names) for column, _ in chosen]
        as_they_are = [name for _, name in chosen] == table.columns and (self.divisors == 1.0).all()
        Y = (
            table.numbers
            if as_they_are and table.numbers is not None
            else np.empty((n, sum(widths)))
        )
        holes = np.empty((n, len(chosen)), dtype=bool)
        for i, (column, name) in enumerate(chosen):
            block = self._block(table, column, name, problems, tally)
            holes[:, i] = np.isnan(
                block[:, 0]
            )  # a row of categories is known or missing as a whole
            if Y is not table.numbers:
                first = sum(widths[:i])
                Y[:, first : first + widths[i]] = block / self._divisor(column)
        return Y, holes

    def _block(
        self,
        table: RawTable,
        column: NumberColumn | TextColumn,
        name: str,
        problems: list[Problem],
        tally: Tally,
    ) -> np.ndarray:
        """The columns (N, k) that one column becomes, NaN for holes.

        A cell that is no number is a problem; a text that is not among the categories counts as missing.
        """
        cells = table.cells[name]
        block, strange = column.encoded(cells, table.decimal)
        n, row = int(strange.sum()), int(strange.argmax())
        if n and isinstance(column, NumberColumn):
            problems.append(not_a_number(table, name, cells, strange))
        elif n and self.missing != "error":
            tally.strangers[name] = tally.strangers.get(name, 0) + n
            tally.first_stranger.setdefault(
                name, f"{shown(written(cells[row]))} in {table.place(row)}"
            )
        if np.isinf(block).any():
            problems.append(not_finite(table, name, np.isinf(block[:, 0])))
        return block

    def _classes(
        self, table: RawTable, label: str | None, problems: list[Problem], tally: Tally
    ) -> list[str] | None:
        name = label or self.label
        if name is None or name not in table.columns:
            return None
        classes = [written(cell) for cell in table.cells[name]]
        holes = np.array([cell in MISSING_CLASS for cell in classes])
        if holes.any() and label is None:
            tally.without_classes = name
            return None
        if holes.any():
            problems.append(classes_missing(table, name, holes))
        return classes

    def _without_holes(
        self, Y: np.ndarray, holes: np.ndarray, tally: Tally
    ) -> tuple[np.ndarray, np.ndarray]:
        """Y and the rows that it has, counted from 0."""
        rows = np.arange(len(holes))
        tally.rows += len(rows)
        for column, count in zip(self.columns, holes.sum(axis=0).tolist(), strict=True):
            tally.holes[column.name] = tally.holes.get(column.name, 0) + count
        if self.missing == "drop" and holes.any():
            rows = np.flatnonzero(~holes.any(axis=1))
            tally.rows_left_out += len(holes) - len(rows)
            return Y[rows], rows
        if self.missing == "median" and holes.any():
            Y = np.array(Y, dtype=np.float64)
            first = 0
            for column, some in zip(self.columns, holes.T, strict=True):
                width = len(column.feature_names)
                Y[some, first : first + width] = column.filler() / self._divisor(column)
                first += width
        return Y, rows

    def to_json(self) -> dict[str, Any]:
        """Itself as plain values, for `from_json`."""
        plain = asdict(self)
        for kind, column in zip(self.columns, plain["columns"], strict=True):
            column["kind"] = "text" if isinstance(kind, TextColumn) else "number"
        return plain

    @classmethod
    def from_json(cls, plain: dict[str, Any]) -> "TableRecipe":
        """The recipe that `to_json` wrote; anything else is a ValueError."""
        try:
            values = dict(plain)
            columns = tuple(_column(column) for column in values.pop("columns"))
            format = TextFormat(**values.pop("format"))
            file_columns = tuple(values.pop("file_columns"))
            recipe = cls(columns=columns, format=format, file_columns=file_columns, **values)
            recipe._check()
            return recipe
        except (TypeError, KeyError, AttributeError, ValueError) as error:
            raise ValueError(f"its recipe of the table cannot be read: {error}") from None

    def _check(self) -> None:
        """Refuse what no table can have left."""
        names = [column.name for column in self.columns]
        special = [name for name in (self.label, self.id) if name is not None]
        texts = [*self.file_columns, *special, *self.left_out, *self.left_out.values()]
        if not all(isinstance(text, str) for text in texts):
            raise ValueError("a column is named by something else than text")
        if not names or len(set(names)) < len(names) or not set(names) <= set(self.file_columns):
            raise ValueError("it uses columns that the table does not have")
        known = (
            self.missing in WAYS_WITH_HOLES
            and isinstance(self.named, bool)
            and isinstance(self.evenly, bool)
        )
        if not known:
            raise ValueError("it has an unknown setting")


def _column(plain: dict[str, Any]) -> NumberColumn | TextColumn:
    values = dict(plain)
    kind = values.pop("kind")
    if kind not in ("number", "text"):
        raise ValueError(f"a column is of kind {kind!r}")
    checked: list[float] = [values["spread"]] + ([values["median"]] if kind == "number" else [])
    if (
        not all(isinstance(value, float | int) and np.isfinite(value) for value in checked)
        or values["spread"] < 0
    ):
        raise ValueError(f"column {values['name']!r} has no finite median or spread")
    if kind == "number":
        return NumberColumn(**values)
    column = TextColumn(**{**values, "categories": tuple(values["categories"])})
    if not column.categories or not all(
        isinstance(text, str) and text for text in column.categories
    ):
        raise ValueError(f"column {column.name!r} has no categories")
    return column


def written(cell: Any) -> str:
    """A cell as it is written; a whole number of a Parquet file without its decimals."""
    return cell if isinstance(cell, str) else "" if np.isnan(cell) else f"{cell:.17g}"


def same_numbers(classes: list[str]) -> list[str]:
    """Classes as they are written, but 1 and 1.0 as the same one where all of them are numbers."""
    read = [to_number(name) for name in classes]
    if any(number is None or np.isnan(number) for number in read):
        return classes
    first: dict[float | None, str] = {}
    return [first.setdefault(number, name) for number, name in zip(read, classes, strict=True)]


def unknown_column(name: str, parameter: str, table: RawTable) -> Problem:
    """A name that none of the columns has."""
    there = f"its columns are {listed(table.columns, 20)}"
    return Problem(
        f"there is no column {shown(name)} for {parameter}{nearest(name, table.columns)}; {there}"
    )


def not_a_number(table: RawTable, name: str, cells: np.ndarray, wrong: np.ndarray) -> Problem:
    """Cells that are no numbers in a column of numbers."""
    row, n = int(wrong.argmax()), int(wrong.sum())
    count = (
        "is not a number"
        if n == 1
        else f"is not a number, nor are {n - 1} further cells of the column"
    )
    what = f"{table.place(row)}, column {shown(name)}: {shown(cells[row])} {count}"
    return Problem(what, (Remedy("write numbers or leave the cells empty"),))


def not_finite(table: RawTable, name: str, wrong: np.ndarray) -> Problem:
    """Infinite numbers."""
    row = int(wrong.argmax())
    what = f"{table.place(row)}, column {shown(name)}: the value is not finite"
    return Problem(what, (Remedy("put a number there or leave the cell empty"),))


def classes_missing(table: RawTable, name: str, holes: np.ndarray) -> Problem:
    """Rows without a class."""
    what = f"{table.place(int(holes.argmax()))}, column {shown(name)}: the class is missing"
    more = int(holes.sum()) - 1
    return Problem(
        what + (f", as it is in {more} more rows" if more else ""),
        (Remedy("fill it in or remove the row"),),
    )


def holes_problem(table: RawTable, names: Sequence[str], holes: np.ndarray) -> Problem:
    """Missing values where none may be; `holes` (N, columns)."""
    row, j = divmod(int(holes.argmax()), holes.shape[1])
    n = int(holes.sum())
    first = f"{table.place(row)}, column {shown(names[j])}"
    what = (
        f"{first}: the value is missing"
        if n == 1
        else f"{n} values are missing, the first in {first}"
    )
    return Problem(
        what,
        (use_median(), Remedy("leave such rows out", "missing", "drop"), Remedy("fill them in")),
    )


def use_median() -> Remedy:
    """The way out of missing values that always works."""
    return Remedy("fill in medians", "missing", "median")
