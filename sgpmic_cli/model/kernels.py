"""Covariance functions of a component, split so that a bound needs one pass of `exp` and no N x K temporaries.

Every kernel is k(a, b) = variance * r(a, b) + bias, with `white` added to the diagonal of K_uu only. The bound works
with R alone: variance and bias enter through K x K algebra (see `dtc.py`). Methods take the natural parameters of one
component, in the order of `names(q)`, and give gradients by their logs, which is how they are held. Cross matrices are
(K, n) in Fortran order, column n belonging to latent point n, and come out already multiplied by sqrt(s_n), which costs
nothing when it is folded into the exponent.

    rbf      r(a, b) = exp(-1/2 sum_q gamma_q (a_q - b_q)^2)       (one gamma, or one for each dimension with ARD)
    linear   r(a, b) = a . b
"""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.blas import dgemm

Array = NDArray[np.float64]

LOG_LIMIT = 36.0  # exp(36) ~ 4e15: beyond that a parameter can only lose digits
START_BIAS = START_WHITE = -2.0  # logs of the paper's starting values; variance and gamma start at one


class Kernel(Protocol):
    """What the bound asks of a covariance function."""

    def names(self, q: int) -> tuple[str, ...]: ...

    def cross(self, theta: Array, Z: Array, X: Array, root_s: Array, out: Array) -> Array:
        """sqrt(s_n) r(z_k, x_n) into `out` (K, n)."""
        ...

    def fold(self, U: Array, R: Array) -> Array:
        """From U = dL/d(sqrt(s) K) the matrix T that the two products of `cross_gradient` are taken with, in place."""
        ...

    def latent_side(self, X: Array, root_s: Array) -> Array:
        """The (n, Q+1) matrix that T is multiplied with from the right."""
        ...

    def cross_gradient(
        self, theta: Array, Z: Array, X: Array, root_s: Array, TX: Array, ZT: Array
    ) -> tuple[Array, Array, Array]:
        """Gradients by X (n, Q), Z (K, Q) and theta of a component from T [X, 1] (K, Q+1) and [Z, 1]' T (Q+1, n)."""
        ...

    def gram(self, theta: Array, Z: Array) -> Array:
        """K_uu with bias and white (K, K)."""
        ...

    def gram_gradient(self, theta: Array, Z: Array, K_uu: Array, D: Array) -> tuple[Array, Array]:
        """Gradients by Z and theta, given the symmetric D = dL/dK_uu."""
        ...

    def cross_slopes(self, theta: Array, Z: Array, X: Array) -> Array:
        """dk(z_k, x_n) / dx_n, (Q, K, n)."""
        ...


def positive(log_value: Array) -> Array:
    """exp with its argument held inside the limits."""
    return np.exp(np.clip(log_value, -LOG_LIMIT, LOG_LIMIT))


def diagonal(matrix: Array) -> Array:
    """The diagonal as a view that can be written to."""
    return np.einsum("kk->k", matrix)


def start_parameters(kernel: Kernel, n_components: int, q: int) -> Array:
    """The paper's starting values, one row of logs per component."""
    start = {"bias": START_BIAS, "white": START_WHITE}
    return np.tile([start.get(name, 0.0) for name in kernel.names(q)], (n_components, 1))


