"""Open files and standard input, decompress them and decode their text."""

import bz2
import codecs
import csv
import gzip
import io
import json
import shlex
import sys
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from sgpmic_cli.errors import SgpmicError, UsageError
from sgpmic_cli.tables.options import TextFormat
from sgpmic_cli.tables.problems import Problem, Remedy, TableError, shown

STANDARD_INPUT = "-"
MAX_BYTES = 2 * 1024**3  # of a table that is loaded into memory
PIECE = 4 * 1024**2  # bytes per read
MAX_LINE = 1 << 26  # characters; a longer line is not one of a table
GZIP, BZIP2, ZIP = b"\x1f\x8b", b"BZh", b"PK\x03\x04"
PARQUET, NPY = b"PAR1", b"\x93NUMPY"
WINDOWS = "cp1252"  # of Western Europe
OLD_OFFICE = b"\xd0\xcf\x11\xe0"
SHEETS = "xl/workbook.xml"  # the member of a .xlsx file that names its sheets
BYTE_ORDER_MARKS = {  # UTF-32 before UTF-16, whose marks are prefixes
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}


class Source(NamedTuple):
    """A buffered stream of decompressed bytes; `path` is None unless a file holds the same."""

    stream: Any
    name: str
    path: str | None = None

    def starts_with(self, *signatures: bytes) -> bool:
        """Return whether the stream begins with one of the signatures, without consuming it."""
        return self.stream.peek(len(NPY)).startswith(signatures)

    def read_all(self) -> bytes:
        """Read all bytes of a file that fits into memory."""
        found = bytearray()
        while piece := self.stream.read(PIECE):
            found += piece
            self.check_size(len(found))
        return bytes(found)

    def check_size(self, size: int) -> None:
        """Raise UsageError if a table of this size cannot be loaded into memory."""
        if size > MAX_BYTES:
            raise UsageError(
                f"{self.name} is larger than {MAX_BYTES / 1024**3:g} GiB decompressed; take a "
                "sample of its rows"
            )


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
    except IsADirectoryError:
        raise UsageError(f"{path} is a folder; give the path of a CSV file in it") from None
    except PermissionError:
        raise SgpmicError(
            f"you have no permission to read {path}; change its mode or copy it"
        ) from None
    except OSError as error:
        raise UsageError(f"{path} cannot be read ({error}); give the path of a CSV file") from None


@contextmanager
def _decompressing(source: Source) -> Iterator[Source]:
    stream, name, path = source
    if not source.starts_with(GZIP, BZIP2, ZIP):
        yield source
        return
    try:
        if source.starts_with(GZIP):
            yield Source(gzip.GzipFile(fileobj=stream), name)
        elif source.starts_with(BZIP2):
            yield Source(bz2.BZ2File(stream), name)
        else:
            raw = io.BytesIO(b"" if path else source.read_all())
            with zipfile.ZipFile(path or raw) as archive:
                if SHEETS in archive.namelist():
                    yield Source(stream if path else io.BufferedReader(raw), name)
                else:
                    yield Source(archive.open(_only_member(name, archive)), name)
    except (OSError, EOFError, zlib.error, zipfile.BadZipFile, RuntimeError) as error:
        raise UsageError(f"{name} cannot be decompressed ({error}); compress it again") from None


def _only_member(path: str, archive: zipfile.ZipFile) -> zipfile.ZipInfo:
    members = (one for one in archive.infolist() if not one.is_dir())
    files = {one.filename: one for one in members if not one.filename.startswith("__MACOSX/")}
    if files.keys() & {"[Content_Types].xml", "mimetype"}:
        raise UsageError(
            f"{path} is an office document; save its table as .xlsx or as CSV in UTF-8"
        )
    if len(files) != 1:
        some = ", ".join(map(shown, list(files)[:3]))
        raise UsageError(f"{path} holds {len(files)} files ({some}, ...); compress one table alone")
    return files.popitem()[1]


@contextmanager
def read_errors(name: str, kind: str, advice: str = "") -> Iterator[None]:
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
        raise UsageError(f"{name} is not a readable {kind} file ({reason}){advice}") from None


def with_encoding(source: Source, format: TextFormat) -> TextFormat:
    """Complete the format: a text whose beginning is not UTF-8 is in the encoding of Windows.

    The rows of a sheet become lines with commas and decimal points, whatever the format of others.
    """
    if source.starts_with(ZIP):
        return TextFormat(separator=",", decimal=".")
    start = source.stream.peek(io.DEFAULT_BUFFER_SIZE)
    if format.encoding or start.startswith((*BYTE_ORDER_MARKS, OLD_OFFICE)) or b"\0" in start:
        return format
    try:
        codecs.getincrementaldecoder("utf-8")().decode(start)
    except UnicodeDecodeError:
        return replace(format, encoding=WINDOWS)
    return format


def text_lines(source: Source, encoding: str | None, *, whole: bool) -> Iterator[str]:
    """Yield the lines of a text file, or the rows of the first sheet of a .xlsx file as CSV.

    A text that is read as a `whole` has a limited size.
    """
    if source.starts_with(ZIP):
        with read_errors(source.name, "xlsx"):
            yield from _sheet_lines(source)
        return
    start, path = source.stream.peek(4), source.name
    if start.startswith(OLD_OFFICE):
        raise UsageError(f"{path} is an old office document; save its table as .xlsx or as CSV")
    if start.lstrip()[:1] in (b"{", b"["):
        new = path.removesuffix(".json") + ".csv"
        read, write = f"read_json({json.dumps(path)})", f"to_csv({json.dumps(new)}, index=False)"
        command = f"python -c {shlex.quote(f'import pandas; pandas.{read}.{write}')}"
        raise UsageError(f"{path} is a JSON file; make a CSV file of it: `{command}`")
    marks = BYTE_ORDER_MARKS.items()
    chosen = encoding or next((name for mark, name in marks if start.startswith(mark)), "utf-8-sig")
    try:
        text = io.TextIOWrapper(source.stream, chosen)
    except (LookupError, ValueError):  # a name with a zero byte
        raise UsageError(
            f"--encoding {encoding} is unknown; give a name such as 'utf-8', 'latin-1' or 'cp1252'"
        ) from None
    n_lines, size = 0, 0
    try:
        while line := text.readline(MAX_LINE):
            n_lines += 1
            size += len(line)
            source.check_size(size if whole else 0)
            if "\0" in line:
                raise UsageError(
                    f"{path} is not a text file in UTF-8 (it has zero bytes); save it as CSV in "
                    "UTF-8"
                )
            yield line
    except UnicodeDecodeError as error:
        bad_line = n_lines + error.object.count(b"\n", 0, error.start) + 1
        byte = f"byte 0x{error.object[error.start]:02x} in line {bad_line}"
        what = f"is not in {chosen.removesuffix('-sig').upper()} ({byte})"
        other = WINDOWS if chosen != WINDOWS else "latin-1"
        remedy = Remedy("name its encoding", "encoding", other)
        raise TableError(path, [Problem(what, [remedy, "save it in UTF-8"])]) from None
    except UnicodeError as error:
        reason = f"cannot be read as {chosen} ({error})"
        raise UsageError(f"{path} {reason}; name another encoding") from None


def _sheet_lines(source: Source) -> Iterator[str]:
    from openpyxl import load_workbook

    book = load_workbook(source.stream, read_only=True, data_only=True)
    for row in book.worksheets[0].iter_rows(values_only=True):
        if any(cell is not None for cell in row):
            line = io.StringIO()
            csv.writer(line, lineterminator="\n").writerow(row)
            yield line.getvalue()
