"""UNCA's graph against dense algebra."""

import numpy as np
import pytest
from scipy.linalg import eigh

from sgpmic_cli.baselines._scatter import indicator
from sgpmic_cli.baselines.unca.affinity import Affinity

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
    """S of a graph, in the order of the points."""
    n = len(graph.degrees)
    S = np.zeros((n, n))
    for tile, block in zip(graph.tiles, graph.blocks, strict=True):
        S[block.rows, block.columns] = tile
    S += S.T + np.diag(graph.within)
    back = np.argsort(graph.order)
    return S[np.ix_(back, back)]


def degrees(graph):
    return graph.degrees[np.argsort(graph.order)]


@pytest.mark.parametrize(("n", "spread"), [(120, 1.0), (450, 1.0), (450, 20.0), (450, 40.0)])
def test_weights_and_degrees(n, spread):
    Z = blobs(n, spread)
    graph = Affinity(Z, np.ones(len(Z)))
    np.testing.assert_allclose(whole(graph) + EPS, dense(Z), rtol=1e-9, atol=1e-25)
    np.testing.assert_allclose(degrees(graph), dense(Z).sum(axis=1), rtol=1e-12)


@pytest.mark.parametrize(("n", "spread"), [(7, 1.0), (450, 1.0), (450, 20.0), (450, 1000.0)])
def test_the_factor_is_that_of_the_whole_matrix(n, spread):
    """Its band is that of the points, in their order: full where they are close, empty where they are far apart."""
    Z = blobs(n, spread)
    graph = Affinity(Z, 1.0 + np.arange(n) % 2)
    expected = np.diag((1 + 1e-14) * graph.degrees) - whole(graph)[np.ix_(graph.order, graph.order)]
    diagonals = graph._factor()
    assert diagonals.shape == (graph.band + 1, n)
    L = np.zeros((n, n))
    for k, diagonal in enumerate(diagonals):
        L[np.arange(k, n), np.arange(n - k)] = diagonal[: n - k]
    np.testing.assert_allclose(L @ L.T, expected, rtol=1e-12, atol=1e-14 * np.abs(expected).max())


@pytest.mark.parametrize("n", [120, 450])
def test_eigenvectors_span_the_smallest_of_the_laplacian(n):
    Z = blobs(n, 1.0)
    W = dense(Z)
    D = W.sum(axis=1)
    expected = eigh(np.diag(D) - W, np.diag(D), subset_by_index=[0, 2])[1]
    U = Affinity(Z, np.ones(len(Z))).eigenvectors(3, np.random.RandomState(0), error=0.0)
    np.testing.assert_allclose(np.linalg.norm(U, axis=1), 1.0)
    V = expected / np.linalg.norm(expected, axis=0)
    V /= np.linalg.norm(V, axis=1, keepdims=True)
    for k in range(3):
        sign = np.sign(np.sum(U[:, k] * V[:, k]))
        np.testing.assert_allclose(sign * U[:, k], V[:, k], atol=0.02)


def test_points_of_tiny_degree_are_as_exact_as_others():
    """Two points that only the floor connects: their rows follow from all others, and not from rounding."""
    Z = np.vstack([blobs(60, 1.5), [[300.0, 0.0], [0.0, 300.0]]])
    W = dense(Z)
    D = W.sum(axis=1)
    remaining = 1.0 - eigh(np.diag(D) - W, np.diag(D), subset_by_index=[0, 2], eigvals_only=True)
    for seed in range(5):
        U = Affinity(Z, np.ones(62)).eigenvectors(3, np.random.RandomState(seed), error=0.0)
        V = U / U[:, :1]  # the first column of an eigenvector basis is constant
        np.testing.assert_allclose(W @ V / D[:, None], remaining * V, atol=1e-3)


def test_errors_go_with_the_eigenvalues():
    """The vector that parts two far groups, of eigenvalue 1e-13, stays as it is; the next one does not."""
    rng = np.random.RandomState(0)
    Z = 20.0 * np.repeat([0, 1], 50)[:, None] + 0.5 * rng.standard_normal((100, 2))
    graph = Affinity(Z, np.ones(100))
    exact, disturbed = (
        graph.eigenvectors(3, np.random.RandomState(0), error=error) for error in (0.0, 1.5)
    )
    exact, disturbed = (U / U[:, :1] for U in (exact, disturbed))
    np.testing.assert_allclose(disturbed[:, 1], exact[:, 1], atol=1e-9)
    assert np.std(disturbed[:, 2] - exact[:, 2]) > 0.1


