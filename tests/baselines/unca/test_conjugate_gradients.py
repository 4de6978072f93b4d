"""Conjugate gradients on functions whose minimum is known."""

import numpy as np
import pytest
from scipy.optimize import rosen, rosen_der

from sgpmic_cli.baselines.unca.conjugate_gradients import descend


def rosenbrock(x):
    return rosen(x), rosen_der(x)


def test_quadratic_needs_hardly_more_line_searches_than_it_has_dimensions():
    rng = np.random.RandomState(0)
    B = rng.standard_normal((4, 4))
    H, b = B @ B.T + np.eye(4), rng.standard_normal(4)
    x, _ = descend(lambda x: (0.5 * x @ H @ x - b @ x, H @ x - b), np.zeros(4), 30)
    np.testing.assert_allclose(x, np.linalg.solve(H, b), atol=1e-5)


def test_rosenbrock_falls_at_every_line_search():
    x, values = descend(rosenbrock, np.array([-1.2, 1.0, 0.5]), 200)
    assert np.all(np.diff(values) < 0)
    assert values[-1] == rosen(x) < 1e-8


def test_the_second_line_search_is_not_along_the_gradient_but_a_new_call_is():
    start = np.array([-1.2, 1.0, 0.5])
    first, _ = descend(rosenbrock, start, 1)
    together, _ = descend(rosenbrock, start, 2)
    anew, _ = descend(rosenbrock, first, 1)

    def along_the_gradient(x):
        step, gradient = x - first, rosen_der(first)
        return -step @ gradient / np.linalg.norm(step) / np.linalg.norm(gradient)

    assert along_the_gradient(anew) == pytest.approx(1.0)
    assert along_the_gradient(together) < 0.99


def test_a_step_into_nowhere_is_shortened():
    """log x has no value left of zero."""

    def objective(x):
        with np.errstate(invalid="ignore"):
            return float(1000.0 * (x[0] - np.log(x[0]))), 1000.0 * (1.0 - 1.0 / x)

    x, values = descend(objective, np.array([1e-4]), 30)
    assert x[0] == pytest.approx(1.0, abs=1e-3)
    assert np.all(np.isfinite(values))


def test_two_line_searches_that_fail_leave_all_as_it_was():
    """A gradient that points the wrong way: no step along it can succeed."""
    tries = []

    def objective(x):
        tries.append(x)
        return float(x[0] ** 2), -2.0 * x

    x, values = descend(objective, np.array([3.0]), 5)
    assert values == []
    assert x == np.array([3.0])
    assert len(tries) < 50
