"""Covariance functions and their gradients.

    k(a, b) = variance r(a, b) + bias                   K_uu = k(Z, Z) + white I

    rbf      r(a, b) = exp(-1/2 gamma |a - b|^2)
    ard      r(a, b) = exp(-1/2 sum_q gamma_q (a_q - b_q)^2)
    linear   r(a, b) = a . b

The paper prints the exponent of the RBF kernel without its minus sign, and adds `white` to every
element; `Parameters.white_everywhere` in `bound.py` does the latter. The parameters theta are in
natural units here, in the order variance, gamma, bias, white. Their shape is (T, 1), or (T, N) if
every row of X has its own, so that rows of several components share one matrix. Gradients are by
their logarithms.

The logarithm of the radial basis function is a product of two matrices, with a row for each z and a
column for each x:

    log r = a.b       a = (z, -1/2 z^2, 1)       b = (gamma x, gamma, -1/2 sum_q gamma_q x_q^2)

So one matrix product gives all exponents, and two give the gradients from T = dL/dR * R:
dL/da = T b' and dL/db = a' T. Z is (K, Q). X is (Q, N), so that loops over points are the inner
ones. `gamma` is (Q, 1), or (Q, N) if every x has its own; it has one row if the dimensions share
it, and then z^2 and gamma have one column in a and b.
"""

from typing import Any

import numpy as np

from sgpmic_cli._typing import Array

LOG_LIMIT = 36.0  # exp(36) is about 4e15; larger parameters only lose digits
ONE = np.ones(1)  # the weight of all rows
START_BIAS = START_WHITE = -2.0  # logarithms of the paper's starting values


class RBF:
    """The radial basis function; `ard` gives every latent dimension its own inverse width."""

    def __init__(self, ard: bool = False):
        self.ard = ard

    def start(self, q: int) -> Array:
        """Return the logarithms of the paper's starting values (T,) for q latent dimensions."""
        return np.array([0.0] * (1 + (q if self.ard else 1)) + [START_BIAS, START_WHITE])

    def cross(
        self, theta: Array, Z: Array, X: Array, weights: Array = ONE, out: Array | None = None
    ) -> Array:
        """Return w_n k(z_k, x_n), (K, N), with weights w (N,)."""
        gamma, X = theta[1:-2], np.ascontiguousarray(X.T)
        level = np.log(theta[0] * weights) - 0.5 * (gamma * X * X).sum(0)
        b = np.concatenate([*_of_x(X, gamma), level[None]])
        K = np.matmul(_of_z(Z, gamma), b, out=out)
        np.exp(K, out=K)
        K += theta[-2] * weights
        return np.asarray(K)

    def cross_gradients(
        self, theta: Array, Z: Array, X: Array, K: Array, dK: Array, weights: Array = ONE
    ) -> tuple[Array, Array, Array]:
        """Return the gradients by Z, X and the theta of every row (T, N).

        K is the result of `cross`, and it is overwritten by T.
        """
        gamma, X, bias = theta[1:-2], np.ascontiguousarray(X.T), theta[-2] * weights
        q = len(X)
        K -= bias
        K *= dK
        by_z, by_x = K @ np.concatenate(_of_x(X, gamma)).T, _of_z(Z, gamma).T @ K
        first, second, dvariance = by_x[:q], by_x[q:-1], by_x[-1]
        dZ = by_z[:, :q] - by_z[:, q:] * Z
        dX = gamma * (first - dvariance * X)
        dgamma = gamma * (_shared(X * (first - 0.5 * dvariance * X), gamma, 0) + second)
        none = np.zeros_like(dvariance)  # by white, which is not in the matrix
        return dZ, dX.T, np.vstack([dvariance, dgamma, bias * dK.sum(axis=0), none])


class Linear:
    """The dot product, with which each component is a probabilistic PCA."""

    def start(self, q: int) -> Array:
        return np.array([0.0, START_BIAS, START_WHITE])

    def cross(
        self, theta: Array, Z: Array, X: Array, weights: Array = ONE, out: Array | None = None
    ) -> Array:
        K = np.matmul(Z, theta[0] * weights * X.T, out=out)
        K += theta[-2] * weights
        return np.asarray(K)

    def cross_gradients(
        self, theta: Array, Z: Array, X: Array, K: Array, dK: Array, weights: Array = ONE
    ) -> tuple[Array, Array, Array]:
        scale = theta[0] * weights
        dZ, dX = dK @ (scale * X.T).T, scale * (Z.T @ dK)
        dvariance = np.sum(X.T * dX, axis=0)
        dbias, none = theta[-2] * weights * dK.sum(axis=0), np.zeros_like(dvariance)
        return dZ, dX.T, np.vstack([dvariance, dbias, none])


Kernel = RBF | Linear
KERNELS: dict[str, Kernel] = {"rbf": RBF(), "ard": RBF(ard=True), "linear": Linear()}


def gram(kernel: Kernel, theta: Array, Z: Array) -> Array:
    """Return K_uu = k(Z, Z) + white I of components with parameters (M, T), (M, K, K)."""
    k = len(Z)
    K_uu = kernel.cross(*_side_by_side(theta, Z)).T.reshape(-1, k, k)
    np.einsum("mkk->mk", K_uu)[:] += theta[:, -1:]
    return K_uu


def gram_gradients(
    kernel: Kernel, theta: Array, Z: Array, K_uu: Array, D: Array
) -> tuple[Array, Array]:
    """Return the gradients by Z (K, Q) and theta (M, T) from K_uu and symmetric D = dL/dK_uu."""
    (k, q), m = Z.shape, len(theta)
    K = K_uu.copy()
    np.einsum("mkk->mk", K)[:] -= theta[:, -1:]
    # Symmetric matrices one below the other are the transpose of those side by side.
    both = K.reshape(-1, k).T, D.reshape(-1, k).T
    left, right, by_row = kernel.cross_gradients(*_side_by_side(theta, Z), *both)
    dtheta = by_row.reshape(-1, m, k).sum(axis=2).T
    dtheta[:, -1] = theta[:, -1] * np.einsum("mkk->m", D)
    return left + right.reshape(m, k, q).sum(axis=0), dtheta


def positive(log_value: Array) -> Array:
    """Return exp of the argument clipped to the limits."""
    return np.exp(np.clip(log_value, -LOG_LIMIT, LOG_LIMIT))


def named(log_theta: Array) -> dict[str, Any]:
    """Return the parameters of a component in natural units by name; Linear has no gamma."""
    variance, *gamma, bias, white = positive(log_theta).tolist()
    found = {"variance": variance, "bias": bias, "white": white}
    return found | {"gamma": gamma if len(gamma) > 1 else gamma[0]} if gamma else found


def _side_by_side(theta: Array, Z: Array) -> tuple[Array, Array, Array]:
    """Return the arguments of `cross` for the k(Z, Z) of all components, (K, M K)."""
    return np.repeat(theta.T, len(Z), axis=1), Z, np.tile(Z, (len(theta), 1))


def _of_z(Z: Array, gamma: Array) -> Array:
    """Return a, (K, .)."""
    return np.concatenate([Z, -0.5 * _shared(Z * Z, gamma, 1), np.ones_like(Z[:, :1])], 1)


def _of_x(X: Array, gamma: Array) -> list[Array]:
    """Return the first two parts of b, (., N)."""
    return [gamma * X, np.broadcast_to(gamma, (len(gamma), X.shape[1]))]


def _shared(squares: Array, gamma: Array, axis: int) -> Array:
    """Add up the dimensions along an axis if they share one gamma."""
    return squares if len(gamma) == squares.shape[axis] else squares.sum(axis, keepdims=True)
