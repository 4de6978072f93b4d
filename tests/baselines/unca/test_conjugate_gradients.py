"""Conjugate gradients on functions whose minimum is known."""

from itertools import islice

import numpy as np
import pytest
from scipy.optimize import rosen, rosen_der

from sgpmic_cli.baselines.unca.conjugate_gradients import descend


def test_quadratic_in_as_many_line_searches_as_dimensions():
    rng = np.random.RandomState(0)
    B = rng.standard_normal((4, 4))
    H, b = B @ B.T + np.eye(4), rng.standard_normal(4)
    steps = descend(lambda x: (0.5 * x @ H @ x - b @ x, H @ x - b), np.zeros(4), first_gain=1.0)
    places = [x for x, _ in islice(steps, 60)]
    np.testing.assert_allclose(places[-1], np.linalg.solve(H, b), atol=1e-6)


def test_rosenbrock_falls_at_every_step():
    steps = descend(lambda x: (rosen(x), rosen_der(x)), np.array([-1.2, 1.0, 0.5]), first_gain=1.0)
    values = [value for _, value in steps]
    assert np.all(np.diff(values) < 0)
    assert values[-1] < 1e-10


def test_after_five_line_searches_all_begins_anew():
    """The sixth follows the gradient, the fourth and fifth do not."""
    steps = descend(lambda x: (rosen(x), rosen_der(x)), np.array([-1.2, 1.0, 0.5]), first_gain=1.0)
    places = [x for x, _ in islice(steps, 6)]

    def along_the_gradient(i):
        step, gradient = places[i] - places[i - 1], rosen_der(places[i - 1])
        return -step @ gradient / np.linalg.norm(step) / np.linalg.norm(gradient)

    assert along_the_gradient(5) == pytest.approx(1.0)
    assert max(along_the_gradient(3), along_the_gradient(4)) < 0.99


def test_a_step_into_nowhere_is_taken_back():
    """log x has no value left of zero: a first step far too long is shortened, not followed."""

    def objective(x):
        with np.errstate(invalid="ignore"):
            return float(x[0] - np.log(x[0])), 1.0 - 1.0 / x

    *_, (place, _) = descend(objective, np.array([3.0]), first_gain=100.0)
    assert place[0] == pytest.approx(1.0, abs=1e-4)


def test_the_lowest_point_seen_is_not_given_away():
    """Behind the minimum and still far below the start, but rising: it is not left for a higher one."""
    seen = []

    def objective(x):
        seen.append(float((x[0] - 1.0) ** 4))
        return seen[-1], 4.0 * (x - 1.0) ** 3

    *_, (place, value) = descend(objective, np.array([3.0]), first_gain=75.0)
    assert value == min(seen) < seen[0]
    assert place[0] < 1.0


def test_a_flat_start_ends_at_once():
    assert list(descend(lambda x: (0.0, np.zeros(2)), np.zeros(2), first_gain=1.0)) == []
