"""Conjugate gradients on functions whose minimum is known."""

import numpy as np
import pytest
from scipy.optimize import rosen, rosen_der

from sgpmic_cli.baselines.unca.conjugate_gradients import descend, evaluated


def rosenbrock(x):
    return rosen(x), lambda: rosen_der(x)


def after(objective, x, line_searches):
    place, values = descend(objective, evaluated(objective, x), line_searches)
    return place.x, values


def test_quadratic_needs_hardly_more_line_searches_than_it_has_dimensions():
    rng = np.random.RandomState(0)
    B = rng.standard_normal((4, 4))
    H, b = B @ B.T + np.eye(4), rng.standard_normal(4)
    x, _ = after(lambda x: (0.5 * x @ H @ x - b @ x, lambda: H @ x - b), np.zeros(4), 30)
    np.testing.assert_allclose(x, np.linalg.solve(H, b), atol=1e-5)


def test_rosenbrock_falls_at_every_line_search():
    x, values = after(rosenbrock, np.array([-1.2, 1.0, 0.5]), 200)
    assert np.all(np.diff(values) < 0)
    assert values[-1] == rosen(x) < 1e-8


def test_the_second_line_search_is_not_along_the_gradient_but_a_new_call_is():
    start = np.array([-1.2, 1.0, 0.5])
    first, _ = after(rosenbrock, start, 1)
    together, _ = after(rosenbrock, start, 2)
    anew, _ = after(rosenbrock, first, 1)

    def along_the_gradient(x):
        step, gradient = x - first, rosen_der(first)
        return -step @ gradient / np.linalg.norm(step) / np.linalg.norm(gradient)

    assert along_the_gradient(anew) == pytest.approx(1.0)
    assert along_the_gradient(together) < 0.99


def test_a_step_into_nowhere_is_shortened():
    """log x has no value left of zero."""

    def objective(x):
        with np.errstate(invalid="ignore"):
            return float(1000.0 * (x[0] - np.log(x[0]))), lambda: 1000.0 * (1.0 - 1.0 / x)

    x, values = after(objective, np.array([1e-4]), 30)
    assert x[0] == pytest.approx(1.0, abs=1e-3)
    assert np.all(np.isfinite(values))


def test_two_line_searches_that_fail_leave_all_as_it_was():
    """A gradient that points the wrong way: no step along it can succeed."""
    tries = []

    def objective(x):
        tries.append(x)
        return float(x[0] ** 2), lambda: -2.0 * x

    x, values = after(objective, np.array([3.0]), 5)
    assert values == []
    assert x == np.array([3.0])
    assert len(tries) < 50


def test_what_is_known_of_the_end_is_what_the_objective_says_there():
    place, values = descend(rosenbrock, evaluated(rosenbrock, np.array([-1.2, 1.0, 0.5])), 7)
    assert place.value == values[-1] == rosen(place.x)
    np.testing.assert_array_equal(place.gradient, rosen_der(place.x))


def test_no_gradient_is_computed_where_the_value_has_risen():
    """A wall beyond the minimum, into which the first step goes."""
    values, slopes = [], []

    def objective(x):
        values.append(x[0])

        def gradient():
            slopes.append(x[0])
            return 1e3 * (np.exp(x) - 1.0)

        return float(1e3 * (np.exp(x[0]) - x[0])), gradient

    x, _ = after(objective, np.array([-4.0]), 30)
    assert x[0] == pytest.approx(0.0, abs=1e-3)
    assert max(values) > 1.0
    assert all(np.exp(x) - x <= np.exp(-4.0) + 4.0 for x in slopes)
    assert len(slopes) < len(values)
