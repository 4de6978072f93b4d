"""Means and spreads of a process beside many draws, and beside the expected features of `features.py`."""

import dense_oracle
import numpy as np
import pytest

from sgpmic_cli.model.variational.component import Rows, Task, posteriors
from sgpmic_cli.model.variational.features import Kernel, expectations
from sgpmic_cli.model.variational.process import Process, square_errors


@pytest.fixture
def problem():
    r = np.random.RandomState(3)
    kernel = Kernel(r.randn(4, 2), 0.7, np.array([1.3, 0.4]), 0.8)
    mu, s, Y = r.randn(9, 2), np.exp(0.4 * r.randn(9, 2) - 1.5), r.randn(9, 3)
    rows = Rows(np.arange(9), Y, np.sum(Y**2, axis=1), np.ones(9), 3)
    known = posteriors([Task(rows, kernel, 3.0, mu, s)])[0]
    return kernel, known, mu, s, r


def test_means_and_spreads_are_those_of_draws(problem):
    """Of f = phi'w + what the inducing inputs leave open, over x and over f."""
    kernel, known, mu, s, r = problem
    process = Process(kernel, known, 3)
    at = process.means(mu.T, s.T)
    spread = process.spread(at)
    for n in range(2):
        phi = dense_oracle.features(kernel, mu[n] + np.sqrt(s[n]) * r.randn(400_000, 2))
        means = phi @ known.W
        np.testing.assert_allclose(at.f[:, n], means.mean(axis=0), atol=1e-2)
        of_f = (
            np.einsum("ij,jk,ik->i", phi, known.B - known.W @ known.W.T, phi) + 3 * kernel.variance
        )
        assert spread[n] == pytest.approx(means.var(axis=0).sum() + of_f.mean(), abs=2e-2)


def test_the_spread_is_a_contraction_with_the_second_moment(problem):
    kernel, known, mu, s, _ = problem
    process, seen = Process(kernel, known, 3), expectations(kernel, mu, s)
    at = process.means(mu.T, s.T)
    whole = [
        np.sum(known.B * seen.second_moment(row)) + 3 * kernel.variance for row in np.eye(len(mu))
    ]
    np.testing.assert_allclose(process.spread(at), whole - np.sum(at.f**2, axis=0), rtol=1e-9)
    assert (process.spread(at) > 0.0).all()


def test_some_rows_are_what_they_are_among_all(problem):
    kernel, known, mu, s, _ = problem
    process = Process(kernel, known, 3)
    at, some = process.means(mu.T, s.T), np.array([1, 4, 8])
    np.testing.assert_allclose(process.spread(at.of(some)), process.spread(at)[some], rtol=1e-12)


def test_what_was_not_seen_is_no_error():
    Y, f = np.array([[1.0, 2.0], [3.0, 9.0]]), np.zeros((2, 2))
    holes = np.array([[False, False], [False, True]])
    assert square_errors(Y, f).tolist() == [10.0, 85.0]
    assert square_errors(Y, f, holes).tolist() == [10.0, 4.0]
