"""The graph of UNCA against dense algebra, and its blocks of near pairs."""

import numpy as np
import pytest
from scipy.linalg import eigh

from sgpmic_cli.paper.methods.linear_projections import indicator
from sgpmic_cli.paper.methods.unca.graph import Affinity, leading_eigenvectors

EPS = np.finfo(float).eps


def dense(Z):
    W = np.exp(-np.sum((Z[:, None] - Z) ** 2, axis=2))
    np.fill_diagonal(W, 0.0)
    return np.maximum(W, EPS)


def blobs(n, spread, seed=0):
    rng = np.random.RandomState(seed)
    centres = np.array([[0.0, 0.0], [3.5, 0.0], [0.0, 4.5]])
    return spread * (centres[rng.randint(3, size=n)] + 0.5 * rng.standard_normal((n, 2)))


def whole(graph):
    """Return S in the order of the points."""
    n = len(graph.degrees)
    S = np.zeros((n, n))
    for tile, block in zip(graph.tiles, graph.blocks, strict=True):
        S[block.rows, block.columns] = tile
    S += S.T + np.diag(graph.diagonal)
    back = np.argsort(graph.order)
    return S[np.ix_(back, back)]


def degrees(graph):
    return graph.degrees[np.argsort(graph.order)]


def eigenvectors(Z, m, seed=0, error=0.0):
    return Affinity(Z, np.ones(len(Z))).eigenvectors(m, np.random.RandomState(seed), error=error)


@pytest.mark.parametrize(("n", "spread"), [(120, 1.0), (450, 40.0)])
def test_affinities_and_degrees(n, spread):
    Z = blobs(n, spread)
    graph = Affinity(Z, np.ones(len(Z)))
    np.testing.assert_allclose(whole(graph) + EPS, dense(Z), rtol=1e-9, atol=1e-25)
    np.testing.assert_allclose(degrees(graph), dense(Z).sum(axis=1), rtol=1e-12)


@pytest.mark.parametrize("n", [120, 450])
def test_eigenvectors_are_those_of_the_dense_laplacian(n):
    Z = blobs(n, 1.0)
    W = dense(Z)
    D = W.sum(axis=1)
    V = eigh(np.diag(D) - W, np.diag(D), subset_by_index=[0, 2])[1]
    V /= np.linalg.norm(V, axis=0)
    V /= np.linalg.norm(V, axis=1, keepdims=True)
    U = eigenvectors(Z, 3)
    np.testing.assert_allclose(np.linalg.norm(U, axis=1), 1.0)
    np.testing.assert_allclose(U * np.sign(np.sum(U * V, axis=0)), V, atol=0.02)


def test_components_that_only_the_floor_connects_are_separated():
    rng = np.random.RandomState(0)
    groups = np.repeat(np.arange(3), [200, 150, 100])
    U = eigenvectors(1000.0 * groups[:, None] + 0.5 * rng.standard_normal((450, 2)), 3)
    centres = np.stack([U[groups == g].mean(axis=0) for g in range(3)])
    assert max(np.linalg.norm(U[groups == g] - centres[g], axis=1).max() for g in range(3)) < 1e-3
    assert min(np.linalg.norm(centres[a] - centres[b]) for a, b in [(0, 1), (0, 2), (1, 2)]) > 0.5


def test_cohesion_is_the_trace():
    n, Z = 450, blobs(450, 8.0)
    W = dense(Z)
    graph = Affinity(Z, np.ones(n))
    for labels in np.random.RandomState(1).randint(3, size=(4, n)):
        L = indicator(labels, 3)
        expected = np.trace(L.T @ (W / W.sum(axis=1, keepdims=True)) @ L)
        assert graph.cohesion(labels) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(("n", "spread"), [(100, 1.0), (450, 20.0)])
def test_weights_equal_repeated_points(n, spread):
    Z = blobs(n, spread)
    times = 1 + np.random.RandomState(1).randint(3, size=n)
    repeated = np.repeat(Z, times, axis=0)
    small, large = Affinity(Z, times.astype(float)), Affinity(repeated, np.ones(len(repeated)))
    np.testing.assert_allclose(np.repeat(degrees(small) / times, times), degrees(large), rtol=1e-10)
    labels = np.random.RandomState(2).randint(3, size=n)
    expected = large.cohesion(np.repeat(labels, times))
    assert small.cohesion(labels) == pytest.approx(expected, rel=1e-9)
    if spread == 1.0:  # otherwise eigenvalues nearly coincide and the vectors are not unique
        U, V = (g.eigenvectors(3, np.random.RandomState(0), error=0.0) for g in (small, large))
        np.testing.assert_allclose(np.abs(np.repeat(U, times, axis=0)), np.abs(V), atol=0.02)


@pytest.mark.parametrize(
    "values",
    [
        np.linspace(0.0, 1.0, 60),
        np.r_[np.full(5, 3.0), np.zeros(55)],  # the Krylov space of one vector has two dimensions
        np.r_[1e13, 1e12, 1e12, 1e12, np.linspace(1.0, 2.0, 56)],
    ],
)
def test_leading_eigenvectors_are_those_of_the_largest_eigenvalues(values):
    Q = np.linalg.qr(np.random.RandomState(0).standard_normal((len(values), len(values))))[0]
    A = (Q * values) @ Q.T
    start = np.random.RandomState(1).standard_normal((len(values), 6))
    V = leading_eigenvectors(lambda X: A @ X, start, 4, tolerance=1e-6)
    np.testing.assert_allclose(V.T @ V, np.eye(4), atol=1e-10)
    expected = np.sort(values)[::-1][:4]
    np.testing.assert_allclose(np.diag(V.T @ A @ V), expected, rtol=1e-9)
    assert np.all(np.linalg.norm(A @ V - V * expected, axis=0) < 1e-5 * expected)
