"""Tables in Parquet files, which the extra `sgpmic[parquet]` reads, in groups or blocks of rows."""

import io
import math
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pandas as pd

from sgpmic_cli.data.intake.reading import Source
from sgpmic_cli.errors import SgpmicError, UsageError
from sgpmic_cli.files.array_room import array_room
from sgpmic_cli.row_blocks import ROWS

FITS_INTO_MEMORY = 1 << 25  # numbers, that is, 256 MiB


class ParquetTable:
    """A Parquet file, open; a file that cannot be read as one is refused whenever that shows."""

    def __init__(self, source: Source):
        self.name = source.name
        with self._reading():
            from pyarrow.parquet import ParquetFile

            self.file = ParquetFile(source.path or io.BytesIO(source.whole()))
            self.empty = (
                self.file.schema_arrow.empty_table().to_pandas()
            )  # columns as pandas means them
            self.shape = (self.file.metadata.num_rows, len(self.empty.columns))
        if not self.shape[0]:
            raise UsageError(f"{self.name} has a header and no rows; add rows of numbers below it")

    @property
    def columns(self) -> list[str]:
        """Names of all columns, but for those of an index."""
        return [str(name) for name in self.empty.columns]

    @property
    def holds_only_numbers(self) -> bool:
        """Whether all columns are numbers, and none of them is the index of a frame."""
        return isinstance(self.empty.index, pd.RangeIndex) and all(
            kind.kind in "iuf" for kind in self.empty.dtypes
        )

    def numbers(self) -> np.ndarray:
        """All cells of a table of numbers (N, P), NaN for holes; in a file of its own where they are many."""
        found, first = self._room(), 0
        for group in range(self.file.num_row_groups):
            for j, name in enumerate(
                self.file.schema_arrow.names
            ):  # one at a time: a group may have all the rows
                with self._reading():
                    column = self.file.read_row_group(group, columns=[name]).column(name).to_numpy()
                    found[first : first + len(column), j] = column
            first += self.file.metadata.row_group(group).num_rows
        if first != len(found):
            raise UsageError(
                f"{self.name} is not a readable Parquet file ({first} of its {len(found)} rows are there)"
            )
        found.setflags(write=False)
        return found

    def _room(self) -> np.ndarray:
        if math.prod(self.shape) <= FITS_INTO_MEMORY:
            return array_room(self.shape)
        try:
            return array_room(self.shape, tempfile.gettempdir())
        except SgpmicError:  # a small disk: memory must do
            return array_room(self.shape)

    def frame(self) -> pd.DataFrame:
        """The whole table."""
        with self._reading():
            # Column by column, each let go of when it is converted: pandas' own reader holds the table twice.
            return self.file.read().to_pandas(split_blocks=True, self_destruct=True)

    def frames(self) -> Iterator[pd.DataFrame]:
        """The table in blocks of rows."""
        from pyarrow import Table

        for batch in self._batches():
            with self._reading():
                frame = Table.from_batches([batch]).to_pandas()
            yield frame

    def _batches(self) -> Iterator[Any]:
        batches = self.file.iter_batches(ROWS)
        while True:
            with self._reading():
                batch = next(batches, None)
            if batch is None:
                return
            yield batch

    @contextmanager
    def _reading(self) -> Iterator[None]:
        try:
            yield
        except UsageError:
            raise
        except ImportError:
            raise UsageError(
                f"{self.name} is a Parquet file: install sgpmic[parquet] to read it, or save it as CSV"
            ) from None
        except Exception as fault:  # whatever the reader says of a damaged file
            raise UsageError(
                f"{self.name} is not a readable Parquet file ({' '.join(str(fault).split())[:200]})"
            ) from None
