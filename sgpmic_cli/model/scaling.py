"""Columns brought to one scale, and values that arithmetic can hold."""

from typing import Literal

import numpy as np

from sgpmic_cli._typing import Array

SAFE_RANGE = (1e-100, 1e100)  # squares of larger or smaller numbers leave the floating-point range

Scale = Literal["none", "global", "standard"]


def offset_and_scale(Y: Array, scale: Scale, *, center: bool = True) -> tuple[Array, Array]:
    """What a model subtracts from every column and divides it by: "global" is one factor for all, mean variance one."""
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


def check_spread(Y: Array) -> None:
    """Refuse rows that are all equal, and values that cannot be squared."""
    spread = np.ptp(Y, axis=0).max() if np.abs(Y).max() < SAFE_RANGE[1] else np.inf
    if spread == 0.0:
        raise ValueError("All rows are equal, so there is nothing to cluster.")
    if not SAFE_RANGE[0] < spread < SAFE_RANGE[1]:
        raise ValueError(
            "The values are too large or too small to be squared without leaving the floating-point range; "
            "multiply the data by a constant first."
        )
