"""Room for long arrays: in memory, or in a file that nobody sees."""

import errno
import os
import pickle

import numpy as np
import pytest
from joblib import Parallel, delayed

from sgpmic_cli.errors import SgpmicError
from sgpmic_cli.files.mapped_array import empty_array

reserves = pytest.mark.skipif(
    not hasattr(os, "posix_fallocate"), reason="this system cannot reserve room on a disk"
)


def test_in_memory_unless_a_folder_is_named(tmp_path, lies_in_a_file):
    assert not lies_in_a_file(empty_array((3, 2)))
    mapped = empty_array((3, 2), tmp_path)
    assert lies_in_a_file(mapped)
    assert (mapped.shape, mapped.dtype) == ((3, 2), np.float64)
    mapped[:] = np.arange(6.0).reshape(3, 2)
    assert mapped.sum() == 15.0


@pytest.mark.skipif(os.name != "posix", reason="elsewhere the file has a name until it is closed")
def test_the_file_has_no_name(tmp_path):
    mapped = empty_array((3, 2), tmp_path)
    assert not list(tmp_path.iterdir())
    assert (mapped == 0.0).all()


def test_it_goes_to_other_processes_like_any_array(tmp_path):
    mapped = empty_array(
        (300_000, 2), tmp_path
    )  # joblib writes arrays of this size to a file of its own
    mapped[:] = 1.0
    assert Parallel(n_jobs=2)(delayed(np.sum)(mapped) for _ in range(2)) == [600_000.0] * 2
    assert pickle.loads(pickle.dumps(mapped)).sum() == 600_000.0


@reserves
def test_a_full_disk_is_told_before_anything_is_written(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "posix_fallocate", full)
    with pytest.raises(
        SgpmicError, match=r"0\.8 GB cannot be had in .*\(No space left on device\); name another"
    ):
        empty_array((10**7, 10), tmp_path)


@reserves
def test_a_file_system_that_cannot_reserve_will_do(tmp_path, monkeypatch):
    def unable(*_):
        raise OSError(errno.EOPNOTSUPP, "Operation not supported")

    monkeypatch.setattr(os, "posix_fallocate", unable)
    assert empty_array((3, 2), tmp_path).shape == (3, 2)


def test_a_folder_that_is_not_there_is_told(tmp_path):
    with pytest.raises(SgpmicError, match=r"cannot be had in .*; name another folder"):
        empty_array((2, 2), tmp_path / "none")
