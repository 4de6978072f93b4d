import os

import numpy as np
import pytest

from sgpmic_cli.errors import SgpmicError
from sgpmic_cli.files.mapped_array import empty_array


def test_array_is_in_memory_unless_a_folder_is_named(tmp_path, lies_in_a_file):
    assert not lies_in_a_file(empty_array((3, 2)))
    mapped = empty_array((3, 2), tmp_path)
    assert lies_in_a_file(mapped)
    assert (mapped.shape, mapped.dtype) == ((3, 2), np.float64)
    assert not mapped.any()
    assert not list(tmp_path.iterdir())
    mapped[:] = np.arange(6.0).reshape(3, 2)
    assert mapped.sum() == 15.0


def test_full_disk_and_missing_folder_are_reported(tmp_path, monkeypatch):
    with pytest.raises(SgpmicError, match=r"cannot allocate .*; name another folder"):
        empty_array((2, 2), tmp_path / "none")

    def fail(*_):
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr(os, "posix_fallocate", fail)
    with pytest.raises(SgpmicError, match=r"cannot allocate 0\.8 GB in .*\(No space left"):
        empty_array((10**7, 10), tmp_path)
