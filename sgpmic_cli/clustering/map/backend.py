"""Where the arrays of a fit live: NumPy on the processor, or PyTorch on a GPU.

The formulas of this folder are written once, with functions that NumPy and PyTorch share. They take
the module as `xp`.
"""

import threading
from collections.abc import Callable, Hashable
from functools import partial
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import gen_batches

from sgpmic_cli._typing import Array
from sgpmic_cli.errors import warn_caller
from sgpmic_cli.row_blocks import ALONE, Workers

DEVICES = ("cpu", "cuda", "auto")
VECTOR_BLOCKS = 8  # entries of a block of a vector, over the rows of a block
ROWS_FOR_GPU = 10_000  # "auto" uses a GPU from this number of rows, where it starts to pay


class Backend(NamedTuple):
    """An array module, conversions from and to NumPy, new arrays, and the rows of a block."""

    xp: Any
    asarray: Callable[[Any], Any]
    to_numpy: Callable[[Any], Array]
    empty: Callable[[int], Any]
    block_rows: int


# Blocks have a fixed size, so that sums do not depend on the number of threads. With 2048 rows, an
# iteration with two threads takes 1.1 times as long.
NUMPY = Backend(np, np.asarray, np.asarray, np.empty, 4096)


class Workspace:
    """A backend with its threads, and the large arrays that evaluations of a function reuse.

    New pages of memory take a third of the time of an evaluation, and threads wait for them.
    """

    def __init__(self, backend: Backend, workers: Workers = ALONE):
        self.backend, self.workers = backend, workers
        self._buffers: dict[Hashable, Any] = {}

    def array(self, name: Hashable, rows: int, columns: int) -> Any:
        """Return the array of this name, which has the values of its last use."""
        size = rows * columns
        if name not in self._buffers or len(self._buffers[name]) < size:
            self._buffers[name] = self.backend.empty(size)
        return self._buffers[name][:size].reshape(rows, columns)

    def scratch(self, rows: int, columns: int) -> Any:
        """Return an array of this thread, whose values last until the next call."""
        return self.array(("scratch", threading.get_ident()), rows, columns)

    def map(self, work: Callable[[slice], Any], n_rows: int) -> list[Any]:
        """Return the results of all blocks of rows in order."""
        return self.workers.map(work, gen_batches(n_rows, self.backend.block_rows), n_rows)

    def map_vector(self, work: Callable[[slice], Any], size: int) -> list[Any]:
        """Return the results of all blocks of a vector in order."""
        blocks = gen_batches(size, VECTOR_BLOCKS * self.backend.block_rows)
        return self.workers.map(work, blocks, size // VECTOR_BLOCKS)


def inner(xp: Any, A: Any, B: Any) -> Any:
    """Return A B' of long rows.

    `@` keeps NumPy's interpreter lock if the result has fewer than 500 entries, `dot` does not.
    """
    return np.dot(A, B.T) if xp is np else A @ B.T


def choose_backend(device: str, n_rows: int) -> Backend:
    """Return the backend for `device`: "cpu", "cuda" or "auto".

    "cuda" without a GPU falls back to NumPy with a warning. "auto" does so silently.
    """
    if device == "cpu" or (device == "auto" and n_rows < ROWS_FOR_GPU):
        return NUMPY
    reason = missing_for_gpu()
    if reason is None:
        return torch_backend("cuda")
    if device == "cuda":
        warn_caller(f"device='cuda' has no effect: {reason}. The fit uses NumPy.")
    return NUMPY


def torch_backend(device: str) -> Backend:
    """Return a backend that computes with PyTorch in double precision."""
    import torch

    def asarray(array: Any) -> Any:
        return torch.as_tensor(np.ascontiguousarray(array), device=device)

    empty = partial(torch.empty, dtype=torch.float64, device=device)
    return Backend(torch, asarray, lambda tensor: tensor.cpu().numpy(), empty, 1 << 20)


def missing_for_gpu() -> str | None:
    """Return what is missing to compute on a GPU, or None."""
    if find_spec("torch") is None:
        return "PyTorch is not installed (pip install 'sgpmic[gpu]')"
    import torch

    return None if torch.cuda.is_available() else "PyTorch finds no GPU"
