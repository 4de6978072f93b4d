"""Recognise columns with few values.

Flags, grades and counts with many zeros have few values. A Gaussian cluster can gain without limit
by sitting on one value of such a column. The effective number of values of a column with value
frequencies f is k = 1 / sum f^2. Rounding to k equal steps has a variance of 1 / (k^2 - 1) relative
to the variance of the column.
"""

import numpy as np
from scipy.ndimage import gaussian_filter1d

from sgpmic_cli._typing import Array, BoolArray, Indices

FEW_VALUES = 10.0  # a convention: a column with fewer effective values is discrete
EQUAL = 1e-6  # rounding: values that differ by less, in standard deviations, are equal

VALLEY = 0.5  # a convention: density between two peaks, relative to the lower one


def effective_values(Y: Array) -> Array:
    """Return the effective number of known values of every column, (P,)."""
    columns, counts = _counts(Y)
    known = np.bincount(columns, counts, Y.shape[1])
    return np.asarray(known**2 / np.bincount(columns, counts**2, Y.shape[1]))


def discrete_features(Y: Array, columns: Indices) -> BoolArray:
    """Return the features (P,) of discrete columns. `columns` (P,) is the column of each feature.

    In a table of few rows all columns have few values, so a column with a different value in every
    second row is continuous.
    """
    few = effective_values(Y) < min(FEW_VALUES, len(Y) / 2)
    return np.asarray(np.isin(columns, columns[few]))


def mostly_discrete(discrete: BoolArray, columns: Indices) -> bool:
    """Return whether at least half of the columns have discrete features (P,)."""
    return bool(np.mean([discrete[columns == one].any() for one in np.unique(columns)]) >= 0.5)


def numeric_features(Y: Array) -> BoolArray:
    """Return the features (P,) with at least FEW_VALUES different values, however frequent."""
    least = min(FEW_VALUES, len(Y) / 2)
    return np.asarray(np.bincount(_counts(Y)[0], minlength=Y.shape[1]) >= least)


def rounding_variance(Y: Array) -> Array:
    """Return the rounding variance of every standardised column, (P,), at most one."""
    k = effective_values(Y)
    return np.asarray(1.0 / np.maximum(k**2 - 1.0, 1.0))


def values_repeat(column: Array) -> bool:
    """Return whether more than half of the entries share their value with another one."""
    counts = _counts(column[:, None])[1]
    return float(counts[counts > 1].sum()) > 0.5 * len(column)


def two_peaks(column: Array) -> tuple[float, float] | None:
    """Return the places of two peaks of the density of a column, or None if it has one.

    A tenth of the rows lies on either side of the valley. Kernel densities of unimodal data rarely
    have a valley with the bandwidth of Silverman's rule. A column whose values mostly repeat has
    peaks at its common values, which mean nothing.
    """
    values = np.sort(column[np.isfinite(column)])
    if len(values) < 50 or values[0] == values[-1]:
        return None
    step = (values[-1] - values[0]) / 200.0
    counts = np.bincount(((values - values[0]) / step).astype(int).clip(max=199), minlength=200)
    grid, silverman = values[0] + step * np.arange(0.5, 200.0), (0.75 * len(values)) ** -0.2
    density = gaussian_filter1d(1.0 * counts, silverman * values.std() / step, mode="constant")
    left, right = np.maximum.accumulate(density), np.maximum.accumulate(density[::-1])[::-1]
    below = np.searchsorted(values, grid) / len(values)
    inner = (below >= 0.1) & (below <= 0.9)
    ratios = np.where(inner, density / np.minimum(left, right), 1.0)
    i = int(ratios.argmin())
    if ratios[i] > VALLEY or values_repeat(values):
        return None
    return float(grid[density[:i].argmax()]), float(grid[i + density[i:].argmax()])


def _counts(Y: Array) -> tuple[Indices, Array]:
    """Return the column of each known value of Y (N, P), and how often the value occurs."""
    values, spread = np.sort(Y, axis=0).T, np.nanstd(Y, axis=0)
    starts = np.ones(values.shape, dtype=bool)
    starts[:, 1:] = ~(np.diff(values, axis=1) <= EQUAL * spread[:, None])
    first = np.flatnonzero(starts)
    known = ~np.isnan(values.ravel()[first])
    counts = np.diff(np.append(first, values.size))
    return first[known] // len(Y), counts[known].astype(float)
