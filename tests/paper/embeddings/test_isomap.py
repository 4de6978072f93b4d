"""ISOMAP against scikit-learn, a dense solver and the printed cells."""

import sys

import numpy as np
import pytest
from scipy.spatial.distance import cdist, pdist
from sklearn.manifold import Isomap

from sgpmic_cli.data import load
from sgpmic_cli.paper.embeddings.isomap import (
    DUPLICATE_EDGE,
    expanded_distances,
    isomap,
    neighbor_graph,
)
from sgpmic_cli.paper.fcm import FuzzyCMeans
from sgpmic_cli.scores import purity


def test_a_connected_graph_agrees_with_scikit_learn():
    Y = np.random.RandomState(0).rand(120, 3)
    ours = isomap(Y, 2, unit_variance=False)
    theirs = Isomap(n_neighbors=12, n_components=2).fit_transform(Y)
    np.testing.assert_allclose(pdist(ours), pdist(theirs), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", ["wine", "wdbc"])
def test_axes_of_many_rows_agree_with_a_dense_solver(name, monkeypatch):
    module = sys.modules["sgpmic_cli.paper.embeddings.isomap"]
    Y = load(name).Y
    dense = isomap(Y, 5, unit_variance=False)
    monkeypatch.setattr(module, "DENSE", 100)
    monkeypatch.setattr(module.linalg, "eigh", None)  # must not be called
    found = isomap(Y, 5, unit_variance=False)
    np.testing.assert_allclose(found, dense, atol=1e-9 * np.abs(dense).max())


def test_axes_beyond_the_rank_are_zero():
    X = isomap(np.column_stack([np.arange(60.0), np.zeros(60)]), 3)
    assert np.ptp(X[:, 0]) > 1.0
    assert not X[:, 1:].any()


def test_rows_outside_the_largest_component_share_one_point():
    Y = load("iris").Y
    X = isomap(Y, 2)
    setosa = X[:50]
    assert np.ptp(setosa, axis=0).max() == 0.0
    np.testing.assert_allclose(X.std(axis=0, ddof=1), 1.0)
    joined = isomap(Y, 2, parts="joined")
    assert np.ptp(joined[:50], axis=0).max() > 0.1


def test_auto_joins_components_unless_one_has_most_rows():
    iris = load("iris").Y + 1e-3 * np.random.RandomState(0).rand(150, 4)  # without equal distances
    largest, auto = (isomap(iris, 2, parts=parts) for parts in ("largest", "auto"))
    np.testing.assert_allclose(auto, largest, atol=1e-6)
    groups = np.repeat([[0, 0], [30, 0], [0, 30]], 20, axis=0)
    clouds = np.random.RandomState(0).randn(60, 2) + groups
    joined, auto = (isomap(clouds, 2, parts=parts) for parts in ("joined", "auto"))
    np.testing.assert_array_equal(auto, joined)


@pytest.mark.parametrize("distances", [cdist, expanded_distances])
def test_duplicates_are_connected(distances):
    Y = np.repeat(np.random.RandomState(1).rand(20, 2), 2, axis=0)
    graph = neighbor_graph(Y, distances=distances).toarray()
    assert graph[0, 1] == DUPLICATE_EDGE
    X = isomap(Y, 2)
    np.testing.assert_allclose(X[::2], X[1::2], atol=1e-6)


@pytest.mark.parametrize(("q", "printed"), [(1, 71.33), (2, 76.67), (3, 69.33)])
def test_rounding_of_expanded_distances_gives_the_printed_cells_of_iris(q, printed):
    iris = load("iris")
    for parts, expected in (("largest", True), ("auto", False)):
        X = isomap(iris.Y, q, parts=parts)
        acc = purity(iris.labels, FuzzyCMeans(3, random_state=0).fit(X).labels_)
        assert (abs(acc - printed) < (0.005 if expected else 0.5)) == expected
