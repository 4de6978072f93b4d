"""Files and folders that appear whole or not at all: written aside, flushed to the disk, then renamed into place.

A set of files has one commit point. It is written into a folder `.sgpmic-unfinished-…` in its place, and that folder
is renamed to `.sgpmic-finished-…`: before this rename nothing has changed, after it the new files count. They are then
moved out one by one, and where a process is killed between two moves, the next command that reads or writes there moves
the rest (`settle`). What a killed process had not committed is removed by the same call. Only names of our own pattern
are touched, in the folder itself, and only when the process that made them is gone.
"""

import errno
import itertools
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
from typing import IO

from sgpmic_cli.errors import SgpmicError, UsageError

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

OURS = re.compile(r"\.sgpmic-(?:unfinished-|finished-|)(\d+)-[0-9a-f]{8}(?:\.tmp)?")
STALE_SECONDS = 3600  # a process number may be in use again: after this long it is not the writer's
MOST_BYTES = 1 << 28  # of a file that this program wrote: more is not ours
INTERRUPTS = (signal.SIGINT, signal.SIGTERM)
LAST = "manifest.json"  # moved last: whoever finds the new one finds everything else new, too


@contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """A file to write into that takes the place of `path` once it is complete; after an error nothing has changed."""
    temporary = path.with_name(f".sgpmic-{_mark()}.tmp")
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
    """Write a text so that a reader sees the old one, the new one or none, whatever happens in between."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as file:
            file.write(encoded(text))
    except OSError as error:
        raise SgpmicError(
            f"cannot write '{path}': {error.strerror}; make room or name another folder, then run the same command "
            "again: finished runs are kept."
        ) from error


def read_whole(path: Path, most: int = MOST_BYTES) -> bytes:
    """The bytes of a file of results, once its folder is settled."""
    settle(path.parent)
    return read_regular(path, most)


def read_regular(path: Path, most: int = MOST_BYTES) -> bytes:
    """The bytes of a file; a device, a pipe or a giant is an OSError."""
    if not stat.S_ISREG(path.stat().st_mode):
        raise OSError(errno.EINVAL, "it is no regular file", str(path))
    with path.open("rb") as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise OSError(errno.EFBIG, f"it has more than {most >> 20} MB", str(path))
    return content


def write_files(folder: Path, texts: Mapping[str, str]) -> None:
    """Write a set of texts into a folder, all of them or none."""
    try:
        with whole_folder(folder) as unfinished:
            for name, text in texts.items():
                (unfinished / name).write_bytes(encoded(text))
    except OSError as error:
        raise SgpmicError(
            f"cannot write into '{folder}': {error.strerror}; make room or name another folder, then run the same "
            "command again: finished runs are kept."
        ) from error


def encoded(text: str) -> bytes:
    """UTF-8; bytes of a file name that are none stand there as their codes."""
    return text.encode("utf-8", "backslashreplace")


@contextmanager
def whole_folder(out: Path) -> Iterator[Path]:
    """A fresh folder to write into; on success its files replace those of `out`, otherwise `out` stays as it was.

    Entered before the work begins, it also finds out in time that nothing could be written there. An interrupt says
    truly whether anything was written: it waits while the files are put into place.
    """
    new = [folder for folder in (out, *out.parents) if not folder.exists()]  # innermost first
    folder = out / f".sgpmic-unfinished-{_mark()}"
    try:
        out.mkdir(parents=True, exist_ok=True)
        settle(out)
        folder.mkdir()
        held = _hold(folder)
    except OSError as error:
        raise _not_writable(out, "out", error) from None
    committed = False
    try:
        yield folder
        for path in folder.iterdir():
            with path.open("rb") as file:
                os.fsync(file.fileno())
        with _undisturbed():
            folder = folder.rename(out / f".sgpmic-finished-{_mark()}")
            committed = True
            _move_out(folder)
    except KeyboardInterrupt as interrupt:
        said = (
            "interrupted when all files were written."
            if committed
            else "interrupted; nothing was written."
        )
        raise type(interrupt)(*(interrupt.args or [said])) from None
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        if held is not None:
            os.close(held)
        for empty in new:
            with suppress(OSError):  # it holds the results now
                empty.rmdir()


@contextmanager
def resumable_folder(parent: Path) -> Iterator[Path]:
    """A folder for one process at a time, removed when all went well; the next one takes over what was left."""
    for number in itertools.count():
        folder = parent / f"unfinished-{number}"
        check_writable(folder, "store")
        if (found := _hold_alone(folder)) is not None:
            held = found
            break
    try:
        yield folder
        shutil.rmtree(folder, ignore_errors=True)
        with suppress(OSError):  # another process is at work beside this one
            parent.rmdir()
    finally:
        os.close(held)


def settle(folder: Path) -> None:
    """Put into place what a killed process had committed in a folder, and remove what it had only begun."""
    with suppress(OSError):  # a folder that is absent or cannot be written has nothing to settle
        ours = [
            path for path in folder.iterdir() if OURS.fullmatch(path.name) and not path.is_symlink()
        ]
        for path in sorted(ours, key=lambda path: path.name.startswith(".sgpmic-finished-")):
            with suppress(OSError):  # another process is at it, too
                if not _abandoned(path):
                    continue
                if path.name.startswith(".sgpmic-finished-"):
                    _move_out(path)
                if path.is_dir():
                    shutil.rmtree(path)
                else:
                    path.unlink()


def check_writable(folder: Path, parameter: str) -> None:
    """Find out before hours of computing that their results could not be written."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        settle(folder)
        probe = folder / f".sgpmic-{_mark()}.tmp"
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise _not_writable(folder, parameter, error) from error


