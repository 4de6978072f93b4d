"""Where the arrays of a fit live: NumPy on the processor, or PyTorch on a GPU.

The formulas of this folder are written once, with functions that NumPy and PyTorch share. They take
the module as `xp`.
"""

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np

from sgpmic_cli._typing import Array
from sgpmic_cli.errors import warn_caller

DEVICES = ("cpu", "cuda", "auto")
ROWS_FOR_GPU = 10_000  # "auto" uses a GPU from this number of rows, where it starts to pay


class Backend(NamedTuple):
    """An array module, conversions from and to NumPy, and the number of rows of a block."""

    xp: Any
    asarray: Callable[[Any], Any]
    to_numpy: Callable[[Any], Array]
    block_rows: int


# Blocks have a fixed size, so that sums do not depend on the number of threads.
NUMPY = Backend(np, np.asarray, np.asarray, 2048)


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

    return Backend(torch, asarray, lambda tensor: tensor.cpu().numpy(), 1 << 18)


def missing_for_gpu() -> str | None:
    """Return what is missing to compute on a GPU, or None."""
    if find_spec("torch") is None:
        return "PyTorch is not installed (pip install 'sgpmic[gpu]')"
    import torch

    return None if torch.cuda.is_available() else "PyTorch finds no GPU"
