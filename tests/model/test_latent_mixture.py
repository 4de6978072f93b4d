"""The prior over the latent space: its terms, and updates that are maxima of the bound."""

import numpy as np
import pytest

from sgpmic_cli.model.latent import latent_mixture as mixtures


@pytest.fixture
def latent():
    """Return means and variances (20, 2), responsibilities and log probabilities (20, 3)."""
    rng = np.random.RandomState(0)
    S = rng.dirichlet(np.ones(3), 20)
    return rng.randn(20, 2), rng.uniform(0.1, 0.5, (20, 2)), S, np.log(rng.dirichlet([1] * 3, 20))


def bound(mu, s, S, log_r, mixture):
    log_joint = log_r + mixtures.expected_log(np, mu, s, mixture)
    return mixtures.mixture_bound(np, S, log_joint, np.log(s), mixture)


def test_the_closed_form_of_the_mixture_is_a_maximum(latent):
    mu, s, S, log_r = latent
    best = mixtures.maximise(np, mu, s, S)
    value, rng = bound(mu, s, S, log_r, best), np.random.RandomState(1)
    for size in (1e-3, 1e-2, 0.1):
        factors = np.eye(2) + size * rng.randn(3, 2, 2)
        moved = [
            (best.means + size * rng.randn(3, 2), best.covariances),
            (best.means, factors @ best.covariances @ factors.transpose(0, 2, 1)),
        ]
        for means, covariances in moved:
            other = mixtures.from_covariances(np, means, covariances)
            assert bound(mu, s, S, log_r, other) < value


def test_the_responsibilities_of_the_e_step_are_a_maximum(latent):
    mu, s, S, log_r = latent
    mixture = mixtures.maximise(np, mu, s, S)
    best = mixtures.responsibilities(np, log_r + mixtures.expected_log(np, mu, s, mixture))
    value, rng = bound(mu, s, best, log_r, mixture), np.random.RandomState(1)
    for size in (1e-3, 0.1, 1.0):
        other = (1.0 - size) * best + size * rng.dirichlet(np.ones(3), 20)
        assert bound(mu, s, other, log_r, mixture) < value


def test_a_cluster_without_rows_has_a_covariance(latent):
    mu, s, _, _ = latent
    mixture = mixtures.maximise(np, mu, s, np.eye(2)[np.zeros(20, dtype=int)])
    np.testing.assert_allclose(mixture.covariances[1], mixtures.SCALE * np.eye(2))


def test_the_pull_is_the_expected_log_as_a_function_of_the_latent_points(latent):
    mu, s, S, _ = latent
    mixture = mixtures.maximise(np, mu, s, S)
    pull = mixtures.latent_pull(S, mixture)
    value, dmu, ds = pull.value_and_gradient(np, mu, s)
    before = mixtures.expected_log(np, mu, s, mixture)
    for moved_mu, moved_s in ((mu + 1e-3, s), (mu, s + 1e-3)):
        change = np.sum(S * (mixtures.expected_log(np, moved_mu, moved_s, mixture) - before))
        new, dmu_there, ds_there = pull.value_and_gradient(np, moved_mu, moved_s)
        assert new - value == pytest.approx(change, rel=1e-8)
        slope = 0.5 * (dmu + dmu_there) * (moved_mu - mu) + 0.5 * (ds + ds_there) * (moved_s - s)
        assert slope.sum() == pytest.approx(change, rel=1e-8)  # exact for a quadratic function
