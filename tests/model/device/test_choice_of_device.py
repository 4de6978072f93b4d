"""Without a GPU a fit computes with NumPy, and one sentence says so."""

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_iris

from sgpmic_cli.model.device import choice
from sgpmic_cli.model.estimator import SGPMIC


@pytest.fixture
def no_gpu(monkeypatch):
    monkeypatch.setattr(choice, "find_spec", lambda name: None)


def test_the_processor_is_asked_for_without_a_look_at_pytorch(monkeypatch):
    monkeypatch.setattr(choice, "missing", lambda: pytest.fail("nobody asked for a GPU"))
    assert choice.choose("cpu", 10**6) is None


@pytest.mark.parametrize("device", ["cuda", "auto"])
def test_without_pytorch_one_sentence_says_what_to_install(no_gpu, device):
    with pytest.warns(
        UserWarning, match=rf"^device='{device}' finds no GPU \(.*sgpmic\[gpu\].*\), so .* NumPy\.$"
    ):
        assert choice.choose(device, 10**6) is None


def test_a_gpu_that_is_there_is_taken_where_it_pays(monkeypatch):
    torch = pytest.importorskip("torch")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert choice.choose("cuda", 10) == torch.device("cuda")
    assert choice.choose("auto", choice.PAYS) == torch.device("cuda")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert choice.choose("auto", choice.PAYS - 1) is None


def test_a_fit_falls_back_to_the_same_labels(no_gpu):
    Y = load_iris().data[::3]
    with pytest.warns(UserWarning, match="finds no GPU"):
        fallen = SGPMIC(3, device="cuda", random_state=0).fit(Y)
    np.testing.assert_array_equal(fallen.labels_, SGPMIC(3, random_state=0).fit(Y).labels_)


def test_other_devices_are_refused():
    with pytest.raises(ValueError, match="device must be 'cpu', 'cuda' or 'auto', not 'tpu'"):
        SGPMIC(2, device="tpu").fit(np.eye(4))
