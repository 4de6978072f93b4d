"""Write files and folders completely or not at all.

A single file is written to a temporary name in the same folder, flushed to disk and renamed.

A set of files has one commit point. The files are written into a folder `.sgpmic-unfinished-…`,
which is then renamed to `.sgpmic-finished-…`. Before this rename nothing has changed; after it the
new files count. They are then moved to their places one by one. If the process is killed between
two moves, the next command that reads or writes the folder moves the rest (`settle`). The same call
removes what a killed process had not committed. `settle` only touches names of this pattern,
directly in the folder, whose process no longer runs.
"""

import errno
import itertools
import json
import os
import re
import shutil
import signal
import stat
import threading
import time
import uuid
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

from sgpmic_cli.errors import SgpmicError, UsageError

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

PATTERN = re.compile(r"\.sgpmic-(?:unfinished-|finished-|)(\d+)-[0-9a-f]{8}(?:\.tmp)?")
LOCK_SECONDS = 10  # a process locks its file or folder within this time after creating it
STALE_SECONDS = 3600  # without locks, older files count as abandoned
MAX_BYTES = 1 << 28  # larger files were not written by this program


@contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """Open a temporary file that replaces `path` on success. After an error `path` is unchanged."""
    temporary = path.with_name(f".sgpmic-{_unique()}.tmp")
    try:
        with open(temporary, "xb") as file:
            _lock(file.fileno())
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise


def write_whole(path: Path, text: str) -> None:
    """Write a text file completely or not at all, and create its folder."""
    with _write_errors(f"'{path}'"):
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as file:
            file.write(encoded(text))


def write_files(folder: Path, texts: Mapping[str, str]) -> None:
    """Write a set of text files into a folder, all or none."""
    with _write_errors(f"into '{folder}'"), whole_folder(folder) as unfinished:
        for name, text in texts.items():
            (unfinished / name).write_bytes(encoded(text))


@contextmanager
def _write_errors(target: str) -> Iterator[None]:
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


def read_whole(path: Path, most: int = MAX_BYTES) -> bytes:
    """Settle the folder of a result file, then read the file."""
    settle(path.parent)
    return read_regular(path, most)


def read_regular(path: Path, most: int = MAX_BYTES) -> bytes:
    """Read a regular file. Raise OSError for devices, pipes and files above the size limit."""
    if not stat.S_ISREG(path.stat().st_mode):
        raise OSError(errno.EINVAL, "it is not a regular file", str(path))
    with path.open("rb") as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise OSError(errno.EFBIG, f"it has more than {most >> 20} MB", str(path))
    return content


def read_json(path: Path) -> Any:
    """Read a JSON file. Raise OSError if it cannot be read, ValueError if it is not valid JSON."""
    return strict_json(read_whole(path))


def strict_json(text: str | bytes) -> Any:
    """Parse JSON. Raise ValueError for NaN, Infinity and nesting beyond the recursion limit."""
    try:
        return json.loads(text, parse_constant=_refuse)
    except RecursionError:
        raise ValueError("nested too deeply") from None


@contextmanager
def whole_folder(out: Path) -> Iterator[Path]:
    """Yield a temporary folder. On success move its files into `out`, otherwise leave `out` as is.

    Enter before a long computation: a folder that is not writable is reported at once. Interrupts
    are delayed while the files are moved, so their message says correctly what was written.
    """
    created = [folder for folder in (out, *out.parents) if not folder.exists()]  # innermost first
    check_writable(out, "--out")
    folder = out / f".sgpmic-unfinished-{_unique()}"
    folder.mkdir()
    descriptor = _open_for_lock(folder)
    _lock(descriptor)
    committed = False
    try:
        yield folder
        for path in folder.iterdir():
            with path.open("rb") as file:
                os.fsync(file.fileno())
        with _delayed_interrupts():
            folder = folder.rename(out / f".sgpmic-finished-{_unique()}")
            committed = True
            _move_out(folder)
    except KeyboardInterrupt as interrupt:
        message = f"interrupted{' after all files were' if committed else '; nothing was'} written."
        raise type(interrupt)(*(interrupt.args or [message])) from None
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(descriptor)
        for empty in created:
            with suppress(OSError):  # not empty: it holds the results
                empty.rmdir()


