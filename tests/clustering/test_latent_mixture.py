"""The prior over the latent space: its terms, and updates that are maxima of the bound."""

import numpy as np
import pytest

from sgpmic_cli.clustering.map import latent_mixture as mixtures


@pytest.fixture
def latent():
    """Return means and variances (20, 2), and probabilities (20, 3)."""
    rng = np.random.RandomState(0)
    S = rng.dirichlet(np.ones(3), 20)
    return rng.randn(20, 2), rng.uniform(0.1, 0.5, (20, 2)), S


def test_the_closed_form_of_the_mixture_is_a_maximum(latent):
    mu, s, S = latent
    best = mixtures.maximising_gaussians(mu, s, S)
    value, rng = mixtures.mixture_bound(S, mu, np.log(s), best), np.random.RandomState(1)
    for size in (1e-3, 1e-2, 0.1):
        factors = np.eye(2) + size * rng.randn(3, 2, 2)
        moved = [
            (best.means + size * rng.randn(3, 2), best.covariances),
            (best.means, factors @ best.covariances @ factors.transpose(0, 2, 1)),
        ]
        for means, covariances in moved:
            other = mixtures.from_covariances(means, covariances)
            assert mixtures.mixture_bound(S, mu, np.log(s), other) < value


def test_a_cluster_without_rows_has_a_covariance(latent):
    mu, s, _ = latent
    mixture = mixtures.maximising_gaussians(mu, s, np.eye(2)[np.zeros(20, dtype=int)])
    np.testing.assert_allclose(mixture.covariances[1], mixtures.SCALE * np.eye(2))


def test_the_latent_prior_is_the_expected_log_as_a_function_of_the_latent_points(latent):
    mu, s, S = latent
    mixture = mixtures.maximising_gaussians(mu, s, S)
    prior = mixtures.latent_prior(S, mixture)
    values, dmu, ds = prior.value_and_gradient(mu, s)
    expected = np.sum(S * mixtures.expected_log(mu, s, mixture), axis=1)
    np.testing.assert_allclose(values, expected, rtol=1e-10)
    for moved_mu, moved_s in ((mu + 1e-3, s), (mu, s + 1e-3)):
        new, dmu_there, ds_there = prior.value_and_gradient(moved_mu, moved_s)
        change = (new - values).sum()
        slope = 0.5 * (dmu + dmu_there) * (moved_mu - mu) + 0.5 * (ds + ds_there) * (moved_s - s)
        assert slope.sum() == pytest.approx(change, rel=1e-8)  # exact for a quadratic function
