"""One thread for the arithmetic of an estimator, wherever it is called from.

Matrices of a few hundred rows are done before a second thread has woken up, and threads that share busy cores wait for
each other: on a busy machine a fit of Wine took up to 50 s with several threads and 0.2 s with one. Sums split over
threads also change the last digits, so that a fit in a notebook would differ from that of the command line.
"""

from contextlib import AbstractContextManager, nullcontext
from functools import cache
from typing import Any

FEW_ROWS = (
    20_000  # matrices of more rows are large enough to be shared out by whoever has idle cores
)


def threads_for(n_rows: int) -> AbstractContextManager[Any]:
    """Hold BLAS and OpenMP at one thread inside a `with`; work on many rows is left as the user has set it."""
    return one_thread() if n_rows <= FEW_ROWS else nullcontext()


def one_thread() -> AbstractContextManager[Any]:
    """Hold BLAS and OpenMP at one thread inside a `with`."""
    return _controller().limit(limits=1)


@cache
def _controller() -> Any:
    # Looking for the libraries of the process takes milliseconds, setting their threads microseconds.
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
