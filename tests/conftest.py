"""Every process of the tests starts alike: one BLAS thread, as the command line sets it, and deaf to no interrupt."""

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

if (
    signal.getsignal(signal.SIGINT) is signal.SIG_IGN
):  # so a shell starts what runs in the background
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def lies_in_a_file():
    """Whether the numbers of an array are those of a mapped file."""
    import numpy as np

    def look(array):
        while isinstance(array, np.ndarray):
            array = array.base
        return isinstance(array.obj if isinstance(array, memoryview) else array, mmap.mmap)

    return look
