import errno
import os

import numpy as np
import pytest

from sgpmic_cli.errors import SgpmicError
from sgpmic_cli.files.mapped_array import empty_array

reserves = pytest.mark.skipif(
    not hasattr(os, "posix_fallocate"), reason="this system cannot reserve disk space"
)


def test_array_is_in_memory_unless_a_folder_is_named(tmp_path, lies_in_a_file):
    assert not lies_in_a_file(empty_array((3, 2)))
    mapped = empty_array((3, 2), tmp_path)
    assert lies_in_a_file(mapped)
    assert (mapped.shape, mapped.dtype) == ((3, 2), np.float64)
    assert not mapped.any()
    if os.name == "posix":  # on Windows the file has a name until it is closed
        assert not list(tmp_path.iterdir())
    mapped[:] = np.arange(6.0).reshape(3, 2)
    assert mapped.sum() == 15.0


@reserves
@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EOPNOTSUPP])
def test_full_disk_is_reported_but_a_file_system_may_be_unable_to_reserve(
    tmp_path, monkeypatch, code
):
    def fail(*_):
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, "posix_fallocate", fail)
    if code == errno.EOPNOTSUPP:
        assert empty_array((3, 2), tmp_path).shape == (3, 2)
    else:
        with pytest.raises(SgpmicError, match=r"cannot allocate 0\.8 GB in .*\(No space left"):
            empty_array((10**7, 10), tmp_path)


def test_missing_folder_is_reported(tmp_path):
    with pytest.raises(SgpmicError, match=r"cannot allocate .*; name another folder"):
        empty_array((2, 2), tmp_path / "none")
