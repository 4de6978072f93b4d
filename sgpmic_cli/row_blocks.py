"""Process long tables in blocks of rows, one after another or in threads.

Temporary arrays stay small. A table of at most `ROWS` rows is one block, and its results equal
those without blocks bit by bit.

Results do not depend on the number of threads, because partial results are added in the order of
the blocks. NumPy releases the interpreter lock in BLAS and in elementwise functions. BLAS itself
uses one thread. Its threads do not pay for matrices of a few hundred rows, and on a busy machine
they make a fit many times slower. Sums over several threads also change the last digits.
"""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cache
from typing import Any, TypeVar

import numpy as np
from joblib import effective_n_jobs
from sklearn.utils import gen_batches

from sgpmic_cli._typing import Array

ROWS = 1 << 16
FEW_ROWS = 20_000  # with more rows BLAS may use the threads that the user allows
WORTHWHILE = 8192  # rows below which starting threads costs more than it saves
Block = TypeVar("Block")
Result = TypeVar("Result")


def row_blocks(n: int) -> Iterator[slice]:
    """Return the slices that split `n` rows into blocks of `ROWS` rows."""
    return gen_batches(n, ROWS)


def moments(blocks: Callable[[], Iterable[Array]]) -> tuple[Array, Array, Array]:
    """Return counts, means and sums of squared deviations of the columns (P,), ignoring NaN.

    `blocks` returns the blocks of rows (n, P) anew at each call. The mean of a column without
    values is NaN.
    """
    counts = sum(np.sum(~np.isnan(block), axis=0) for block in blocks())
    with np.errstate(invalid="ignore", divide="ignore"):
        means = sum(np.nansum(block, axis=0) for block in blocks()) / counts
    squares = sum(np.nansum((block - means) ** 2, axis=0) for block in blocks())
    return np.asarray(counts), np.asarray(means), np.asarray(squares)


class Workers:
    """A pool of threads, or None for the calling thread alone."""

    def __init__(self, pool: ThreadPoolExecutor | None = None):
        self.pool = pool

    def map(
        self, work: Callable[[Block], Result], blocks: Iterable[Block], rows: int
    ) -> list[Result]:
        """Return the results of all blocks in order. `rows` is the number of rows of all blocks."""
        blocks = list(blocks)
        if self.pool is None or rows < WORTHWHILE or len(blocks) == 1:
            return [work(block) for block in blocks]
        return list(self.pool.map(work, blocks))


ALONE = Workers()


@contextmanager
def workers(n_jobs: int | None) -> Iterator[Workers]:
    """Open a pool of `n_jobs` threads, as in scikit-learn: None is one, -1 uses all cores."""
    with one_thread():
        count = effective_n_jobs(n_jobs)
        if count == 1:
            yield ALONE
        else:
            with ThreadPoolExecutor(count) as pool:
                yield Workers(pool)


def threads_for(n_rows: int) -> AbstractContextManager[Any]:
    """Return a context with one thread for few rows, and with the user's setting otherwise."""
    return one_thread() if n_rows <= FEW_ROWS else nullcontext()


def one_thread() -> AbstractContextManager[Any]:
    """Return a context in which BLAS and OpenMP use one thread."""
    return _controller().limit(limits=1)


@cache
def _controller() -> Any:
    # Finding the libraries takes milliseconds, setting their threads microseconds.
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
