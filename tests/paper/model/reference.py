"""Slow N x N formulas, written from the paper's equations, as the reference of the tests."""

import numpy as np
from scipy.stats import multivariate_normal


def kernel_matrix(kind, params, A, B):
    if kind in ("rbf", "ard"):
        gamma = np.atleast_1d(params["gamma"])
        squared = np.sum(gamma * (A[:, None, :] - B[None, :, :]) ** 2, axis=-1)
        return params["variance"] * np.exp(-0.5 * squared) + params["bias"]
    return params["variance"] * (A @ B.T) + params["bias"]


def dtc_covariance(kind, params, X, Z):
    """Return K_fu K_uu^-1 K_uf, with white noise on the diagonal of K_uu only."""
    K_uu = kernel_matrix(kind, params, Z, Z) + params["white"] * np.eye(len(Z))
    K_fu = kernel_matrix(kind, params, X, Z)
    return K_fu @ np.linalg.solve(K_uu, K_fu.T)


def kl_corrected_bound(Y, X, Z, S, beta, kind, params, weights, means, covariances):
    """Return the bound as printed: Gaussians with covariance Q + B^-1, plus sum of c_nm (S > 0)."""
    n, p = Y.shape
    total = 0.0
    for m in range(S.shape[1]):
        s = S[:, m]
        cov = dtc_covariance(kind, params[m], X, Z) + np.diag(1.0 / (beta * s))
        sign, logdet = np.linalg.slogdet(cov)
        assert sign > 0
        total -= 0.5 * p * (n * np.log(2 * np.pi) + logdet)
        total -= 0.5 * np.sum(Y * np.linalg.solve(cov, Y))
        c = s * multivariate_normal(means[m], covariances[m]).logpdf(X).reshape(n)
        c += s * np.log(weights[m]) - s * np.log(s)
        c += 0.5 * p * (s * np.log(beta / (2 * np.pi)) - np.log(s * beta / (2 * np.pi)))
        total += c.sum()
    return total


def responsibilities(Y, X, Z, S, beta, kind, params, weights, means, covariances):
    """Return the E-step from dense matrices: Sigma = (Q^-1 + B)^-1 = Q - Q (Q + B^-1)^-1 Q.

    Values below 1.5e-8 of the largest one of their row are set to zero.
    """
    n, p = Y.shape
    log_s = np.empty_like(S)
    for m in range(S.shape[1]):
        Q = dtc_covariance(kind, params[m], X, Z)
        gain = np.linalg.solve(Q + np.diag(1.0 / (beta * S[:, m])), Q).T
        mean, variance = gain @ Y, np.diag(Q - gain @ Q)
        log_s[:, m] = multivariate_normal(means[m], covariances[m]).logpdf(X).reshape(n)
        log_s[:, m] += np.log(weights[m])
        log_s[:, m] -= 0.5 * beta * (np.sum((Y - mean) ** 2, axis=1) + p * variance)
    log_s -= log_s.max(axis=1, keepdims=True)
    new = np.where(log_s < np.log(1.5e-8), 0.0, np.exp(log_s))
    return new / new.sum(axis=1, keepdims=True)