def refuse_overwriting_inputs(
    out: Path, names: Iterable[str], inputs: Iterable[str | Path]
) -> None:
    """Refuse to write a file over one that the same command reads."""
    given = [os.path.realpath(path) for path in map(Path, inputs) if os.path.exists(path)]
    for target in (out / name for name in names):
        if os.path.realpath(target) in given or any(
            target.exists() and target.samefile(path) for path in given
        ):
            raise UsageError(
                f"the results would replace '{target}', which is read here: name another place."
            )


def _mark() -> str:
    return f"{os.getpid()}-{uuid.uuid4().hex[:8]}"


def _move_out(finished: Path) -> None:
    """Move the files of a committed folder to where they belong and remove it."""
    for path in sorted(finished.iterdir(), key=lambda path: (path.name == LAST, path.name)):
        with suppress(FileNotFoundError):  # another process has just moved it
            os.replace(path, finished.parent / path.name)
    with suppress(FileNotFoundError):
        finished.rmdir()


def _hold_alone(folder: Path) -> int | None:
    """A descriptor that locks a folder, None where another process has it."""
    if fcntl is None:
        return os.open(os.devnull, os.O_RDONLY)
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if (
            folder.stat().st_ino == os.fstat(descriptor).st_ino
        ):  # not one that was removed in between
            return descriptor
    except OSError:
        pass
    os.close(descriptor)
    return None


def _hold(folder: Path) -> int | None:
    """Lock a folder for as long as this process lives, or until the returned descriptor is closed."""
    if fcntl is None:
        return None
    descriptor = os.open(folder, os.O_RDONLY)
    _lock(descriptor)
    return descriptor


def _lock(descriptor: int) -> None:
    if fcntl is not None:
        with suppress(OSError):  # a file system without locks: the number of the process must do
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _abandoned(path: Path) -> bool:
    """Whether the process that made a file or folder of ours is gone: by its number, and by the lock it would hold."""
    found = OURS.fullmatch(path.name)
    assert found is not None
    old = time.time() - path.stat().st_mtime > STALE_SECONDS
    if fcntl is None:
        return old
    if not old and _running(int(found[1])):
        return False
    descriptor = os.open(path, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # no locks here
        return old
    finally:
        os.close(descriptor)
    return True


def _running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:  # somebody else's
        return True
    return True


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Let interrupts wait until the end.

    By handlers: a blocked signal would still reach the handler through any other thread, and interrupt this one.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # interrupts are none of its business
        return
    arrived: list[int] = []
    before = {
        number: signal.signal(number, lambda number, _: arrived.append(number))
        for number in INTERRUPTS
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        for first in arrived[:1]:
            signal.raise_signal(first)


def _not_writable(folder: Path, parameter: str, error: OSError) -> SgpmicError:
    return SgpmicError(
        f"cannot write into {parameter}={str(folder)!r}: {error.strerror}; name another folder."
    )
