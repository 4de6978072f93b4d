"""Clusters of any shape that gaps separate."""

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.datasets import make_circles, make_moons
from sklearn.metrics import adjusted_rand_score

from sgpmic_cli.model.clusters.neighbour_graph import gap_clusters, neighbours


@pytest.mark.parametrize("copies", [1, 3, 20])
def test_a_row_is_never_its_own_neighbour(copies):
    Y = np.repeat(np.random.RandomState(0).randn(10, 2), copies, axis=0)
    found = neighbours(Y)
    assert (found.indices != np.arange(len(Y))[:, None]).all()
    assert found.distances.shape == (len(Y), min(12, len(Y) - 1))


@pytest.mark.parametrize(
    ("X", "y"),
    [
        make_moons(300, noise=0.05, random_state=0),
        make_circles(300, noise=0.04, factor=0.4, random_state=0),
    ],
    ids=["moons", "rings"],
)
def test_rings_and_moons_are_found(X, y):
    kmeans = KMeans(2, n_init=1, random_state=0).fit_predict(X)
    assert adjusted_rand_score(gap_clusters(X, kmeans, 2, 0), y) == 1.0
    assert gap_clusters(X, y, 2, 0) is None  # no better than the labels


def test_a_cloud_has_no_gaps():
    X = np.random.RandomState(0).randn(200, 2)
    assert gap_clusters(X, KMeans(2, n_init=1, random_state=0).fit_predict(X), 2, 0) is None


def test_one_column_is_left_to_k_means_and_mixtures():
    X = np.random.RandomState(0).randn(200, 1) + 3.0 * (np.arange(200) % 2)[:, None]
    kmeans = KMeans(2, n_init=1, random_state=0).fit_predict(X)
    assert gap_clusters(X, kmeans, 2, 0) is None
