"""Process long tables in blocks of rows, so that temporary arrays stay small.

A table of at most `ROWS` rows is one block, and its results equal those without blocks bit by bit.
"""

from collections.abc import Callable, Iterable, Iterator

import numpy as np
from sklearn.utils import gen_batches

from sgpmic_cli._typing import Array

ROWS = 1 << 16


def row_blocks(n: int) -> Iterator[slice]:
    """Return the slices that split `n` rows into blocks of `ROWS` rows."""
    return gen_batches(n, ROWS)


def total(blocks: Iterable[Array]) -> Array:
    """Sum the rows of all blocks (n, P). Return an array of shape (P,)."""
    return np.asarray(sum(np.sum(block, axis=0) for block in blocks))


def moments(blocks: Callable[[], Iterable[Array]]) -> tuple[Array, Array, Array]:
    """Return counts, means and sums of squared deviations of the columns (P,), ignoring NaN.

    `blocks` returns the blocks of rows (n, P) anew at each call. The mean of a column without
    values is NaN.
    """
    counts = total(~np.isnan(block) for block in blocks())
    with np.errstate(invalid="ignore", divide="ignore"):
        means = total(np.nan_to_num(block) for block in blocks()) / counts
    return counts, means, total(np.nan_to_num(block - means) ** 2 for block in blocks())


def mean_and_variance(blocks: Callable[[], Iterable[Array]]) -> tuple[Array, Array]:
    """Return mean and variance of each column (P,), ignoring NaN; NaN if there is no value."""
    counts, means, squares = moments(blocks)
    with np.errstate(invalid="ignore", divide="ignore"):
        return means, squares / counts
