"""The default setting in PyTorch: bound, gradient, responsibilities and labels are NumPy's."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_blobs

torch = pytest.importorskip("torch")

from sgpmic_cli.model.e_step import IN_ROUNDS  # noqa: E402
from sgpmic_cli.model.estimator import SGPMIC  # noqa: E402
from sgpmic_cli.model.start.partition import principal_axes, start  # noqa: E402
from sgpmic_cli.model.variational import em  # noqa: E402
from sgpmic_cli.model.variational.latent_prior import Pull  # noqa: E402
from sgpmic_cli.model.variational.on_device import DeviceBound, OnDevice  # noqa: E402

CPU = torch.device("cpu")


def problem(holes=False, dead=False):
    r = np.random.RandomState(0)
    Y, y = make_blobs(80, 4, centers=3, cluster_std=2.5, random_state=2)
    Y = (Y - Y.mean(axis=0)) / Y.std(axis=0)
    shares = np.eye(3)[np.where(r.rand(80) < 0.8, y, r.randint(3, size=80))]
    data = em.observe(Y, 0.01, 0.3 * r.randn(80, 3), r.rand(80, 4) < 0.1 if holes else None)
    state = em.m_step(data, start(principal_axes(Y, 2), shares, 6, r), 4)
    if dead:
        S = state.S.copy()
        S[:, 1] = 1e-6
        state = replace(state, S=S / S.sum(axis=1, keepdims=True))
    return data, state


@pytest.mark.parametrize("dead", [False, True])
def test_value_and_gradient(block_sizes, dead):
    data, state = problem(dead=dead)
    on = OnDevice(CPU, data, state)
    value, gradient = em.value_and_gradient(
        data, state.free, em.active_rows(data, state.S), Pull(state.S, state.prior)
    )
    ours, slopes = DeviceBound(on).value_and_gradient(on.vector())
    assert ours == pytest.approx(value, rel=1e-10)
    np.testing.assert_allclose(
        slopes.numpy(), gradient, rtol=1e-8, atol=1e-8 * np.abs(gradient).max()
    )


@pytest.mark.parametrize("dead", [False, True])
@pytest.mark.parametrize("holes", [False, True])
def test_bound_responsibilities_and_filled_holes(block_sizes, holes, dead):
    data, state = problem(holes, dead)
    on, host = OnDevice(CPU, data, state), em.OnHost(data, state)
    (ours, value), (theirs, expected) = on.evaluate(), host.evaluate()
    assert value == pytest.approx(expected, rel=1e-10)
    assert [known is None for known in ours] == [known is None for known in theirs]
    on.e_step(ours, IN_ROUNDS)
    host.e_step(theirs, IN_ROUNDS)
    (filled, found), (host_filled, host_found) = on.given_back(), host.given_back()
    np.testing.assert_allclose(found.S, host_found.S, atol=1e-8)
    np.testing.assert_allclose(filled.Y, host_filled.Y, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(filled.squares, host_filled.squares, rtol=1e-8)


def test_a_round_ends_where_numpys_does(block_sizes):
    data, state = problem()
    on, host = OnDevice(CPU, data, state), em.OnHost(data, state)
    on.m_step(8)
    host.m_step(8)
    ours, theirs = on.given_back()[1], host.given_back()[1]
    np.testing.assert_allclose(ours.free.pack(), theirs.free.pack(), atol=1e-8)
    for one, other in zip(ours.prior, theirs.prior, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-8)


def test_the_labels_of_iris(monkeypatch):
    Y = load_iris().data
    expected = SGPMIC(3, random_state=0).fit(Y)
    monkeypatch.setattr(SGPMIC, "_compute", lambda self, n_rows, crew: partial(OnDevice, CPU))
    found = SGPMIC(3, random_state=0).fit(Y)
    np.testing.assert_array_equal(found.labels_, expected.labels_)
    assert found.n_iter_ == expected.n_iter_
    assert found.lower_bounds_[0] == pytest.approx(expected.lower_bounds_[0], rel=1e-8)
