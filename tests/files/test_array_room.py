"""Room for long arrays: in memory, or in a file that nobody sees."""

import errno
import os

import numpy as np
import pytest

from sgpmic_cli.errors import SgpmicError
from sgpmic_cli.files.array_room import array_room


def test_in_memory_unless_a_folder_is_named(tmp_path):
    assert type(array_room((3, 2))) is np.ndarray
    mapped = array_room((3, 2), tmp_path)
    assert isinstance(mapped, np.memmap)
    assert (mapped.shape, mapped.dtype) == ((3, 2), np.float64)
    mapped[:] = np.arange(6.0).reshape(3, 2)
    assert mapped.sum() == 15.0
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(not hasattr(os, "posix_fallocate"), reason="this system cannot reserve room on a disk")
def test_a_full_disk_is_told_before_anything_is_written(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "posix_fallocate", full)
    with pytest.raises(SgpmicError, match=r"no room for 0\.8 GB in .*\(No space left on device\); name another"):
        array_room((10**7, 10), tmp_path)


def test_a_folder_that_is_not_there_is_told(tmp_path):
    with pytest.raises(SgpmicError, match=r"no room for .*; name another folder"):
        array_room((2, 2), tmp_path / "none")
