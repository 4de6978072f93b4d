"""The graph of UNCA against dense algebra, and its blocks of near pairs."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import eigh

from sgpmic_cli.baselines._scatter import indicator
from sgpmic_cli.baselines.unca_graph import Affinity, main_axis_coordinates, near_blocks

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


@pytest.mark.parametrize(("n", "spread"), [(7, 1.0), (450, 1.0), (450, 1000.0)])
def test_banded_factor_is_that_of_the_dense_matrix(n, spread):
    graph = Affinity(blobs(n, spread), 1.0 + np.arange(n) % 2)
    expected = np.diag((1 + 1e-14) * graph.degrees) - whole(graph)[np.ix_(graph.order, graph.order)]
    diagonals = graph._factor()
    assert diagonals.shape == (graph.band + 1, n)
    L = np.zeros((n, n))
    for k, diagonal in enumerate(diagonals):
        L[np.arange(k, n), np.arange(n - k)] = diagonal[: n - k]
    np.testing.assert_allclose(L @ L.T, expected, rtol=1e-12, atol=1e-14 * np.abs(expected).max())


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


def test_points_of_tiny_degree_are_accurate():
    Z = np.vstack([blobs(60, 1.5), [[300.0, 0.0], [0.0, 300.0]]])
    W = dense(Z)
    D = W.sum(axis=1)
    expected = 1.0 - eigh(np.diag(D) - W, np.diag(D), subset_by_index=[0, 2], eigvals_only=True)
    for seed in range(5):
        U = eigenvectors(Z, 3, seed)
        V = U / U[:, :1]  # the first eigenvector is constant
        np.testing.assert_allclose(W @ V / D[:, None], expected * V, atol=1e-3)


def test_noise_is_proportional_to_the_eigenvalue():
    """The eigenvalue 1e-13 of the vector that separates two far groups gets no noise."""
    rng = np.random.RandomState(0)
    Z = 20.0 * np.repeat([0, 1], 50)[:, None] + 0.5 * rng.standard_normal((100, 2))
    exact, noisy = (eigenvectors(Z, 3, error=error) for error in (0.0, 1.5))
    exact, noisy = (U / U[:, :1] for U in (exact, noisy))
    np.testing.assert_allclose(noisy[:, 1], exact[:, 1], atol=1e-9)
    assert np.std(noisy[:, 2] - exact[:, 2]) > 0.1


def test_components_that_only_the_floor_connects_are_separated():
    rng = np.random.RandomState(0)
    groups = np.repeat(np.arange(3), [200, 150, 100])
    U = eigenvectors(1000.0 * groups[:, None] + 0.5 * rng.standard_normal((450, 2)), 3)
    centres = np.stack([U[groups == g].mean(axis=0) for g in range(3)])
    assert max(np.linalg.norm(U[groups == g] - centres[g], axis=1).max() for g in range(3)) < 1e-3
    assert min(np.linalg.norm(centres[a] - centres[b]) for a, b in [(0, 1), (0, 2), (1, 2)]) > 0.5


def test_eigenvectors_of_isolated_points_are_finite():
    Z = 1000.0 * np.random.RandomState(0).standard_normal((165, 8))
    np.testing.assert_allclose(np.linalg.norm(eigenvectors(Z, 15), axis=1), 1.0)


def test_cohesion_is_the_trace():
    n, Z = 450, blobs(450, 8.0)
    W = dense(Z)
    rows = np.random.RandomState(1).randint(3, size=(4, n))
    for labels, value in zip(rows, Affinity(Z, np.ones(n)).cohesion(rows, 3), strict=True):
        L = indicator(labels, 3)
        expected = np.trace(L.T @ (W / W.sum(axis=1, keepdims=True)) @ L)
        assert value == pytest.approx(expected, rel=1e-9)


def test_equal_partitions_have_exactly_equal_cohesion():
    graph = Affinity(blobs(200, 3.0), np.ones(200))
    first, second = np.random.RandomState(1).randint(3, size=(2, 200))
    together = graph.cohesion(np.stack([first, second, (first + 1) % 3, second]), 3)
    assert together[0] == together[2]
    assert together[1] == together[3]


@pytest.mark.parametrize(("n", "spread"), [(100, 1.0), (450, 20.0)])
def test_weights_equal_repeated_points(n, spread):
    Z = blobs(n, spread)
    times = 1 + np.random.RandomState(1).randint(3, size=n)
    repeated = np.repeat(Z, times, axis=0)
    small, large = Affinity(Z, times.astype(float)), Affinity(repeated, np.ones(len(repeated)))
    np.testing.assert_allclose(np.repeat(degrees(small) / times, times), degrees(large), rtol=1e-10)
    labels = np.random.RandomState(2).randint(3, size=(2, n))
    expected = large.cohesion(np.repeat(labels, times, axis=1), 3)
    np.testing.assert_allclose(small.cohesion(labels, 3), expected, rtol=1e-9)
    if spread == 1.0:  # otherwise eigenvalues nearly coincide and the vectors are not unique
        U, V = (g.eigenvectors(3, np.random.RandomState(0), error=0.0) for g in (small, large))
        np.testing.assert_allclose(np.abs(np.repeat(U, times, axis=0)), np.abs(V), atol=0.02)


def coverage(along, reach, clusters):
    """Return how often each pair is in a block (N, N)."""
    times = np.zeros((len(along), len(along)), dtype=int)
    for block in near_blocks(along, reach, clusters):
        times[block.rows, block.columns] += 1
        begin, end = next((a, b) for a, b in clusters if a <= block.rows.start < b)
        assert block.same_cluster == (begin <= block.columns.start < end)
    return times


@settings(max_examples=60)
@given(seed=st.integers(0, 10**6), n=st.integers(1, 400), width=st.floats(0.01, 3.0))
def test_every_near_pair_is_in_exactly_one_block(seed, n, width):
    rng = np.random.RandomState(seed)
    edges = np.unique(np.r_[0, rng.randint(n, size=3), n])
    clusters = [(int(a), int(b)) for a, b in pairwise(edges)]
    along = np.concatenate([np.sort(rng.standard_normal(b - a)) for a, b in clusters])
    reach = width * rng.exponential(size=n)
    times = np.triu(coverage(along, reach, clusters), 1)
    near = np.abs(along[:, None] - along) <= np.maximum(reach[:, None], reach)
    assert times.max(initial=0) <= 1
    assert np.all(times[np.triu(near, 1)] == 1)


@pytest.mark.parametrize("factor", [1.0, 1e-200, 1e200])
def test_the_main_axis_has_the_largest_spread(factor):
    rng = np.random.RandomState(0)
    rotation = np.linalg.qr(rng.standard_normal((3, 3)))[0]
    Z = rng.standard_normal((80, 3)) * [1.0, 9.0, 2.0]
    along = main_axis_coordinates(factor * Z @ rotation)
    assert abs(np.corrcoef(along / factor, Z[:, 1])[0, 1]) > 0.98
    assert not main_axis_coordinates(np.zeros((3, 2))).any()