@contextmanager
def resumable_folder(parent: Path) -> Iterator[Path]:
    """Yield a folder that only this process uses. Remove it on success.

    After a failure or a kill the folder remains, and the next process continues with its content.
    """
    for number in itertools.count():
        folder = parent / f"unfinished-{number}"
        check_writable(folder, "--data-dir")
        descriptor = _open_for_lock(folder)
        if _lock(descriptor) is not False:
            folder.mkdir(exist_ok=True)  # a process that ended meanwhile may have removed it
            break
        os.close(descriptor)
    try:
        yield folder
        shutil.rmtree(folder, ignore_errors=True)
        with suppress(OSError):  # another process uses a folder beside this one
            parent.rmdir()
    finally:
        os.close(descriptor)


def settle(folder: Path) -> None:
    """Complete what killed processes had committed in a folder, and remove what they had not."""
    with suppress(OSError):  # a folder that is absent or read-only has nothing to settle
        for path in sorted(folder.iterdir(), key=_is_finished):
            found = PATTERN.fullmatch(path.name)
            if found is None or path.is_symlink():
                continue
            with suppress(OSError):  # another process may settle the same path
                if not _is_abandoned(path, int(found[1])):
                    continue
                if _is_finished(path):
                    _move_out(path)
                elif path.is_dir():
                    shutil.rmtree(path)
                else:
                    path.unlink()


def check_writable(folder: Path, option: str) -> None:
    """Create the folder of an option. Raise SgpmicError if files cannot be written into it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        settle(folder)
        with TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise SgpmicError(
            f"cannot write into {option} {str(folder)!r}: {error.strerror}; name another folder."
        ) from error


def refuse_overwriting_inputs(
    out: Path, names: Iterable[str], inputs: Iterable[str | Path]
) -> None:
    """Raise UsageError if an output file would replace an input file of the same command."""
    read = [path for path in inputs if os.path.exists(path)]
    for target in (out / name for name in names):
        if any(target.exists() and target.samefile(path) for path in read):
            raise UsageError(
                f"the results would replace '{target}', which is read here: name another folder."
            )


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not valid JSON")


def _unique() -> str:
    return f"{os.getpid()}-{uuid.uuid4().hex[:8]}"


def _is_finished(path: Path) -> bool:
    return path.name.startswith(".sgpmic-finished-")


def _move_out(finished: Path) -> None:
    """Move the files of a committed folder to their places and remove the folder."""
    for path in sorted(finished.iterdir()):
        with suppress(FileNotFoundError):  # another process has moved it
            os.replace(path, finished.parent / path.name)
    with suppress(FileNotFoundError):
        finished.rmdir()


def _open_for_lock(folder: Path) -> int:
    return os.open(os.devnull if fcntl is None else folder, os.O_RDONLY)


def _lock(descriptor: int) -> bool | None:
    """Lock an open file or folder.

    Return False if another process holds the lock, and None if the system has no locks.
    """
    if fcntl is None:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        return None
    return True


def _is_abandoned(path: Path, process: int) -> bool:
    """Return whether the process that created a temporary file or folder has ended."""
    age = time.time() - path.stat().st_mtime
    if age < LOCK_SECONDS and _is_running(process):
        return False
    locked = None
    if fcntl is not None:
        descriptor = os.open(path, os.O_RDONLY)
        locked = _lock(descriptor)
        os.close(descriptor)
    return age > STALE_SECONDS if locked is None else locked


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        pass  # it belongs to another user
    return True


@contextmanager
def _delayed_interrupts() -> Iterator[None]:
    """Delay SIGINT and SIGTERM until the end of the block.

    Handlers are replaced because a blocked signal still reaches the handler in another thread.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # handlers run in the main thread only
        return
    arrived: list[int] = []
    before = {
        number: signal.signal(number, lambda number, _: arrived.append(number))
        for number in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        if arrived:
            signal.raise_signal(arrived[0])
