"""Covariance functions and their gradients.

    k(a, b) = variance r(a, b) + bias                   K_uu = k(Z, Z) + white I

    rbf      r(a, b) = exp(-1/2 sum_q gamma_q (a_q - b_q)^2)      one gamma; with ARD one for each q
    linear   r(a, b) = a . b

The paper prints the exponent of the RBF kernel without its minus sign, and adds `white` to every
element; `Parameters.white_everywhere` in `bound.py` does the latter. The parameters theta (..., T)
are in natural units here, in the order variance, gamma, bias, white. Gradients are by their
logarithms. Leading axes of theta are components.
"""

from typing import Any

import numpy as np

from sgpmic_cli._typing import Array
from sgpmic_cli.gp.rbf import rbf, rbf_gradients

LOG_LIMIT = 36.0  # exp(36) is about 4e15; larger parameters only lose digits
ONE = np.ones((1, 1))  # the weight of all rows
START_BIAS = START_WHITE = -2.0  # logarithms of the paper's starting values


class RBF:
    """The radial basis function; `ard` gives every latent dimension its own inverse width."""

    def __init__(self, ard: bool = False):
        self.ard = ard

    def start(self, q: int) -> Array:
        """Return the logarithms of the paper's starting values (T,) for q latent dimensions."""
        return np.array([0.0] * (1 + (q if self.ard else 1)) + [START_BIAS, START_WHITE])

    def cross(self, theta: Array, X: Array, Z: Array, weights: Array = ONE) -> Array:
        """Return w_n k(x_n, z_k), (..., N, K), with weights w (N, 1)."""
        variance, bias = theta[..., 0, None, None], theta[..., -2, None, None]
        K = rbf(np, X, Z, self._gamma(theta, Z), np.log(variance * weights))
        K += bias * weights
        return np.asarray(K)

    def cross_gradients(
        self, theta: Array, X: Array, Z: Array, K: Array, dK: Array, weights: Array
    ) -> tuple[Array, Array, Array]:
        """Return the gradients by X, Z and log theta from the weighted K (..., N, K) and dL/dK."""
        T = K - theta[..., -2, None, None] * weights
        T *= dK
        dX, dZ, dgamma = rbf_gradients(T, X, Z, self._gamma(theta, Z))
        dtheta = np.zeros_like(theta)
        dtheta[..., 0] = T.sum(axis=(-2, -1))
        dtheta[..., 1:-2] = dgamma if self.ard else dgamma.sum(axis=-1, keepdims=True)
        dtheta[..., -2] = theta[..., -2] * (weights.T @ dK).sum(axis=(-2, -1))
        return dX, dZ, dtheta

    def input_derivatives(self, theta: Array, X: Array, Z: Array) -> Array:
        """Return dk(x_n, z_k) / dx_nq of one component, (Q, N, K)."""
        gaps = Z.T[:, None, :] - X.T[:, :, None]
        return self._gamma(theta, Z)[:, None, None] * gaps * (self.cross(theta, X, Z) - theta[-2])

    def named(self, theta: Array) -> dict[str, Any]:
        """Return the parameters of a component, given as logarithms, in natural units by name."""
        natural = positive(theta)
        gamma = natural[1:-2] if self.ard else float(natural[1])
        return _shared_names(natural) | {"gamma": gamma}

    def _gamma(self, theta: Array, Z: Array) -> Array:
        """Return the inverse widths (..., Q), repeated if there is one for all dimensions."""
        return theta[..., 1:-2] * np.ones(Z.shape[1])


class Linear:
    """The dot product, with which each component is a probabilistic PCA."""

    def start(self, q: int) -> Array:
        return np.array([0.0, START_BIAS, START_WHITE])

    def cross(self, theta: Array, X: Array, Z: Array, weights: Array = ONE) -> Array:
        variance, bias = theta[..., 0, None, None], theta[..., -2, None, None]
        K = (variance * weights * X) @ Z.T
        K += bias * weights
        return np.asarray(K)

    def cross_gradients(
        self, theta: Array, X: Array, Z: Array, K: Array, dK: Array, weights: Array
    ) -> tuple[Array, Array, Array]:
        variance = theta[..., 0, None, None]
        dX, dZ = variance * weights * (dK @ Z), variance * (dK.mT @ (weights * X))
        dtheta = np.zeros_like(theta)
        dtheta[..., 0] = (X * dX).sum(axis=(-2, -1))
        dtheta[..., -2] = theta[..., -2] * (weights.T @ dK).sum(axis=(-2, -1))
        return dX, dZ, dtheta

    def input_derivatives(self, theta: Array, X: Array, Z: Array) -> Array:
        return np.broadcast_to((theta[0] * Z.T)[:, None, :], (X.shape[1], len(X), len(Z)))

    def named(self, theta: Array) -> dict[str, Any]:
        return _shared_names(positive(theta))


Kernel = RBF | Linear


def gram(kernel: Kernel, theta: Array, Z: Array) -> Array:
    """Return K_uu = k(Z, Z) + white I, (..., K, K)."""
    K = kernel.cross(theta, Z, Z)
    np.einsum("...kk->...k", K)[:] += theta[..., -1:]
    return K


def gram_gradients(
    kernel: Kernel, theta: Array, Z: Array, K_uu: Array, D: Array
) -> tuple[Array, Array]:
    """Return the gradients by Z (..., K, Q) and log theta from K_uu and symmetric D = dL/dK_uu."""
    K = K_uu.copy()
    np.einsum("...kk->...k", K)[:] -= theta[..., -1:]
    left, right, dtheta = kernel.cross_gradients(theta, Z, Z, K, D, np.ones((len(Z), 1)))
    dtheta[..., -1] = theta[..., -1] * np.trace(D, axis1=-2, axis2=-1)
    return left + right, dtheta


def positive(log_value: Array) -> Array:
    """Return exp of the argument clipped to the limits."""
    return np.exp(np.clip(log_value, -LOG_LIMIT, LOG_LIMIT))


def _shared_names(natural: Array) -> dict[str, Any]:
    return dict(zip(("variance", "bias", "white"), natural[[0, -2, -1]].tolist(), strict=True))
