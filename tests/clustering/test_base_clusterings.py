from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits
from sklearn.metrics import adjusted_rand_score

from sgpmic_cli.clustering.clusters import base_clusterings as base


def blobs(n=120, p=3, seed=0):
    rng = np.random.RandomState(seed)
    y = np.arange(n) % 3
    return rng.standard_normal((n, p)) + 8.0 * rng.standard_normal((3, p))[y], y


def lines():
    """Return two crossing groups along lines, which k-means does not find, and their labels."""
    rng = np.random.RandomState(0)
    y = np.arange(400) % 2
    return rng.standard_normal((400, 2)) * np.where(y[:, None], [1.0, 0.05], [0.05, 1.0]), y


def test_the_label_is_the_cluster_with_the_largest_mean_probability():
    Y, y = blobs()
    found = base.base_consensus(Y, 3)
    assert found.names == ("k-means", "mixture of t distributions")
    assert adjusted_rand_score(found.labels, y) == 1.0
    np.testing.assert_array_equal(*found.memberships)  # clusters of both have the same numbers
    cloud = np.random.RandomState(0).standard_normal((300, 4))
    found = base.base_consensus(cloud, 4)
    np.testing.assert_array_equal(found.labels, found.posterior.probabilities(cloud).argmax(axis=1))
    assert (
        np.mean(found.memberships, axis=0).min(axis=1).max() < 0.5
    )  # the two base clusterings do not always agree
    assert base.consensus(Y, 1).labels.max() == 0


def test_k_means_alone_keeps_its_labels_if_the_probabilities_leave_a_cluster_empty(monkeypatch):
    Y = np.random.RandomState(0).standard_normal((100, 2)) ** 3
    found = base.kmeans_consensus(Y, 3)
    np.testing.assert_array_equal(found.labels, found.posterior.probabilities(Y).argmax(axis=1))
    assert (found.labels != found.memberships[0].argmax(axis=1)).any()
    one = SimpleNamespace(probabilities=lambda Y: np.tile([1.0, 0.0, 0.0], (len(Y), 1)))
    monkeypatch.setattr(base, "fit_posterior", lambda *_: one)
    found = base.kmeans_consensus(Y, 3)
    np.testing.assert_array_equal(found.labels, found.memberships[0].argmax(axis=1))


def test_the_mixture_overrules_k_means_where_clusters_have_different_shapes():
    Y, y = lines()
    kmeans, fit = base.base_fits(Y, 2)
    assert adjusted_rand_score(kmeans, y) < 0.1
    assert adjusted_rand_score(fit.responsibilities.argmax(axis=1), y) > 0.8
    assert adjusted_rand_score(base.base_consensus(Y, 2).labels, y) > 0.6


@pytest.mark.parametrize("change", ["doubled rows", "jitter"])
def test_clusters_hardly_depend_on_copies_and_rounding(change):
    Y = load_digits().data[::2]
    Y = Y[:, Y.std(axis=0) > 0.5]
    Y = (Y - Y.mean(axis=0)) / Y.std(axis=0)
    before = base.consensus(Y, 10).labels
    if change == "jitter":
        after = base.consensus(Y + 1e-12 * np.random.RandomState(0).randn(*Y.shape), 10).labels
    else:
        after = base.consensus(np.repeat(Y, 2, axis=0), 10).labels[::2]
    assert adjusted_rand_score(before, after) > 0.9


def test_clusters_in_one_column_are_found_beside_columns_without_any():
    y = np.arange(300) % 3
    Y = np.random.RandomState(0).standard_normal((300, 5))
    Y[:, 0] += 6.0 * y
    _, fit = base.base_fits(Y / Y.std(axis=0), 3)
    assert adjusted_rand_score(fit.responsibilities.argmax(axis=1), y) > 0.95


def refitted(Y, labels, n_resamples=3):
    found = base.base_consensus(Y, 3)
    found = found._replace(labels=labels, memberships=[np.eye(3)[labels]])
    return base.refit(Y, found, n_resamples, np.random.RandomState(0))


def test_separate_clusters_come_back_in_refits_and_parts_of_a_cloud_do_not():
    Y, y = blobs()
    refits, stability = refitted(Y, y)
    np.testing.assert_array_equal(stability, 1.0)
    np.testing.assert_array_equal(refits.probabilities(Y, y).argmax(axis=1), y)
    cloud = np.random.RandomState(1).standard_normal((100, 2))
    labels = KMeans(3, n_init=1, random_state=0).fit_predict(cloud)
    assert refitted(cloud, labels)[1].max() < 1.0


def test_more_columns_than_rows_give_the_results_of_the_space_of_the_rows():
    Y, y = blobs()
    basis = np.linalg.qr(np.random.RandomState(0).standard_normal((2 * len(Y), Y.shape[1])))[0]
    wide, few = Y @ basis.T, refitted(Y, y)[0]
    found = base.consensus(wide, 3)
    assert found.posterior.mixture is None
    assert adjusted_rand_score(found.labels, y) == 1.0
    np.testing.assert_allclose(
        refitted(wide, y)[0].probabilities(wide, y).argmax(axis=1),
        few.probabilities(Y, y).argmax(axis=1),
    )


@pytest.mark.filterwarnings("ignore:Number of distinct clusters")
def test_a_half_that_lacks_a_cluster_lowers_its_stability_only():
    Y = np.repeat([[0.0, 0.0], [5.0, 1.0], [9.0, 4.0]], [29, 29, 2], axis=0)
    y = np.repeat([0, 1, 2], [29, 29, 2])
    refits, stability = refitted(Y / Y.std(axis=0), y, n_resamples=20)
    assert stability[2] < 0.9 < stability[:2].min()
    np.testing.assert_array_equal(refits.probabilities(Y / Y.std(axis=0), y).argmax(axis=1), y)


def test_clusters_that_a_user_gave_have_a_stability_and_keep_their_probabilities():
    Y, y = blobs()
    given = base.one_clustering("given", y, 3)
    refits, stability = base.refit(Y, given, 2, np.random.RandomState(0))
    assert refits is None
    np.testing.assert_array_equal(stability, 1.0)


def test_k_means_does_not_depend_on_order_rotation_or_doubled_rows():
    random = np.random.RandomState(0)
    Y = random.standard_normal((300, 3))  # no clusters: other starts give other labels
    wanted = base._kmeans(Y, 8)
    order, rotation = random.permutation(300), np.linalg.qr(random.standard_normal((3, 3)))[0]
    np.testing.assert_array_equal(base._kmeans(Y[order], 8), wanted[order])
    np.testing.assert_array_equal(base._kmeans(Y @ rotation, 8), wanted)
    np.testing.assert_array_equal(base._kmeans(np.r_[Y, Y], 8)[:300], wanted)
