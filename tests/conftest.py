"""Set one BLAS thread, as the command line does, and make every test process interruptible."""

import mmap
import os
import signal

import pytest

for _variable in (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
):
    os.environ.setdefault(_variable, "1")  # before any test module imports numpy

# Shells start background processes with SIGINT ignored.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def lies_in_a_file():
    """Return a function that tells whether an array is memory-mapped."""
    import numpy as np

    def look(array):
        while isinstance(array, np.ndarray):
            array = array.base
        return isinstance(array.obj if isinstance(array, memoryview) else array, mmap.mmap)

    return look
