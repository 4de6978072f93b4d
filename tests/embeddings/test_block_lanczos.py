"""Leading eigenvectors against a dense solver."""

import numpy as np
import pytest

from sgpmic_cli.embeddings.block_lanczos import leading_eigenvectors


def matrix(values, seed=0):
    Q = np.linalg.qr(np.random.RandomState(seed).standard_normal((len(values), len(values))))[0]
    return (Q * values) @ Q.T


@pytest.mark.parametrize(
    "values",
    [
        np.linspace(0.0, 1.0, 60),
        np.r_[
            np.full(5, 3.0), np.zeros(55)
        ],  # a Krylov space of one vector would end after two steps
        np.r_[1e13, 1e12, 1e12, 1e12, np.linspace(1.0, 2.0, 56)],
    ],
)
def test_eigenvectors_are_those_of_the_largest_eigenvalues(values):
    A = matrix(values)
    start = np.random.RandomState(1).standard_normal((60, 6))
    V = leading_eigenvectors(lambda X: A @ X, start, 4, tolerance=1e-6)
    np.testing.assert_allclose(V.T @ V, np.eye(4), atol=1e-10)
    expected = np.sort(values)[::-1][:4]
    np.testing.assert_allclose(np.diag(V.T @ A @ V), expected, rtol=1e-9)
    assert np.all(np.linalg.norm(A @ V - V * expected, axis=0) < 1e-5 * expected)


@pytest.mark.parametrize("large", [1, 3])
def test_small_eigenvalues_beside_huge_ones(large):
    """Rounding of the huge ones is larger than the small ones; as in a graph of few parts that is cut into many."""
    values = np.r_[4e13 / np.arange(1, large + 1), np.linspace(2.0, 0.1, 60 - large)]
    Q = np.linalg.qr(np.random.RandomState(0).standard_normal((60, 60)))[0]
    start = np.random.RandomState(1).standard_normal((60, large + 5))
    V = leading_eigenvectors(
        lambda X: Q @ (values[:, None] * (Q.T @ X)), start, large + 3, tolerance=1e-3
    )
    assert V.shape == (60, large + 3)
    np.testing.assert_allclose(np.sum((Q[:, :large].T @ V[:, :large]) ** 2), large, rtol=1e-12)
    weights = (Q[:, large:].T @ V[:, large:]) ** 2
    np.testing.assert_allclose(values[large:] @ weights, values[large : large + 3], rtol=1e-3)


def test_the_same_start_gives_the_same_bits():
    """Also where the space is exhausted at once, which a library mends with random numbers of its own."""
    A = matrix(np.r_[np.full(20, 2.0), np.full(20, 1.0)])
    start = np.random.RandomState(1).standard_normal((40, 5))
    first, second = (
        leading_eigenvectors(lambda X: A @ X, start, 3, tolerance=1e-3) for _ in range(2)
    )
    assert np.array_equal(first, second)


def test_no_more_columns_than_the_space_has():
    A = matrix(np.arange(1.0, 4.0))
    V = leading_eigenvectors(
        lambda X: A @ X, np.random.RandomState(1).standard_normal((3, 3)), 3, tolerance=1e-9
    )
    np.testing.assert_allclose(np.diag(V.T @ A @ V), [3.0, 2.0, 1.0])


def test_none_are_none():
    assert leading_eigenvectors(lambda X: X, np.ones((4, 2)), 0, tolerance=1e-3).shape == (4, 0)
