"""The cells of a table before any decision about its columns."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from sgpmic_cli.data.intake.problems import shown
from sgpmic_cli.errors import UsageError


@dataclass(frozen=True, eq=False)
class RawTable:
    """The cells of a table, by column, and their origin.

    A column is an array (N,) of floats, of integers, or of texts without surrounding spaces. All
    cells of a text file are texts.
    """

    path: str
    cells: dict[str, np.ndarray]
    named: bool  # whether the file has column names
    lines: np.ndarray | None = None  # (N,) line of each row in a text file
    decimal: str = "."  # decimal sign of numbers in text cells
    first_row: int = 0  # number of rows in earlier blocks of the file
    numbers: np.ndarray | None = None  # (N, P) all cells, if they are one float64 array in C order

    @classmethod
    def from_array(
        cls, path: str, array: np.ndarray, first_row: int = 0, names: Sequence[str] = ()
    ) -> "RawTable":
        """Create a table of numbers. A float64 array in C order is not copied."""
        direct = array.dtype == np.float64 and array.dtype.isnative and array.flags.c_contiguous
        columns = names or [f"column_{j + 1}" for j in range(array.shape[1])]
        cells = {name: np.asarray(array[:, j], np.float64) for j, name in enumerate(columns)}
        return cls(path, cells, bool(names), first_row=first_row, numbers=array if direct else None)

    @classmethod
    def from_frame(cls, path: str, frame: pd.DataFrame, first_row: int = 0) -> "RawTable":
        """Create a table from a DataFrame. An index other than a RangeIndex becomes a column."""
        if not isinstance(frame.index, pd.RangeIndex):
            frame = frame.reset_index()
        names = check_names(path, [str(name) for name in frame.columns])
        cells = {name: _cells(frame.iloc[:, j]) for j, name in enumerate(names)}
        return cls(path, cells, named=True, first_row=first_row)

    @property
    def columns(self) -> list[str]:
        """Names of all columns, in the order of the file."""
        return list(self.cells)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(next(iter(self.cells.values())))

    def place(self, row: int, column: str | None = None) -> str:
        """Describe the position of a row, or of a cell in it, for messages."""
        line = "" if self.lines is None else f" (line {self.lines[row]})"
        cell = "" if column is None else f", column {shown(column)}"
        return f"row {self.first_row + row + 1}{line}{cell}"


def text_cells(values: Any) -> np.ndarray:
    """Return values as texts (N,) without surrounding spaces, "" for missing ones."""
    codes, distinct = pd.factorize(np.asarray(values, dtype=object))  # -1 for a missing value
    return np.array([*map(str.strip, map(str, distinct)), ""], dtype=object)[codes]


def check_names(path: str, names: Sequence[str]) -> Sequence[str]:
    """Return the names. Raise UsageError if two columns have the same one."""
    name, times = max(Counter(names).items(), key=lambda found: found[1], default=("", 0))
    if times > 1:
        raise UsageError(
            f"{path} has {times} columns named {shown(name)}; give every column its own name"
        )
    return names


def _cells(column: "pd.Series") -> np.ndarray:
    kind = column.dtype.kind
    if kind == "f":
        return column.to_numpy(dtype=np.float64, na_value=np.nan)
    if kind in "iu" and not column.hasnans:
        return column.to_numpy(dtype=f"{kind}8")
    return text_cells(column.astype(object))