def test_parts_that_only_the_floor_connects_are_told_apart():
    """Three far groups: eigenvalues near 1e-14, and yet each group gets rows of its own."""
    rng = np.random.RandomState(0)
    groups = np.repeat(np.arange(3), [200, 150, 100])
    Z = 1000.0 * groups[:, None] + 0.5 * rng.standard_normal((450, 2))
    U = Affinity(Z, np.ones(len(Z))).eigenvectors(3, rng, error=0.0)
    centres = np.stack([U[groups == g].mean(axis=0) for g in range(3)])
    assert max(np.linalg.norm(U[groups == g] - centres[g], axis=1).max() for g in range(3)) < 1e-3
    assert min(np.linalg.norm(centres[a] - centres[b]) for a, b in [(0, 1), (0, 2), (1, 2)]) > 0.5


@pytest.mark.parametrize("m", [3, 5, 8])
def test_fewer_far_parts_than_clusters(m):
    """Eigenvalues of 1e-14 and of 0.1 side by side: the parts are told apart, and cut up further."""
    rng = np.random.RandomState(0)
    groups = np.repeat([0, 1], 50)
    Z = 20.0 * groups[:, None] + 0.2 * rng.standard_normal((100, 2))
    for seed in range(5):
        U = Affinity(Z, np.ones(100)).eigenvectors(m, np.random.RandomState(seed), error=0.0)
        assert U.shape == (100, m)
        np.testing.assert_allclose(np.linalg.norm(U, axis=1), 1.0)
        assert np.all(U[groups == 0] @ U[groups == 1].T < 0.999)


@pytest.mark.parametrize("n", [120, 450])
def test_cohesion_is_the_trace(n):
    Z = blobs(n, 8.0)
    W = dense(Z)
    rows = np.random.RandomState(1).randint(3, size=(4, n))
    for labels, value in zip(rows, Affinity(Z, np.ones(len(Z))).cohesion(rows, 3), strict=True):
        L = indicator(labels, 3)
        assert value == pytest.approx(
            np.trace(L.T @ (W / W.sum(axis=1, keepdims=True)) @ L), rel=1e-9
        )


def test_cohesion_of_a_partition_does_not_depend_on_names_or_on_those_beside_it():
    Z = blobs(200, 3.0)
    graph = Affinity(Z, np.ones(200))
    first, second = np.random.RandomState(1).randint(3, size=(2, 200))
    first[:12] = [2, 2, 2, 2, 2, 2, 2, 2, 1, 2, 1, 2]
    together = graph.cohesion(np.stack([first, second, (first + 1) % 3, second]), 3)
    assert together[0] == together[2]
    assert together[1] == together[3]
    np.testing.assert_allclose(
        together[:2], [graph.cohesion(row[None], 3)[0] for row in (first, second)], rtol=1e-12
    )


@pytest.mark.parametrize(("n", "spread"), [(100, 1.0), (450, 1.0), (450, 20.0)])
def test_weights_stand_for_equal_points(n, spread):
    Z = blobs(n, spread)
    times = 1 + np.random.RandomState(1).randint(3, size=n)
    repeated = np.repeat(Z, times, axis=0)
    small, large = Affinity(Z, times.astype(float)), Affinity(repeated, np.ones(len(repeated)))
    np.testing.assert_allclose(np.repeat(degrees(small) / times, times), degrees(large), rtol=1e-10)
    labels = np.random.RandomState(2).randint(3, size=(2, n))
    np.testing.assert_allclose(
        small.cohesion(labels, 3), large.cohesion(np.repeat(labels, times, axis=1), 3), rtol=1e-9
    )
    if (
        spread == 1.0
    ):  # further out eigenvalues nearly coincide, and any mixture of their vectors will do
        U, V = (
            graph.eigenvectors(3, np.random.RandomState(0), error=0.0) for graph in (small, large)
        )
        np.testing.assert_allclose(np.abs(np.repeat(U, times, axis=0)), np.abs(V), atol=0.02)


@pytest.mark.parametrize("seed", range(5))
def test_points_that_only_the_floor_connects_have_eigenvectors_that_are_numbers(seed):
    """All directions are equal then, and a step of the walk leaves nothing of most."""
    graph = Affinity(1000.0 * np.random.RandomState(seed).standard_normal((165, 8)), np.ones(165))
    U = graph.eigenvectors(15, np.random.RandomState(seed), error=0.0)
    np.testing.assert_allclose(np.linalg.norm(U, axis=1), 1.0)
