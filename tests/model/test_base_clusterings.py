"""Base clusterings and their consensus."""

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.datasets import make_moons
from sklearn.metrics import adjusted_rand_score

from sgpmic_cli.model.clusters import base_clusterings as base


def blobs(n=120, p=3, seed=0):
    rng = np.random.RandomState(seed)
    y = np.arange(n) % 3
    return rng.standard_normal((n, p)) + 8.0 * rng.standard_normal((3, p))[y], y


def test_permuted_labels_are_matched():
    labels = np.random.RandomState(0).randint(4, size=100)
    wrong = labels.copy()
    wrong[:5] = (wrong[:5] + 1) % 4
    permuted = [np.array(p)[labels] for p in ([2, 0, 3, 1], [1, 2, 3, 0])]
    found = base.match([*permuted, np.array([3, 2, 1, 0])[wrong]], ("a", "b", "c"), 4)
    assert adjusted_rand_score(found.labels, labels) == 1.0
    np.testing.assert_array_equal(found.memberships[0], found.memberships[1])
    np.testing.assert_allclose(found.fractions[5:].max(axis=1), 1.0)
    np.testing.assert_allclose(found.fractions[:5].max(axis=1), 2 / 3)


def test_the_consensus_names_its_base_clusterings():
    Y, y = blobs()
    continuous = base.consensus(Y, 3, 0)
    assert continuous.names == ("k-means", "Gaussian mixture", "Gaussian mixture, regularised")
    assert adjusted_rand_score(continuous.labels, y) == 1.0
    discrete = base.base_labels(np.round(Y / 4.0), 3, 0, None)
    assert list(discrete)[1] == "k-means, discrete columns damped"
    assert base.consensus(Y, 1, 0).labels.max() == 0


@pytest.mark.filterwarnings("ignore:Graph is not fully connected")
@pytest.mark.parametrize("name", base.NAMED)
def test_every_named_clustering_finds_blobs(name):
    Y, y = blobs()
    found = base.named_clustering(name, Y, 3, 0)
    assert found.names == (name,)
    assert adjusted_rand_score(found.labels, y) > 0.95


def test_rows_that_are_sure_are_confirmed_by_refits():
    Y, y = blobs()
    sure = base.refit(Y, base.one_clustering("known", y, 3), 2, np.random.RandomState(0))
    np.testing.assert_array_equal(sure.fractions.argmax(axis=1), y)
    assert len(np.unique(sure.fractions)) == 2
    np.testing.assert_array_equal(sure.stability, 1.0)
    cloud = np.random.RandomState(1).standard_normal((100, 2))
    labels = KMeans(3, n_init=1, random_state=0).fit_predict(cloud)
    found = base.refit(
        cloud, base.one_clustering("k-means", labels, 3), 3, np.random.RandomState(0)
    )
    np.testing.assert_allclose(found.fractions.sum(axis=1), 1.0)
    assert found.fractions[np.arange(100), labels].min() < sure.fractions.max()
    assert found.stability.max() < 1.0


@pytest.mark.parametrize(("noise", "stable"), [(0.04, True), (0.4, False)])
def test_refits_of_clusters_with_gaps_cut_the_spanning_tree(noise, stable):
    Y, y = make_moons(200, noise=noise, random_state=0)
    known = base.one_clustering("spanning tree", y, 2)._replace(gaps=True)
    found = base.refit(Y, known, 3, np.random.RandomState(0))
    assert (found.stability.min() > 0.99) == stable
