"""The latent prior: closed forms are maxima, gradients are central differences."""

import numpy as np
import pytest
from central_differences import central_differences
from random_problem import FORMS

from sgpmic_cli.paper.model.mixture import log_joint, maximise, mixture, prior_gradients

FLOOR = 1e-2


@pytest.fixture
def cloud():
    rng = np.random.RandomState(0)
    X = rng.randn(60, 3) * [1.0, 0.5, 0.05]
    S = rng.dirichlet(np.ones(2), 60)
    start = mixture(np.array([0.5, 0.5]), rng.randn(2, 3), np.tile(np.eye(3), (2, 1, 1)))
    return X, S, start


@pytest.mark.parametrize("form", FORMS)
def test_closed_forms_are_maxima(cloud, form):
    """No valid small change of covariances, means or weights raises the expected log density."""
    X, S, start = cloud
    best = maximise(X, S, form, FLOOR, start)

    def value(weights=best.weights, means=best.means, covariances=best.covariances):
        return np.sum(S * log_joint(X, mixture(weights, means, covariances)))

    assert np.linalg.eigvalsh(best.covariances).min() >= FLOOR * (1 - 1e-12)
    assert best.weights.sum() == pytest.approx(1.0)
    rng = np.random.RandomState(1)
    for _ in range(50):
        means = best.means + 1e-2 * rng.randn(*best.means.shape)
        assert value(means=means) < value()
        weights = best.weights * np.exp(1e-2 * rng.randn(2))
        assert value(weights / weights.sum()) < value()
        turn = np.linalg.qr(np.eye(3) + 1e-2 * rng.randn(3, 3))[0]
        covariances = {
            "spherical": best.covariances * np.exp(1e-2 * rng.randn(2, 1, 1)),
            "diag": best.covariances * np.exp(1e-2 * rng.randn(2, 3, 1)),
            "tied": turn @ best.covariances @ turn.T * np.exp(1e-2 * rng.randn()),
            "full": turn @ best.covariances @ turn.T * np.exp(1e-2 * rng.randn(2, 1, 1)),
        }[form]
        if np.linalg.eigvalsh(covariances).min() >= FLOOR:
            assert value(covariances=covariances) <= value()


def test_gradients_by_means_and_covariances_are_central_differences(cloud):
    X, S, start = cloud
    weights, means = start.weights, start.means.copy()
    covariances = maximise(X, S, "full", FLOOR, start).covariances

    def value():
        symmetric = 0.5 * (covariances + covariances.transpose(0, 2, 1))
        return np.sum(S * log_joint(X, mixture(weights, means, symmetric)))

    found = prior_gradients(X, S, mixture(weights, means, covariances))[2:]
    for gradient, array in zip(found, (means, covariances), strict=True):
        numeric = central_differences(value, array, 1e-6)
        np.testing.assert_allclose(gradient, numeric, rtol=1e-4, atol=1e-4)


def test_a_component_without_rows_keeps_its_place_unless_covariances_are_tied(cloud):
    X, _, start = cloud
    S = np.column_stack([np.ones(60), np.zeros(60)])
    prior = maximise(X, S, "spherical", FLOOR, start)
    np.testing.assert_array_equal(prior.means[1], start.means[1])
    np.testing.assert_array_equal(prior.covariances[1], start.covariances[1])
    assert np.isfinite(log_joint(X, prior)).all()
    first, second = maximise(X, S, "tied", FLOOR, start).covariances
    np.testing.assert_array_equal(first, second)
