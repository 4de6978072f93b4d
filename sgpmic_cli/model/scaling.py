"""Columns brought to one scale, and values that arithmetic can hold."""

from collections.abc import Iterator
from typing import Literal

import numpy as np

from sgpmic_cli._typing import Array, BoolArray
from sgpmic_cli.row_blocks import mean_and_variance, row_blocks, total

SAFE_RANGE = (1e-100, 1e100)  # squares of larger or smaller numbers leave the floating-point range

Scale = Literal["none", "global", "standard"]


def offset_and_scale(Y: Array, scale: Scale, *, center: bool = True) -> tuple[Array, Array]:
    """What a model subtracts from every column and divides it by: "global" is one factor for all, mean variance one.

    NaN stands for an entry that was not seen.
    """
    low, high, holes = _range(Y)
    n, spread = len(Y), high - low
    if holes:
        return _of_what_was_seen(Y, scale, constant=spread == 0.0)
    offset = total(_blocks(Y)) / n if center else np.zeros(Y.shape[1])
    if scale == "global":
        middle = offset if center else total(_blocks(Y)) / n
        variances = total((block - middle) ** 2 for block in _blocks(Y)) / (n - 1)
        return offset, np.full(Y.shape[1], np.sqrt(variances.mean()))
    if scale == "standard":
        # Equal values have no spread, but often a variance: that of the rounding of their mean.
        unit = np.where(spread > 0.0, spread, 1.0)
        middle = total((block - low) / unit for block in _blocks(Y)) / n
        variances = total(((block - low) / unit - middle) ** 2 for block in _blocks(Y)) / (n - 1)
        return offset, np.where(spread > 0.0, unit * np.sqrt(variances), 1.0)
    return offset, np.ones(Y.shape[1])


def _of_what_was_seen(Y: Array, scale: Scale, constant: BoolArray) -> tuple[Array, Array]:
    offset, variances = mean_and_variance(lambda: _blocks(Y))
    if scale == "global":
        return offset, np.full(Y.shape[1], np.sqrt(variances.mean()))
    return offset, np.where(constant, 1.0, np.sqrt(variances)) if scale == "standard" else np.ones(
        Y.shape[1]
    )


def check_spread(Y: Array) -> None:
    """Refuse rows that are all equal, values that cannot be squared, and rows or columns of which nothing was seen."""
    for rows in row_blocks(len(Y)):
        if len(empty := np.flatnonzero(np.isnan(Y[rows]).all(axis=1))):
            raise ValueError(_nothing_seen("row", rows.start + empty[0]))
    low, high, _ = _range(Y)
    if len(empty := np.flatnonzero(np.isnan(low))):
        raise ValueError(_nothing_seen("column", empty[0]))
    spread = (high - low).max() if max(high.max(), -low.min()) < SAFE_RANGE[1] else np.inf
    if spread == 0.0:
        raise ValueError("All rows are equal, so there is nothing to cluster.")
    if not SAFE_RANGE[0] < spread < SAFE_RANGE[1]:
        raise ValueError(
            "The values are too large or too small to be squared without leaving the floating-point range; "
            "multiply the data by a constant first."
        )


def _nothing_seen(what: str, place: int) -> str:
    return f"Nothing was seen of {what} {place + 1}: every entry of it is missing."


def _blocks(Y: Array) -> Iterator[Array]:
    return (Y[rows] for rows in row_blocks(len(Y)))


def _range(Y: Array) -> tuple[Array, Array, bool]:
    """The least and the greatest entry of every column (P,) that was seen, and whether any was not."""
    low = high = np.full(Y.shape[1], np.nan)
    holes = False
    for block in _blocks(Y):
        low, high = np.fmin(low, np.fmin.reduce(block)), np.fmax(high, np.fmax.reduce(block))
        holes = holes or bool(np.isnan(block).any())
    return low, high, holes
