"""Mixtures of t distributions, against SciPy and against data that Gaussians divide badly."""

import numpy as np
from scipy.special import logsumexp
from scipy.stats import multivariate_t
from sklearn.metrics import adjusted_rand_score
from sklearn.mixture import GaussianMixture

from sgpmic_cli.clustering.clusters import t_mixture
from sgpmic_cli.clustering.clusters.t_mixture import fit_t_mixture


def fit(Y, labels, floor=1e-3):
    return fit_t_mixture(Y, labels, np.full(Y.shape[1], floor), labels.max() + 1)


def two_groups(seed=0, n=300):
    rng = np.random.RandomState(seed)
    y = rng.randint(2, size=n)
    return rng.standard_normal((n, 3)) @ rng.randn(3, 3) + 3.0 * y[:, None], y


def test_scores_are_log_weights_plus_log_densities_of_t_distributions(monkeypatch):
    monkeypatch.setattr(t_mixture, "ITERATIONS", 1)  # covariances of the labels
    Y, y = two_groups()
    p, floor = Y.shape[1], 0.01
    scatters = [np.cov(Y[y == m].T, bias=True) * np.sum(y == m) for m in (0, 1)]
    expected = np.empty((len(Y), 2))
    for m in (0, 1):
        n = np.sum(y == m)
        shape = (scatters[m] + p * sum(scatters) / len(Y)) / (n + p) + floor * np.eye(p)
        density = multivariate_t(Y[y == m].mean(axis=0), shape, df=4)
        expected[:, m] = np.log(n / len(Y)) + density.logpdf(Y)
    found = fit(Y, y, floor)
    scores = found.mixture.scores(Y)
    np.testing.assert_allclose(np.ptp(scores - expected, axis=None), 0.0, atol=1e-8)
    posterior = np.exp(scores - logsumexp(scores, axis=1)[:, None])
    np.testing.assert_allclose(found.responsibilities, posterior, atol=1e-10)


def heavy(seed):
    """Return a large group with heavy tails and a small one, and their labels."""
    rng = np.random.RandomState(seed)
    y = np.r_[np.zeros(300, dtype=int), np.ones(60, dtype=int)]
    Y = np.where(y[:, None] == 0, rng.standard_t(2, size=(360, 4)), 0.5 * rng.randn(360, 4) + 2.0)
    return Y / Y.std(axis=0), y


def test_tails_do_not_become_a_cluster():
    ours, gaussian = [], []
    for seed in range(5):
        Y, y = heavy(seed)
        ours.append(adjusted_rand_score(y, fit(Y, y).responsibilities.argmax(axis=1)))
        usual = GaussianMixture(2, means_init=[Y[y == m].mean(axis=0) for m in (0, 1)])
        gaussian.append(adjusted_rand_score(y, usual.fit_predict(Y)))
    assert np.mean(ours) > np.mean(gaussian) + 0.2


def test_the_likelihood_does_not_fall(monkeypatch):
    Y, y = two_groups()
    values = []
    for iterations in range(1, 12):
        monkeypatch.setattr(t_mixture, "ITERATIONS", iterations)
        start = np.where(np.arange(len(y)) % 3 == 0, 1 - y, y)
        values.append(fit(Y, start, 1e-9).log_likelihood)
    assert np.diff(values).min() > -1e-3
    assert values[-1] > values[0] + 0.05


def test_a_cluster_without_rows_stays_finite():
    Y, y = two_groups()
    found = fit_t_mixture(Y, y, np.full(3, 1e-3), 3)
    assert np.isfinite(found.mixture.scores(Y)).any(axis=1).all()
    assert not np.isnan(found.responsibilities).any()
