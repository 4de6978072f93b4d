"""Offsets and scales of columns, checks that values can be squared, and the order of rows."""

from collections.abc import Iterable, Iterator
from typing import Literal

import numpy as np
from sklearn.utils import gen_batches

from sgpmic_cli._typing import Array, Indices
from sgpmic_cli.errors import UsageError

SAFE_RANGE = (1e-100, 1e100)  # squares of values outside leave the floating-point range
BLOCK = 1 << 16  # rows
FIRST_ROWS = 1024  # usually enough to find as many distinct rows as clusters

Scale = Literal["none", "global", "standard"]


def offset_and_scale(
    Y: Array, scale: Scale, *, center: bool = True, use_constant: bool = True
) -> tuple[Array, Array]:
    """Return what is subtracted from every column, and what it is divided by, (P,) each.

    "standard" divides by the standard deviation of the column, "global" by one number that makes
    the mean variance one, "none" by one. NaN marks missing values, which are left out. Without
    `use_constant`, constant columns do not count, and their scale is zero.
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
    used = ~constant | use_constant
    if scale == "global":
        deviations = np.full(Y.shape[1], np.sqrt(np.mean(deviations[used] ** 2)))
    elif scale == "standard":
        deviations = np.where(deviations > 0.0, deviations, 1.0)
    else:
        deviations = np.ones(Y.shape[1])
    return offset, np.where(used, deviations, 0.0)


def check_rows(Y: Array) -> None:
    """Raise UsageError if a row has no value."""
    for rows in gen_batches(len(Y), BLOCK):
        if len(empty := np.flatnonzero(np.isnan(Y[rows]).all(axis=1))):
            raise UsageError(
                f"Row {rows.start + empty[0] + 1} has no value: leave such rows out, as in "
                "X[~np.isnan(X).all(axis=1)]."
            )


def check_spread(Y: Array) -> None:
    """Raise UsageError if rows are all equal, a column is empty, or values are too large."""
    low, high = _range(Y)
    if len(empty := np.flatnonzero(np.isnan(low))):
        raise UsageError(f"Column {empty[0] + 1} has no value: remove it.")
    spread = (high - low).max() if max(high.max(), -low.min()) < SAFE_RANGE[1] else np.inf
    if spread == 0.0:
        raise UsageError("All rows are equal, so there is nothing to cluster.")
    if not SAFE_RANGE[0] < spread < SAFE_RANGE[1]:
        raise UsageError(
            "The values are too large or too small to be squared in floating point; "
            "multiply the data by a constant first."
        )


def canonical_order(blocks: Iterable[Array]) -> Indices:
    """Return an order that depends on neither the order of the rows nor that of the columns.

    The rows come in blocks. Sums of squares, then sums of cubes define the order.
    """
    powers = [
        (np.round(np.sum(rows**3, axis=1), 6), np.round(np.sum(rows**2, axis=1), 6))
        for rows in blocks
    ]
    return np.lexsort([np.concatenate(part) for part in zip(*powers, strict=True)])


def distinct_rows(Y: Array, most: int) -> int:
    """Count distinct rows up to `most`. Rows with missing values count as distinct."""
    found = Y[:0]
    for rows in gen_batches(len(Y), FIRST_ROWS):
        if np.isnan(Y[rows]).any():
            return min(len(Y), most)
        found = np.unique(np.concatenate([found, Y[rows]]), axis=0)
        if len(found) >= most:
            return most
    return len(found)


def _blocks(Y: Array) -> Iterator[Array]:
    return (Y[rows] for rows in gen_batches(len(Y), BLOCK))


def _range(Y: Array) -> tuple[Array, Array]:
    """Return the smallest and the largest known value of every column, (P,)."""
    low = high = np.full(Y.shape[1], np.nan)
    for block in _blocks(Y):
        low, high = np.fmin(low, np.fmin.reduce(block)), np.fmax(high, np.fmax.reduce(block))
    return low, high
