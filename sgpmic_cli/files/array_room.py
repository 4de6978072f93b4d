"""Room for arrays with a line for every row of a long table: in memory, or in a file that goes when they go."""

import math
import os
import tempfile

import numpy as np

from sgpmic_cli._typing import Array, PathLike
from sgpmic_cli.errors import SgpmicError


def array_room(shape: tuple[int, ...], folder: PathLike | None = None) -> Array:
    """An array of floats to be filled in; with a folder in a file there, which has no name and needs no memory.

    The system keeps as much of such a file in memory as it has to spare.
    """
    if folder is None:
        return np.empty(shape)
    size = math.prod(shape) * np.dtype(np.float64).itemsize
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            if hasattr(os, "posix_fallocate"):
                os.posix_fallocate(file.fileno(), 0, size)  # later on a full disk would end the whole process
            return np.memmap(file, dtype=np.float64, mode="r+", shape=shape)
    except OSError as error:
        raise SgpmicError(
            f"there is no room for {size / 1e9:.2g} GB in '{folder}' ({error.strerror}); name another folder"
        ) from None
