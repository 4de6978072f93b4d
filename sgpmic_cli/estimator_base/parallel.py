"""Threads that share the rows of one evaluation, with equal results for any number of threads.

Rows are cut into blocks of a fixed size, and partial results are added in the order of the blocks.
NumPy releases the interpreter lock in BLAS and in elementwise functions. BLAS itself uses one
thread. Its threads do not pay for matrices of a few hundred rows, and on a busy machine they make a
fit many times slower. Sums over several threads also change the last digits of a result.
"""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cache
from typing import Any, TypeVar

from joblib import effective_n_jobs

Block = TypeVar("Block")
Result = TypeVar("Result")

FEW_ROWS = 20_000  # with more rows BLAS may use the threads that the user allows
WORTHWHILE = 8192  # rows below which starting threads costs more than it saves


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
