"""ISOMAP and fuzzy c-means against other implementations, a dense solver and printed cells."""

import sys

import numpy as np
import pytest
from scipy.spatial.distance import cdist, pdist
from scipy.stats import multivariate_normal
from sklearn.manifold import Isomap

from sgpmic_cli.data import load
from sgpmic_cli.paper.fcm import fuzzy_c_means
from sgpmic_cli.paper.isomap import (
    DUPLICATE_EDGE,
    expanded_distances,
    isomap,
    neighbor_graph,
)
from sgpmic_cli.paper.methods.embedding_fcm import IsomapMixture
from sgpmic_cli.scores import purity


def test_a_connected_graph_agrees_with_scikit_learn():
    Y = np.random.RandomState(0).rand(120, 3)
    ours = isomap(Y, 2, unit_variance=False)
    theirs = Isomap(n_neighbors=12, n_components=2).fit_transform(Y)
    np.testing.assert_allclose(pdist(ours), pdist(theirs), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", ["wine", "wdbc"])
def test_axes_of_many_rows_agree_with_a_dense_solver(name, monkeypatch):
    module = sys.modules["sgpmic_cli.paper.isomap"]
    Y = load(name).Y
    dense = isomap(Y, 5, unit_variance=False)
    monkeypatch.setattr(module, "DENSE", 100)
    monkeypatch.setattr(module.linalg, "eigh", None)  # must not be called
    found = isomap(Y, 5, unit_variance=False)
    np.testing.assert_allclose(found, dense, atol=1e-9 * np.abs(dense).max())


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
        _, memberships = fuzzy_c_means(X, 3, np.random.RandomState(0))
        acc = purity(iris.labels, memberships.argmax(axis=1))
        assert (abs(acc - printed) < (0.005 if expected else 0.5)) == expected


@pytest.mark.parametrize(("sweeps", "log_determinant"), [(8, True), (2, False)])
def test_labels_are_those_of_gaussians_with_fixed_means(sweeps, log_determinant):
    Y = load("wine").without(["proline"]).Y
    X = isomap(Y, 2)
    centers, memberships = fuzzy_c_means(X, 3, np.random.RandomState(0))
    S = memberships**2 / np.sum(memberships**2, axis=1, keepdims=True)
    for _ in range(sweeps):
        for m, (mean, weights) in enumerate(zip(centers, S.T.copy(), strict=True)):
            scatter = np.cov(X - mean, rowvar=False, aweights=weights, ddof=0)
            shift = np.average(X - mean, axis=0, weights=weights)
            gaussian = multivariate_normal(mean, scatter + np.outer(shift, shift))
            S[:, m] = gaussian.pdf(X) if log_determinant else gaussian.pdf(X) / gaussian.pdf(mean)
        S /= S.sum(axis=1, keepdims=True)
    settings = {"sweeps": sweeps, "log_determinant": log_determinant}
    model = IsomapMixture(3, 2, random_state=0, **settings).fit(Y)
    np.testing.assert_array_equal(model.labels_, S.argmax(axis=1))
    assert np.mean(model.labels_ != memberships.argmax(axis=1)) > 0.02


def test_fuzzy_c_means_agree_with_scikit_fuzzy():
    skfuzzy = pytest.importorskip("skfuzzy")
    X = load("iris").Y
    ours, ours_of_rows = fuzzy_c_means(X, 3, np.random.RandomState(0), max_iter=1000, tol=1e-14)
    theirs, of_rows, *_ = skfuzzy.cmeans(X.T, 3, 2, error=1e-10, maxiter=1000, seed=0)
    a, b = np.argsort(ours[:, 0]), np.argsort(theirs[:, 0])
    np.testing.assert_allclose(ours[a], theirs[b], atol=1e-5)
    np.testing.assert_allclose(ours_of_rows[:, a], of_rows[b].T, atol=1e-5)
