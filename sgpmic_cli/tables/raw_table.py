"""The cells of a table before any decision about its columns."""

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import pandas as pd

from sgpmic_cli.errors import UsageError
from sgpmic_cli.tables.options import TextFormat
from sgpmic_cli.tables.problems import Problem, leave_out, shown

MISSING = frozenset(
    {"", "?", "-", "--", ".", "na", "n/a", "n.a.", "#n/a", "<na>", "nan", "nat", "null", "none"}
)
EXACT = 2**53  # whole numbers up to here are exact as floats
# Texts that are not taken as they are written. A category may be called none.
SPELLINGS = {**dict.fromkeys(MISSING - {"none"}, ""), "true": "True", "false": "False"}


class Cells(NamedTuple):
    """The cells of a column (N,), as they were read and as numbers."""

    raw: np.ndarray  # floats, integers or texts
    numbers: np.ndarray  # floats, NaN for missing values and for texts that are not numbers
    invalid: np.ndarray  # whether a cell is neither a number nor missing

    @classmethod
    def of(cls, raw: np.ndarray, decimal: str = ".") -> "Cells":
        """Convert cells to numbers; texts have the given decimal separator."""
        valid = np.broadcast_to(np.False_, len(raw))  # an array without memory
        if raw.dtype.kind != "O":
            return cls(raw, raw.astype(np.float64, copy=False), valid)
        if decimal == "." and "_" not in "".join(raw):  # most columns have numbers and empty cells
            with suppress(ValueError):
                return cls(raw, np.where(raw == "", "nan", raw).astype(np.float64), valid)
        codes, distinct = pd.factorize(raw)
        parsed = [
            np.nan if text.strip().lower() in MISSING else to_number(text, decimal)
            for text in distinct
        ]
        invalid = np.array([number is None for number in parsed], dtype=bool)
        return cls(raw, np.array(parsed, dtype=np.float64)[codes], invalid[codes])

    @classmethod
    def of_series(cls, column: "pd.Series") -> "Cells":
        """Convert a column of pandas; durations become days, other values become texts."""
        if column.dtype.kind == "m":
            days = pd.to_timedelta(np.asarray(column)).total_seconds() / 86400
            column = pd.Series(days)
        kind = column.dtype.kind
        if kind == "f":
            return cls.of(column.to_numpy(dtype=np.float64, na_value=np.nan))
        if kind in "iu" and not column.hasnans:
            return cls.of(column.to_numpy(dtype=f"{kind}8"))
        objects = np.asarray(column, dtype=object)
        try:
            codes, distinct = pd.factorize(objects)  # -1 for a missing value
        except TypeError:  # lists and records
            codes, distinct = pd.factorize(np.array([*map(str, objects)], dtype=object))
        return cls.of(np.array([*map(as_text, distinct), ""], dtype=object)[codes])

    @property
    def texts(self) -> np.ndarray:
        """The cells as texts without surrounding spaces, "" for NaN; integers are exact."""
        if self.raw.dtype.kind == "f":
            texts = ["" if np.isnan(cell) else f"{cell:.17g}" for cell in self.raw]
        else:
            texts = [str(cell).strip() for cell in self.raw]
        return np.array(texts, dtype=object)

    @property
    def categories(self) -> np.ndarray:
        """The cells as texts, "" for missing ones, with truth values in one spelling."""
        codes, distinct = pd.factorize(self.texts)
        known = [SPELLINGS.get(text.lower(), text) for text in distinct]
        return np.array(known, dtype=object)[codes]


@dataclass(frozen=True, eq=False)
class RawTable:
    """The cells of a table, by column, and their origin."""

    path: str
    cells: dict[str, Cells]
    named: bool  # whether the file has column names
    lines: np.ndarray | None = None  # (N,) line of each row in a text file
    first_row: int = 0  # number of rows in earlier blocks of the file
    numbers: np.ndarray | None = None  # (N, P) all cells, if they are one float64 array in C order
    format: TextFormat = field(default_factory=TextFormat)  # of a text file, as detected

    @classmethod
    def from_array(
        cls, path: str, array: np.ndarray, first_row: int = 0, names: Sequence[str] = ()
    ) -> "RawTable":
        """Create a table of numbers. A float64 array in C order is not copied."""
        direct = array.dtype == np.float64 and array.dtype.isnative and array.flags.c_contiguous
        columns = names or [f"column_{j + 1}" for j in range(array.shape[1])]
        cells = {
            name: Cells.of(np.asarray(array[:, j], np.float64)) for j, name in enumerate(columns)
        }
        return cls(path, cells, bool(names), first_row=first_row, numbers=array if direct else None)

    @classmethod
    def from_frame(cls, path: str, frame: pd.DataFrame, first_row: int = 0) -> "RawTable":
        """Create a table from a DataFrame. An index other than a RangeIndex becomes a column."""
        if not isinstance(frame.index, pd.RangeIndex):
            frame = frame.reset_index()
        names = check_names(path, [as_text(name) for name in frame.columns])
        cells = {name: Cells.of_series(frame.iloc[:, j]) for j, name in enumerate(names)}
        return cls(path, cells, named=True, first_row=first_row)

    @property
    def columns(self) -> list[str]:
        """Names of all columns, in the order of the file."""
        return list(self.cells)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(next(iter(self.cells.values())).raw)

    def place(self, row: int, column: str | None = None) -> str:
        """Describe the position of a row, or of a cell in it, for messages."""
        line = "" if self.lines is None else f" (line {self.lines[row]})"
        cell = "" if column is None else f", column {shown(column)}"
        return f"row {self.first_row + row + 1}{line}{cell}"

    def too_large(self, column: str, values: np.ndarray, limit: float) -> Problem | None:
        """Report the first value of a column (N,) whose magnitude reaches the limit."""
        rows = np.flatnonzero(np.abs(values) >= limit)
        if not len(rows):
            return None
        where, value = self.place(rows[0], column), values[rows[0]]
        if np.isinf(value):
            remedy = "put a number there or leave the cell empty"
            return Problem(f"{where}: the value is not finite", [remedy])
        what = f"{where}: {value:g} is too large to be squared"
        return Problem(what, ["divide the column by a constant", leave_out(column)])


def as_text(value: object) -> str:
    """Return a value as text. Lone surrogates become escape codes, because pandas has none."""
    return str(value).encode("utf-8", "backslashreplace").decode("utf-8")


def to_number(cell: str, decimal: str = ".") -> float | None:
    """Parse a number. Return None if the cell is not one."""
    if decimal == ",":
        if "." in cell:
            return None
        cell = cell.replace(",", ".")
    try:
        # Python accepts 1_000, other programs do not. Typeset tables have minus signs, not hyphens.
        return None if "_" in cell else float(cell.replace("\N{MINUS SIGN}", "-"))
    except ValueError:
        return None


def check_names(path: str, names: Sequence[str]) -> Sequence[str]:
    """Return the names. Raise UsageError if two columns have the same one."""
    name, times = max(Counter(names).items(), key=lambda found: found[1], default=("", 0))
    if times > 1:
        raise UsageError(
            f"{path} has {times} columns named {shown(name)}; give every column its own name"
        )
    return names
