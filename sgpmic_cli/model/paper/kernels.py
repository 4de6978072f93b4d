"""Covariance functions and their gradients.

    k(a, b) = variance r(a, b) + bias                   K_uu = k(Z, Z) + white I

    rbf      r(a, b) = exp(-1/2 sum_q gamma_q (a_q - b_q)^2)      one gamma; with ARD one for each q
    linear   r(a, b) = a . b

The paper prints the exponent of the RBF kernel without its minus sign, and adds `white` to every
element; `Parameters.white_everywhere` in `bound.py` does the latter. The parameters theta (T,) of a
component are in natural units here, in the order of `names(q)`. Gradients are by their logarithms.
"""

from typing import Protocol

import numpy as np

from sgpmic_cli._typing import Array

LOG_LIMIT = 36.0  # exp(36) is about 4e15; larger parameters only lose digits
START_BIAS = START_WHITE = -2.0  # logarithms of the paper's starting values


class Kernel(Protocol):
    """A covariance function, as the bound needs it."""

    def names(self, q: int) -> tuple[str, ...]:
        """Return the names of the parameters for q latent dimensions, in the order of theta."""
        ...

    def cross(self, theta: Array, X: Array, Z: Array) -> Array:
        """Return k(x_n, z_k), (N, K)."""
        ...

    def cross_gradients(
        self, theta: Array, X: Array, Z: Array, K: Array, dK: Array, weights: Array
    ) -> tuple[Array, Array, Array]:
        """Return the gradients by X, Z and log theta.

        K (N, K) is k(X, Z) with its rows multiplied by the weights (N, 1), and dK is dL/dK.
        """
        ...

    def input_derivatives(self, theta: Array, X: Array, Z: Array) -> Array:
        """Return dk(x_n, z_k) / dx_nq, (Q, N, K)."""
        ...


class RBF:
    """The radial basis function; `ard` gives every latent dimension its own inverse width."""

    def __init__(self, ard: bool = False):
        self.ard = ard

    def names(self, q: int) -> tuple[str, ...]:
        gammas = tuple(f"gamma_{i}" for i in range(q)) if self.ard else ("gamma",)
        return ("variance", *gammas, "bias", "white")

    def cross(self, theta: Array, X: Array, Z: Array) -> Array:
        # -gamma/2 |x - z|^2 = [x, 1, -gamma/2 |x|^2] . [gamma z, -gamma/2 |z|^2, 1]
        gamma = theta[1:-2]
        left = np.hstack([with_ones(X), -0.5 * (gamma * X * X).sum(axis=1, keepdims=True)])
        norms = -0.5 * (gamma * Z * Z).sum(axis=1, keepdims=True)
        right = with_ones(np.hstack([gamma * Z, norms]))
        K = left @ right.T
        np.exp(K, out=K)
        K *= theta[0]
        K += theta[-2]
        return K

    def cross_gradients(
        self, theta: Array, X: Array, Z: Array, K: Array, dK: Array, weights: Array
    ) -> tuple[Array, Array, Array]:
        T = K - theta[-2] * weights
        T *= dK
        TZ, TX = T @ with_ones(Z), T.T @ with_ones(X)  # the last columns are sums of T
        dX = theta[1:-2] * (TZ[:, :-1] - TZ[:, -1:] * X)
        dZ = theta[1:-2] * (TX[:, :-1] - TX[:, -1:] * Z)
        # Multiplying all points by a factor is the same as multiplying gamma by its square.
        by_gamma = 0.5 * ((X * dX).sum(axis=0) + (Z * dZ).sum(axis=0))
        if not self.ard:
            by_gamma = by_gamma.sum(keepdims=True)
        by_bias = theta[-2] * (weights.T @ dK).sum()
        return dX, dZ, np.hstack([TX[:, -1].sum(), by_gamma, by_bias, 0.0])

    def input_derivatives(self, theta: Array, X: Array, Z: Array) -> Array:
        gaps = Z.T[:, None, :] - X.T[:, :, None]
        gamma = np.broadcast_to(theta[1:-2], len(gaps))[:, None, None]
        return gamma * gaps * (self.cross(theta, X, Z) - theta[-2])


class Linear:
    """The dot product, with which each component is a probabilistic PCA."""

    def names(self, q: int) -> tuple[str, ...]:
        return ("variance", "bias", "white")

    def cross(self, theta: Array, X: Array, Z: Array) -> Array:
        K = X @ (theta[0] * Z).T
        K += theta[-2]
        return K

    def cross_gradients(
        self, theta: Array, X: Array, Z: Array, K: Array, dK: Array, weights: Array
    ) -> tuple[Array, Array, Array]:
        dX, dZ = weights * (dK @ (theta[0] * Z)), theta[0] * (dK.T @ (weights * X))
        by_bias = theta[-2] * (weights.T @ dK).sum()
        return dX, dZ, np.hstack([np.sum(X * dX), by_bias, 0.0])

    def input_derivatives(self, theta: Array, X: Array, Z: Array) -> Array:
        return np.broadcast_to((theta[0] * Z.T)[:, None, :], (X.shape[1], len(X), len(Z)))


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


def with_ones(points: Array) -> Array:
    """Return [points, 1]."""
    return np.hstack([points, np.ones((len(points), 1))])


def positive(log_value: Array) -> Array:
    """Return exp of the argument clipped to the limits."""
    return np.exp(np.clip(log_value, -LOG_LIMIT, LOG_LIMIT))


def start_parameters(kernel: Kernel, n_components: int, q: int) -> Array:
    """Return the logarithms of the paper's starting values, one row for each component."""
    start = {"bias": START_BIAS, "white": START_WHITE}  # variance and gamma start at one
    return np.tile([start.get(name, 0.0) for name in kernel.names(q)], (n_components, 1))
