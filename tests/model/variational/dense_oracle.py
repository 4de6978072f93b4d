"""The default model's component written without any of its short cuts: N P x N P algebra and sampled expectations."""

import numpy as np

from sgpmic_cli.model.variational.component import CONSTANT, JITTER


def features(kernel, X):
    """phi(x) of known points (n, J)."""
    square = np.sum(kernel.widths * (X[:, None] - kernel.Z) ** 2, axis=-1)
    return np.hstack([kernel.variance * np.exp(-0.5 * square), X, np.ones((len(X), 1))])


def prior_precision(kernel):
    """G of the weights of the features (J, J)."""
    k, q = kernel.Z.shape
    square = np.sum(kernel.widths * (kernel.Z[:, None] - kernel.Z) ** 2, axis=-1)
    G = np.zeros((k + q + 1, k + q + 1))
    G[:k, :k] = kernel.variance * np.exp(-0.5 * square) + JITTER * kernel.variance * np.eye(k)
    G[range(k, k + q), range(k, k + q)] = 1.0 / kernel.linear
    G[-1, -1] = 1.0 / CONSTANT
    return G


def bound_at_points(Y, X, w, kernel, beta):
    """L of known latent points: log N(y; 0, Phi G^-1 Phi' + diag(1 / (beta w))) by column, corrected for weights.

    A weight is a power of the likelihood, which is a Gaussian with precision beta w and another constant.
    """
    Phi = features(kernel, X)
    covariance = Phi @ np.linalg.solve(prior_precision(kernel), Phi.T) + np.diag(1.0 / (beta * w))
    sign, log_det = np.linalg.slogdet(2.0 * np.pi * covariance)
    assert sign > 0
    p = Y.shape[1]
    value = -0.5 * p * log_det - 0.5 * np.sum(Y * np.linalg.solve(covariance, Y))
    value += 0.5 * p * np.sum(w * np.log(beta / (2.0 * np.pi)) - np.log(beta * w / (2.0 * np.pi)))
    k = len(kernel.Z)
    rbf = Phi[:, :k]
    explained = np.einsum(
        "nk,nk->n", rbf, np.linalg.solve(prior_precision(kernel)[:k, :k], rbf.T).T
    )
    return value - 0.5 * beta * p * np.sum(w * (kernel.variance - explained))
