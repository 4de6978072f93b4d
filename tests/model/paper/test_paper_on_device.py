"""The paper's setting in PyTorch: bound, gradient, responsibilities and labels are NumPy's."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from random_problem import FORMS, KERNELS, problem
from sklearn.datasets import load_iris

torch = pytest.importorskip("torch")

from sgpmic_cli.model.e_step import AT_THE_END, IN_ROUNDS  # noqa: E402
from sgpmic_cli.model.paper.bound import Bound, expectation, observe  # noqa: E402
from sgpmic_cli.model.paper.em import Schedule, m_step  # noqa: E402
from sgpmic_cli.model.paper.estimator import PaperSGPMIC  # noqa: E402
from sgpmic_cli.model.paper.numerics.cholesky import NotPositiveDefinite  # noqa: E402
from sgpmic_cli.model.paper.on_device import DeviceBound, OnDevice  # noqa: E402

CPU = torch.device("cpu")


def both(kernel, Y, p, S):
    """NumPy's bound, and that of the device with its parameters."""
    data = observe(Y)
    on = OnDevice(CPU, KERNELS[kernel], data)
    placed, there = on.taken(p, S)
    return data, Bound(KERNELS[kernel], data, S, len(p.Z)), on, placed, on.bound(there, len(p.Z))


def check(kernel, Y, p, S, tolerance):
    data, host, on, placed, device = both(kernel, Y, p, S)
    value, dX, dZ, dtheta, dbeta = host.value_and_gradient(p)
    ours, slopes, small = device.value_and_gradient(placed)
    assert ours == pytest.approx(value, rel=1e-9)
    np.testing.assert_allclose(
        slopes.numpy(), dX, rtol=tolerance, atol=tolerance * np.abs(dX).max()
    )
    expected = np.concatenate([dZ.ravel(), dtheta.ravel(), [dbeta]])
    np.testing.assert_allclose(
        small, expected, rtol=tolerance, atol=tolerance * np.abs(expected).max()
    )
    (value, factors), (ours, found) = host.value(p), device.value(placed)
    assert ours == pytest.approx(value, rel=1e-9)
    assert [f.rough for f in found] == [f.rough for f in factors]
    assert [f.idle for f in found] == [f.idle for f in factors]
    for negligible in (AT_THE_END, IN_ROUNDS):
        expected = expectation(KERNELS[kernel], data, p, factors, negligible=negligible)
        np.testing.assert_allclose(
            on.expectation(placed, found, negligible).numpy(), expected, atol=1e-7
        )
    return factors


def test_white_on_every_element():
    Y, p, S = problem("rbf")
    check("rbf", Y, replace(p, white_everywhere=True), S, 1e-6)


@pytest.mark.parametrize("concentration", [1.0, 0.05])
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kernel", KERNELS)
def test_value_gradient_and_responsibilities(block_sizes, kernel, form, concentration):
    check(kernel, *problem(kernel, form, concentration), 1e-10)


def test_more_columns_than_rows(block_sizes):
    check("rbf", *problem("rbf", n=20, p=30), 1e-10)


def test_a_component_without_points(block_sizes):
    Y, p, S = problem("rbf")
    S = np.hstack([S[:, :2] / S[:, :2].sum(axis=1, keepdims=True), np.zeros((len(S), 1))])
    factors = check("rbf", Y, p, S, 1e-10)
    assert factors[2].idle


def test_badly_conditioned_covariances(block_sizes):
    Y, p, S = problem("rbf", n=60)
    theta = p.theta.copy()
    theta[:, -1], theta[:, 1] = -30.0, theta[:, 1] - 3.0
    factors = check("rbf", Y, replace(p, theta=theta, log_beta=8.0), S, 1e-7)
    assert all(f.rough for f in factors)


def test_data_that_do_not_fit_stay_on_the_host(monkeypatch):
    products = pytest.importorskip("sgpmic_cli.model.device.products")
    monkeypatch.setattr(products, "HOST_BYTES", 1)
    Y, p, S = problem("rbf")
    *_, device = both("rbf", Y, p, S)
    assert all(points.Y1 is None for points in device.points)
    check("rbf", Y, p, S, 1e-10)


@pytest.mark.parametrize("optimizer", ["lbfgs", "scg"])
def test_an_m_step_ends_where_numpys_does(block_sizes, optimizer):
    Y, p, S = problem("rbf", "full")
    _, host, on, placed, device = both("rbf", Y, p, S)
    schedule = Schedule(1, 3, optimizer, "full", 0.01, True, True, 0.0)
    expected, value = m_step(host, p, schedule)
    found, ours = on.m_step(device, placed, schedule)
    found, _ = on.given_back(found, device.S)
    assert ours == pytest.approx(value, rel=1e-10)
    for one, other in zip(
        (found.X, found.Z, found.theta, *found.prior),
        (expected.X, expected.Z, expected.theta, *expected.prior),
        strict=True,
    ):
        np.testing.assert_allclose(one, other, rtol=1e-6, atol=1e-6)


def test_nothing_of_a_failed_evaluation_is_left_for_the_next(monkeypatch):
    Y, p, S = problem("rbf")
    _, host, _, placed, device = both("rbf", Y, p, S)
    moved = replace(placed, X=placed.X + 1.0)

    def fails(*arguments):
        raise NotPositiveDefinite("as if")

    with monkeypatch.context() as broken:
        broken.setattr(DeviceBound, "_factors", fails)
        with pytest.raises(NotPositiveDefinite):
            device.value_and_gradient(moved)
    assert device.value_and_gradient(placed)[0] == pytest.approx(host.value(p)[0], rel=1e-10)


def test_the_labels_of_iris(monkeypatch):
    Y = load_iris().data
    expected = PaperSGPMIC(3, random_state=0).fit(Y)
    monkeypatch.setattr(PaperSGPMIC, "_compute", lambda self, n_rows, crew: partial(OnDevice, CPU))
    found = PaperSGPMIC(3, random_state=0).fit(Y)
    np.testing.assert_array_equal(found.labels_, expected.labels_)
    assert found.lower_bound_ == pytest.approx(expected.lower_bound_, rel=1e-6)
