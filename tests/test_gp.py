"""PCA, PPCA and the choice of Q against scikit-learn and the model's equations."""

import numpy as np
import pytest
from sklearn.decomposition import PCA

from sgpmic_cli.data import load
from sgpmic_cli.gp import pca
from sgpmic_cli.paper.methods.embedding_fcm import ppca


@pytest.mark.parametrize("shape", [(50, 6), (20, 40)])
def test_pca_agrees_with_scikit_learn(shape):
    Y = np.random.RandomState(0).randn(*shape) @ np.diag(np.linspace(3, 0.5, shape[1])) + 5
    ours, theirs = pca(Y, 4), PCA(4, svd_solver="full").fit_transform(Y)
    np.testing.assert_allclose(np.abs(ours), np.abs(theirs), atol=1e-9)
    assert np.all(ours[np.abs(ours).argmax(axis=0), range(4)] > 0)


def test_ppca_whitens_or_returns_the_posterior_mean():
    """Compare with (W'W + s2 I)^-1 W' y of the maximum-likelihood model, up to signs."""
    Y = load("iris").Y
    np.testing.assert_allclose(np.cov(ppca(Y, 3).T), np.eye(3), atol=1e-10)
    values, vectors = np.linalg.eigh(np.cov(Y.T))
    values, vectors = values[::-1], vectors[:, ::-1]
    noise = values[2:].mean()
    W = vectors[:, :2] * np.sqrt(values[:2] - noise)
    expected = (Y - Y.mean(axis=0)) @ W @ np.linalg.inv(W.T @ W + noise * np.eye(2))
    np.testing.assert_allclose(np.abs(ppca(Y, 2, posterior=True)), np.abs(expected), atol=1e-10)
