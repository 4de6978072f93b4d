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
    frequencies = [_counts(column) for column in Y.T]
    return np.array([counts.sum() ** 2 / float(np.sum(counts**2)) for counts in frequencies])


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
    return np.array([len(_counts(column)) >= least for column in Y.T], dtype=bool)


def rounding_variance(Y: Array) -> Array:
    """Return the rounding variance of every standardised column, (P,), at most one."""
    k = effective_values(Y)
    return np.asarray(1.0 / np.maximum(k**2 - 1.0, 1.0))


def values_repeat(column: Array) -> bool:
    """Return whether more than half of the entries share their value with another one."""
    counts = _counts(column)
    return float(counts[counts > 1].sum()) > 0.5 * len(column)


def two_peaks(column: Array) -> tuple[float, float] | None:
    """Return the places of two peaks of the density of a column, or None if it has one.

    A tenth of the rows lies on either side of the valley. Kernel densities of unimodal data rarely
    have a valley with the bandwidth of Silverman's rule. A column whose values mostly repeat has
    peaks at its common values, which mean nothing.
    """
    values = np.sort(column[np.isfinite(column)])
    if len(values) < 50 or values_repeat(values) or values[0] == values[-1]:
        return None
    counts, edges = np.histogram(values, 200)
    grid, silverman = (edges[1:] + edges[:-1]) / 2.0, values.std() * (0.75 * len(values)) ** -0.2
    density = gaussian_filter1d(counts * 1.0, silverman / (edges[1] - edges[0]), mode="constant")
    left, right = np.maximum.accumulate(density), np.maximum.accumulate(density[::-1])[::-1]
    below = np.searchsorted(values, grid) / len(values)
    inner = (below >= 0.1) & (below <= 0.9)
    ratios = np.where(inner, density / np.minimum(left, right), 1.0)
    i = int(ratios.argmin())
    if ratios[i] > VALLEY:
        return None
    return float(grid[density[:i].argmax()]), float(grid[i + density[i:].argmax()])


def _counts(column: Array) -> Array:
    """Return how often each known value occurs."""
    known = np.sort(column[~np.isnan(column)])
    steps = np.diff(known) > EQUAL * (known.std() or 1.0)
    return np.diff(np.flatnonzero(np.r_[True, steps, True])).astype(float)
