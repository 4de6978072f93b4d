"""Put rows in an order that does not depend on the order they came in, and count distinct rows."""

import numpy as np
from sklearn.utils import gen_batches

from sgpmic_cli._typing import Array, Indices

BLOCK = 1024


def row_powers(rows: Array) -> tuple[Array, Array]:
    """Return the sums of cubes and of squares of every row, (n,), which define the order."""
    return np.round(np.sum(rows**3, axis=1), 6), np.round(np.sum(rows**2, axis=1), 6)


def canonical_order(cubes: Array, squares: Array) -> Indices:
    """Return an order that depends on neither the order of the rows nor that of the columns."""
    return np.lexsort([cubes, squares])


def distinct_rows(Y: Array, most: int) -> int:
    """Count distinct rows up to `most`. Rows with missing values count as distinct."""
    found = Y[:0]
    for rows in gen_batches(len(Y), BLOCK):
        if np.isnan(Y[rows]).any():
            return min(len(Y), most)
        found = np.unique(np.concatenate([found, Y[rows]]), axis=0)
        if len(found) >= most:
            return most
    return len(found)
