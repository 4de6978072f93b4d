"""Limit BLAS and OpenMP to one thread.

Threads do not pay for matrices of a few hundred rows, and on a busy machine they make a fit many
times slower. Sums over several threads also change the last digits of a result.
"""

from contextlib import AbstractContextManager, nullcontext
from functools import cache
from typing import Any

FEW_ROWS = 20_000  # with more rows BLAS may use the threads that the user allows


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
