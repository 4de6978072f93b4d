"""Offsets and scales of columns, checks that values can be squared, and the order of rows."""

from collections.abc import Iterable, Iterator
from typing import Literal

import numpy as np
from sklearn.utils import gen_batches

from sgpmic_cli._typing import Array, BoolArray, Indices
from sgpmic_cli.errors import UsageError
from sgpmic_cli.row_blocks import moments, row_blocks

SAFE_RANGE = (1e-100, 1e100)  # squares of values outside leave the floating-point range
UNSCALED_RANGE = (1e-100, 1e15)  # distances are searched in single precision
FAR = 10.0  # ranges; one of a million values of a normal distribution is beyond 0.5
FEWEST_ROWS = 10  # of a table with outliers
FEWEST_SUMMED = 5  # rows above a row of totals; the third of three rows may be a sum by chance
FIRST_ROWS = 1024  # usually enough to find as many distinct rows as clusters

Scale = Literal["none", "global", "standard"]


def offset_and_scale(
    Y: Array,
    scale: Scale,
    levels: Indices | None = None,
    *,
    center: bool = True,
    use_constant: bool = True,
) -> tuple[Array, Array]:
    """Return what is subtracted from every feature, and what it is divided by, (P,) each.

    "standard" divides numbers by their standard deviation, "global" by one number that makes their
    mean variance one, "none" by one. NaN marks missing values, which are left out. Without
    `use_constant`, constant and empty features do not count, and their scale is zero.

    `levels` (P,) is the number of levels of the category that a feature of zeros and ones belongs
    to, 0 for numbers. A category has the mean variance of the scaled numbers over all its levels,
    in the metric of multiple correspondence analysis: the feature of a level with the frequency f
    is divided by sqrt(f (levels - 1)), so that a category of two levels equals a number 0 or 1.
    """
    low, high = _range(Y)
    spread = high - low
    constant = ~(spread > 0.0)  # or without any value
    # Differences to the smallest value, in units of the range, lose no digits.
    unit = np.where(constant, 1.0, spread)
    counts, _, squares = moments(lambda: ((block - low) / unit for block in _blocks(Y)))
    deviations = np.where(constant, 0.0, unit * np.sqrt(squares / np.maximum(counts - 1, 1)))
    means = sum(np.nansum(block, axis=0) for block in _blocks(Y)) / np.maximum(counts, 1)
    offset = means if center else np.zeros(Y.shape[1])
    used = ~constant | use_constant
    number = np.ones(Y.shape[1], dtype=bool) if levels is None else levels == 0
    variances = deviations[used & number] ** 2
    common = float(np.sqrt(np.mean(variances))) if variances.any() else 1.0
    if scale == "global":
        scales = np.full(Y.shape[1], common)
    elif scale == "standard":
        scales = np.where(deviations > 0.0, deviations, 1.0)
    else:
        scales = np.ones(Y.shape[1])
    if levels is not None:
        sample = counts / np.maximum(counts - 1, 1)  # as in the variance of a number
        frequencies = np.where(number, 0.0, means)
        metric = np.sqrt(sample * frequencies * np.maximum(levels - 1, 1))
        metric = metric / (common if scale == "none" else 1.0)
        scales = np.where(number | (metric == 0.0), scales, metric)
    return offset, np.where(used, scales, 0.0)


def check_spread(Y: Array, allowed: tuple[float, float] = SAFE_RANGE) -> None:
    """Raise UsageError if rows are all equal or values are too large."""
    low, high = _range(Y)
    far = max(np.nanmax(high), -np.nanmin(low)) >= allowed[1]
    spread = np.inf if far else np.nanmax(high - low)
    if spread == 0.0:
        raise UsageError("All rows are equal, so there is nothing to cluster.")
    if not allowed[0] < spread < allowed[1]:
        hint = ", or fit with scale='global'" * (allowed is not SAFE_RANGE)
        raise UsageError(
            "The values are too large or too small to be squared in floating point; "
            f"multiply the data by a constant first{hint}."
        )


def gross_outliers(Y: Array) -> BoolArray:
    """Return the rows (N,) with a value that is far beyond the range of nearly all others.

    The range leaves out a hundredth of the values on either side, at least one. A value is far if
    it lies more than FAR times this range beyond it: a code such as 1e9 for a missing value, or a
    row of totals. At most as many rows are returned as the range leaves out on one side, and a last
    row that is the sum of the others.
    """
    n, ends = len(Y), ends_with_totals(Y)
    most = max(n // 100, 1)
    far = np.zeros(n - ends, dtype=bool)
    for column in Y[: n - ends].T if n >= FEWEST_ROWS else ():
        known = np.sort(column[~np.isnan(column)])
        if len(known) > 2 * most + 1:
            low, high = known[most], known[-1 - most]
            beyond = np.maximum(low - column, column - high)
            far |= (high - low > SAFE_RANGE[0]) & (np.nan_to_num(beyond) > FAR * (high - low))
    return np.append(far & (far.sum() <= most), np.ones(int(ends), dtype=bool))


def ends_with_totals(Y: Array) -> bool:
    """Return whether the last row is the sum of the others in all columns but flags.

    It lies beyond all others in one of them at least.
    """
    last, others = Y[-1], Y[:-1]
    if len(others) < FEWEST_SUMMED:
        return False
    low, high = _range(others)
    flags = (low >= 0.0) & (high <= 1.0) & np.isin(last, (0.0, 1.0))
    sums = sum(np.nansum(block, axis=0) for block in _blocks(others))
    numbers = ~np.isnan(last) & ~flags
    is_sum = np.isclose(last, sums, rtol=1e-6, atol=0.0)
    return bool(is_sum[numbers].all() and (numbers & ((last > high) | (last < low))).any())


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
    distinct = Y[:0]
    for rows in gen_batches(len(Y), FIRST_ROWS):
        if np.isnan(Y[rows]).any():
            return min(len(Y), most)
        distinct = np.unique(np.concatenate([distinct, Y[rows]]), axis=0)
        if len(distinct) >= most:
            return most
    return len(distinct)


def _blocks(Y: Array) -> Iterator[Array]:
    return (Y[rows] for rows in row_blocks(len(Y)))


def _range(Y: Array) -> tuple[Array, Array]:
    """Return the smallest and the largest known value of every column, (P,)."""
    low = high = np.full(Y.shape[1], np.nan)
    for block in _blocks(Y):
        low, high = np.fmin(low, np.fmin.reduce(block)), np.fmax(high, np.fmax.reduce(block))
    return low, high
