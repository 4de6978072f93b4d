"""The cells of a table before any decision about its columns."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from sgpmic_cli.data.intake.problems import shown
from sgpmic_cli.errors import UsageError


@dataclass(frozen=True, eq=False)
class RawTable:
    """The cells of a table, by column, and their origin.

    A column is an array (N,) of floats, of integers, or of texts without surrounding spaces.
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
        frame.columns = [str(name) for name in frame.columns]
        check_names(path, list(frame.columns))
        return cls(path, frame_cells(frame), named=True, first_row=first_row)

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


def frame_cells(frame: pd.DataFrame) -> dict[str, np.ndarray]:
    """Return the cells of a DataFrame by column."""
    return {str(name): _cells(column) for name, column in frame.items()}


def _cells(column: "pd.Series") -> np.ndarray:
    kind = column.dtype.kind
    if kind == "f":
        return column.to_numpy(dtype=np.float64, na_value=np.nan)
    if kind in "iu" and not column.hasnans:
        return column.to_numpy(dtype=f"{kind}8")
    codes, values = pd.factorize(column.astype(object))  # the code of a missing value is -1
    return np.array([*(str(value).strip() for value in values), ""], dtype=object)[codes]


def check_names(path: str, names: Sequence[str]) -> None:
    """Raise UsageError if two columns have the same name."""
    name, times = Counter(names).most_common(1)[0]
    if times > 1:
        raise UsageError(
            f"{path} has {times} columns named {shown(name)}; give every column its own name"
        )
