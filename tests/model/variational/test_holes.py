"""Entries that were not seen, held against plain algebra row by row."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal
from sklearn.metrics import adjusted_rand_score
from sklearn.mixture import GaussianMixture

from sgpmic_cli.model.start.holed_mixture import holed_mixture
from sgpmic_cli.model.variational import holes


@pytest.fixture
def problem():
    """Correlated rows, a fifth of their entries gone, and a Gaussian."""
    rng = np.random.RandomState(0)
    A = rng.randn(5, 5)
    Y = rng.randn(60, 5) @ A
    gone = rng.rand(*Y.shape) < 0.3
    gone[gone.all(axis=1), 0] = False
    gone[0], gone[1], gone[2] = (
        False,
        [True] * 4 + [False],
        gone[3],
    )  # none, all but one, and the same twice
    return np.where(gone, np.nan, Y), gone, holes.Gaussian(rng.randn(5), A.T @ A + 0.1 * np.eye(5))


def test_expectations_are_those_of_a_conditional_gaussian(problem):
    Y, gone, (mean, covariance) = problem
    grouped = holes.grouped(gone)
    found = holes.expect(Y, grouped, holes.Gaussian(mean, covariance))
    weights = np.random.RandomState(1).rand(len(Y))
    left = np.zeros_like(covariance)
    for n, row in enumerate(Y):
        g, h = np.flatnonzero(gone[n]), np.flatnonzero(~gone[n])
        gain = covariance[np.ix_(g, h)] @ np.linalg.inv(covariance[np.ix_(h, h)])
        wanted = row.copy()
        wanted[g] = mean[g] + gain @ (row[h] - mean[h])
        assert np.allclose(found.filled[n], wanted)
        density = multivariate_normal(mean[h], covariance[np.ix_(h, h)]).logpdf(row[h])
        assert np.isclose(found.log_density[n], density)
        left[np.ix_(g, g)] += weights[n] * (
            covariance[np.ix_(g, g)] - gain @ covariance[np.ix_(h, g)]
        )
    assert np.allclose(holes.summed(grouped, found.left, weights), left)


def test_rows_are_filled_alike_in_blocks_and_at_once(problem, monkeypatch):
    Y, _, guess = problem
    at_once, learned = holes.filled_by(guess, Y), holes.learn(Y)
    monkeypatch.setattr(holes, "BLOCK", 7)
    assert np.allclose(holes.filled_by(guess, Y), at_once)
    assert np.allclose(holes.learn(Y).covariance, learned.covariance)


def test_rows_without_holes_give_their_own_moments():
    Y = np.random.RandomState(0).randn(40, 3)
    found = holes.learn(Y)
    covariance = np.cov(Y.T, bias=True)
    assert np.allclose(found.mean, Y.mean(axis=0))
    assert np.allclose(
        found.covariance, covariance + holes.RIDGE / 40 * np.trace(covariance) * np.eye(3)
    )
    assert np.array_equal(holes.filled_by(found, Y), Y)


def groups(seed):
    """Two flat clouds in six columns that repeat each other."""
    rng = np.random.RandomState(seed)
    labels = rng.randint(2, size=300)
    return rng.randn(300, 2) @ rng.randn(2, 6) + 0.2 * rng.randn(300, 6) + np.outer(
        labels, rng.randn(6)
    ), labels


def test_without_holes_the_mixture_is_the_usual_one():
    Y, labels = groups(0)
    start = np.where(np.random.RandomState(1).rand(300) < 0.2, 1 - labels, labels)
    ours = holed_mixture(
        Y, holes.grouped(np.zeros(Y.shape, dtype=bool)), start, np.full(6, 1e-3), 2
    )
    parts = [Y[start == m] for m in (0, 1)]
    usual = GaussianMixture(
        2,
        reg_covar=1e-3,
        tol=1e-3,
        means_init=[part.mean(axis=0) for part in parts],
        weights_init=np.bincount(start) / 300,
        precisions_init=[
            np.linalg.inv(np.cov(part.T, bias=True) + 1e-3 * np.eye(6)) for part in parts
        ],
    ).fit_predict(Y)
    assert np.mean(ours == usual) > 0.99


def test_the_mixture_does_not_take_the_filling_for_data():
    """A mixture of the filled rows finds rows of many and of few holes instead."""
    ours, plain = [], []
    for seed in range(5):
        Y, labels = groups(seed)
        gone = np.random.RandomState(seed + 10).rand(*Y.shape) < 0.3
        gone[:, 0] &= ~gone.all(axis=1)
        Y[gone] = np.nan
        filled = holes.filled_by(holes.learn(Y), Y)
        found = holed_mixture(filled, holes.grouped(gone), labels, np.full(6, 1e-3), 2)
        taken = GaussianMixture(
            2, means_init=[filled[labels == m].mean(axis=0) for m in (0, 1)], random_state=0
        )
        ours.append(adjusted_rand_score(labels, found))
        plain.append(adjusted_rand_score(labels, taken.fit_predict(filled)))
    assert np.mean(ours) > np.mean(plain) + 0.05
