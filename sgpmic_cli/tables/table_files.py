"""Read tables from CSV, Parquet, .xlsx and .npy files, as a whole or in blocks of rows.

The extras `sgpmic[parquet]` and `sgpmic[xlsx]` install pyarrow and openpyxl.
"""

import io
import math
import tempfile
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from sgpmic_cli import row_blocks
from sgpmic_cli.errors import UsageError
from sgpmic_cli.files.mapped_array import empty_array
from sgpmic_cli.tables.csv_text import CsvText, Names, no_rows
from sgpmic_cli.tables.options import TextFormat
from sgpmic_cli.tables.raw_table import EXACT, RawTable, check_names
from sgpmic_cli.tables.reading import (
    NPY,
    PARQUET,
    Source,
    decompressed,
    read_errors,
    text_lines,
    with_encoding,
)

if TYPE_CHECKING:
    from pyarrow.parquet import ParquetFile

MAX_IN_MEMORY = 1 << 25  # numbers, 256 MiB; larger Parquet tables are decompressed into a file
CELLS = 1 << 17  # of a block of a text file
NPY_ADVICE = "save a table of numbers, rows by columns, with numpy.save"


def read_table(path: str, format: TextFormat, known: Names = ()) -> RawTable:
    """Read a whole table from a CSV, Parquet, .xlsx or .npy file, compressed or not.

    A first line of a CSV file with one of the `known` names is a header.
    """
    with decompressed(path) as source:
        return next(_tables(source, format, known, whole=True))


def read_blocks(path: str, format: TextFormat, known: Names = ()) -> Iterator[RawTable]:
    """Read the same files as `read_table` in blocks of rows, in constant memory."""
    with decompressed(path) as source:
        yield from _tables(source, format, known, whole=False)


def _tables(source: Source, format: TextFormat, known: Names, whole: bool) -> Iterator[RawTable]:
    """Yield the whole table or blocks of its rows."""
    if source.starts_with(NPY) or source.name.lower().endswith(".npy"):
        return _npy_tables(source, whole)
    if source.starts_with(PARQUET):
        return _parquet_tables(source, whole)
    format = with_encoding(source, format)
    lines = text_lines(source, format.encoding, whole=whole)
    return CsvText(source.name, format, known).tables(lines, None if whole else CELLS)


def _npy_array(source: Source) -> np.ndarray:
    """Return the array (N, P) of a .npy file. Map a large one into memory.

    A mapped file that another program truncates ends the process with SIGBUS.
    """
    name = source.name
    if not source.starts_with(NPY):
        raise UsageError(f"{name} is called a .npy file but is not one; {NPY_ADVICE}")
    with read_errors(name, ".npy", f"; {NPY_ADVICE}"):
        if source.path is None:
            array = np.load(io.BytesIO(source.read_all()), allow_pickle=False)
        else:
            array = np.load(source.path, mmap_mode="r", allow_pickle=False)
            if array.size <= MAX_IN_MEMORY:
                array = np.load(source.path, allow_pickle=False)
    if array.ndim != 2 or array.dtype.kind not in "iuf" or not array.size:
        found = f"an array of shape {array.shape} and type {array.dtype}"
        raise UsageError(f"{name} holds {found}; {NPY_ADVICE}")
    return array


def _npy_tables(source: Source, whole: bool) -> Iterator[RawTable]:
    array = _npy_array(source)
    if whole:
        yield RawTable.from_array(source.name, array)
        return
    for rows in row_blocks.row_blocks(len(array)):
        # Map the file again for each block: pages that were read count as memory until unmapped.
        block = (_npy_array(source) if isinstance(array, np.memmap) else array)[rows]
        copy = np.array(block, dtype=np.float64, order="C")
        yield RawTable.from_array(source.name, copy, rows.start)


def _parquet_tables(source: Source, whole: bool) -> Iterator[RawTable]:
    with read_errors(source.name, "Parquet"):
        from pyarrow import Table
        from pyarrow.parquet import ParquetFile

        file = ParquetFile(source.path or io.BytesIO(source.read_all()))
        if not file.metadata.num_rows:
            raise no_rows(source.name)
        if whole:
            yield _whole_parquet_table(source.name, file)
            return
        first_row = 0
        for batch in file.iter_batches(row_blocks.ROWS):
            frame = _to_pandas(Table.from_batches([batch]))
            yield RawTable.from_frame(source.name, frame, first_row)
            first_row += len(frame)


def _whole_parquet_table(name: str, file: "ParquetFile") -> RawTable:
    empty = file.schema_arrow.empty_table().to_pandas()  # the column types of pandas
    only_numbers = all(kind.kind in "iuf" for kind in empty.dtypes)
    if only_numbers and isinstance(empty.index, pd.RangeIndex):
        names = check_names(name, [str(column) for column in empty.columns])
        if (numbers := _parquet_numbers(file)) is not None:
            return RawTable.from_array(name, numbers, names=names)
    return RawTable.from_frame(name, _to_pandas(file.read()))


def _to_pandas(table: Any) -> pd.DataFrame:
    # Convert column by column and free each: pandas.read_parquet holds the table twice. Integers
    # stay exact beside missing values.
    frame: pd.DataFrame = table.to_pandas(
        split_blocks=True, self_destruct=True, integer_object_nulls=True
    )
    return frame


def _parquet_numbers(file: "ParquetFile") -> np.ndarray | None:
    """Return all cells of a table of numbers (N, P), NaN for missing values.

    Return None if a whole number is too large to be exact.
    """
    whole = ["int" in str(kind) for kind in file.schema_arrow.types]
    shape = file.metadata.num_rows, len(whole)
    folder = tempfile.gettempdir() if math.prod(shape) > MAX_IN_MEMORY else None
    found, first = empty_array(shape, folder), 0
    for batch in file.iter_batches(row_blocks.ROWS):
        block = found[first : first + len(batch)]
        block[:] = batch.to_pandas().to_numpy(np.float64, na_value=np.nan)
        if np.fmax.reduce(np.abs(block[:, whole]), axis=None, initial=0.0) >= EXACT:
            return None
        first += len(batch)
    found.setflags(write=False)
    return found
