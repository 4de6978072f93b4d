"""The latent prior: closed forms are maxima, gradients are central differences."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from sgpmic_cli.model.paper.mixture import (
    latent_prior_gradient,
    log_joint,
    maximise,
    mixture,
    prior_parameter_gradients,
)

FORMS = ["spherical", "diag", "tied", "full"]
FLOOR = 1e-2


@pytest.fixture
def cloud():
    rng = np.random.RandomState(0)
    X = rng.randn(60, 3) * [1.0, 0.5, 0.05]
    S = rng.dirichlet(np.ones(2), 60)
    start = mixture(np.array([0.5, 0.5]), rng.randn(2, 3), np.tile(np.eye(3), (2, 1, 1)))
    return X, S, start


def test_log_joint_is_the_weighted_density(cloud):
    X, S, start = cloud
    prior = maximise(X, S, "full", FLOOR, start)
    for m in range(2):
        expected = np.log(prior.weights[m]) + multivariate_normal(
            prior.means[m], prior.covariances[m]
        ).logpdf(X)
        np.testing.assert_allclose(log_joint(X, prior)[:, m], expected, rtol=1e-10)


@pytest.mark.parametrize("form", FORMS)
def test_closed_forms_are_maxima(cloud, form):
    """No valid small change of covariances, means or weights raises the expected log density."""
    X, S, start = cloud
    best = maximise(X, S, form, FLOOR, start)
    value = np.sum(S * log_joint(X, best))
    assert np.linalg.eigvalsh(best.covariances).min() >= FLOOR * (1 - 1e-12)
    assert best.weights.sum() == pytest.approx(1.0)
    rng = np.random.RandomState(1)
    for _ in range(50):
        means = best.means + 1e-2 * rng.randn(*best.means.shape)
        assert np.sum(S * log_joint(X, mixture(best.weights, means, best.covariances))) < value
        weights = best.weights * np.exp(1e-2 * rng.randn(2))
        assert (
            np.sum(S * log_joint(X, mixture(weights / weights.sum(), best.means, best.covariances)))
            < value
        )
        turn = np.linalg.qr(np.eye(3) + 1e-2 * rng.randn(3, 3))[0]
        covariances = {
            "spherical": best.covariances * np.exp(1e-2 * rng.randn(2, 1, 1)),
            "diag": best.covariances * np.exp(1e-2 * rng.randn(2, 3, 1)),
            "tied": turn @ best.covariances @ turn.T * np.exp(1e-2 * rng.randn()),
            "full": turn @ best.covariances @ turn.T * np.exp(1e-2 * rng.randn(2, 1, 1)),
        }[form]
        if np.linalg.eigvalsh(covariances).min() >= FLOOR:
            assert np.sum(S * log_joint(X, mixture(best.weights, best.means, covariances))) <= value


@pytest.mark.parametrize("form", FORMS)
def test_gradient_by_central_differences(cloud, form):
    X, S, start = cloud
    prior = maximise(X, S, form, FLOOR, start)
    value, gradient = latent_prior_gradient(X, S, prior)
    assert value == pytest.approx(np.sum(S * log_joint(X, prior)), rel=1e-12)
    for index in [(0, 0), (7, 1), (59, 2)]:
        moved = np.zeros_like(X)
        moved[index] = 1e-6
        above, below = (np.sum(S * log_joint(X + s * moved, prior)) for s in (1, -1))
        assert gradient[index] == pytest.approx((above - below) / 2e-6, rel=1e-5, abs=1e-6)


def test_gradients_by_means_and_covariances_are_central_differences(cloud):
    X, S, start = cloud
    prior = mixture(start.weights, start.means, maximise(X, S, "full", FLOOR, start).covariances)
    for part, gradient in zip(
        ("means", "covariances"), prior_parameter_gradients(X, S, prior), strict=True
    ):
        for index in np.ndindex(gradient.shape):
            moved = np.zeros_like(gradient)
            moved[index] = 1e-6
            if part == "covariances":  # covariances stay symmetric
                moved = 0.5 * (moved + moved.transpose(0, 2, 1))
            above, below = (
                np.sum(
                    S
                    * log_joint(
                        X, mixture(*prior._replace(**{part: getattr(prior, part) + s * moved})[:3])
                    )
                )
                for s in (1, -1)
            )
            assert gradient[index] == pytest.approx((above - below) / 2e-6, rel=1e-4, abs=1e-4)


def test_a_component_without_rows_keeps_its_place_unless_covariances_are_tied(cloud):
    X, _, start = cloud
    S = np.column_stack([np.ones(60), np.zeros(60)])
    prior = maximise(X, S, "spherical", FLOOR, start)
    np.testing.assert_array_equal(prior.means[1], start.means[1])
    np.testing.assert_array_equal(prior.covariances[1], start.covariances[1])
    assert np.isfinite(log_joint(X, prior)).all()
    first, second = maximise(X, S, "tied", FLOOR, start).covariances
    np.testing.assert_array_equal(first, second)
