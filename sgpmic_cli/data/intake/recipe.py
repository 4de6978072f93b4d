"""The recipe: how the columns of a raw table become numbers.

A recipe is learned from one table and applied to others. It is plain data, stored as JSON in the
model file.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple

import numpy as np

from sgpmic_cli.data.intake.columns import (
    MISSING_CLASS,
    Column,
    NumberColumn,
    TextColumn,
    written,
)
from sgpmic_cli.data.intake.options import MISSING_MODES, TextFormat
from sgpmic_cli.data.intake.problems import (
    DROP_ROWS,
    USE_MEDIAN,
    Problem,
    TableError,
    listed,
    not_a_number,
    not_finite,
    plural,
    shown,
    unknown_column,
)
from sgpmic_cli.data.intake.raw_table import RawTable
from sgpmic_cli.data.registry import nearest


class Prepared(NamedTuple):
    """Rows of a table as numbers."""

    Y: np.ndarray  # (N, P); NaN for missing values that the model handles
    row_numbers: np.ndarray  # (N,) row of the file, from 1
    ids: Any  # (N,) texts, or None
    classes: Any  # (N,) texts, or None

    def part(self, rows: slice) -> "Prepared":
        """Return some of the rows."""
        parts: list[Any] = [None if each is None else each[rows] for each in self]
        return Prepared(*parts)

    @classmethod
    def joined(cls, blocks: Sequence["Prepared"]) -> "Prepared":
        """Concatenate blocks of one table. The result has classes only if all blocks have them."""
        parts: list[Any] = [
            None if any(each is None for each in parts) else np.concatenate(parts)
            for parts in zip(*blocks, strict=True)
        ]
        return cls(*parts)


@dataclass
class IntakeReport:
    """Problems, counts and notes about all blocks of a table that a recipe was applied to."""

    problems: list[Problem] = field(default_factory=list)
    rows: int = 0
    dropped_rows: int = 0
    column_notes: list[str] = field(default_factory=list)  # equal for all blocks
    unknown: Counter[str] = field(default_factory=Counter)  # texts without a category, by column
    first_unknown: dict[str, str] = field(default_factory=dict)  # with its position, by column
    missing: Counter[str] = field(default_factory=Counter)  # by column
    incomplete_label: str | None = None  # class column in which classes are missing


@dataclass(frozen=True)
class TableRecipe:
    """How the rows of a table become numbers.

    Attributes
    ----------
    named : bool
        Whether the columns have names. If so, columns of other tables are matched by name,
        otherwise by position.
    file_columns : tuple of str
        All columns of the table that the recipe was learned from, in its order.
    columns : tuple of NumberColumn or TextColumn
        The columns that are used.
    missing : {"median", "drop", "error", "model"}
        How to treat missing values and texts without a category.
    label, id : str or None
        Columns with the classes and with the names of the rows.
    left_out : dict
        Why each of the other columns is not used.
    evenly : bool
        If False, numbers are unchanged and a text column is weighted relative to a number column of
        mean variance. If True, each column is divided by its spread: numbers have unit variance,
        text is weighted relative to it.
    format : TextFormat
        Format of the file; the default for later files.
    """

    named: bool
    file_columns: tuple[str, ...]
    columns: tuple[Column, ...]
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

    @property
    def divisors(self) -> np.ndarray:
        """Divisors of the columns of Y (P,)."""
        return np.array(
            [self._divisor(column) for column in self.columns for _ in column.feature_names]
        )

    def _divisor(self, column: Column) -> float:
        spread = column.spread or 1.0
        if self.evenly:
            return spread
        if isinstance(column, NumberColumn):
            return 1.0
        variances = [one.spread**2 for one in self.columns if isinstance(one, NumberColumn)]
        typical = float(np.sqrt(np.mean(variances))) if variances else 1.0
        return spread / (typical or 1.0)

    def apply(
        self,
        table: RawTable,
        report: IntakeReport,
        *,
        label: str | None = None,
        id: str | None = None,
    ) -> Prepared:
        """Encode the rows of a table. Raise TableError with all problems.

        `label` and `id` override the columns of the recipe. `report` is updated.
        """
        report.column_notes.clear()
        names = self._match_columns(table, {label, id}, report)
        for parameter, name in (("label", label), ("id", id)):
            if name is not None and name not in table.columns:
                report.problems.append(unknown_column(name, parameter, table.columns))
        Y, missing = self._encode(table, names, report)
        classes = self._read_classes(table, label, report)
        if report.problems:
            raise TableError(table.path, report.problems)
        Y, rows = self._treat_missing(Y, missing)
        report.rows += table.n_rows
        report.dropped_rows += table.n_rows - len(rows)
        report.missing.update(dict(zip(names, missing.sum(axis=0).tolist(), strict=True)))
        id = id or (self.id if self.id in table.columns else None)
        ids = None if id is None else written(table.cells[id])[rows]
        classes = None if classes is None else classes[rows]
        return Prepared(Y, table.first_row + rows + 1, ids, classes)

    def notes(self, report: IntakeReport) -> list[str]:
        """Describe what happened to the rows of all blocks."""
        notes = list(report.column_notes)
        for name, n in report.unknown.items():
            notes.append(
                f"column {shown(name)} has {plural(n, 'value')} that the model does not know, such "
                f"as {report.first_unknown[name]}; counted as missing."
            )
        if report.incomplete_label is not None:
            label = shown(report.incomplete_label)
            notes.append(f"column {label} lacks classes, so no scores are reported.")
        names = [name for name, n in report.missing.items() if n]
        values = plural(report.missing.total(), "missing value")
        if names and self.missing == "drop":
            notes.append(
                f"{report.dropped_rows} of {report.rows} rows have missing values and are left out."
            )
        elif names and self.missing == "median":
            has_text = any(column.name in names for column in self.text_columns)
            notes.append(
                f"{values} in {listed(names)}: filled with the median of the column"
                f"{', for text its most common value' if has_text else ''}."
            )
        elif names:
            notes.append(f"{values}: left to the model.")
        return notes

    def _match_columns(
        self, table: RawTable, besides: set[str | None], report: IntakeReport
    ) -> dict[str, str]:
        """Return the name in this table of each used column; `besides` are not features."""
        wanted, found = [column.name for column in self.columns], table.columns
        if self.named and table.named:
            absent = [name for name in wanted if name not in found]
            extra = [name for name in found if name not in {*self.file_columns, *besides}]
            if absent:
                near = nearest(absent[0], extra) if len(absent) == 1 else ""
                has = f", and unknown ones are there: {listed(extra)}" if extra else ""
                what = f"columns of the model are missing: {listed(absent)}{near}{has}"
                report.problems.append(Problem(what))
            elif extra:
                note = f"columns that the model does not know are ignored: {listed(extra)}."
                report.column_notes.append(note)
            return {name: name for name in wanted if name in found}
        nameless = table.path if self.named else "the file that the model was fitted to"
        if self.named != table.named:
            report.column_notes.append(
                f"{nameless} has no header, so columns are taken by position."
            )
        if len(found) == len(self.file_columns):
            return {name: found[self.file_columns.index(name)] for name in wanted}
        others = [name for name in found if name not in besides]
        if len(others) == len(wanted):
            return dict(zip(wanted, others, strict=True))
        used, all_columns = len(wanted), len(self.file_columns)
        expected = f"{used}" + (f" (or all {all_columns})" if all_columns != used else "")
        what = (
            f"{len(found)} columns where the model has {expected}; columns are matched by "
            f"position, since {nameless} has no header"
        )
        remedy = "give it the columns that the model was fitted to"
        report.problems.append(Problem(what, [remedy]))
        return {}

    def _encode(
        self, table: RawTable, names: dict[str, str], report: IntakeReport
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return Y (N, P) with NaN for missing values, and where values are missing (N, columns).

        A table that is one array of exactly the wanted numbers is not copied; it may be a mapped
        file. Texts without a category count as missing.
        """
        divisors = self.divisors
        in_place = list(names.values()) == table.columns and bool((divisors == 1.0).all())
        direct = table.numbers if in_place else None
        Y = np.empty((table.n_rows, len(divisors))) if direct is None else direct
        missing = np.empty((table.n_rows, len(names)), dtype=bool)
        first = 0
        for j, column in enumerate(each for each in self.columns if each.name in names):
            name = names[column.name]
            block, invalid = column.encode(table.cells[name], table.decimal)
            missing[:, j] = np.isnan(block[:, 0])
            n, row = int(invalid.sum()), int(invalid.argmax())
            cell = str(table.cells[name][row])
            if n and isinstance(column, NumberColumn):
                report.problems.append(not_a_number(table.place(row, name), cell, n))
            elif n and self.missing != "error":
                report.unknown[name] += n
                report.first_unknown.setdefault(name, f"{shown(cell)} in {table.place(row)}")
            if (infinite := np.isinf(block[:, 0])).any():
                report.problems.append(not_finite(table.place(int(infinite.argmax()), name)))
            end = first + block.shape[1]
            if direct is None:
                Y[:, first:end] = block / divisors[first:end]
            first = end
        if self.missing == "error" and missing.any():
            row, j = divmod(int(missing.argmax()), missing.shape[1])
            where, n = table.place(row, list(names.values())[j]), int(missing.sum())
            some = f"{n} values are missing, the first in {where}"
            what = f"{where}: the value is missing" if n == 1 else some
            report.problems.append(Problem(what, [USE_MEDIAN, DROP_ROWS, "fill them in"]))
        return Y, missing

    def _read_classes(
        self, table: RawTable, label: str | None, report: IntakeReport
    ) -> np.ndarray | None:
        """Return the classes, or None if the recipe's class column is absent or incomplete."""
        name = label or self.label
        if name is None or name not in table.columns:
            return None
        classes = written(table.cells[name])
        missing = np.isin(classes, MISSING_CLASS)
        if missing.any() and label is None:
            report.incomplete_label = name
            return None
        if missing.any():
            n, place = int(missing.sum()), table.place(int(missing.argmax()), name)
            more = f", as it is in {n - 1} more rows" if n > 1 else ""
            what = f"{place}: the class is missing{more}"
            report.problems.append(Problem(what, ["fill it in or remove the row"]))
        return classes

    def _treat_missing(self, Y: np.ndarray, missing: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Drop or fill rows with missing values. Return Y and the kept rows, from 0."""
        if self.missing == "drop" and missing.any():
            rows = np.flatnonzero(~missing.any(axis=1))
            return Y[rows], rows
        if self.missing == "median" and missing.any():
            filling = np.concatenate([column.fill_value() for column in self.columns])
            widths = [len(column.feature_names) for column in self.columns]
            Y = np.where(np.repeat(missing, widths, axis=1), filling / self.divisors, Y)
        return Y, np.arange(len(Y))

    def to_json(self) -> dict[str, Any]:
        """Return the recipe as plain values for `from_json`."""
        plain = asdict(self)
        for column, values in zip(self.columns, plain["columns"], strict=True):
            values["kind"] = "text" if isinstance(column, TextColumn) else "number"
        return plain

    @classmethod
    def from_json(cls, plain: dict[str, Any]) -> "TableRecipe":
        """Create the recipe that `to_json` described. Raise ValueError for anything else."""
        try:
            parts = {
                "columns": tuple(_column_from_json(**column) for column in plain["columns"]),
                "file_columns": tuple(plain["file_columns"]),
                "format": TextFormat(**plain["format"]),
            }
            recipe = cls(**{**plain, **parts})
            recipe._check()
            return recipe
        except (TypeError, KeyError, AttributeError, ValueError) as error:
            raise ValueError(f"its recipe of the table cannot be read: {error}") from None

    def _check(self) -> None:
        names = [column.name for column in self.columns]
        special = [name for name in (self.label, self.id) if name is not None]
        texts = [*self.file_columns, *special, *self.left_out, *self.left_out.values()]
        if not all(isinstance(text, str) for text in texts):
            raise ValueError("the name of a column is not text")
        if not names or len(set(names)) < len(names) or not set(names) <= set(self.file_columns):
            raise ValueError("it uses columns that the table does not have")
        flags = isinstance(self.named, bool) and isinstance(self.evenly, bool)
        if not flags or self.missing not in MISSING_MODES:
            raise ValueError("it has an unknown setting")


def _column_from_json(kind: str, **values: Any) -> Column:
    column: Column
    if kind == "number":
        column = NumberColumn(**values)
        valid = np.isfinite(column.median)
    else:
        texts = values["categories"]
        column = TextColumn(**{**values, "categories": tuple(texts)})
        valid = kind == "text" and texts and all(isinstance(text, str) and text for text in texts)
    if not (valid and np.isfinite(column.spread) and column.spread >= 0):
        raise ValueError(f"column {column.name!r} is invalid")
    return column
