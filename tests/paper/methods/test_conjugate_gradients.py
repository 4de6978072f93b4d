"""Conjugate gradients on functions with known minima."""

import numpy as np
import pytest
from scipy.optimize import rosen, rosen_der

from sgpmic_cli.paper.methods.unca.conjugate_gradients import descend, evaluated

START = np.array([-1.2, 1.0, 0.5])


def rosenbrock(x):
    return rosen(x), lambda: rosen_der(x)


def test_rosenbrock_decreases_in_every_line_search():
    point, values = descend(rosenbrock, evaluated(rosenbrock, START), 200)
    assert np.all(np.diff(values) < 0)
    assert point.value == values[-1] == rosen(point.x) < 1e-8
    np.testing.assert_array_equal(point.gradient, rosen_der(point.x))


def test_a_step_outside_the_domain_is_shortened():
    def objective(x):
        with np.errstate(invalid="ignore"):
            return float(1000.0 * (x[0] - np.log(x[0]))), lambda: 1000.0 * (1.0 - 1.0 / x)

    point, values = descend(objective, evaluated(objective, np.array([1e-4])), 30)
    assert point.x[0] == pytest.approx(1.0, abs=1e-3)
    assert np.all(np.isfinite(values))


def test_two_failed_line_searches_return_the_start():
    """The gradient has the wrong sign, so no step can succeed."""

    def objective(x):
        return float(x[0] ** 2), lambda: -2.0 * x

    point, values = descend(objective, evaluated(objective, np.array([3.0])), 5)
    assert (point.x, values) == (np.array([3.0]), [])
