"""Tables in Parquet files, which the extra `sgpmic[parquet]` reads, a block of rows after the other."""

import io
import math
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pandas as pd

from sgpmic_cli.data.intake.reading import Source
from sgpmic_cli.errors import UsageError
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
            self.schema = self.file.schema_arrow
            self.shape = (self.file.metadata.num_rows, len(self.schema))
        if not self.shape[0]:
            raise UsageError(f"{self.name} has a header and no rows; add rows of numbers below it")

    @property
    def holds_only_numbers(self) -> bool:
        """Whether all columns are numbers, and none of them is the index of a frame."""
        from pyarrow.types import is_floating, is_integer

        index = (self.schema.pandas_metadata or {}).get("index_columns", [])
        stored = any(isinstance(name, str) for name in index)  # a range is told, not stored
        return not stored and all(is_integer(kind) or is_floating(kind) for kind in self.schema.types)

    def numbers(self) -> np.ndarray:
        """All cells of a table of numbers (N, P), NaN for holes; in a file of its own where they are many."""
        found = array_room(self.shape, None if math.prod(self.shape) <= FITS_INTO_MEMORY else tempfile.gettempdir())
        first = 0
        for batch in self._batches():
            for j, column in enumerate(batch.columns):
                found[first : first + len(batch), j] = column.to_numpy(zero_copy_only=False)
            first += len(batch)
        found.setflags(write=False)
        return found

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
