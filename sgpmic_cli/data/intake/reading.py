"""The bytes of a file or of standard input, unpacked, as text."""

import bz2
import codecs
import gzip
import io
import sys
import zipfile
import zlib
from pathlib import Path
from typing import Protocol

from sgpmic_cli.data.intake.problems import Problem, Remedy, TableError, shown
from sgpmic_cli.errors import SgpmicError, UsageError

STANDARD_INPUT = "-"
LARGEST = 2 * 1024**3  # bytes; a table beyond would not fit into memory as numbers and text at once
CHUNK = 1024**2
PARQUET = b"PAR1"
_MARKS = {  # the longer of two that begin alike first
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}


class _Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


def called(path: str) -> str:
    """A path as sentences call it."""
    return "standard input" if path == STANDARD_INPUT else path


def read_bytes(path: str) -> bytes:
    """All bytes of a file, or of standard input where the path is "-", unpacked if they are a gzip, bz2 or zip file."""
    if path == STANDARD_INPUT:
        if sys.stdin is None or sys.stdin.isatty():
            raise UsageError("standard input is a terminal: send a table into it, as in `sgpmic fit - < table.csv`")
        return _unpacked(called(path), _all_of(sys.stdin.buffer, called(path)))
    try:
        with Path(path).open("rb") as file:
            raw = _all_of(file, path)
    except FileNotFoundError:
        raise UsageError(f"there is no file {path}; give the path of a CSV file") from None
    except IsADirectoryError:
        raise UsageError(f"{path} is a folder; give the path of a CSV file in it") from None
    except PermissionError:
        raise SgpmicError(f"you have no permission to read {path}; change its mode or copy it") from None
    except (OSError, ValueError) as error:
        if isinstance(error, UsageError):
            raise
        raise UsageError(f"{path} cannot be read ({error}); give the path of a CSV file") from None
    return _unpacked(path, raw)


def decode(path: str, raw: bytes, encoding: str | None) -> str:
    """The text that bytes stand for, with line ends as they are everywhere today."""
    chosen = encoding or next((name for mark, name in _MARKS.items() if raw.startswith(mark)), "utf-8-sig")
    try:
        text = raw.decode(chosen)
    except LookupError:
        raise UsageError(
            f"encoding={encoding!r} is unknown; give a name such as 'utf-8', 'latin-1' or 'cp1252'"
        ) from None
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        what = f"is not in {chosen.removesuffix('-sig').upper()} (byte 0x{raw[error.start]:02x} in line {line})"
        raise TableError(
            path, [Problem(what, (Remedy("name its encoding", "encoding", "latin-1"), Remedy("save it in UTF-8")))]
        ) from None
    except UnicodeError as error:
        raise UsageError(f"{path} cannot be read as {chosen} ({error}); name another encoding") from None
    if "\0" in text:
        raise UsageError(f"{path} is not a text file in UTF-8 (it has zero bytes); save it as CSV in UTF-8")
    if not text.strip():
        raise UsageError(f"{path} is empty; it needs a header line and rows of numbers")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _all_of(stream: _Readable, path: str) -> bytes:
    """Everything in a stream, or a refusal where there is no end to it or, at once, where it is nothing but zeros."""
    parts: list[bytes] = []
    size = 0
    while part := stream.read(CHUNK):
        if not any(part) and len(part) == CHUNK:
            raise UsageError(f"{path} is not a text file (it holds nothing but zero bytes); save it as CSV in UTF-8")
        parts.append(part)
        size += len(part)
        if size > LARGEST:
            raise UsageError(f"{path} is larger than {LARGEST / 1024**3:g} GiB unpacked; take a sample of its rows")
    return b"".join(parts)


def _unpacked(path: str, raw: bytes) -> bytes:
    try:
        if raw.startswith(b"\x1f\x8b"):
            return _all_of(gzip.GzipFile(fileobj=io.BytesIO(raw)), path)
        if raw.startswith(b"BZh"):
            return _all_of(bz2.BZ2File(io.BytesIO(raw)), path)
        if raw.startswith(b"PK\x03\x04"):
            with zipfile.ZipFile(io.BytesIO(raw)) as archive:
                return _all_of(archive.open(_only_member(path, archive)), path)
    except (OSError, EOFError, zlib.error, zipfile.BadZipFile, RuntimeError, NotImplementedError) as error:
        raise UsageError(f"{path} cannot be unpacked ({error}); pack it again") from None
    return raw


def _only_member(path: str, archive: zipfile.ZipFile) -> zipfile.ZipInfo:
    files = [one for one in archive.infolist() if not one.is_dir() and not one.filename.startswith("__MACOSX/")]
    if any(one.filename == "[Content_Types].xml" for one in files):
        raise UsageError(f"{path} is an office document; save the sheet as CSV in UTF-8")
    if len(files) != 1:
        some = ", ".join(shown(one.filename) for one in files[:3])
        raise UsageError(f"{path} packs {len(files)} files ({some}, ...); pack one table alone")
    return files[0]
