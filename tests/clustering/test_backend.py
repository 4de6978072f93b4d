import warnings

import numpy as np
import pytest

from sgpmic_cli import GroupMap
from sgpmic_cli.clustering.map import backend


def test_the_processor_does_not_need_pytorch(monkeypatch):
    monkeypatch.setattr(backend, "missing_for_gpu", lambda: pytest.fail("PyTorch was imported"))
    assert backend.choose_backend("cpu", 10**6) is backend.NUMPY
    assert backend.choose_backend("auto", backend.ROWS_FOR_GPU - 1) is backend.NUMPY


def test_without_a_gpu_auto_is_silent_and_cuda_warns_at_the_callers_line(monkeypatch, iris):
    monkeypatch.setattr(backend, "find_spec", lambda name: None)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert backend.choose_backend("auto", 10**6) is backend.NUMPY
    model = GroupMap(3, device="cuda", max_iter=2, random_state=0)
    with pytest.warns(UserWarning, match=r"no effect: PyTorch .*sgpmic\[gpu\].* NumPy\.$") as found:
        model.fit(iris)
    assert found[0].filename == __file__
    plain = GroupMap(3, max_iter=2, random_state=0).fit(iris)
    np.testing.assert_array_equal(model.embedding_, plain.embedding_)


def test_a_gpu_is_used_if_there_is_one(monkeypatch):
    torch = pytest.importorskip("torch")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    for device, rows in (("cuda", 10), ("auto", backend.ROWS_FOR_GPU)):
        assert backend.choose_backend(device, rows).xp is torch
