"""ISOMAP against scikit-learn where the two agree by definition, and its own readings where they do not."""

import numpy as np
import pytest
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import pdist
from sklearn.manifold import Isomap

from sgpmic_cli.data import load
from sgpmic_cli.embeddings import isomap
from sgpmic_cli.embeddings.isomap import DUPLICATE_EDGE, _smallest, neighbor_graph


def test_against_scikit_learn_on_one_piece():
    Y = np.random.RandomState(0).rand(120, 3)
    ours = isomap(Y, 2, unit_variance=False)
    theirs = Isomap(n_neighbors=12, n_components=2).fit_transform(Y)
    np.testing.assert_allclose(pdist(ours), pdist(theirs), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(("name", "parts"), [("iris", (100, 50)), ("segment", (1980, 330))])
def test_data_that_fall_apart_at_twelve_neighbours(name, parts):
    labels = connected_components(neighbor_graph(load(name).Y), directed=False)[1]
    assert tuple(sorted(np.bincount(labels), reverse=True)) == parts


def test_points_outside_the_largest_part_share_one_place():
    Y = load("iris").Y
    X = isomap(Y, 2)
    setosa = X[:50]
    assert np.ptp(setosa, axis=0).max() == 0.0
    np.testing.assert_allclose(X.std(axis=0, ddof=1), 1.0)
    joined = isomap(Y, 2, parts="joined")
    assert np.ptp(joined[:50], axis=0).max() > 0.1


def test_parts_are_bridged_by_themselves_only_where_the_largest_is_no_majority():
    iris = load("iris").Y
    np.testing.assert_array_equal(isomap(iris, 2, parts="auto"), isomap(iris, 2, parts="largest"))
    clouds = np.random.RandomState(0).randn(60, 2) + np.repeat([[0, 0], [30, 0], [0, 30]], 20, axis=0)
    np.testing.assert_array_equal(isomap(clouds, 2, parts="auto"), isomap(clouds, 2, parts="joined"))


def test_duplicates_are_tied_not_lost():
    Y = np.repeat(np.random.RandomState(1).rand(20, 2), 2, axis=0)
    graph = neighbor_graph(Y).toarray()
    assert graph[0, 1] == DUPLICATE_EDGE
    X = isomap(Y, 2)
    np.testing.assert_allclose(X[::2], X[1::2], atol=1e-6)


def test_kept_coordinates_are_the_same(tmp_path):
    Y = load("wine").Y
    fresh = isomap(Y, 3)
    for _ in range(2):
        np.testing.assert_array_equal(isomap(Y, 3, memory=tmp_path), fresh)
    (kept,) = tmp_path.iterdir()
    kept.write_bytes(kept.read_bytes()[:100])  # a torn file is computed again
    np.testing.assert_array_equal(isomap(Y, 3, memory=tmp_path), fresh)
    kept.write_bytes(b"")
    np.testing.assert_array_equal(isomap(Y, 3, memory=tmp_path), fresh)


def test_too_many_axes_are_refused():
    with pytest.raises(ValueError, match="at most"):
        isomap(np.eye(4), 4)


@pytest.mark.parametrize("k", [1, 13, 40])
def test_the_nearest_are_those_of_a_stable_sort(k):
    distances = np.random.RandomState(0).randint(6, size=(30, 40)).astype(float)  # full of ties
    np.testing.assert_array_equal(_smallest(distances, k), np.argsort(distances, axis=1, kind="stable")[:, :k])
