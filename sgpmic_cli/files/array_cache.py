"""Cache arrays of expensive, deterministic computations on disk.

joblib.Memory is not used for folders: it prints a traceback if a file is damaged, fails if the
folder is read-only, and stores pickles. A joblib.Memory passed by the user is used as it is.
"""

import contextlib
import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sgpmic_cli._typing import Array, PathLike
from sgpmic_cli.code_version import code_version
from sgpmic_cli.errors import UsageError
from sgpmic_cli.files.atomic import replacing

Arrays = dict[str, NDArray]
Memory = Any  # joblib.Memory, which has no types


def remembered(
    memory: PathLike | Memory | None, module: str, key: str, Y: Array, compute: Callable[[], Arrays]
) -> Arrays:
    """Return the cached result of `compute`, or compute and store it.

    The cache key consists of the code version of `module`, the settings in `key` and the data Y.
    If `memory` is None, nothing is stored.
    """
    if memory is None:
        return compute()
    if not isinstance(memory, str | os.PathLike):
        return memory.cache(_computed, ignore=["compute"])(code_version(module), key, Y, compute)
    digest = hashlib.sha256(f"{code_version(module)} {key} {Y.shape}".encode())
    digest.update(np.ascontiguousarray(Y).tobytes())
    name = f"{module.rpartition('.')[2]}-{digest.hexdigest()[:24]}.npz"
    return kept(Path(memory) / name, compute)


def _computed(code: str, key: str, Y: Array, compute: Callable[[], Arrays]) -> Arrays:  # noqa: ARG001
    # joblib.Memory keys results by the arguments of a function, including unused ones.
    return compute()


def kept(path: Path, compute: Callable[[], Arrays]) -> Arrays:
    """Return the arrays in a file. If it is absent or damaged, compute and write them."""
    # np.load of a pipe would wait for a writer. Damaged archives raise many kinds of errors.
    with contextlib.suppress(Exception):
        if path.is_file():
            with path.open("rb") as stream, np.load(stream, allow_pickle=False) as file:
                return dict(file)
    arrays = compute()
    with contextlib.suppress(OSError, UsageError):  # a full disk must not lose the result
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as file:
            np.savez(file, allow_pickle=False, **arrays)
    return arrays
