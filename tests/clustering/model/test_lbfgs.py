"""L-BFGS finds the maxima that SciPy finds, and never lowers the value."""

import numpy as np
import pytest
from scipy.optimize import minimize, rosen, rosen_der

from sgpmic_cli.clustering.model.map.backend import device_lbfgs

A = np.random.RandomState(0).randn(8, 8)
A = A @ A.T + 0.1 * np.eye(8)


def quadratic(x):
    return float(-0.5 * x @ (A @ x) + x.sum()), np.ones(8) - A @ x


def banana(x):
    return -float(rosen(x)), -rosen_der(x)


@pytest.mark.parametrize("function", [quadratic, banana])
def test_the_maximum_is_that_of_scipy(function):
    x0 = 0.5 * np.random.RandomState(1).randn(8)
    theirs = minimize(
        lambda x: tuple(-part for part in function(x)), x0, jac=True, method="L-BFGS-B"
    )
    found = device_lbfgs(function, x0, 300)
    assert function(found)[0] >= -theirs.fun - 1e-6
    np.testing.assert_allclose(found, theirs.x, atol=1e-2)


@pytest.mark.parametrize("function", [quadratic, banana])
def test_more_steps_never_lower_the_value(function):
    x0 = np.random.RandomState(2).randn(8)
    values = [function(device_lbfgs(function, x0, steps))[0] for steps in range(20)]
    assert values[0] == function(x0)[0]
    assert np.diff(values).min() >= 0.0
    assert values[-1] > values[0]


def test_points_without_a_value_are_rejected():
    def walled(x):
        return (quadratic(x)) if x[0] < 0.1 else (float("nan"), x)

    found = device_lbfgs(walled, np.zeros(8), 50)
    assert 0.0 < quadratic(found)[0] < np.inf
    assert found[0] < 0.1
    start = np.ones(8)
    assert device_lbfgs(lambda x: (0.0 if x is start else float("nan"), x), start, 5) is start
