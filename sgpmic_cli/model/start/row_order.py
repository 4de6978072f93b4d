"""Rows in an order that does not depend on the one they came in, and how many of them differ."""

import numpy as np

from sgpmic_cli._typing import Array, Indices
from sgpmic_cli.row_blocks import row_blocks

FEW_AT_ONCE = 1024  # rows among which distinct ones are looked for


def row_powers(seen: Array) -> tuple[Array, Array]:
    """Sums of cubes and of squares of every row (n,), by which rows are put in order."""
    return np.round(np.sum(seen**3, axis=1), 6), np.round(np.sum(seen**2, axis=1), 6)


def canonical_order(cubes: Array, squares: Array) -> Indices:
    """An order of rows that does not depend on the order they came in, nor on that of the columns."""
    return np.lexsort([cubes, squares])


def distinct_rows(Y: Array, most: int) -> int:
    """Number of distinct rows, counted up to `most`; rows with holes all count."""
    if any(np.isnan(Y[rows]).any() for rows in row_blocks(len(Y))):
        return min(len(Y), most)
    found = Y[:0]
    for first in range(0, len(Y), FEW_AT_ONCE):
        found = np.unique(np.concatenate([found, Y[first : first + FEW_AT_ONCE]]), axis=0)
        if len(found) >= most:
            return most
    return len(found)
