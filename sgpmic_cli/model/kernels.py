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
from scipy.linalg.blas import dgemm, dsymm, dsymv

Array = NDArray[np.float64]

LOG_LIMIT = 36.0  # exp(36) ~ 4e15: beyond that a parameter can only lose digits
_LOG2_E = 1.0 / np.log(2.0)
_STRIP = 32  # columns of K_uu at a time, from the diagonal down
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
        self, theta: Array, Z: Array, X: Array, root_s: Array, TX: Array, TZ: Array
    ) -> tuple[Array, Array, Array]:
        """Gradients by X (n, Q), Z (K, Q) and theta of a component from T [X, 1] (K, Q+1) and T' [Z, 1] (n, Q+1)."""
        ...

    def gram(self, theta: Array, Z: Array) -> Array:
        """The lower triangle of K_uu with bias and white (K, K), in Fortran order."""
        ...

    def gram_gradient(self, theta: Array, Z: Array, K_uu: Array, D: Array) -> tuple[Array, Array]:
        """Gradients by Z and theta, given the lower triangles of K_uu and of D = dL/dK_uu."""
        ...

    def cross_slopes(self, theta: Array, Z: Array, X: Array) -> Array:
        """dk(z_k, x_n) / dx_n, (Q, K, n)."""
        ...


def positive(log_value: Array) -> Array:
    """exp with its argument held inside the limits."""
    return np.exp(np.clip(log_value, -LOG_LIMIT, LOG_LIMIT))


def diagonal(matrix: Array) -> Array:
    """The diagonal of a contiguous matrix, as a view that can be written to."""
    return matrix.reshape(-1, order="A")[:: len(matrix) + 1]


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
        self._exponents(theta, Z, X, root_s, out)
        return np.exp2(out, out=out)

    def _exponents(self, theta: Array, Z: Array, X: Array, root_s: Array | None, out: Array) -> None:
        """-gamma/2 |z - x|^2 + log sqrt(s), as logs to the base two: exp2 is a tenth faster than exp.

        Weight and distance in one product: [gamma z, -gamma/2 |z|^2, 1] . [x, 1, log sqrt(s) - gamma/2 |x|^2].
        """
        q = X.shape[1]
        gamma = np.full(q, _LOG2_E) * theta[1:-2]
        left = np.empty((len(Z), q + 2), order="F")
        np.multiply(Z, gamma, out=left[:, :q])
        np.matmul(Z * Z, -0.5 * gamma, out=left[:, q])
        left[:, q + 1] = 1.0
        right = np.empty((len(X), q + 2), order="F")
        right[:, :q] = X
        right[:, q] = 1.0
        np.matmul(X * X, -0.5 * gamma, out=right[:, q + 1])
        if root_s is not None:
            right[:, q + 1] += np.log2(root_s)
        dgemm(1.0, left, right, trans_b=True, beta=0.0, c=out, overwrite_c=True)

    def fold(self, U: Array, R: Array) -> Array:
        return np.multiply(U, R, out=U)

    def latent_side(self, X: Array, root_s: Array) -> Array:
        return with_ones(X)

    def cross_gradient(
        self, theta: Array, Z: Array, X: Array, root_s: Array, TX: Array, TZ: Array
    ) -> tuple[Array, Array, Array]:
        slope = theta[0] * theta[1:-2]
        dX = slope * (TZ[:, :-1] - TZ[:, -1:] * X)
        dZ = slope * (TX[:, :-1] - TX[:, -1:] * Z)
        dtheta = np.zeros_like(theta)
        dtheta[0] = theta[0] * TX[:, -1].sum()
        dtheta[1:-2] = self._widths(X, dX) + self._widths(Z, dZ)
        return dX, dZ, dtheta

    def gram(self, theta: Array, Z: Array) -> Array:
        K_uu = np.empty((len(Z), len(Z)), order="F")
        self._exponents(theta, Z, Z, None, K_uu)
        for start in range(0, len(Z), _STRIP):  # what lies above the diagonal stays without meaning
            strip = K_uu[start:, start : start + _STRIP]
            np.exp2(strip, out=strip)
        K_uu *= theta[0]
        K_uu += theta[-2]
        diagonal(K_uu)[:] = theta[0] + theta[-2] + theta[-1]
        return K_uu

    def gram_gradient(self, theta: Array, Z: Array, K_uu: Array, D: Array) -> tuple[Array, Array]:
        bias, white = theta[-2], theta[-1]
        T = np.subtract(K_uu, bias, order="F")
        diagonal(T)[:] = theta[0]
        T *= D
        TZ = dsymm(1.0, T, with_ones(Z), lower=True)
        dZ = (2.0 * theta[1:-2]) * (TZ[:, :-1] - TZ[:, -1:] * Z)
        dtheta = np.empty_like(theta)
        dtheta[0] = TZ[:, -1].sum()
        dtheta[1:-2] = self._widths(Z, dZ)
        dtheta[-2], dtheta[-1] = bias * _sum(D), white * diagonal(D).sum()
        return dZ, dtheta

    def _widths(self, points: Array, gradient: Array) -> Array:
        """What the gradient by one side's points says of log gamma: stretching both sides is widening the kernel."""
        if self.ard:
            return 0.5 * np.einsum("nq,nq->q", points, gradient)
        return np.array([0.5 * np.vdot(points.T, gradient.T)])

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
        return with_ones(X) * root_s[:, None]

    def cross_gradient(
        self, theta: Array, Z: Array, X: Array, root_s: Array, TX: Array, TZ: Array
    ) -> tuple[Array, Array, Array]:
        v = theta[0]
        dZ = v * TX[:, :-1]
        dX = v * root_s[:, None] * TZ[:, :-1]
        dtheta = np.zeros_like(theta)
        dtheta[0] = np.sum(Z * dZ)
        return dX, dZ, dtheta

    def gram(self, theta: Array, Z: Array) -> Array:
        K_uu = theta[0] * (Z @ Z.T) + theta[-2]
        diagonal(K_uu)[:] += theta[-1]
        return np.asfortranarray(K_uu)

    def gram_gradient(self, theta: Array, Z: Array, K_uu: Array, D: Array) -> tuple[Array, Array]:
        DZ = theta[0] * dsymm(1.0, D, Z, lower=True)
        dtheta = np.array([np.sum(Z * DZ), theta[-2] * _sum(D), theta[-1] * diagonal(D).sum()])
        return 2.0 * DZ, dtheta

    def cross_slopes(self, theta: Array, Z: Array, X: Array) -> Array:
        return np.broadcast_to(theta[0] * Z.T[:, :, None], (X.shape[1], len(Z), len(X)))


def with_ones(points: Array) -> Array:
    """[points, 1], so that one product gives weighted points and the sums of the weights."""
    wide = np.empty((points.shape[0], points.shape[1] + 1), order="F")
    wide[:, :-1] = points
    wide[:, -1] = 1.0
    return wide


def _sum(symmetric: Array) -> float:
    """The sum over a symmetric matrix of which only the lower triangle is to be read."""
    ones = np.ones(len(symmetric))
    return float(ones @ dsymv(1.0, symmetric, ones, lower=True))
