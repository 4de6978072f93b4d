"""Allocate large arrays in memory or in a temporary file."""

import math
import mmap
import os
import tempfile

import numpy as np

from sgpmic_cli._typing import Array, PathLike
from sgpmic_cli.errors import SgpmicError


def empty_array(shape: tuple[int, ...], folder: PathLike | None = None) -> Array:
    """Return an uninitialised float64 array.

    With a folder, the array is mapped to a nameless temporary file there, which disappears with the
    array. The operating system keeps as much of it in memory as it can.
    """
    if folder is None:
        return np.empty(shape)
    size = math.prod(shape) * np.dtype(np.float64).itemsize
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            # Reserve the disk space: writing to a mapped file on a full disk kills the process.
            os.posix_fallocate(file.fileno(), 0, size)
            # Not numpy.memmap: joblib passes memmaps by file name, and this file has none.
            return np.frombuffer(mmap.mmap(file.fileno(), size), dtype=np.float64).reshape(shape)
    except OSError as error:
        raise SgpmicError(
            f"cannot allocate {size / 1e9:.2g} GB in '{folder}' ({error.strerror}); "
            "name another folder"
        ) from None
