"""UNCA's graph against dense algebra."""

import numpy as np
import pytest
from scipy.linalg import eigh
from scipy.sparse import issparse

from sgpmic_cli.baselines.affinity import Affinity
from sgpmic_cli.baselines.scatter import indicator

EPS = np.finfo(float).eps


def dense(Z):
    W = np.exp(-np.sum((Z[:, None] - Z) ** 2, axis=2))
    np.fill_diagonal(W, 0.0)
    return np.maximum(W, EPS)


def blobs(n, spread, seed=0):
    rng = np.random.RandomState(seed)
    centres = np.array([[0.0, 0.0], [3.5, 0.0], [0.0, 4.5]])
    return spread * (centres[rng.randint(3, size=n)] + 0.5 * rng.standard_normal((n, 2)))


@pytest.mark.parametrize(
    ("n", "spread", "sparse"), [(120, 1.0, False), (450, 1.0, False), (450, 20.0, True), (450, 40.0, True)]
)
def test_weights_and_degrees(n, spread, sparse):
    Z = blobs(n, spread)
    graph = Affinity(Z, np.ones(len(Z)))
    assert issparse(graph.S) == sparse
    S = graph.S.toarray() if sparse else graph.S
    np.testing.assert_allclose(S + EPS, dense(Z), rtol=1e-9, atol=1e-25)
    np.testing.assert_allclose(graph.degrees, dense(Z).sum(axis=1), rtol=1e-12)


def test_weights_are_symmetric_to_the_last_bit():
    """The margin by which the matrix to be factored is positive definite is smaller than the rounding of a distance."""
    Z = 30.0 * np.random.RandomState(0).standard_normal((300, 5))
    S = Affinity(Z * [1, 1, 0.01, 0.01, 0.01], np.ones(300)).S
    assert np.array_equal(S, S.T)


@pytest.mark.parametrize("n", [120, 450])
def test_eigenvectors_span_the_smallest_of_the_laplacian(n):
    Z = blobs(n, 1.0)
    W = dense(Z)
    D = W.sum(axis=1)
    expected = eigh(np.diag(D) - W, np.diag(D), subset_by_index=[0, 2])[1]
    U = Affinity(Z, np.ones(len(Z))).eigenvectors(3, np.random.RandomState(0))
    np.testing.assert_allclose(np.linalg.norm(U, axis=1), 1.0)
    V = expected / np.linalg.norm(expected, axis=1, keepdims=True)
    for k in range(3):
        sign = np.sign(np.sum(U[:, k] * V[:, k]))
        np.testing.assert_allclose(sign * U[:, k], V[:, k], atol=0.02)


def test_parts_that_only_the_floor_connects_are_told_apart():
    """Three far groups: eigenvalues near 1e-14, and yet each group gets rows of its own."""
    rng = np.random.RandomState(0)
    groups = np.repeat(np.arange(3), [200, 150, 100])
    Z = 1000.0 * groups[:, None] + 0.5 * rng.standard_normal((450, 2))
    U = Affinity(Z, np.ones(len(Z))).eigenvectors(3, rng)
    centres = np.stack([U[groups == g].mean(axis=0) for g in range(3)])
    assert max(np.linalg.norm(U[groups == g] - centres[g], axis=1).max() for g in range(3)) < 1e-3
    assert min(np.linalg.norm(centres[a] - centres[b]) for a, b in [(0, 1), (0, 2), (1, 2)]) > 0.5


@pytest.mark.parametrize("n", [120, 450])
def test_cohesion_is_the_trace(n):
    Z = blobs(n, 8.0)
    W = dense(Z)
    rows = np.random.RandomState(1).randint(3, size=(4, n))
    for labels, value in zip(rows, Affinity(Z, np.ones(len(Z))).cohesion(rows, 3), strict=True):
        L = indicator(labels, 3)
        assert value == pytest.approx(np.trace(L.T @ (W / W.sum(axis=1, keepdims=True)) @ L), rel=1e-9)


@pytest.mark.parametrize(("n", "spread"), [(100, 1.0), (450, 1.0), (450, 20.0)])
def test_weights_stand_for_equal_points(n, spread):
    Z = blobs(n, spread)
    times = 1 + np.random.RandomState(1).randint(3, size=n)
    repeated = np.repeat(Z, times, axis=0)
    small, large = Affinity(Z, times.astype(float)), Affinity(repeated, np.ones(len(repeated)))
    np.testing.assert_allclose(np.repeat(small.degrees / times, times), large.degrees, rtol=1e-10)
    labels = np.random.RandomState(2).randint(3, size=(2, n))
    np.testing.assert_allclose(
        small.cohesion(labels, 3), large.cohesion(np.repeat(labels, times, axis=1), 3), rtol=1e-9
    )
    if spread == 1.0:  # further out eigenvalues nearly coincide, and any mixture of their vectors will do
        U, V = (graph.eigenvectors(3, np.random.RandomState(0)) for graph in (small, large))
        np.testing.assert_allclose(np.abs(np.repeat(U, times, axis=0)), np.abs(V), atol=0.02)
