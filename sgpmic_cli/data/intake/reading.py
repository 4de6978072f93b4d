"""Open files and standard input, unpack them and decode their text."""

import bz2
import codecs
import gzip
import io
import os
import select
import stat
import sys
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from sgpmic_cli.data.intake.problems import Problem, Remedy, TableError, shown
from sgpmic_cli.errors import SgpmicError, UsageError

STANDARD_INPUT = "-"
MAX_BYTES = 2 * 1024**3  # of a table that is loaded into memory
SILENCE = 60.0  # seconds to wait for the first byte of a pipe
PIECE = 4 * 1024**2  # bytes per read
GZIP, BZIP2, ZIP = b"\x1f\x8b", b"BZh", b"PK\x03\x04"
PARQUET, NPY = b"PAR1", b"\x93NUMPY"
BYTE_ORDER_MARKS = {  # UTF-32 before UTF-16, whose marks are prefixes
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}


class Source:
    """A stream of unpacked bytes; `stream` has a method `read(size)`.

    `path` is None unless a file holds the same bytes.
    """

    def __init__(self, stream: Any, name: str, path: str | None = None):
        self.stream, self.name, self.path = stream, name, path
        self._start: bytes = stream.read(len(NPY))

    def starts_with(self, *signatures: bytes) -> bool:
        """Return whether the stream begins with one of the signatures, without consuming it."""
        return self._start.startswith(signatures)

    def read(self, size: int, /) -> bytes:
        """Read at most `size` bytes."""
        if not self._start:
            return self.stream.read(size)
        start, self._start = self._start[:size], self._start[size:]
        return start + self.stream.read(size - len(start))

    def read_all(self) -> bytes:
        """Read all bytes. Raise UsageError for streams without end."""
        parts: list[bytes] = []
        size = 0
        while part := self.read(PIECE):
            if len(part) == PIECE and not any(part):
                raise UsageError(
                    f"{self.name} is not a text file (it holds nothing but zero bytes); save it as "
                    "CSV in UTF-8"
                )
            parts.append(part)
            size += len(part)
            if size > MAX_BYTES:
                raise UsageError(
                    f"{self.name} is larger than {MAX_BYTES / 1024**3:g} GiB unpacked; take a "
                    "sample of its rows"
                )
        return b"".join(parts)


@contextmanager
def unpacked(path: str) -> Iterator[Source]:
    """Open a file, or standard input for "-", and unpack gzip, bz2 and zip.

    Errors that occur while the caller reads are translated as well.
    """
    if path == STANDARD_INPUT:
        if sys.stdin is None or sys.stdin.isatty():
            raise UsageError(
                "standard input is a terminal: send a table into it, as in "
                "`sgpmic fit - < table.csv`"
            )
        stream = _wait_for_data(sys.stdin.buffer, "standard input")
        with _unpacking(Source(stream, "standard input")) as source:
            yield source
        return
    try:
        with _opened(path) as file, _unpacking(Source(file, path, path)) as source:
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


def _opened(path: str) -> BinaryIO:
    if not stat.S_ISFIFO(os.stat(path).st_mode):
        return Path(path).open("rb")
    pipe = os.open(path, os.O_RDONLY | os.O_NONBLOCK)  # a blocking open waits for a writer forever
    file = _wait_for_data(os.fdopen(pipe, "rb"), path)
    os.set_blocking(pipe, True)
    return file


def _wait_for_data(stream: BinaryIO, name: str) -> BinaryIO:
    """Return the stream as soon as it has data or ends. Raise UsageError after `SILENCE`."""
    try:
        silent = os.name == "posix" and not select.select([stream], [], [], SILENCE)[0]
    except (OSError, TypeError, ValueError):  # not a stream of the operating system
        return stream
    if silent:
        raise UsageError(
            f"nothing has come from {name} for {SILENCE:g} s; start what writes into it, or give a "
            "file"
        )
    return stream


@contextmanager
def _unpacking(packed: Source) -> Iterator[Source]:
    name = packed.name
    if not packed.starts_with(GZIP, BZIP2, ZIP):
        yield packed
        return
    try:
        if packed.starts_with(GZIP):
            yield Source(gzip.GzipFile(fileobj=packed), name)  # type: ignore[call-overload]
        elif packed.starts_with(BZIP2):
            yield Source(bz2.BZ2File(packed), name)  # type: ignore[call-overload]
        else:
            with zipfile.ZipFile(packed.path or io.BytesIO(packed.read_all())) as archive:
                yield Source(archive.open(_only_member(name, archive)), name)
    except (OSError, EOFError, zlib.error, zipfile.BadZipFile, RuntimeError) as error:
        raise UsageError(f"{name} cannot be unpacked ({error}); pack it again") from None


def _only_member(path: str, archive: zipfile.ZipFile) -> zipfile.ZipInfo:
    files = [
        one
        for one in archive.infolist()
        if not one.is_dir() and not one.filename.startswith("__MACOSX/")
    ]
    if any(one.filename == "[Content_Types].xml" for one in files):
        raise UsageError(f"{path} is an office document; save the sheet as CSV in UTF-8")
    if len(files) != 1:
        some = ", ".join(shown(one.filename) for one in files[:3])
        raise UsageError(f"{path} packs {len(files)} files ({some}, ...); pack one table alone")
    return files[0]


def decoded(path: str, stream: Any, encoding: str | None) -> Iterator[str]:
    """Decode a stream piece by piece and translate line ends to newlines."""
    raw = stream.read(PIECE)
    marks = BYTE_ORDER_MARKS.items()
    chosen = encoding or next((name for mark, name in marks if raw.startswith(mark)), "utf-8-sig")
    try:
        b"".decode(chosen)  # raises LookupError for codecs that do not decode to text
        bytes_decoder = codecs.getincrementaldecoder(chosen)()
    except LookupError:
        raise UsageError(
            f"--encoding {encoding} is unknown; give a name such as 'utf-8', 'latin-1' or 'cp1252'"
        ) from None
    decoder = io.IncrementalNewlineDecoder(bytes_decoder, translate=True)
    n_lines, empty = 0, True
    while True:
        try:
            text = decoder.decode(raw, final=not raw)
        except UnicodeDecodeError as error:
            line = n_lines + error.object.count(b"\n", 0, error.start) + 1
            byte = f"byte 0x{error.object[error.start]:02x} in line {line}"
            what = f"is not in {chosen.removesuffix('-sig').upper()} ({byte})"
            remedy = Remedy("name its encoding", "encoding", "latin-1")
            raise TableError(path, [Problem(what, [remedy, "save it in UTF-8"])]) from None
        except UnicodeError as error:
            raise UsageError(
                f"{path} cannot be read as {chosen} ({error}); name another encoding"
            ) from None
        if "\0" in text:
            raise UsageError(
                f"{path} is not a text file in UTF-8 (it has zero bytes); save it as CSV in UTF-8"
            )
        empty = empty and not text.strip()
        yield text
        if not raw:
            break
        n_lines += raw.count(b"\n")
        raw = stream.read(PIECE)
    if empty:
        raise UsageError(f"{path} is empty; it needs a header line and rows of numbers")
