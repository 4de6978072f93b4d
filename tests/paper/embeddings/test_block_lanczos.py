"""Leading eigenvectors of matrices with known eigenvalues."""

import numpy as np
import pytest

from sgpmic_cli.paper.embeddings.block_lanczos import leading_eigenvectors


@pytest.mark.parametrize(
    "values",
    [
        np.linspace(0.0, 1.0, 60),
        np.r_[np.full(5, 3.0), np.zeros(55)],  # the Krylov space of one vector has two dimensions
        np.r_[1e13, 1e12, 1e12, 1e12, np.linspace(1.0, 2.0, 56)],
        np.arange(1.0, 5.0),
    ],
)
def test_eigenvectors_are_those_of_the_largest_eigenvalues(values):
    Q = np.linalg.qr(np.random.RandomState(0).standard_normal((len(values), len(values))))[0]
    A = (Q * values) @ Q.T
    start = np.random.RandomState(1).standard_normal((len(values), min(6, len(values))))
    V, again = (leading_eigenvectors(lambda X: A @ X, start, 4, tolerance=1e-6) for _ in range(2))
    np.testing.assert_array_equal(V, again)
    np.testing.assert_allclose(V.T @ V, np.eye(4), atol=1e-10)
    expected = np.sort(values)[::-1][:4]
    np.testing.assert_allclose(np.diag(V.T @ A @ V), expected, rtol=1e-9)
    assert np.all(np.linalg.norm(A @ V - V * expected, axis=0) < 1e-5 * expected)


def test_no_eigenvectors_are_an_empty_array():
    assert leading_eigenvectors(lambda X: X, np.ones((4, 2)), 0, tolerance=1e-3).shape == (4, 0)
