"""Read tables from text, Parquet, .xlsx and .npy files, as a whole or in blocks of rows.

The extras `sgpmic[parquet]` and `sgpmic[xlsx]` install pyarrow and openpyxl.
"""

import bz2
import gzip
import io
import sys
import zipfile
import zlib
from collections.abc import Collection, Generator, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from sgpmic_cli import row_blocks
from sgpmic_cli.errors import UsageError
from sgpmic_cli.tables.cells import (
    Cells,
    RawTable,
    as_text,
    check_names,
    default_names,
    find_notation,
)
from sgpmic_cli.tables.csv_text import SAMPLE, Row, Source, csv_rows, is_header
from sgpmic_cli.tables.options import TextFormat, shown

STANDARD_INPUT = "-"
GZIP, BZIP2, ZIP = b"\x1f\x8b", b"BZh", b"PK\x03\x04"
PARQUET, NPY = b"PAR1\x15", b"\x93NUMPY"  # a column may be called PAR1
SHEETS = "xl/workbook.xml"  # the member of a .xlsx file that names its sheets
MAX_IN_MEMORY = 1 << 25  # numbers, 256 MiB; larger .npy files are mapped
CELLS = 1 << 17  # of a block of a text file
NPY_ADVICE = "save a table of numbers, rows by columns, with numpy.save"

Names = Collection[str | None]  # None stands for an option that was not given


def read_table(path: str, format: TextFormat, known: Names = ()) -> RawTable:
    """Read a whole table from a file of any supported format, compressed or not.

    A first line of a CSV file with one of the `known` names is a header.
    """
    with decompressed(path) as source, closing(tables_in(source, format, known, True)) as tables:
        return next(tables)


def read_blocks(path: str, format: TextFormat, known: Names = ()) -> Iterator[RawTable]:
    """Read the same files as `read_table` in blocks of rows."""
    with decompressed(path) as source, closing(tables_in(source, format, known, False)) as tables:
        yield from tables


def from_arrow(table: Any) -> pd.DataFrame:
    """Convert a table with the Arrow interface, such as that of polars, to pandas.

    Whole numbers stay exact beside missing values.
    """
    import pyarrow

    # Convert column by column and free each: pandas.read_parquet holds the table twice.
    options = {"split_blocks": True, "integer_object_nulls": True}
    frame: pd.DataFrame = pyarrow.table(table).to_pandas(**options)
    return frame


@contextmanager
def decompressed(path: str) -> Iterator[Source]:
    """Open a file, or standard input for "-", and decompress gzip, bz2 and zip.

    Errors that occur while the caller reads are translated as well.
    """
    if path == STANDARD_INPUT:
        if sys.stdin is None or sys.stdin.buffer.closed or sys.stdin.isatty():
            raise UsageError(
                "standard input is a terminal or was read before: send one table into it, as in "
                "`sgpmic fit - < table.csv`"
            )
        stream: Any = sys.stdin.buffer
        if not hasattr(stream, "peek"):  # a program may have replaced sys.stdin
            stream = io.BufferedReader(stream)
        with _decompressing(Source(stream, "standard input")) as source:
            yield source
        return
    try:
        with Path(path).open("rb") as file, _decompressing(Source(file, path, path)) as source:
            yield source
    except FileNotFoundError:
        raise UsageError(f"there is no file {path}; give the path of a CSV file") from None
    except OSError as error:
        reason = error.strerror or error
        raise UsageError(f"{path} cannot be read ({reason}); give the path of a CSV file") from None


@contextmanager
def _decompressing(source: Source) -> Iterator[Source]:
    stream, name, path = source
    start = source.start()
    try:
        if start.startswith(GZIP):
            yield Source(gzip.GzipFile(fileobj=stream), name)
        elif start.startswith(BZIP2):
            yield Source(bz2.BZ2File(stream), name)
        elif start.startswith(ZIP):
            raw = io.BytesIO(b"" if path else source.read_all())
            with zipfile.ZipFile(path or raw) as archive:
                if SHEETS in archive.namelist():
                    yield Source(stream if path else io.BufferedReader(raw), name)
                    return
                with archive.open(_only_member(name, archive)) as member:
                    yield Source(member, name)
        else:
            yield source
    except (OSError, EOFError, zlib.error, zipfile.BadZipFile, RuntimeError) as error:
        if not start.startswith((GZIP, BZIP2, ZIP)):
            raise
        raise UsageError(f"{name} cannot be decompressed ({error}); compress it again") from None


def _only_member(path: str, archive: zipfile.ZipFile) -> zipfile.ZipInfo:
    members = (one for one in archive.infolist() if not one.is_dir())
    files = [one for one in members if not one.filename.startswith("__MACOSX/")]
    if len(files) != 1:
        some = ", ".join(shown(one.filename) for one in files[:3])
        raise UsageError(
            f"{path} holds {len(files)} files ({some}, ...); compress one table alone, or save the "
            "table of an office document as .xlsx or CSV"
        )
    return files[0]


@contextmanager
def _read_errors(name: str, kind: str, advice: str = "save it again, or as CSV") -> Iterator[None]:
    """Translate the many kinds of errors that libraries raise for damaged files."""
    try:
        yield
    except UsageError:
        raise
    except ImportError:
        extra = f"sgpmic[{kind.lower()}]"
        raise UsageError(
            f"{name} is a {kind} file: install {extra} to read it (pip install '{extra}'), or save "
            "it as CSV"
        ) from None
    except Exception as error:
        reason = " ".join(str(error).split())[:200]
        raise UsageError(f"{name} is not a readable {kind} file ({reason}); {advice}") from None


