"""Both optimisers on functions with known minima, some of which cannot be evaluated everywhere."""

import numpy as np
import pytest
from scipy.optimize import rosen, rosen_der

from sgpmic_cli.model.paper.optimizers import lbfgs, scg

OPTIMIZERS = [scg, lbfgs]


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_quadratic(optimizer):
    rng = np.random.RandomState(0)
    root = rng.randn(20, 20)
    A, b = root @ root.T + np.eye(20), rng.randn(20)
    _, value = optimizer(lambda x: (0.5 * x @ A @ x - b @ x, A @ x - b), np.zeros(20), 500)
    assert value == pytest.approx(-0.5 * b @ np.linalg.solve(A, b), rel=1e-5)


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_rosenbrock(optimizer):
    _, value = optimizer(
        lambda x: (rosen(x), rosen_der(x)), np.array([-1.2, 1.0, 0.5]), 2000, tol=1e-12
    )
    assert value < 1e-3


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_points_that_cannot_be_evaluated_are_rejected(optimizer):
    def objective(x):
        if x[0] <= 0.0:
            return np.inf, np.zeros_like(x)
        return float(x[0] - np.log(x[0])), np.array([1.0 - 1.0 / x[0]])

    x, _ = optimizer(objective, np.array([30.0]), 200)
    assert x[0] == pytest.approx(1.0, abs=1e-2)


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_a_start_that_cannot_be_evaluated_is_returned(optimizer):
    x, value = optimizer(lambda x: (np.inf, np.zeros_like(x)), np.array([1.0, 2.0]), 5)
    np.testing.assert_array_equal(x, [1.0, 2.0])
    assert value == np.inf
