"""What the values of a column tell of how exactly it is known.

A column of a few repeated values (a yes or no, a grade, a count with many zeros) is a measurement with coarse steps.
Taken as exact, it lets a Gaussian cluster win endlessly by sitting on one value. The effective number of values of a
column,

    k = 1 / sum_v share(v)^2,

is what it would be if all values were equally frequent; k steps of equal width have a rounding error whose variance is
1 / (k^2 - 1) of the column's own. Columns that are measured finely have k near the number of rows and none of this.
"""

import numpy as np

from sgpmic_cli._typing import Array

FEW_VALUES = 10.0  # columns of fewer effective values are coarse
COARSE_SHARE = 0.25  # data are coarse when so many of their columns are


def effective_values(Y: Array) -> Array:
    """Effective number of values of every column (P,)."""
    out = np.empty(Y.shape[1])
    for p, column in enumerate(Y.T):
        # Values that differ in the last digits only are the same value after a shift or a change of unit.
        _, counts = np.unique(np.round(column, 9), return_counts=True)
        out[p] = len(column) ** 2 / float(np.sum(counts.astype(float) ** 2))
    return out


def rounding(Y: Array) -> Array:
    """Variance of the rounding of every standardised column (P,), at most one."""
    k = effective_values(Y)
    return np.asarray(1.0 / np.maximum(k**2 - 1.0, 1.0))


def are_coarse(Y: Array) -> bool:
    """Whether a quarter of the columns or more are coarse."""
    return bool(np.mean(effective_values(Y) < FEW_VALUES) >= COARSE_SHARE)