def tables_in(source: Source, format: TextFormat, known: Names, whole: bool) -> Generator[RawTable]:
    """Yield the whole table or blocks of its rows."""
    start = source.start()
    if start.startswith(NPY):
        yield from _npy_tables(source, whole)
    elif start.startswith(PARQUET):
        with _read_errors(source.name, "Parquet"):
            yield from _frame_tables(source.name, _parquet_frames(source, whole))
    elif start.startswith(ZIP):
        with _read_errors(source.name, "xlsx"):
            # Decimal separators in texts of a sheet are found column by column.
            rows = _sheet_rows(source)
            yield from _row_tables(source.name, TextFormat(decimal="."), rows, known, whole)
    else:
        format, rows = csv_rows(source, format, whole)
        with closing(rows):
            yield from _row_tables(source.name, format, rows, known, whole)


def _row_tables(
    path: str, format: TextFormat, rows: Iterator[Row], known: Names, whole: bool
) -> Iterator[RawTable]:
    """Make tables of the rows of a text file or a sheet, whose first row may name the columns."""
    first = list(islice(rows, SAMPLE))
    if not first:
        raise UsageError(f"{path} is empty; it needs a header line and rows of numbers")
    start = [[as_text("" if cell is None else cell).strip() for cell in row] for _, row in first]
    named = not set(start[0]).isdisjoint(known) or is_header(start, format.decimal or "")
    names = default_names(len(start[0]))
    if named:
        names = [cell or name for cell, name in zip(start[0], names, strict=True)]
    check_names(path, names)
    rows = chain(first[named:], rows)
    size = None if whole else max(1, CELLS // len(names))
    n_rows = 0
    while block := list(islice(rows, size)):
        lines, values = zip(*block, strict=True)
        columns = [np.array(column, dtype=object) for column in zip(*values, strict=True)]
        if not format.decimal:
            comma = any(map(_has_decimal_comma, columns))
            format = replace(format, decimal="," if comma else ".")
        if format.separator is None:
            found = [Cells.of_series(pd.Series(column, dtype=object)) for column in columns]
        else:
            found = [Cells.of(column, format.decimal or ".") for column in columns]
        cells = dict(zip(names, found, strict=True))
        yield RawTable(path, cells, named, np.array(lines), n_rows, format=format)
        n_rows += len(block)
    if not n_rows:
        raise _no_rows(path)


def _no_rows(path: str) -> UsageError:
    return UsageError(f"{path} has a header and no rows; add rows of numbers below it")


def _has_decimal_comma(column: np.ndarray) -> bool:
    """Return whether the texts of a column are numbers only with a decimal comma."""
    if "," not in "".join(column):
        return False
    found = find_notation({text.strip() for text in column})
    return found is not None and found.decimal == ","


def _sheet_rows(source: Source) -> Iterator[Row]:
    """Yield the rows of the first sheet that are not blank, all as long as the longest."""
    from openpyxl import load_workbook

    sheet = load_workbook(source.stream, read_only=True, data_only=True).worksheets[0]
    sheet.reset_dimensions()  # some programs write wrong ones
    rows = [*enumerate(sheet.iter_rows(values_only=True), 1)]
    n_columns = max((len(row) for _, row in rows), default=0)
    for number, row in rows:
        if any(cell is not None for cell in row):
            yield number, [*row, *[None] * (n_columns - len(row))]


def _npy_tables(source: Source, whole: bool) -> Iterator[RawTable]:
    """Yield the array (N, P) of a .npy file or blocks of its rows. Map a large one into memory.

    A mapped file that another program truncates ends the process with SIGBUS.
    """
    name = source.name
    with _read_errors(name, ".npy", NPY_ADVICE):
        if source.path is None:
            array = np.load(io.BytesIO(source.read_all()), allow_pickle=False)
        else:
            array = np.load(source.path, mmap_mode="r", allow_pickle=False)
            if array.size <= MAX_IN_MEMORY:
                array = np.load(source.path, allow_pickle=False)
    if array.ndim != 2 or array.dtype.kind not in "biuf" or not array.size:
        found = f"an array of shape {array.shape} and type {array.dtype}"
        raise UsageError(f"{name} holds {found}; {NPY_ADVICE}")
    if whole:
        yield RawTable.from_array(name, array, 0)
        return
    n_rows, mapped = len(array), isinstance(array, np.memmap)
    for rows in row_blocks.row_blocks(n_rows):
        # All pages that were read of a mapping count as memory: 0.7 instead of 0.3 GB for 3,000,000
        # rows of 20 columns.
        if mapped and source.path is not None:
            array = np.load(source.path, mmap_mode="r", allow_pickle=False)
        yield RawTable.from_array(
            name, np.array(array[rows], dtype=np.float64, order="C"), rows.start
        )


def _parquet_frames(source: Source, whole: bool) -> Iterator[pd.DataFrame]:
    from pyarrow.parquet import ParquetFile

    with ParquetFile(source.path or io.BytesIO(source.read_all())) as file:
        parts = [file.read()] if whole else file.iter_batches(row_blocks.ROWS)
        yield from map(from_arrow, parts)


def _frame_tables(name: str, frames: Iterator[pd.DataFrame]) -> Iterator[RawTable]:
    n_rows = 0
    for frame in frames:
        if len(frame):
            yield RawTable.from_frame(name, frame, n_rows)
        n_rows += len(frame)
    if not n_rows:
        raise _no_rows(name)
