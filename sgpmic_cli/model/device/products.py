"""Products of tall matrices, whose rows are those of the data, and the blocks that rows are taken in."""

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor

from sgpmic_cli._typing import Array

STRIP = 2048  # rows of one product among many: a single one over millions of rows leaves most of a device idle
HOST_BYTES = 256 * 1024 * 1024  # what is free on a device that does not say so
ROWS_SHARE = (
    0.3  # of what is free may hold the data; more of them stay on the host and come block by block
)
BLOCK_SHARE, MOST_BLOCK_BYTES = (
    0.02,
    2 * 1024**3,
)  # of what is free: one block of one matrix, several of which live


def folded(a: Tensor, b: Tensor) -> Tensor:
    """a' b for a (n, i) and b (n, j) with many rows n."""
    return torch.as_tensor(_Folded.apply(a, b))


def spread(rows: Tensor, points: Tensor) -> Tensor:
    """Rows (n, i) times points (i, j)."""
    return torch.as_tensor(_Spread.apply(rows, points))


def picked(columns: Tensor, rows: Tensor) -> Tensor:
    """Rows of a narrow matrix, column by column: a device is slow at copying rows of a few numbers."""
    return torch.stack([column[rows] for column in columns.T], dim=1)


def to_device(array: Array, device: torch.device) -> Tensor:
    """A copy of a small array on a device, which goes on working meanwhile."""
    here = torch.tensor(array, dtype=torch.float64)
    return here.pin_memory().to(device, non_blocking=True) if device.type == "cuda" else here


def near(array: Array, device: torch.device) -> Tensor:
    """Data on a device where they fit beside what is computed from them, else on the host."""
    fits = array.nbytes <= ROWS_SHARE * free_bytes(device)
    return torch.from_numpy(array).to(device if fits else "cpu")


def rows_of(data: Tensor, rows: Tensor | slice, device: torch.device) -> Tensor:
    """Rows of `near` data on the device."""
    return data[rows if isinstance(rows, slice) else rows.to(data.device)].to(device)


def free_bytes(device: torch.device) -> int:
    """What is free on a device, with what PyTorch holds there for later."""
    if device.type != "cuda":
        return HOST_BYTES
    held = torch.cuda.memory_reserved(device) - torch.cuda.memory_allocated(device)
    return torch.cuda.mem_get_info(device)[0] + held


def block_rows(width: int, device: torch.device) -> int:
    """Rows of a block such that a matrix of it with `width` columns fits the device many times over."""
    most = min(MOST_BLOCK_BYTES, int(BLOCK_SHARE * free_bytes(device)))
    return max(STRIP, most // (8 * width) // STRIP * STRIP)


def blocks(n: int, size: int) -> list[slice]:
    """n rows in blocks."""
    return [slice(i, min(i + size, n)) for i in range(0, n, size)]


def _strips(a: Tensor, b: Tensor) -> Iterator[Tensor]:
    whole = len(a) // STRIP * STRIP
    if whole:
        strips = (part[:whole].reshape(-1, STRIP, part.shape[1]) for part in (a, b))
        first, second = strips
        yield torch.bmm(first.mT, second).sum(0)
    if whole < len(a):
        yield a[whole:].T @ b[whole:]


class _Folded(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, a: Tensor, b: Tensor) -> Tensor:
        ctx.save_for_backward(a, b)
        out = torch.zeros(a.shape[1], b.shape[1], dtype=a.dtype, device=a.device)
        for part in _strips(a, b):
            out += part
        return out

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, Tensor | None]:
        (grad,), (a, b) = grads, ctx.saved_tensors
        by_a, by_b = ctx.needs_input_grad
        return b @ grad.T if by_a else None, a @ grad if by_b else None


class _Spread(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, rows: Tensor, points: Tensor) -> Tensor:
        ctx.save_for_backward(rows, points)
        return rows @ points

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, Tensor | None]:
        (grad,), (rows, points) = grads, ctx.saved_tensors
        by_rows, by_points = ctx.needs_input_grad
        return grad @ points.T if by_rows else None, folded(rows, grad) if by_points else None
