"""Read tables from text, Parquet, .xlsx and .npy files, compressed or not, into frames.

The extras `sgpmic[parquet]` and `sgpmic[xlsx]` install pyarrow and openpyxl.
"""

import codecs
import csv
import gzip
import io
import os
import re
import sys
import zipfile
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import chain, islice
from typing import Any

import numpy as np
import pandas as pd

from sgpmic_cli._typing import Indices
from sgpmic_cli.errors import UsageError
from sgpmic_cli.tables.notation import MISSING, find_notation, to_number
from sgpmic_cli.tables.options import TextFormat, leave_out, plural, shown

STANDARD_INPUT = "-"
GZIP, ZIP = b"\x1f\x8b", b"PK\x03\x04"
PARQUET, NPY = b"PAR1\x15", b"\x93NUMPY"  # a column may be called PAR1
SHEETS = "xl/workbook.xml"  # the member of a .xlsx file that names its sheets
# The beginnings of files that are refused.
OTHERS = {
    rb"\xfd7zXZ\0": "compressed by xz; decompress it",
    rb"\x28\xb5\x2f\xfd": "compressed by zstd; decompress it",
    rb"BZh\d1AY": "compressed by bzip2; decompress it",
    rb"\s*(?i:<!doctype|<html|<\?xml|<table)": "HTML or XML; open it as a spreadsheet",
    rb'\s*(\{\s*"|\[\s*[\[{])': "JSON; convert it with pandas.read_json",
}
ENCODINGS = "utf-8", "cp1252"  # the second is that of Windows in Western Europe
SEPARATORS = ("\t", ";", "|", ",")
YEAR = re.compile("(18|19|20)[0-9]{2}")
SAMPLE = 10  # lines that determine the separator and the header
# The mark of UTF-32 begins with that of UTF-16.
MARKS = {codecs.BOM_UTF32_LE: "utf-32", codecs.BOM_UTF32_BE: "utf-32"}
MARKS |= {codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
MAX_BYTES = 1 << 31  # of a file after decompression
MAX_SHEET_ROWS = 1 << 20
MAX_SHEET_CELLS = 50  # for each cell of a spreadsheet that has a value, beyond the first million
MAX_TITLES = 5  # lines above a header
MAX_VALUE = 1e100  # sums of squares of larger numbers overflow
csv.field_size_limit(1 << 26)  # characters; a longer cell has a quote that is never closed


@dataclass(frozen=True, eq=False)
class Table:
    """A table as it was read, and where it comes from."""

    name: str
    frame: pd.DataFrame  # float64, integers, datetime64 in UTC, or texts without outer spaces
    named: bool  # whether the columns have names of their own
    lines: Indices | None = None  # (N,) line of each row in a file
    format: TextFormat = TextFormat()  # of a text file, as detected
    notes: tuple[str, ...] = ()  # how the file was read
    categorical: frozenset[str] = (
        frozenset()
    )  # names of the columns that pandas holds as categories

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


def read_table(path: str, format: TextFormat, known: Collection[str | None] = ()) -> Table:
    """Read a table from a file of any supported format, or from standard input for "-".

    A first line of a CSV file with one of the `known` names is a header.
    """
    name = "standard input" if path == STANDARD_INPUT else path
    content = _decompressed(name, _content(path))
    if content.startswith(NPY):
        return _npy_table(name, path if content == NPY else io.BytesIO(content))
    if content.startswith(PARQUET):
        with _read_errors(name, "Parquet"):
            from pyarrow.parquet import ParquetFile

            table = table_of_frame(name, from_arrow(ParquetFile(io.BytesIO(content)).read()))
    elif content.startswith(ZIP):
        with _read_errors(name, "xlsx"):
            table = _sheet(name, content, known)
    else:
        table = _text_table(name, content, format, known)
    if not len(table.frame):
        raise UsageError(f"{name} has a header and no rows; add rows of numbers below it")
    return table


def table_of_frame(name: str, frame: pd.DataFrame) -> Table:
    """Return the table of a frame. Names of rows become a column, unless one has theirs."""
    if not isinstance(frame.index, pd.RangeIndex):
        frame = frame.reset_index(drop=not {*frame.index.names}.isdisjoint(frame.columns))
    names = [*map(str, frame.columns)]
    check_names(name, names)
    frame = frame.set_axis(names, axis=1)
    categorical = frozenset(map(str, frame.select_dtypes("category")))
    return Table(name, plain_frame(frame), named=True, categorical=categorical)


def plain_frame(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame whose columns are floats, integers, texts or dates."""
    if {*frame.dtypes} <= {np.dtype(float), np.dtype("i8")}:  # quickly, if there are many columns
        return frame.reset_index(drop=True)
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
            values = np.array([_as_text(cell) for cell in objects], dtype=object)
            values[pd.isna(objects)] = ""
    return pd.Series(values, dtype=values.dtype)


def _as_text(cell: Any) -> str:
    """Return a cell as text; a whole number without a point, as beside no missing value."""
    if isinstance(cell, float | Fraction):
        cell = int(cell) if np.isfinite(float(cell)) and cell == int(cell) else float(cell)
    return str(cell).strip()


def default_names(n: int) -> list[str]:
    """Return the names of columns that have none."""
    return [f"column_{j + 1}" for j in range(n)]


def check_names(table: str, names: Sequence[str]) -> None:
    """Raise UsageError if two columns have the same name."""
    again = pd.Series(names, dtype=object).duplicated()
    if again.any():
        name = shown(names[int(again.argmax())])
        raise UsageError(f"{table} has two columns named {name}; give every column its own name")


def from_arrow(table: Any) -> pd.DataFrame:
    """Convert a table with the Arrow interface, such as that of polars, to pandas.

    Whole numbers stay exact beside missing values.
    """
    import pyarrow

    # Convert column by column and free each: pandas.read_parquet holds the table twice.
    options = {"split_blocks": True, "integer_object_nulls": True}
    frame: pd.DataFrame = pyarrow.table(table).to_pandas(**options)
    return frame


def _content(path: str) -> bytes:
    """Return the content of a file. Of a .npy file, which can be mapped, return its beginning."""
    if path == STANDARD_INPUT:
        return sys.stdin.buffer.read()
    try:
        with open(path, "rb") as file:
            start = file.read(len(NPY))
            return start if start == NPY and os.path.isfile(path) else start + file.read()
    except FileNotFoundError:
        raise UsageError(f"there is no file {path}; give the path of a CSV file") from None
    except OSError as error:
        reason = error.strerror or error
        raise UsageError(f"{path} cannot be read ({reason}); give the path of a CSV file") from None


def _decompressed(name: str, content: bytes) -> bytes:
    with _read_errors(name, "compressed"):
        if content.startswith(GZIP):
            with gzip.open(io.BytesIO(content)) as file:
                content = file.read(MAX_BYTES + 1)
            _check_size(name, len(content))
        elif content.startswith(ZIP):
            with zipfile.ZipFile(io.BytesIO(content)) as archive:
                _check_size(name, sum(each.file_size for each in archive.infolist()))
                files = [one for one in archive.namelist() if not one.startswith("__MACOSX/")]
                if len(files) == 1:
                    return archive.read(files[0])
                if SHEETS not in files:
                    raise UsageError(
                        f"{name} holds {len(files)} files; compress one table alone, or save the "
                        "table of an office document as .xlsx or CSV"
                    )
    return content


def _check_size(name: str, size: int) -> None:
    if size > MAX_BYTES:
        raise UsageError(
            f"{name} has more than 2 GiB when it is decompressed; save numbers as .npy"
        )


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


def _npy_table(name: str, source: str | io.BytesIO) -> Table:
    advice = "save a table of numbers, rows by columns, with numpy.save"
    with _read_errors(name, ".npy", advice):
        # A stream cannot be mapped.
        array = np.load(source, "r" if isinstance(source, str) else None, allow_pickle=False)
        if array.ndim != 2 or array.dtype.kind not in "biuf" or not array.size:
            raise ValueError(f"an array of shape {array.shape} and type {array.dtype}")
    numbers, names = array.astype(np.float64, copy=False), default_names(array.shape[1])
    return Table(name, pd.DataFrame(numbers, columns=names, copy=False), named=False)


def _sheet(name: str, content: bytes, known: Collection[str | None]) -> Table:
    """Return the first sheet with three rows of two cells, or the first if none has as many.

    Decimal separators in its texts are found column by column.
    """
    from openpyxl import load_workbook

    sheets = load_workbook(io.BytesIO(content), read_only=True, data_only=True).worksheets
    for sheet in (*sheets, sheets[0]):
        rows = _rows_of_sheet(name, sheet)
        if sum(len(row) - row.count(None) > 1 for row in rows.values()) > 2:  # a header and two
            break
    cells, lines = pd.DataFrame([*rows.values()], dtype=object), np.array([*rows])
    table = _with_header(name, cells, lines, TextFormat(",", "."), known)
    notes = table.notes
    if len(sheets) > 1:
        which = "the first" if sheet is sheets[0] else "the first with a table"
        other = "to read another one, save it as a file of its own"
        notes = (f"{which} of {len(sheets)} sheets is read: {shown(sheet.title)}; {other}.", *notes)
    return replace(table, frame=plain_frame(table.frame), notes=notes)


def _rows_of_sheet(name: str, sheet: Any) -> dict[int, tuple[Any, ...]]:
    """Return the rows of a sheet with cells that have a value, by their numbers."""
    sheet.reset_dimensions()  # those that a file names may be wrong
    rows, line, filled = {}, 0, 0
    for line, row in enumerate(islice(sheet.iter_rows(values_only=True), MAX_SHEET_ROWS + 1), 1):
        if n_filled := sum(cell not in (None, "") for cell in row):
            rows[line], filled = row, filled + n_filled
    width = max(map(len, rows.values()), default=0)
    if line > MAX_SHEET_ROWS or width * len(rows) > 1_000_000 + MAX_SHEET_CELLS * filled:
        where = f"in column {width} or beyond row {MAX_SHEET_ROWS:,}"
        raise UsageError(f"{name} has a cell far from its table, {where}; delete it")
    return {line: row + (None,) * (width - len(row)) for line, row in rows.items()}


def _text_table(
    name: str, content: bytes, format: TextFormat, known: Collection[str | None]
) -> Table:
    for start, what in OTHERS.items():
        if re.match(start, content.removeprefix(codecs.BOM_UTF8)):
            raise UsageError(f"{name} is {what}, and save it as CSV")
    marked = tuple(encoding for mark, encoding in MARKS.items() if content.startswith(mark))[:1]
    tried = (format.encoding,) if format.encoding else marked or ENCODINGS
    if b"\0" in content and tried is ENCODINGS:
        raise UsageError(
            f"{name} is no text file in UTF-8 with cells and lines; open it with its program, or "
            "with pandas, and save it as CSV"
        )
    text, encoding = _decoded(name, content, tried)
    first_line, separator = 1, format.separator
    # Excel names the separator in a line before the header.
    if found := re.match(r'(?i)"?sep=([^\w"\n])"?\s*\n', text):
        text, first_line, separator = text[found.end() :], 2, separator or found[1]
    separator = separator or _find_separator(name, text, format.decimal)
    cells, lines = _cells(name, text, separator, first_line)
    table = _with_header(name, cells, lines, replace(format, separator=separator), known)
    if not format.decimal:
        # The decimal separator is a comma if a column is numbers only with one.
        texts = [set(column) for _, column in table.frame.items() if "," in "".join(column)]
        comma = any(getattr(find_notation(each), "decimal", ".") == "," for each in texts)
        table = replace(table, format=replace(table.format, decimal="," if comma else "."))
    notes = [*table.notes]
    if not table.named:
        notes.append(f"no header was found in {name}, so its first line is read as data.")
    if encoding not in (format.encoding, ENCODINGS[0]):
        notes.append(f"{name} is not in UTF-8 and is read as {encoding}.")
    return replace(table, notes=tuple(notes))


def _decoded(name: str, content: bytes, tried: Sequence[str]) -> tuple[str, str]:
    """Return the text, and the first of the encodings that reads it."""
    for encoding in tried:
        try:
            text = content.decode(encoding).lstrip("\ufeff")  # some programs write two marks
        except UnicodeDecodeError as error:
            line, byte = content.count(b"\n", 0, error.start) + 1, content[error.start]
            where = f"byte 0x{byte:02x} in line {line}"
        except (LookupError, ValueError):  # a name with a zero byte
            raise UsageError(
                f"--encoding {encoding} is unknown; give a name such as 'latin-1' or 'cp1252'"
            ) from None
        else:
            return text, encoding
    raise UsageError(
        f"{name} is not in {' or '.join(tried)} ({where}); name its encoding (--encoding latin-1), "
        "or save it in UTF-8"
    )


def _stream(text: str) -> io.TextIOWrapper:
    """Return a stream with the line ends as they are. `io.StringIO` takes four times the memory."""
    return io.TextIOWrapper(io.BytesIO(text.encode()), "utf-8", newline="")


def _cells(name: str, text: str, separator: str, line: int) -> tuple[pd.DataFrame, Indices]:
    """Return the cells of a text that begins on a line of its file, and the line of each row.

    Raise UsageError for text after a closing quote, and rows with too few or too many cells.
    """
    options: Any = {"delimiter": separator, "skipinitialspace": separator != " ", "strict": True}
    reader, rows, lines, before = csv.reader(_stream(text), **options), [], [], line
    try:
        for cells in reader:
            cells = [*map(str.strip, cells)]
            if len(cells) > 1 or any(cells):
                rows.append(cells)
                lines.append(line)
                if len(cells) != len(rows[0]):
                    hint = "delete lines above the header, and give every row as many cells"
                    if len(rows) == 2 and len(cells) == len(rows[0]) + 1:
                        hint += ", or if the first are the row names of R, use write.csv"
                    raise UsageError(
                        f"{name}, line {line}: {plural(len(cells), 'cell')} where the first line "
                        f"has {len(rows[0])}; {hint}"
                    )
            line = before + reader.line_num
    except csv.Error:
        raise UsageError(
            f"{name}, line {line}: a quote is not closed, or text follows a closing quote; check "
            "the quotes around its cells"
        ) from None
    return pd.DataFrame(rows, dtype=object), np.array(lines)


def _with_header(
    name: str,
    cells: pd.DataFrame,
    lines: Indices,
    format: TextFormat,
    known: Collection[str | None],
) -> Table:
    """Return the table of the cells of a text or a sheet, whose first row may name the columns."""
    if not len(cells):
        raise UsageError(f"{name} is empty; it needs a header line and rows of numbers")
    first = cells.head(SAMPLE).to_numpy(dtype=object).tolist()
    start = [["" if cell is None else str(cell).strip() for cell in row] for row in first]
    notes: list[str] = []
    # A title is alone in its line, and the first line without an empty cell below it is the header.
    titles = next((k for k, row in enumerate(start[:MAX_TITLES]) if "" not in row), 0)
    if not any(cell for row in start[:titles] for cell in row[1:]) and _is_header(
        start[titles:], format.decimal
    ):
        if titles:
            notes = [f"the lines above the header are left out: {shown(start[0][0])}."]
        cells, lines, start = cells.iloc[titles:], lines[titles:], start[titles:]
    named = not set(start[0]).isdisjoint(known) or _is_header(start, format.decimal)
    names = default_names(cells.shape[1])
    if named:
        names = [cell or name for cell, name in zip(start[0], names, strict=True)]
    check_names(name, names)
    frame = cells.set_axis(names, axis=1).iloc[int(named) :].reset_index(drop=True)
    blank = np.flatnonzero([not any(column) for column in zip(*start, strict=True)])
    below = frame.iloc[:, blank].to_numpy(dtype=object)
    empty = blank[(pd.isna(below) | (below == "")).all(axis=0)]
    if len(empty):
        notes.append(f"empty columns without a name are left out: {len(empty)}.")
        frame = frame.drop(columns=frame.columns[empty])
    return Table(name, frame, named, lines[int(named) :], format, tuple(notes))


def _is_header(rows: Sequence[Sequence[str]], decimal: str | None) -> bool:
    """Return whether the first row holds the names of the columns.

    It does if it has words only, if it has a word above numbers or a number above words, or if it
    has words beside years, and those below do not.
    """
    first, *others = ([_is_number(cell, decimal) for cell in row] for row in rows)
    if not others or True not in first:
        return False in first
    for kind, column in zip(first, zip(*others, strict=True), strict=True):
        if kind is not None and set(column) - {None} == {not kind}:
            return True
    numeric = [j for j, kind in enumerate(first) if kind]
    years = [all(YEAR.fullmatch(row[j]) for j in numeric) for row in rows]
    return False in first and years[0] and not any(years[1:])


def _is_number(cell: str, decimal: str | None) -> bool | None:
    """Return None for a missing value, which both kinds of columns may have."""
    if cell.lower() in MISSING:
        return None
    return any(to_number(cell, separator) is not None for separator in decimal or ".,")


def _find_separator(name: str, text: str, decimal: str | None) -> str:
    """Return the first candidate that splits the first lines into equal rows of several cells.

    The decimal separator separates only cells in quotes, as in "1,5","2,5".
    """
    sample = islice(_stream(text), SAMPLE)
    lines = [line for line in sample if line.strip()]
    is_cut = "".join(lines).count('"') % 2  # the last row ends within a cell
    widths = {}
    for separator in SEPARATORS:
        if separator != decimal or '"' in "".join(lines):
            found = [
                len(row) for row in csv.reader(lines, delimiter=separator, skipinitialspace=True)
            ]
            widths[separator] = found[: len(found) - is_cut]
    for separator, found in widths.items():
        if len(set(found)) == 1 and found[0] > 1:
            return separator
    n_words = min((len(line.split()) for line in lines), default=0)
    if {*chain(*widths.values())} == {1} and n_words > 1 and any(map(str.isdigit, lines[-1])):
        raise UsageError(
            f"{name} has spaces between its cells, as in tables of fixed width and those of R's "
            "write.table; save it as CSV, or name the separator (--separator ' ')"
        )
    return max([*widths][::-1], key=lambda separator: max(widths[separator], default=0))
