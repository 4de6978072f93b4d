"""A table as it was read: a frame whose columns are numbers, dates or texts."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from sgpmic_cli._typing import Indices
from sgpmic_cli.errors import UsageError
from sgpmic_cli.tables.options import TextFormat, leave_out, shown

MAX_VALUE = 1e100  # sums of squares of larger numbers overflow


@dataclass(frozen=True, eq=False)
class Table:
    """A table as it was read, and where it comes from."""

    name: str
    frame: pd.DataFrame  # float64, integers, datetime64 in UTC, or texts without outer spaces
    named: bool  # whether the columns have names of their own
    lines: Indices | None = None  # (N,) line of each row in a file
    format: TextFormat = TextFormat()  # of a text file, as detected
    notes: tuple[str, ...] = ()  # how the file was read

    @property
    def columns(self) -> list[str]:
        """Names of all columns, in the order of the file."""
        return [*map(str, self.frame)]

    def place(self, row: int, column: str) -> str:
        """Describe the position of a cell for messages."""
        line = "" if self.lines is None else f" (line {self.lines[row]})"
        return f"row {row + 1}{line}, column {shown(column)}"

    def too_large(self, column: str, values: np.ndarray) -> str | None:
        """Report the first value of a column (N,) that is infinite or too large."""
        rows = np.flatnonzero(np.abs(values) >= MAX_VALUE)
        if not len(rows):
            return None
        return (
            f"{self.place(rows[0], column)}: {values[rows[0]]:g} is too large to be squared; leave "
            f"the cell empty, or divide the column by a constant, or {leave_out(column)}"
        )


def table_of_array(name: str, array: np.ndarray) -> Table:
    """Return a table of numbers (N, P). An array of floats is not copied."""
    numbers = array.astype(np.float64, copy=False)
    frame = pd.DataFrame(numbers, columns=default_names(array.shape[1]), copy=False)
    return Table(name, frame, named=False)


def table_of_frame(name: str, frame: pd.DataFrame) -> Table:
    """Return the table of a frame. Names of rows become a column, unless one has theirs."""
    if not isinstance(frame.index, pd.RangeIndex):
        frame = frame.reset_index(drop=not {*frame.index.names}.isdisjoint(frame.columns))
    names = check_names(name, [str(name) for name in frame.columns])
    return Table(name, plain_frame(frame.set_axis([*names], axis=1)), named=True)


def plain_frame(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame whose columns are floats, integers, texts or dates."""
    columns = {name: _plain_column(column) for name, column in frame.items()}
    return pd.DataFrame(columns, index=range(len(frame)), copy=False)


def _plain_column(column: pd.Series) -> pd.Series:
    kind = column.dtype.kind
    values: Any
    if kind == "f":
        values = column.to_numpy(dtype=np.float64, na_value=np.nan)
    elif kind in "iu" and not column.hasnans:
        values = column.to_numpy(dtype=f"{kind}8")
    else:
        objects = np.asarray(column) if kind in "mM" else np.asarray(column, dtype=object)
        what = pd.api.types.infer_dtype(objects, skipna=True)
        if what in ("timedelta", "timedelta64"):
            values = np.array(pd.to_timedelta(objects) / pd.Timedelta(days=1), np.float64)
        elif what in ("date", "datetime", "datetime64", "period"):
            found = pd.PeriodIndex(objects).to_timestamp() if what == "period" else objects
            values = pd.to_datetime(found, utc=True).tz_localize(None)
        else:
            values = np.where(pd.isna(objects), "", [str(cell).strip() for cell in objects])
            values = values.astype(object)
    return pd.Series(values, dtype=values.dtype)


def default_names(n: int) -> list[str]:
    """Return the names of columns that have none."""
    return [f"column_{j + 1}" for j in range(n)]


def check_names(table: str, names: Sequence[str]) -> Sequence[str]:
    """Return the names. Raise UsageError if two columns have the same one."""
    name, times = max(Counter(names).items(), key=lambda found: found[1], default=("", 0))
    if times > 1:
        raise UsageError(
            f"{table} has {times} columns named {shown(name)}; give every column its own name"
        )
    return names
