"""Columns brought to one scale, and values that arithmetic can hold."""

from typing import Literal

import numpy as np

from sgpmic_cli._typing import Array

SAFE_RANGE = (1e-100, 1e100)  # squares of larger or smaller numbers leave the floating-point range

Scale = Literal["none", "global", "standard"]


def offset_and_scale(Y: Array, scale: Scale, *, center: bool = True) -> tuple[Array, Array]:
    """What a model subtracts from every column and divides it by: "global" is one factor for all, mean variance one.

    NaN stands for an entry that was not seen.
    """
    if np.isnan(Y).any():
        return _of_what_was_seen(Y, scale)
    offset = Y.mean(axis=0) if center else np.zeros(Y.shape[1])
    if scale == "global":
        return offset, np.full(Y.shape[1], np.sqrt(np.var(Y, axis=0, ddof=1).mean()))
    if scale == "standard":
        # Equal values have no spread, but often a variance: that of the rounding of their mean.
        spread = np.ptp(Y, axis=0)
        unit = np.where(spread > 0.0, spread, 1.0)
        deviations = unit * np.std((Y - Y.min(axis=0)) / unit, axis=0, ddof=1)
        return offset, np.where(spread > 0.0, deviations, 1.0)
    return offset, np.ones(Y.shape[1])


def _of_what_was_seen(Y: Array, scale: Scale) -> tuple[Array, Array]:
    offset, variances = np.nanmean(Y, axis=0), np.nanvar(Y, axis=0)
    if scale == "global":
        return offset, np.full(Y.shape[1], np.sqrt(variances.mean()))
    constant = np.nanmax(Y, axis=0) == np.nanmin(Y, axis=0)
    return offset, np.where(constant, 1.0, np.sqrt(variances)) if scale == "standard" else np.ones(Y.shape[1])


def check_spread(Y: Array) -> None:
    """Refuse rows that are all equal, values that cannot be squared, and rows or columns of which nothing was seen."""
    holes = np.isnan(Y)
    for axis, what in ((1, "row"), (0, "column")):
        if len(empty := np.flatnonzero(holes.all(axis=axis))):
            raise ValueError(f"Nothing was seen of {what} {empty[0] + 1}: every entry of it is missing.")
    spread = (np.nanmax(Y, axis=0) - np.nanmin(Y, axis=0)).max() if np.nanmax(np.abs(Y)) < SAFE_RANGE[1] else np.inf
    if spread == 0.0:
        raise ValueError("All rows are equal, so there is nothing to cluster.")
    if not SAFE_RANGE[0] < spread < SAFE_RANGE[1]:
        raise ValueError(
            "The values are too large or too small to be squared without leaving the floating-point range; "
            "multiply the data by a constant first."
        )
