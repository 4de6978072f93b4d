"""Room for arrays with a line for every row of a long table: in memory, or in a file that goes when they go."""

import errno
import math
import mmap
import os
import tempfile

import numpy as np

from sgpmic_cli._typing import Array, PathLike
from sgpmic_cli.errors import SgpmicError

CANNOT_RESERVE = (
    errno.EOPNOTSUPP,
    errno.EINVAL,
    errno.ENOSYS,
)  # says a file system that is no worse for it


def array_room(shape: tuple[int, ...], folder: PathLike | None = None) -> Array:
    """An array of floats to be filled in; with a folder in a file there, which is gone with it and needs no memory.

    The system keeps as much of such a file in memory as it has to spare.
    """
    if folder is None:
        return np.empty(shape)
    size = math.prod(shape) * np.dtype(np.float64).itemsize
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            file.truncate(size)
            _reserve(file.fileno(), size)
            # Not numpy.memmap: joblib hands arrays of that kind on by the name of their file, and this one has none.
            return np.frombuffer(mmap.mmap(file.fileno(), size), dtype=np.float64).reshape(shape)
    except OSError as error:
        raise SgpmicError(
            f"{size / 1e9:.2g} GB cannot be had in '{folder}' ({error.strerror}); name another folder"
        ) from None


def _reserve(descriptor: int, size: int) -> None:
    """Take the room on the disk now: where it is full later on, the whole process would end."""
    try:
        if hasattr(os, "posix_fallocate"):
            os.posix_fallocate(descriptor, 0, size)
    except OSError as error:
        if error.errno not in CANNOT_RESERVE:
            raise
