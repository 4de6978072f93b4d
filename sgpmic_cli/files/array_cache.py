"""Arrays that cost much and in which nothing is random, computed once and kept on disk.

A folder is kept by a few lines of our own, since joblib.Memory prints a traceback where a file is damaged, ends the fit
where the folder cannot be written, and keeps pickles. Whoever passes a joblib.Memory gets just that.
"""

import contextlib
import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from sgpmic_cli._typing import Array, PathLike
from sgpmic_cli.code_version import code_version
from sgpmic_cli.files.atomic import replacing

Arrays = dict[str, NDArray]


class Memory(Protocol):
    """What scikit-learn's `check_memory` asks of an object: joblib.Memory's way to keep the results of a function."""

    def cache(self, func: Callable[..., Any], **options: Any) -> Callable[..., Any]:
        """A function that computes once for each set of arguments."""


def remembered(
    memory: PathLike | Memory | None, module: str, key: str, Y: Array, compute: Callable[[], Arrays]
) -> Arrays:
    """What `module` makes of the data Y with the settings that `key` spells out, kept where `memory` says.

    What another version of the code left there is not found. Without a memory nothing is kept.
    """
    if memory is None:
        return compute()
    if not isinstance(memory, str | os.PathLike):
        return memory.cache(_computed, ignore=["compute"])(code_version(module), key, Y, compute)
    digest = hashlib.sha256(f"{code_version(module)} {key} {Y.shape}".encode())
    digest.update(np.ascontiguousarray(Y).tobytes())
    return kept(
        Path(memory) / f"{module.rpartition('.')[2]}-{digest.hexdigest()[:24]}.npz", compute
    )


def _computed(code: str, key: str, Y: Array, compute: Callable[[], Arrays]) -> Arrays:  # noqa: ARG001
    # A joblib.Memory tells results apart by a function and its arguments: by these, which the function has no need of.
    return compute()


def kept(path: Path, compute: Callable[[], Arrays]) -> Arrays:
    """Arrays from a file, or computed and left there where that is possible."""
    arrays = _read(path)
    if arrays is None:
        arrays = compute()
        with contextlib.suppress(OSError):  # a full disk costs time later on, not the result
            _write(path, arrays)
    return arrays


def _read(path: Path) -> Arrays | None:
    """Nothing where the file is absent or damaged, which shows in many ways."""
    if not path.is_file():  # a pipe in its place would keep us waiting
        return None
    try:
        with path.open("rb") as stream, np.load(stream, allow_pickle=False) as file:
            return dict(file)
    except Exception:
        return None


def _write(path: Path, arrays: Arrays) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as file:
        np.savez(file, allow_pickle=False, **arrays)
