"""Locks that show whether the process that created a file or a folder still runs."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

LOCK_SECONDS = 10  # a process locks its file or folder within this time after creating it
STALE_SECONDS = 3600  # without locks, older files count as abandoned


@contextmanager
def open_for_lock(path: Path) -> Iterator[int]:
    """Open a file or a folder, and yield its descriptor."""
    descriptor = os.open(os.devnull if fcntl is None else path, os.O_RDONLY)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def lock(descriptor: int, *, wait: bool = False) -> bool | None:
    """Lock an open file or folder.

    Return False if another process holds the lock, and None if the system has no locks.
    """
    if fcntl is None:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        return None
    return True


def is_abandoned(path: Path, process: int) -> bool:
    """Return whether the process that created a temporary file or folder has ended."""
    age = time.time() - path.stat().st_mtime
    if age < LOCK_SECONDS and _is_running(process):
        return False
    with open_for_lock(path) as descriptor:
        locked = lock(descriptor)
    return age > STALE_SECONDS if locked is None else locked


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        pass  # it belongs to another user
    return True
