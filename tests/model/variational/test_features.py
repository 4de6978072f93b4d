"""Expected features beside averages over many draws, and their gradients beside central differences."""

import dense_oracle
import numpy as np
import pytest

from sgpmic_cli.model.variational.features import Kernel, expectations


@pytest.fixture
def problem():
    r = np.random.RandomState(0)
    kernel = Kernel(r.randn(4, 2), 0.7, np.array([1.3, 0.4]), 0.8)
    return kernel, r.randn(6, 2), np.exp(0.4 * r.randn(6, 2) - 1.5), r


def test_moments_are_those_of_draws(problem):
    kernel, mu, s, r = problem
    seen = expectations(kernel, mu, s)
    draws = mu[:, None] + np.sqrt(s)[:, None] * r.randn(len(mu), 400_000, 2)
    for n in range(2):
        phi = dense_oracle.features(kernel, draws[n])
        alone = np.zeros(len(mu))
        alone[n] = 1.0
        np.testing.assert_allclose(seen.rbf[n], phi[:, :4].mean(axis=0), atol=6e-3)
        np.testing.assert_allclose(seen.second_moment(alone), phi.T @ phi / len(phi), atol=1.5e-2)


def test_known_points_have_the_features_themselves(problem):
    kernel, mu, _, _ = problem
    seen = expectations(kernel, mu, np.zeros_like(mu))
    phi = dense_oracle.features(kernel, mu)
    np.testing.assert_allclose(seen.rbf, phi[:, :4], rtol=1e-12)
    np.testing.assert_allclose(seen.second_moment(np.ones(len(mu))), phi.T @ phi, rtol=1e-10)