class RBF:
    """Radial basis function; `ard` gives every latent dimension an inverse width of its own."""

    def __init__(self, ard: bool = False):
        self.ard = ard

    def names(self, q: int) -> tuple[str, ...]:
        gammas = tuple(f"gamma_{i}" for i in range(q)) if self.ard else ("gamma",)
        return ("variance", *gammas, "bias", "white")

    def cross(self, theta: Array, Z: Array, X: Array, root_s: Array, out: Array) -> Array:
        root_gamma = np.sqrt(theta[1:-2])
        q = X.shape[1]
        left = np.empty((q + 2, Z.shape[0]), order="F")
        left[:q] = (Z * root_gamma).T
        left[q] = -0.5 * np.einsum("qk,qk->k", left[:q], left[:q])
        left[q + 1] = 1.0
        right = np.empty((q + 2, X.shape[0]), order="F")
        right[:q] = (X * root_gamma).T
        right[q] = 1.0
        right[q + 1] = np.log(root_s)
        right[q + 1] -= 0.5 * np.einsum("qn,qn->n", right[:q], right[:q])
        # Exponent and weight in one product: -gamma/2 |z - x|^2 + log sqrt(s).
        dgemm(1.0, left, right, trans_a=True, beta=0.0, c=out, overwrite_c=True)
        return np.exp(out, out=out)

    def fold(self, U: Array, R: Array) -> Array:
        U *= R
        return U

    def latent_side(self, X: Array, root_s: Array) -> Array:
        side = np.ones((X.shape[0], X.shape[1] + 1))
        side[:, :-1] = X
        return side

    def cross_gradient(
        self, theta: Array, Z: Array, X: Array, root_s: Array, TX: Array, ZT: Array
    ) -> tuple[Array, Array, Array]:
        v, gamma = theta[0], theta[1:-2]
        of_z, of_x = v * TX[:, -1:], v * ZT[-1]  # sums of T over the points (K, 1) and over the inducing inputs (n,)
        TX, ZT = v * TX[:, :-1], v * ZT[:-1]
        dX = gamma * (ZT.T - of_x[:, None] * X)
        dZ = gamma * (TX - of_z * Z)
        squares = of_x @ X**2 + of_z[:, 0] @ Z**2 - 2.0 * np.einsum("kq,kq->q", Z, TX)  # sum T (z_q - x_q)^2
        dtheta = np.zeros_like(theta)
        dtheta[0] = of_x.sum()
        dtheta[1:-2] = _per_gamma(-0.5 * gamma * squares, self.ard)
        return dX, dZ, dtheta

    def gram(self, theta: Array, Z: Array) -> Array:
        scaled = Z * np.sqrt(theta[1:-2])
        norms = np.einsum("kq,kq->k", scaled, scaled)
        K_uu = scaled @ scaled.T
        K_uu -= 0.5 * norms
        K_uu -= 0.5 * norms[:, None]
        np.minimum(K_uu, 0.0, out=K_uu)  # -gamma/2 |z - z'|^2, never above zero by rounding
        np.exp(K_uu, out=K_uu)
        K_uu *= theta[0]
        K_uu += theta[-2]
        diagonal(K_uu)[:] = theta[0] + theta[-2] + theta[-1]
        return K_uu

    def gram_gradient(self, theta: Array, Z: Array, K_uu: Array, D: Array) -> tuple[Array, Array]:
        gamma, bias, white = theta[1:-2], theta[-2], theta[-1]
        T = D * (K_uu - bias)
        of_white = white * diagonal(D)
        diagonal(T)[:] -= of_white
        sums, TZ = T.sum(axis=1), T @ Z
        dZ = 2.0 * gamma * (TZ - sums[:, None] * Z)
        dtheta = np.empty_like(theta)
        dtheta[0] = sums.sum()
        squares = 2.0 * (sums @ Z**2 - np.einsum("kq,kq->q", Z, TZ))
        dtheta[1:-2] = _per_gamma(-0.5 * gamma * squares, self.ard)
        dtheta[-2], dtheta[-1] = bias * D.sum(), of_white.sum()
        return dZ, dtheta

    def cross_slopes(self, theta: Array, Z: Array, X: Array) -> Array:
        gaps = Z.T[:, :, None] - X.T[:, None, :]  # (Q, K, n)
        gamma = theta[1:-2][:, None, None]
        k = theta[0] * np.exp(-0.5 * np.sum(gamma * gaps**2, axis=0))
        return gamma * gaps * k


class Linear:
    """Dot products: the mixture of dual probabilistic PCA that the RBF generalises."""

    def names(self, q: int) -> tuple[str, ...]:
        return ("variance", "bias", "white")

    def cross(self, theta: Array, Z: Array, X: Array, root_s: Array, out: Array) -> Array:
        weighted = np.asfortranarray((X * root_s[:, None]).T)
        return dgemm(1.0, np.asfortranarray(Z), weighted, beta=0.0, c=out, overwrite_c=True)

    def fold(self, U: Array, R: Array) -> Array:
        return U

    def latent_side(self, X: Array, root_s: Array) -> Array:
        side = np.ones((X.shape[0], X.shape[1] + 1))
        side[:, :-1] = X
        return side * root_s[:, None]

    def cross_gradient(
        self, theta: Array, Z: Array, X: Array, root_s: Array, TX: Array, ZT: Array
    ) -> tuple[Array, Array, Array]:
        v = theta[0]
        dZ = v * TX[:, :-1]
        dX = v * root_s[:, None] * ZT[:-1].T
        dtheta = np.zeros_like(theta)
        dtheta[0] = np.sum(Z * dZ)
        return dX, dZ, dtheta

    def gram(self, theta: Array, Z: Array) -> Array:
        K_uu = theta[0] * (Z @ Z.T) + theta[-2]
        diagonal(K_uu)[:] += theta[-1]
        return K_uu

    def gram_gradient(self, theta: Array, Z: Array, K_uu: Array, D: Array) -> tuple[Array, Array]:
        DZ = theta[0] * (D @ Z)
        dtheta = np.array([np.sum(Z * DZ), theta[-2] * D.sum(), theta[-1] * np.trace(D)])
        return 2.0 * DZ, dtheta

    def cross_slopes(self, theta: Array, Z: Array, X: Array) -> Array:
        return np.broadcast_to(theta[0] * Z.T[:, :, None], (X.shape[1], len(Z), len(X)))


def _per_gamma(by_dimension: Array, ard: bool) -> Array:
    return by_dimension if ard else by_dimension.sum(keepdims=True)
