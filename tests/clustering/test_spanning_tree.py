from types import SimpleNamespace

import numpy as np
import pytest
from raw_tables import clouds
from scipy.sparse.csgraph import connected_components, minimum_spanning_tree
from scipy.spatial.distance import cdist, mahalanobis
from sklearn.datasets import make_circles, make_moons
from sklearn.metrics import adjusted_rand_score

from sgpmic_cli.clustering.clusters import spanning_tree
from sgpmic_cli.clustering.clusters.groups import LONG_EDGE
from sgpmic_cli.clustering.clusters.spanning_tree import cut, longest_cut, spanning_trees


def dense_tree(Y, core):
    """Return the minimum spanning tree from all mutual reachability distances."""
    distances = cdist(Y, Y)
    reach = np.sort(distances, axis=1)[:, core]
    mutual = np.maximum(distances, np.maximum(reach[:, None], reach)) + 1e-9 * distances + 1e-12
    np.fill_diagonal(mutual, 0.0)
    return minimum_spanning_tree(mutual)


def found_labels(X, n_clusters):
    found = longest_cut(spanning_trees(X), n_clusters)
    return None if found is None else found.labels


@pytest.fixture
def euclidean(monkeypatch):
    def lengths(Y, _, one, other):
        return np.linalg.norm(Y[one] - Y[other], axis=1)

    monkeypatch.setattr(spanning_tree, "_mahalanobis", lengths)


@pytest.mark.usefixtures("euclidean")
@pytest.mark.parametrize("copies", [1, 2])
def test_the_tree_of_a_graph_in_parts_is_that_of_all_distances(copies):
    # The groups are so far apart that the neighbour graph has three parts.
    Y = np.repeat(clouds(0, 50, 100, size=40, columns=3), copies, axis=0)
    for core, tree in zip((3, 5), spanning_trees(Y), strict=True):
        expected = np.sort(dense_tree(Y, core).data)
        np.testing.assert_allclose(np.sort(tree.lengths)[1:], expected, rtol=1e-12)


def test_rows_measure_steps_by_the_covariance_of_their_nearest_rows():
    Y = np.random.RandomState(2).randn(40, 3) * [1.0, 2.0, 5.0]
    nearest = cdist(Y, Y).argsort(axis=1)[:, :11]
    found = spanning_tree._mahalanobis(
        Y, spanning_tree._local_precisions(Y[nearest]), np.arange(39), np.arange(1, 40)
    )
    covariances = [np.cov(Y[rows].T) for rows in nearest]
    precisions = [np.linalg.inv(C / np.trace(C) + 0.05 * np.eye(3)) for C in covariances]
    expected = [
        max(mahalanobis(Y[i], Y[i + 1], precisions[j]) for j in (i, i + 1)) for i in range(39)
    ]
    np.testing.assert_allclose(found, expected)


@pytest.mark.usefixtures("euclidean")
@pytest.mark.parametrize("n_clusters", [2, 3, 5])
def test_cuts_are_those_of_the_definition(n_clusters):
    Y = np.random.RandomState(1).standard_t(3, size=(90, 2))
    for core, tree in zip((3, 5), spanning_trees(Y), strict=True):
        graph = dense_tree(Y, core).toarray()
        for _ in range(n_clusters - 1):
            for length in np.sort(graph[graph > 0])[::-1]:
                without = np.where(graph == length, 0.0, graph)
                sizes = np.bincount(connected_components(without, directed=False)[1])
                if sizes.min() >= 0.4 * len(Y) / n_clusters:
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
def test_rings_and_moons_have_a_gap(X, y):
    found = longest_cut(spanning_trees(X), 2)
    assert adjusted_rand_score(found.labels, y) == 1.0
    assert found.gap > LONG_EDGE


@pytest.mark.parametrize("kind", ["normal", "heavy tails"])
def test_a_cloud_has_no_gap(kind):
    for seed in range(5):
        random = np.random.RandomState(seed)
        X = random.standard_t(3, size=(200, 2)) if kind == "heavy tails" else random.randn(200, 2)
        assert longest_cut(spanning_trees(X), 2).gap < LONG_EDGE


@pytest.mark.usefixtures("euclidean")
def test_the_gap_compares_cut_edges_with_long_edges_that_remain():
    Y = np.random.RandomState(1).standard_t(3, size=(90, 2))
    tree = spanning_trees(Y)[0]
    graph = dense_tree(Y, 3).toarray()
    parts = cut(tree, 2).labels
    one, other = np.nonzero(graph)
    across = parts[one] != parts[other]
    remaining = []
    for i, j in zip(one[~across], other[~across], strict=True):
        without = graph.copy()
        without[i, j] = 0.0
        without[one[across], other[across]] = 0.0
        part = connected_components(without, directed=False)[1]
        if min(np.sum(part == part[i]), np.sum(part == part[j])) >= 3:
            remaining.append(graph[i, j])
    expected = np.log(graph[one[across], other[across]].min() / np.quantile(remaining, 0.9))
    assert cut(tree, 2).gap == pytest.approx(expected)


def test_outliers_are_no_cluster():
    random = np.random.RandomState(0)
    X, y = make_circles(300, noise=0.04, factor=0.4, random_state=0)
    X = np.vstack([X, random.uniform(-2.0, 2.0, size=(15, 2))])
    labels = found_labels(X, 2)
    assert adjusted_rand_score(labels[:300], y) > 0.95
    star = {
        "rows": np.arange(10),
        "sizes": np.r_[10, np.ones(9, dtype=int)],
        "lengths": np.ones(10),
    }
    assert cut(SimpleNamespace(**star), 2) is None


def test_three_rows_have_no_tree():
    X = np.random.RandomState(0).standard_normal((4, 2))
    assert (len(spanning_trees(X[:3])), len(spanning_trees(X))) == (0, 2)


def test_one_column_and_many_columns_have_no_tree():
    X = np.random.RandomState(0).randn(200, 1) + 3.0 * (np.arange(200) % 2)[:, None]
    assert found_labels(X, 2) is None
    X, y = make_moons(300, noise=0.02, random_state=0)
    few = np.c_[X, np.zeros((300, 8))] @ np.linalg.qr(np.ones((10, 10)) + np.eye(10))[0]
    assert adjusted_rand_score(found_labels(few, 2), y) == 1.0
    assert found_labels(np.c_[few, X[:, 0]], 2) is None
