"""Clusters of any shape that gaps separate."""

import numpy as np
import pytest
from raw_tables import clouds
from scipy.sparse.csgraph import connected_components, minimum_spanning_tree
from scipy.spatial.distance import cdist, mahalanobis
from sklearn.cluster import KMeans
from sklearn.datasets import make_circles, make_moons
from sklearn.metrics import adjusted_rand_score

from sgpmic_cli.clustering.model.clusters import spanning_tree
from sgpmic_cli.clustering.model.clusters.spanning_tree import (
    CORE_NEIGHBOURS,
    DRAWS,
    FEW_DRAWS,
    LEAST_FRACTION,
    LOCAL_ROWS,
    ROUNDNESS,
    cut,
    gap_clusters,
    spanning_trees,
)


def dense_tree(Y, core):
    """Return the minimum spanning tree from all mutual reachability distances."""
    distances = cdist(Y, Y)
    reach = np.sort(distances, axis=1)[:, core]
    mutual = np.maximum(distances, np.maximum(reach[:, None], reach)) + 1e-9 * distances + 1e-12
    np.fill_diagonal(mutual, 0.0)
    return minimum_spanning_tree(mutual)


def found_labels(X, n_clusters):
    kmeans = KMeans(n_clusters, n_init=1, random_state=0).fit_predict(X)
    return gap_clusters(X, kmeans, n_clusters, np.random.RandomState(0))


@pytest.fixture
def euclidean(monkeypatch):
    monkeypatch.setattr(spanning_tree, "LOCAL_ROWS", 1)


@pytest.mark.usefixtures("euclidean")
@pytest.mark.parametrize("copies", [1, 2])
def test_the_tree_of_a_graph_in_parts_is_that_of_all_distances(copies):
    # The groups are so far apart that the neighbour graph has three parts.
    Y = np.repeat(clouds(0, 50, 100, size=40, columns=3), copies, axis=0)
    for core, tree in zip(CORE_NEIGHBOURS, spanning_trees(Y), strict=True):
        expected = np.sort(dense_tree(Y, core).data)
        np.testing.assert_allclose(np.sort(tree.lengths)[1:], expected, rtol=1e-12)


def test_rows_measure_steps_by_the_covariance_of_their_nearest_rows():
    Y = np.random.RandomState(2).randn(40, 3) * [1.0, 2.0, 5.0]
    nearest = cdist(Y, Y).argsort(axis=1)[:, : 1 + LOCAL_ROWS]
    found = spanning_tree._mahalanobis(
        Y, spanning_tree._local_precisions(Y[nearest]), np.arange(39), np.arange(1, 40)
    )
    covariances = [np.cov(Y[rows].T) for rows in nearest]
    precisions = [np.linalg.inv(C / np.trace(C) + ROUNDNESS * np.eye(3)) for C in covariances]
    expected = [
        max(mahalanobis(Y[i], Y[i + 1], precisions[j]) for j in (i, i + 1)) for i in range(39)
    ]
    np.testing.assert_allclose(found, expected)


@pytest.mark.usefixtures("euclidean")
@pytest.mark.parametrize("n_clusters", [2, 3, 5])
def test_cuts_are_those_of_the_definition(n_clusters):
    Y = np.random.RandomState(1).standard_t(3, size=(90, 2))
    for core, tree in zip(CORE_NEIGHBOURS, spanning_trees(Y), strict=True):
        graph = dense_tree(Y, core).toarray()
        for _ in range(n_clusters - 1):
            for length in np.sort(graph[graph > 0])[::-1]:
                without = np.where(graph == length, 0.0, graph)
                sizes = np.bincount(connected_components(without, directed=False)[1])
                if sizes.min() >= LEAST_FRACTION * len(Y) / n_clusters:
                    graph = without
                    break
        parts = connected_components(graph, directed=False)[1]
        assert adjusted_rand_score(cut(tree, n_clusters).labels, parts) == 1.0


@pytest.mark.parametrize(
    ("X", "y"),
    [
        make_moons(300, noise=0.05, random_state=0),
        make_circles(300, noise=0.04, factor=0.4, random_state=0),
    ],
    ids=["moons", "rings"],
)
def test_rings_and_moons_are_found(X, y):
    assert adjusted_rand_score(found_labels(X, 2), y) == 1.0


@pytest.mark.parametrize("kind", ["normal", "uniform", "heavy tails"])
def test_a_cloud_has_no_gaps(kind):
    random = np.random.RandomState(0)
    draw = {"normal": random.randn, "uniform": random.rand}
    X = random.standard_t(3, size=(200, 2)) if kind == "heavy tails" else draw[kind](200, 2)
    assert found_labels(X, 2) is None


@pytest.mark.parametrize(("margin", "expected"), [(0.2, FEW_DRAWS), (None, DRAWS)])
def test_a_clear_excess_needs_few_draws(margin, expected, monkeypatch):
    Y = make_circles(300, noise=0.04, factor=0.4, random_state=0)[0]
    labels, trees = (Y[:, 0] > 0).astype(int), spanning_trees(Y)
    excess = spanning_tree.excess_of_gap(Y, trees, labels, 2, np.random.RandomState(0))[1]
    monkeypatch.setattr(spanning_tree, "MARGIN", excess if margin is None else margin)
    drawn = []
    draw = spanning_tree._draw
    monkeypatch.setattr(spanning_tree, "_draw", lambda *given: drawn.append(1) or draw(*given))
    spanning_tree.excess_of_gap(Y, trees, labels, 2, np.random.RandomState(0))
    assert len(drawn) == expected


def test_outliers_are_no_cluster():
    random = np.random.RandomState(0)
    X, y = make_circles(300, noise=0.04, factor=0.4, random_state=0)
    X = np.vstack([X, random.uniform(-2.0, 2.0, size=(15, 2))])
    labels = found_labels(X, 2)
    assert adjusted_rand_score(labels[:300], y) > 0.95


def test_one_column_is_left_to_k_means_and_mixtures():
    X = np.random.RandomState(0).randn(200, 1) + 3.0 * (np.arange(200) % 2)[:, None]
    assert found_labels(X, 2) is None
