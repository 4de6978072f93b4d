"""One evaluation shared out to threads, with the same result to the last bit however many there are.

Work is cut into pieces whose size depends on the data alone; results come back in the order of the pieces, and whoever
adds them up does so in that order. BLAS and exp let other threads run meanwhile; BLAS itself is held to one thread, or
the two kinds of threads would wait for each other. Work that is done in a moment is not shared out: waking a thread
would cost more.
"""

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

import numpy as np
from joblib import effective_n_jobs
from sklearn.utils import gen_batches

from sgpmic_cli._typing import Array
from sgpmic_cli.estimator_base.thread_limits import one_thread

Piece = TypeVar("Piece")
Result = TypeVar("Result")

PIECE = 8192  # rows; data of fewer are one piece, and summed as one
WORTHWHILE = 8192  # rows, counted once for every component that they take part in, from which on work is shared out


class Workers:
    """Threads that take pieces of work in turn; without a pool all work is done by whoever asks."""

    def __init__(self, pool: ThreadPoolExecutor | None = None):
        self.pool = pool

    def map(
        self, work: Callable[[Piece], Result], pieces: Sequence[Piece], rows: int
    ) -> list[Result]:
        """The results of all pieces in their order; `rows` is how much work they are together."""
        if self.pool is None or rows < WORTHWHILE or len(pieces) == 1:
            return [work(piece) for piece in pieces]
        return list(self.pool.map(work, pieces))


ALONE = Workers()


@contextmanager
def workers(n_jobs: int | None) -> Iterator[Workers]:
    """As many threads as `n_jobs` says in scikit-learn's manner: None is one, -1 are all cores, -2 all but one."""
    with one_thread():
        count = effective_n_jobs(n_jobs)
        if count == 1:
            yield ALONE
        else:
            with ThreadPoolExecutor(count) as pool:
                yield Workers(pool)


class Scratch(threading.local):
    """Work arrays by name, which every thread has to itself: memory just used is in the cache, new memory is not."""

    def __init__(self) -> None:
        self.flat: dict[object, Array] = {}

    def columns(self, name: object, k: int, n: int) -> Array:
        """An array (k, n) in Fortran order with anything in it."""
        flat = self.flat.get(name)
        if flat is None or flat.size < k * n:
            flat = self.flat[name] = np.empty(k * n)
        return flat[: k * n].reshape((k, n), order="F")


def cut(n: int, size: int) -> list[slice]:
    """The rows from 0 to n in pieces."""
    return [slice(begin, min(begin + size, n)) for begin in range(0, n, size)]


def row_slices(n: int, size: int) -> list[slice]:
    """Return the slices of `n` rows in blocks of `size`."""
    return list(gen_batches(n, size))
