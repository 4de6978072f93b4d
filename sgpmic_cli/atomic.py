"""Files and folders that appear whole or not at all: written aside, flushed to the disk, then renamed into place."""

import os
import shutil
import tempfile
import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from sgpmic_cli._typing import PathLike
from sgpmic_cli.errors import SgpmicError, UsageError

TEMPORARY = ".tmp"  # how the names of files end that are being written


@contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """A file to write into that takes the place of `path` once it is complete; after an error nothing has changed."""
    temporary = path.with_name(f"{path.name}.{os.getpid()}-{uuid.uuid4().hex[:8]}{TEMPORARY}")
    try:
        with open(temporary, "xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise


def write_whole(path: Path, text: str) -> None:
    """Write a text so that a reader sees the old one, the new one or none, whatever happens in between."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as file:
            file.write(text.encode())
    except OSError as error:
        raise SgpmicError(
            f"cannot write '{path}': {error.strerror}; make room or name another folder, then run the same command "
            "again: finished runs are kept."
        ) from error


@contextmanager
def whole_folder(out: Path) -> Iterator[Path]:
    """A fresh folder to write into; on success its files replace those of `out`, otherwise `out` stays as it was.

    Entered before the work begins, it also finds out in time that nothing could be written there.
    """
    new = [folder for folder in (out, *out.parents) if not folder.exists()]  # innermost first
    try:
        out.mkdir(parents=True, exist_ok=True)
        folder = Path(tempfile.mkdtemp(prefix=".unfinished-", dir=out))
    except OSError as error:
        raise _not_writable(out, "out", error) from None
    try:
        yield folder
        finished = sorted(folder.iterdir())
        for path in finished:
            with path.open("rb") as file:
                os.fsync(file.fileno())
        for path in finished:
            os.replace(path, out / path.name)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        for empty in new:
            with suppress(OSError):  # it holds the results now
                empty.rmdir()


def refuse_overwriting_inputs(out: Path, names: Iterable[str], inputs: Iterable[PathLike]) -> None:
    """Find out before the work that a file which is about to be written is one of those that are read."""
    given = [Path(each) for each in inputs]
    for path in (out / name for name in names):
        if any(path.exists() and each.exists() and path.samefile(each) for each in given):
            raise UsageError(f"'{path}' is the input and would be written over: name another folder.")


def check_writable(folder: Path, parameter: str) -> None:
    """Find out before hours of computing that their results could not be written."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / f".write-{os.getpid()}{TEMPORARY}"
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise _not_writable(folder, parameter, error) from error


def _not_writable(folder: Path, parameter: str, error: OSError) -> UsageError:
    return UsageError(f"cannot write into {parameter}={str(folder)!r}: {error.strerror}; name another folder.")
