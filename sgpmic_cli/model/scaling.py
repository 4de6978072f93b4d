"""Offsets and scales of columns, and checks that values can be squared."""

from collections.abc import Iterator
from typing import Literal

import numpy as np
from sklearn.utils import gen_batches

from sgpmic_cli._typing import Array

SAFE_RANGE = (1e-100, 1e100)  # squares of values outside leave the floating-point range
BLOCK = 1 << 16  # rows

Scale = Literal["none", "global", "standard"]


def offset_and_scale(Y: Array, scale: Scale, *, center: bool = True) -> tuple[Array, Array]:
    """Return what is subtracted from every column, and what it is divided by, (P,) each.

    "standard" divides by the standard deviation of the column, "global" by one number that makes
    the mean variance one, "none" by one. NaN marks missing values, which are left out.
    """
    low, high = _range(Y)
    spread = high - low
    constant = spread == 0.0
    # Differences to the smallest value, in units of the range, lose no digits.
    unit = np.where(constant, 1.0, spread)
    counts = sum(np.sum(~np.isnan(block), axis=0) for block in _blocks(Y))
    means = sum(np.nansum((block - low) / unit, axis=0) for block in _blocks(Y)) / counts
    squares = sum(np.nansum(((block - low) / unit - means) ** 2, axis=0) for block in _blocks(Y))
    deviations = np.where(constant, 0.0, unit * np.sqrt(squares / np.maximum(counts - 1, 1)))
    plain = sum(np.nansum(block, axis=0) for block in _blocks(Y)) / counts
    offset = plain if center else np.zeros(Y.shape[1])
    if scale == "global":
        return offset, np.full(Y.shape[1], np.sqrt(np.mean(deviations**2)))
    if scale == "standard":
        return offset, np.where(deviations > 0.0, deviations, 1.0)
    return offset, np.ones(Y.shape[1])


def check_spread(Y: Array) -> None:
    """Raise ValueError if rows are all equal, empty, or too large to be squared."""
    for rows in gen_batches(len(Y), BLOCK):
        if len(empty := np.flatnonzero(np.isnan(Y[rows]).all(axis=1))):
            raise ValueError(f"Row {rows.start + empty[0] + 1} has no value: remove it.")
    low, high = _range(Y)
    if len(empty := np.flatnonzero(np.isnan(low))):
        raise ValueError(f"Column {empty[0] + 1} has no value: remove it.")
    spread = (high - low).max() if max(high.max(), -low.min()) < SAFE_RANGE[1] else np.inf
    if spread == 0.0:
        raise ValueError("All rows are equal, so there is nothing to cluster.")
    if not SAFE_RANGE[0] < spread < SAFE_RANGE[1]:
        raise ValueError(
            "The values are too large or too small to be squared in floating point; "
            "multiply the data by a constant first."
        )


def _blocks(Y: Array) -> Iterator[Array]:
    return (Y[rows] for rows in gen_batches(len(Y), BLOCK))


def _range(Y: Array) -> tuple[Array, Array]:
    """Return the smallest and the largest known value of every column, (P,)."""
    low = high = np.full(Y.shape[1], np.nan)
    for block in _blocks(Y):
        low, high = np.fmin(low, np.fmin.reduce(block)), np.fmax(high, np.fmax.reduce(block))
    return low, high
