"""Where a fit computes: NumPy on the processor, or PyTorch on a GPU."""

import warnings
from importlib.util import find_spec
from typing import Any

DEVICES = ("cpu", "cuda", "auto")
PAYS = 10_000  # rows from which "auto" takes a GPU: with fewer its many small calls cost more than they save


def choose(device: str, n_rows: int) -> Any:
    """The torch.device that is meant, or None for NumPy; without a GPU it is NumPy, and one sentence says so."""
    if device == "cpu":
        return None
    if (reason := missing()) is not None:
        warnings.warn(
            f"device={device!r} finds no GPU ({reason}), so the fit computes with NumPy.",
            stacklevel=5,
        )
        return None
    if device == "auto" and n_rows < PAYS:
        return None
    import torch

    return torch.device("cuda")


def missing() -> str | None:
    """What is missing for a GPU to be used, if anything is."""
    if find_spec("torch") is None:
        return "PyTorch is not installed: pip install 'sgpmic[gpu]'"
    import torch

    return None if torch.cuda.is_available() else "PyTorch sees none"
