"""Threads that share the rows of one evaluation, with equal results for any number of threads.

Rows are cut into blocks of a fixed size, and partial results are added in the order of the blocks.
NumPy releases the interpreter lock in BLAS and in elementwise functions. BLAS itself uses one
thread.
"""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

from joblib import effective_n_jobs

from sgpmic_cli.estimator_base.thread_limits import one_thread

Block = TypeVar("Block")
Result = TypeVar("Result")

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
