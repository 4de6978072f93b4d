"""Covariance functions and their gradients.

    k(a, b) = variance r(a, b) + bias                   K_uu = k(Z, Z) + white I

    rbf      r(a, b) = exp(-1/2 sum_q gamma_q (a_q - b_q)^2)      one gamma; with ARD one for each q
    linear   r(a, b) = a . b

The paper prints the exponent of the RBF kernel without its minus sign, and adds `white` to every
element; `Parameters.white_everywhere` in `bound.py` does the latter. The parameters theta (T,) of a
component are in natural units here, in the order variance, gamma, bias, white. Gradients are by
their logarithms.
"""

import numpy as np

from sgpmic_cli._typing import Array

LOG_LIMIT = 36.0  # exp(36) is about 4e15; larger parameters only lose digits
START_BIAS = START_WHITE = -2.0  # logarithms of the paper's starting values


class RBF:
    """The radial basis function; `ard` gives every latent dimension its own inverse width."""

    def __init__(self, ard: bool = False):
        self.ard = ard

    def start(self, q: int) -> Array:
        """Return the logarithms of the paper's starting values (T,) for q latent dimensions."""
        return np.array([0.0] * (1 + (q if self.ard else 1)) + [START_BIAS, START_WHITE])

    def cross(self, theta: Array, X: Array, Z: Array) -> Array:
        """Return k(x_n, z_k), (N, K)."""
        gamma = theta[1:-2]
        K = X @ (gamma * Z).T  # -1/2 |x - z|^2 = x.z - 1/2 |x|^2 - 1/2 |z|^2
        K -= 0.5 * (gamma * X * X).sum(axis=1)[:, None]
        K -= 0.5 * (gamma * Z * Z).sum(axis=1)
        np.exp(K, out=K)
        K *= theta[0]
        K += theta[-2]
        return K

    def cross_gradients(
        self, theta: Array, X: Array, Z: Array, K: Array, dK: Array, weights: Array
    ) -> tuple[Array, Array, Array]:
        """Return the gradients by X, Z and log theta.

        K (N, K) is k(X, Z) with its rows multiplied by the weights (N, 1), and dK is dL/dK.
        """
        T = K - theta[-2] * weights
        T *= dK
        by_point, by_inducing = T.sum(axis=1), T.sum(axis=0)
        dX = theta[1:-2] * (T @ Z - by_point[:, None] * X)
        dZ = theta[1:-2] * (T.T @ X - by_inducing[:, None] * Z)
        dtheta = np.zeros_like(theta)
        dtheta[0] = by_point.sum()
        # Multiplying all points by a factor is the same as multiplying gamma by its square.
        by_gamma = 0.5 * ((X * dX).sum(axis=0) + (Z * dZ).sum(axis=0))
        dtheta[1:-2] = by_gamma if self.ard else by_gamma.sum()
        dtheta[-2] = theta[-2] * (weights.T @ dK).sum()
        return dX, dZ, dtheta

    def input_derivatives(self, theta: Array, X: Array, Z: Array) -> Array:
        """Return dk(x_n, z_k) / dx_nq, (Q, N, K)."""
        gaps = Z.T[:, None, :] - X.T[:, :, None]
        gamma = np.broadcast_to(theta[1:-2], len(gaps))[:, None, None]
        return gamma * gaps * (self.cross(theta, X, Z) - theta[-2])


class Linear:
    """The dot product, with which each component is a probabilistic PCA."""

    def start(self, q: int) -> Array:
        return np.array([0.0, START_BIAS, START_WHITE])

    def cross(self, theta: Array, X: Array, Z: Array) -> Array:
        K = X @ (theta[0] * Z).T
        K += theta[-2]
        return K

    def cross_gradients(
        self, theta: Array, X: Array, Z: Array, K: Array, dK: Array, weights: Array
    ) -> tuple[Array, Array, Array]:
        dX, dZ = weights * (dK @ (theta[0] * Z)), theta[0] * (dK.T @ (weights * X))
        return dX, dZ, np.array([np.sum(X * dX), theta[-2] * (weights.T @ dK).sum(), 0.0])

    def input_derivatives(self, theta: Array, X: Array, Z: Array) -> Array:
        return np.broadcast_to((theta[0] * Z.T)[:, None, :], (X.shape[1], len(X), len(Z)))


Kernel = RBF | Linear


def gram(kernel: Kernel, theta: Array, Z: Array) -> Array:
    """Return K_uu = k(Z, Z) + white I, (K, K)."""
    K = kernel.cross(theta, Z, Z)
    np.einsum("kk->k", K)[:] += theta[-1]
    return K


def gram_gradients(
    kernel: Kernel, theta: Array, Z: Array, K_uu: Array, D: Array
) -> tuple[Array, Array]:
    """Return the gradients by Z and log theta from K_uu and the symmetric D = dL/dK_uu."""
    K = K_uu.copy()
    np.einsum("kk->k", K)[:] -= theta[-1]
    left, right, dtheta = kernel.cross_gradients(theta, Z, Z, K, D, np.ones((len(Z), 1)))
    dtheta[-1] = theta[-1] * np.trace(D)
    return left + right, dtheta


def positive(log_value: Array) -> Array:
    """Return exp of the argument clipped to the limits."""
    return np.exp(np.clip(log_value, -LOG_LIMIT, LOG_LIMIT))
