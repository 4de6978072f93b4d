"""Recognise columns with few values: flags, grades, counts with many zeros.

A Gaussian cluster can gain without limit by sitting on one value of such a column. The effective
number of values of a column with value frequencies f is k = 1 / sum f^2. Rounding to k equal steps
has a variance of 1 / (k^2 - 1) relative to the variance of the column.
"""

import numpy as np

from sgpmic_cli._typing import Array, BoolArray, Indices
from sgpmic_cli.clustering.model.clusters.label_constants import EQUAL, FEW_VALUES


def effective_values(Y: Array) -> Array:
    """Return the effective number of known values of every column, (P,)."""
    result = np.empty(Y.shape[1])
    for p, column in enumerate(Y.T):
        known = np.sort(column[~np.isnan(column)])
        steps = np.diff(known) > EQUAL * (known.std() or 1.0)
        counts = np.diff(np.flatnonzero(np.r_[True, steps, True])).astype(float)
        result[p] = len(known) ** 2 / float(np.sum(counts**2))
    return result


def discrete_features(Y: Array, columns: Indices) -> BoolArray:
    """Return the features (P,) of discrete columns. `columns` (P,) is the column of each feature.

    In a table of few rows all columns have few values, so a column with a different value in every
    second row is continuous.
    """
    few = effective_values(Y) < min(FEW_VALUES, len(Y) / 2)
    return np.asarray(np.isin(columns, columns[few]))


def rounding_variance(Y: Array) -> Array:
    """Return the rounding variance of every standardised column, (P,), at most one."""
    k = effective_values(Y)
    return np.asarray(1.0 / np.maximum(k**2 - 1.0, 1.0))
