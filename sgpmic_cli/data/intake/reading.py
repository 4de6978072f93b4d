"""The bytes of a file or of standard input, unpacked, as text."""

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
from typing import BinaryIO, Protocol

from sgpmic_cli.data.intake.problems import Problem, Remedy, TableError, shown
from sgpmic_cli.errors import SgpmicError, UsageError

STANDARD_INPUT = "-"
LARGEST = 2 * 1024**3  # bytes; a table beyond would not fit into memory as numbers and text at once
CHUNK = 1024**2
SILENCE = 60.0  # seconds that a pipe may take before its first byte
PIECE = 4 * 1024**2  # bytes of text that are looked at together
PARQUET = b"PAR1"
NPY = b"\x93NUMPY"
LONGEST_MARK = 6  # bytes
_MARKS = {  # the longer of two that begin alike first
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}


class Readable(Protocol):
    """All that is asked of a stream of bytes."""

    def read(self, size: int, /) -> bytes:
        """At most so many bytes; none at the end."""


def called(path: str) -> str:
    """A path as sentences call it."""
    return "standard input" if path == STANDARD_INPUT else path


class Source:
    """Unpacked bytes, to be read once; `path` where they lie in a file just so, which can be read in any order."""

    def __init__(self, stream: Readable, name: str, path: str | None = None):
        self.stream, self.name, self.path = stream, name, path
        self._start = stream.read(LONGEST_MARK)

    def starts_with(self, *marks: bytes) -> bool:
        """Whether the bytes begin with one of these marks; none is used up."""
        return self._start.startswith(marks)

    def read(self, size: int, /) -> bytes:
        """At most so many bytes."""
        if not self._start:
            return self.stream.read(size)
        start, self._start = self._start[:size], self._start[size:]
        return start + self.stream.read(size - len(start))

    def whole(self) -> bytes:
        """All bytes, or a refusal where there is no end to them or, at once, where they are nothing but zeros."""
        parts: list[bytes] = []
        size = 0
        while part := self.read(CHUNK):
            if not any(part) and len(part) == CHUNK:
                raise UsageError(
                    f"{self.name} is not a text file (it holds nothing but zero bytes); save it as CSV in UTF-8"
                )
            parts.append(part)
            size += len(part)
            if size > LARGEST:
                limit = f"{LARGEST / 1024**3:g} GiB"
                raise UsageError(
                    f"{self.name} is larger than {limit} unpacked; take a sample of its rows"
                )
        return b"".join(parts)


@contextmanager
def unpacked(path: str) -> Iterator[Source]:
    """The bytes of a file, or of standard input where the path is "-"; those of a gzip, bz2 or zip file unpacked.

    What goes wrong while they are read, inside the `with`, is told as well.
    """
    if path == STANDARD_INPUT:
        if sys.stdin is None or sys.stdin.isatty():
            raise UsageError(
                "standard input is a terminal: send a table into it, as in `sgpmic fit - < table.csv`"
            )
        with _unpacking(Source(_speaking(sys.stdin.buffer, called(path)), called(path))) as source:
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
    except (OSError, ValueError) as error:
        if isinstance(error, UsageError):
            raise
        raise UsageError(f"{path} cannot be read ({error}); give the path of a CSV file") from None


def _opened(path: str) -> BinaryIO:
    """The file, open; a pipe as soon as something comes out of it."""
    if not stat.S_ISFIFO(os.stat(path).st_mode):
        return Path(path).open("rb")
    pipe = os.open(
        path, os.O_RDONLY | os.O_NONBLOCK
    )  # otherwise this would wait for a writer, and not give up
    file = _speaking(os.fdopen(pipe, "rb"), path)
    os.set_blocking(pipe, True)
    return file


def _speaking(stream: BinaryIO, name: str) -> BinaryIO:
    """The stream, once its first byte or its end has come; files have it at once."""
    try:
        waiting = os.name == "posix" and not select.select([stream], [], [], SILENCE)[0]
    except (OSError, TypeError, ValueError):  # not a stream of the system
        return stream
    if waiting:
        raise UsageError(
            f"nothing has come from {name} for {SILENCE:g} s; start what writes into it, or give a file"
        )
    return stream


@contextmanager
def _unpacking(packed: Source) -> Iterator[Source]:
    name = packed.name
    if not packed.starts_with(b"\x1f\x8b", b"BZh", b"PK\x03\x04"):
        yield packed
        return
    try:
        if packed.starts_with(b"\x1f\x8b"):
            yield Source(gzip.GzipFile(fileobj=packed), name)  # type: ignore[call-overload]
        elif packed.starts_with(b"BZh"):
            yield Source(bz2.BZ2File(packed), name)  # type: ignore[call-overload]
        else:
            with zipfile.ZipFile(packed.path or io.BytesIO(packed.whole())) as archive:
                yield Source(archive.open(_only_member(name, archive)), name)
    except (
        OSError,
        EOFError,
        zlib.error,
        zipfile.BadZipFile,
        RuntimeError,
        NotImplementedError,
    ) as error:
        raise UsageError(f"{name} cannot be unpacked ({error}); pack it again") from None


def decoded(path: str, stream: Readable, encoding: str | None) -> Iterator[str]:
    """The text that bytes stand for, piece by piece, with line ends as they are everywhere today."""
    raw = stream.read(PIECE)
    chosen = encoding or next(
        (name for mark, name in _MARKS.items() if raw.startswith(mark)), "utf-8-sig"
    )
    try:
        b"".decode(chosen)  # refuses what is a codec, but none of text
        decoder = io.IncrementalNewlineDecoder(
            codecs.getincrementaldecoder(chosen)(), translate=True
        )
    except LookupError:
        raise UsageError(
            f"encoding={encoding!r} is unknown; give a name such as 'utf-8', 'latin-1' or 'cp1252'"
        ) from None
    lines, empty = 0, True
    while True:
        try:
            text = decoder.decode(raw, final=not raw)
        except UnicodeDecodeError as error:
            line = lines + error.object.count(b"\n", 0, error.start) + 1
            byte = f"byte 0x{error.object[error.start]:02x} in line {line}"
            what = f"is not in {chosen.removesuffix('-sig').upper()} ({byte})"
            raise TableError(
                path,
                [
                    Problem(
                        what,
                        (
                            Remedy("name its encoding", "encoding", "latin-1"),
                            Remedy("save it in UTF-8"),
                        ),
                    )
                ],
            ) from None
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
        lines += raw.count(b"\n")
        raw = stream.read(PIECE)
    if empty:
        raise UsageError(f"{path} is empty; it needs a header line and rows of numbers")


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
