"""Probabilities of clusters: calibrated, in agreement with the labels, lower for unstable rows."""

import numpy as np
import pytest
from scipy.special import expit, softmax
from sklearn.datasets import make_moons

from sgpmic_cli import GroupMap
from sgpmic_cli.clustering.clusters.base_clusterings import base_consensus
from sgpmic_cli.clustering.clusters.groups import BY_VIEWS
from sgpmic_cli.clustering.clusters.probabilities import (
    ClusterModel,
    ClusterPosterior,
    _agree,
    _temperature,
    linear_posterior,
)
from sgpmic_cli.clustering.map.new_rows import TrainingRows


def pair(p, n=500, separation=3.0, seed=0):
    """Return two Gaussian groups, and the posterior probability of the second one."""
    rng = np.random.RandomState(seed)
    y = rng.randint(2, size=n)
    X = rng.standard_normal((n, p)) + separation * np.outer(y, np.ones(p) / np.sqrt(p))
    return X, expit(separation * (X.sum(axis=1) / np.sqrt(p) - 0.5 * separation))


def quick(n_clusters=2, **parameters):
    """Return a model whose map is not fitted well, because probabilities do not depend on it."""
    usual = {"max_iter": 1, "optimizer_steps": 1, "n_resamples": 0, "random_state": 0}
    return GroupMap(n_clusters, **{**usual, **parameters})


def test_clusters_with_equal_means_have_the_probabilities_of_their_sizes():
    """Half a row is added to each, so that no probability is zero."""
    Y = np.tile([[-1.0], [1.0]], (6, 1))
    S = np.eye(2)[np.repeat([0, 1], [2, 10])]
    coefficients, intercepts = linear_posterior(Y, S)
    np.testing.assert_allclose(coefficients, 0.0, atol=1e-12)
    np.testing.assert_allclose(np.exp(intercepts), [2.5 / 13.0, 10.5 / 13.0])


@pytest.mark.parametrize("p", [1, *(pytest.param(p, marks=pytest.mark.slow) for p in (4, 16))])
def test_probabilities_of_two_gaussians_are_their_posterior(p):
    X, posterior = pair(p)
    model = quick().fit(X)
    new, new_posterior = pair(p, seed=1)
    for found, wanted in (
        (model.responsibilities_, posterior),
        (model.predict_proba(new), new_posterior),
    ):
        error = min(np.mean(np.abs(column - wanted)) for column in found.T)
        assert error <= 0.05


def test_labels_have_the_largest_probability():
    rng = np.random.RandomState(0)
    probabilities, labels = rng.dirichlet(np.full(5, 0.5), 300), rng.randint(5, size=300)
    found = _agree(probabilities, labels)
    np.testing.assert_array_equal(found.argmax(axis=1), labels)
    np.testing.assert_allclose(found.sum(axis=1), 1.0)
    same = probabilities.argmax(axis=1) == labels
    np.testing.assert_array_equal(found[same], probabilities[same])


GIVEN = np.arange(500) % 2


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("parameters", [{"n_clusters": 4, "n_resamples": 2}, {"init": GIVEN}])
def test_labels_predictions_and_probabilities_agree(parameters):
    X, _ = pair(4, separation=1.0)
    model = quick(**parameters).fit(X)
    if "init" in parameters:
        np.testing.assert_array_equal(model.labels_, GIVEN)
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    np.testing.assert_array_equal(model.predict_proba(X).argmax(axis=1), model.labels_)


def test_the_temperature_is_that_at_which_the_other_clusterings_predict_each_one_best():
    rng = np.random.RandomState(0)
    truth = 3.0 * rng.standard_normal((4000, 1)) * [1.0, -1.0]
    draws = [(rng.random_sample(4000) > softmax(truth, axis=1)[:, 0]).astype(int) for _ in "ab"]
    members = [np.eye(2)[labels] for labels in draws]
    assert _temperature([2.5 * truth, 2.5 * truth], members) == pytest.approx(2.5, rel=0.1)
    # A clustering predicts its own labels without error, so its own scores must not count.
    own = [99.0 * (member - 0.5) for member in members]
    assert _temperature(own, members) == pytest.approx(20.0, rel=0.01)  # the limit of the search
    assert _temperature(own[:1], members[:1]) == 1.0


def test_a_posterior_is_carried_over_from_a_projection_to_the_columns():
    rng = np.random.RandomState(0)
    Y, projection = rng.standard_normal((200, 5)), rng.standard_normal((5, 2))
    Y[:100] += 2.0
    mean = Y.mean(axis=0)
    inner = (Y - mean) @ projection
    posterior = base_consensus(inner / inner.std(axis=0), 2).posterior
    found = posterior.in_columns(projection / inner.std(axis=0), mean)
    np.testing.assert_allclose(
        found.probabilities(Y), posterior.probabilities(inner / inner.std(axis=0)), atol=1e-9
    )


@pytest.mark.slow
def test_refits_keep_labels_and_map():
    X, _ = pair(2, separation=2.0)
    plain, refitted = quick().fit(X), quick(n_resamples=4).fit(X)
    np.testing.assert_array_equal(plain.labels_, refitted.labels_)
    np.testing.assert_array_equal(plain.embedding_, refitted.embedding_)
    assert plain.stability_ is None
    assert refitted.stability_ is not None
    np.testing.assert_array_equal(refitted.transform(X), refitted.embedding_)
    assert (plain.responsibilities_ != refitted.responsibilities_).any()


def test_a_refit_counts_as_far_as_it_found_the_cluster_of_the_row_again():
    logits = np.log([[[0.6, 0.4]], [[0.9, 0.1]]])  # of two refits, for any row
    overlaps = np.array([[1.0, 0.25], [0.5, 0.75]])
    refits = ClusterPosterior(np.zeros((2, 1, 2)), logits[:, 0], overlaps, 1.0)
    found = refits.probabilities(np.zeros((2, 1)), np.array([0, 1]))
    np.testing.assert_allclose(found[0], [(0.6 + 0.5 * 0.9) / 1.5, (0.4 + 0.5 * 0.1) / 1.5])
    np.testing.assert_allclose(found[1], [0.25 * 0.6 + 0.75 * 0.9, 0.25 * 0.4 + 0.75 * 0.1])
    plain = ClusterPosterior(np.array([[[0.0, 1.0]]]), np.zeros((1, 2)), np.ones((1, 2)), 1.0)
    clusters = ClusterModel(np.array([0, 1]), 2, plain, refits)
    rows = np.array([[-1.0], [1.0]])
    kept = clusters.probabilities(rows, TrainingRows(rows))
    np.testing.assert_array_equal(kept.argmax(axis=1), [0, 1])  # although both prefer cluster 0


def test_groups_have_the_labels_of_the_nearest_rows():
    X, y = make_moons(200, noise=0.04, random_state=0)
    model = quick().fit(X)
    assert model.base_clusterings_ == (BY_VIEWS,)
    assert len(np.unique(model.labels_ + 2 * y)) == 2
    assert model.certainty_.min() > 0.99
    np.testing.assert_array_equal(model.predict(X + 1e-3), model.labels_)
