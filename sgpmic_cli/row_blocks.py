"""Rows a block at a time, so that what is computed on the way never needs the room of the whole table.

A table of up to `ROWS` rows is one block, and comes out to the last bit as if there were no blocks.
"""

from collections.abc import Callable, Iterable, Iterator

import numpy as np

from sgpmic_cli._typing import Array

ROWS = 1 << 16

Blocks = Callable[
    [], Iterable[Array]
]  # the same blocks of rows (n, P) again, each time it is called


def row_blocks(n: int) -> Iterator[slice]:
    """The rows of every block of a table of `n` rows."""
    return (slice(first, min(first + ROWS, n)) for first in range(0, n, ROWS))


def total(blocks: Iterable[Array]) -> Array:
    """Sums of columns (P,)."""
    return np.asarray(sum(np.sum(block, axis=0) for block in blocks))


def mean_and_variance(blocks: Blocks) -> tuple[Array, Array]:
    """Of the entries of every column (P,) that are not NaN; NaN where there are none."""
    count = total(~np.isnan(block) for block in blocks())
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = total(np.where(np.isnan(block), 0.0, block) for block in blocks()) / count
        return mean, total(_squares(block - mean) for block in blocks()) / count


def _squares(differences: Array) -> Array:
    differences = np.where(np.isnan(differences), 0.0, differences)
    return np.asarray(differences * differences)
