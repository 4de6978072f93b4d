"""Write single files completely or not at all, and read files strictly.

A file is written to a temporary name in the same folder, flushed to disk and renamed. A lock on it
shows that the process that created it still runs.
"""

import errno
import fcntl
import json
import os
import shutil
import stat
import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from sgpmic_cli.errors import SgpmicError, UsageError
from sgpmic_cli.interrupts import cleanup

MAX_FILE_BYTES = 1 << 28  # larger files were not written by this program


@contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """Open a temporary file that replaces `path` on success. After an error `path` is unchanged.

    The folder is created, a file keeps its permissions, and a symbolic link stays: the file that it
    points to is replaced. Raise UsageError if `path` is a folder, a device, a pipe or a link to one
    of them.
    """
    refuse_replacing(path)
    path = Path(os.path.realpath(path))
    path.parent.mkdir(parents=True, exist_ok=True)
    unlocked = path.with_name(temporary_name())
    temporary = unlocked.with_suffix(".tmp")
    with cleanup():
        try:
            with open(unlocked, "xb") as file:
                lock(file.fileno())
                unlocked.rename(temporary)
                yield file
                file.flush()
                os.fsync(file.fileno())
            replace(temporary, path)
        finally:
            with suppress(OSError):
                temporary.unlink(missing_ok=True)


def replace(new: Path, path: Path) -> None:
    """Rename a new file to `path`, with the permissions of the file that is replaced."""
    with suppress(FileNotFoundError):
        shutil.copymode(path, new)
    os.replace(new, path)


def write_whole(path: Path, text: str) -> None:
    """Write a text file completely or not at all."""
    with write_errors(f"'{path}'"), replacing(path) as file:
        file.write(encoded(text))


@contextmanager
def write_errors(target: str) -> Iterator[None]:
    """Translate errors of the operating system into one sentence."""
    try:
        yield
    except OSError as error:
        raise SgpmicError(
            f"cannot write {target}: {error.strerror}; free some space or choose another folder, "
            "then run the same command again: finished runs are kept."
        ) from error


def encoded(text: str) -> bytes:
    """Encode as UTF-8. Escape surrogates, which stand for undecodable bytes of file names."""
    return text.encode("utf-8", "backslashreplace")


def read_regular(path: Path, most: int = MAX_FILE_BYTES) -> bytes:
    """Read a regular file. Raise OSError for devices, pipes and files above the size limit."""
    if not stat.S_ISREG(path.stat().st_mode):
        raise OSError(errno.EINVAL, "it is not a regular file", str(path))
    with path.open("rb") as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise OSError(errno.EFBIG, f"it has more than {most >> 20} MB", str(path))
    return content


def strict_json(text: str | bytes) -> Any:
    """Parse JSON. Raise ValueError for NaN, Infinity and nesting beyond the recursion limit."""

    def refuse(constant: str) -> None:
        raise ValueError(f"{constant} is not valid JSON")

    try:
        return json.loads(text, parse_constant=refuse)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def refuse_replacing(target: Path, inputs: Iterable[str | Path] = ()) -> None:
    """Raise UsageError if an output file is a folder, a device or an input; "-" is stdin."""
    if target.exists() and not target.is_file():
        what = "a folder" if target.is_dir() else "a device or pipe"
        raise UsageError(f"'{target}' is in the way, {what}: move it, or name another file.")
    read = ("/dev/stdin" if path == "-" else path for path in inputs)
    if target.exists() and any(os.path.exists(path) and target.samefile(path) for path in read):
        raise UsageError(
            f"the results would replace '{target}', which is read here: name another folder."
        )


def temporary_name() -> str:
    """Return a new name for a temporary file or folder, which is renamed when it is locked."""
    return f".sgpmic-{uuid.uuid4().hex[:16]}"


@contextmanager
def opened(path: Path) -> Iterator[int]:
    """Open a file or a folder, and yield its descriptor."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def lock(descriptor: int, *, wait: bool = False) -> bool:
    """Lock an open file or folder. Return False if another process holds the lock."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        pass
    return True
