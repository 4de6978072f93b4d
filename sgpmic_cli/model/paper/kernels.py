"""Covariance functions, split so that a bound needs one pass of `exp` and no N x K temporaries.

Every kernel is k(a, b) = variance * r(a, b) + bias, with `white` added to the diagonal of K_uu only (the paper prints
it as added to every element, and the exponent of its RBF kernel without the minus sign). The bound works with R alone:
variance and bias enter through K x K algebra (see `dtc.py`). Parameters are natural ones, a row for each component in
the order of `names(q)`, and gradients are by their logs, which is how they are held.

    rbf      r(a, b) = exp(-1/2 sum_q gamma_q (a_q - b_q)^2)       (one gamma, or one for each dimension with ARD)
    linear   r(a, b) = a . b

Cross matrices are (K, n) in Fortran order, column n belonging to latent point n, and come out already multiplied by
sqrt(s_n), which costs nothing when it is folded into the exponent: a product of an inducing and a latent side, and exp.
What is small is done for all M components at once, what is large one component at a time. Symmetric K x K matrices come
in stacks (M, K, K), and only the lower triangle of the transpose of each counts: there BLAS and LAPACK, which read
transposes of C order, leave and look for them. Latent points are best in Fortran order: loops run over points then, not
over a handful of dimensions.
"""

from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from sgpmic_cli._typing import Array
from sgpmic_cli.model.paper.numerics.unlocked_blas import dgemm, dsymm

LOG_LIMIT = 36.0  # exp(36) ~ 4e15: beyond that a parameter can only lose digits
START_BIAS = (
    START_WHITE
) = -2.0  # logs of the paper's starting values; variance and gamma start at one
_LOG2_E = 1.0 / np.log(2.0)
_STRIP = 32  # rows of K_uu at a time, from the diagonal on


class Weights(NamedTuple):
    """The points of all components one after another: sqrt(s_n), its log to the base two, and whose they are."""

    root_s: Array  # (R,)
    log2_root_s: Array  # (R,)
    owner: NDArray[np.intp]  # (R,) component of each
    starts: NDArray[np.intp]  # (M,) where each component begins


class Kernel(Protocol):
    """What the bound asks of a covariance function."""

    def names(self, q: int) -> tuple[str, ...]:
        """The parameters of a component with q latent dimensions, in the order of theta."""
        ...

    def inducing_sides(self, theta: Array, Z: Array) -> Array:
        """What the cross matrices are made of at the inducing inputs, (M, S, K)."""
        ...

    def latent_sides(self, theta: Array, X: Array, weights: Weights) -> Array:
        """What they are made of at the latent points X (R, Q) of all components, (R, S)."""
        ...

    def headed_sides(self, theta: Array, Z: Array) -> Array:
        """Inducing sides for points without weights, each headed by one that makes r = 1, (S, M, 1+K)."""
        ...

    def plain_sides(self, X: Array) -> Array:
        """Latent sides of points without weights, the same for all components, (n, S)."""
        ...

    def cross(self, left: Array, right: Array, out: Array) -> Array:
        """sqrt(s_n) r(z_k, x_n) into `out` (K, n), from left (S, K) and right (n, S)."""
        ...

    def fold(self, U: Array, R: Array) -> Array:
        """From U = dL/d(sqrt(s) K) the matrix T that the two products of `cross_gradients` are taken with, in place."""
        ...

    def multiplier(self, X: Array, root_s: Array) -> Array:
        """The (R, Q+1) matrix that T is multiplied with from the right."""
        ...

    def cross_gradients(
        self, theta: Array, Z: Array, X: Array, weights: Weights, TX: Array, TZ: Array
    ) -> tuple[Array, Array, Array]:
        """Gradients by X (R, Q), Z (K, Q) and theta from T times the multiplier (M, K, Q+1) and T' [Z, 1] (R, Q+1)."""
        ...

    def grams(self, theta: Array, Z: Array) -> Array:
        """K_uu with bias and white of every component, (M, K, K)."""
        ...

    def gram_gradients(self, theta: Array, Z: Array, grams: Array, D: Array) -> tuple[Array, Array]:
        """Gradients by Z and theta, given K_uu and D = dL/dK_uu (M, K, K), which is zero where it does not count."""
        ...

    def cross_slopes(self, theta: Array, Z: Array, X: Array) -> Array:
        """dk(z_k, x_n) / dx_n of one component, (Q, K, n)."""
        ...


def positive(log_value: Array) -> Array:
    """exp with its argument held inside the limits."""
    return np.exp(np.clip(log_value, -LOG_LIMIT, LOG_LIMIT))


def diagonals(stack: Array) -> Array:
    """The diagonals of a contiguous stack of matrices (M, K), as a view that can be written to."""
    m, k, _ = stack.shape
    return stack.reshape(m, k * k)[:, :: k + 1]


def start_parameters(kernel: Kernel, n_components: int, q: int) -> Array:
    """The paper's starting values, one row of logs per component."""
    start = {"bias": START_BIAS, "white": START_WHITE}
    return np.tile([start.get(name, 0.0) for name in kernel.names(q)], (n_components, 1))


def unweighted(n: int) -> Weights:
    """One component in which every one of n points counts fully."""
    return Weights(np.ones(n), np.zeros(n), np.zeros(n, dtype=np.intp), np.zeros(1, dtype=np.intp))


def cross_matrix(kernel: Kernel, theta: Array, Z: Array, X: Array, out: Array) -> Array:
    """r(z_k, x_n) of one component into `out` (K, n)."""
    left = kernel.inducing_sides(theta[None], Z)[0]
    return kernel.cross(left, kernel.latent_sides(theta[None], X, unweighted(len(X))), out)


def with_ones(points: Array) -> Array:
    """[points, 1], so that one product gives weighted points and the sums of the weights."""
    wide = np.empty((points.shape[0], points.shape[1] + 1), order="F")
    wide[:, :-1] = points
    wide[:, -1] = 1.0
    return wide


class RBF:
    """Radial basis function; `ard` gives every latent dimension an inverse width of its own."""

    def __init__(self, ard: bool = False):
        self.ard = ard

    def names(self, q: int) -> tuple[str, ...]:
        gammas = tuple(f"gamma_{i}" for i in range(q)) if self.ard else ("gamma",)
        return ("variance", *gammas, "bias", "white")

    # The exponent -gamma/2 |z - x|^2 + log sqrt(s) is one product,
    #     [gamma z, -gamma/2 |z|^2, 1] . [x, 1, log sqrt(s) - gamma/2 |x|^2],
    # taken to the base two: exp2 is a tenth faster than exp.

    def inducing_sides(self, theta: Array, Z: Array) -> Array:
        k, q = Z.shape
        gamma = np.full((len(theta), q), _LOG2_E)
        gamma *= theta[:, 1:-2]
        left = np.empty((len(theta), q + 2, k))
        np.multiply(gamma[:, :, None], Z.T, out=left[:, :q])
        gamma *= -0.5
        left[:, q] = gamma @ (Z * Z).T
        left[:, q + 1] = 1.0
        return left

    def latent_sides(self, theta: Array, X: Array, weights: Weights) -> Array:
        n, q = X.shape
        halves = (-0.5 * _LOG2_E) * theta[:, 1:-2]
        right = np.empty((n, q + 2), order="F")
        right[:, :q] = X
        right[:, q] = 1.0
        if self.ard:
            norms = (X * X * halves.take(weights.owner, axis=0)).sum(axis=1)
        else:
            norms = (X * X).sum(axis=1) * halves[:, 0].take(weights.owner)
        np.add(norms, weights.log2_root_s, out=right[:, q + 1])
        return right

    def headed_sides(self, theta: Array, Z: Array) -> Array:
        (k, q), gamma = Z.shape, _LOG2_E * theta[:, 1:-2].T  # (Q or 1, M)
        left = np.zeros((q + 1 + len(gamma), len(theta), 1 + k))
        np.multiply(gamma[:, :, None], Z.T[:, None], out=left[:q, :, 1:])
        left[q, :, 1:] = -0.5 * (np.broadcast_to(gamma, (q, len(theta))).T @ (Z * Z).T)
        left[q + 1 :, :, 1:] = -0.5 * gamma[:, :, None]
        return left

    def plain_sides(self, X: Array) -> Array:
        squares = X * X
        return np.asfortranarray(
            np.hstack([with_ones(X), squares if self.ard else squares.sum(axis=1, keepdims=True)])
        )

    def cross(self, left: Array, right: Array, out: Array) -> Array:
        dgemm(1.0, left.T, right, trans_b=True, beta=0.0, c=out, overwrite_c=True)
        return np.exp2(out, out=out)

    def fold(self, U: Array, R: Array) -> Array:
        return np.multiply(U, R, out=U)

    def multiplier(self, X: Array, root_s: Array) -> Array:
        return with_ones(X)

    def cross_gradients(
        self, theta: Array, Z: Array, X: Array, weights: Weights, TX: Array, TZ: Array
    ) -> tuple[Array, Array, Array]:
        slopes = theta[:, :1] * theta[:, 1:-2]
        dX = TZ[:, :-1] - TZ[:, -1:] * X
        dX *= slopes.take(weights.owner, axis=0)
        dZ = slopes[:, None] * (TX[:, :, :-1] - TX[:, :, -1:] * Z)
        dtheta = np.zeros_like(theta)
        dtheta[:, 0] = theta[:, 0] * TX[:, :, -1].sum(axis=1)
        dtheta[:, 1:-2] = self._widths(
            np.add.reduceat(X * dX, weights.starts, axis=0) + (Z * dZ).sum(axis=1)
        )
        return dX, dZ.sum(axis=0), dtheta

    def grams(self, theta: Array, Z: Array) -> Array:
        halves = -0.5 * _LOG2_E * theta[:, 1:-2]
        if self.ard:
            grams = np.stack(
                [-cdist(Z * root, Z * root, "sqeuclidean") for root in np.sqrt(-halves)]
            )
        else:
            grams = halves[:, :, None] * cdist(Z, Z, "sqeuclidean")
        for start in range(0, len(Z), _STRIP):
            strip = grams[:, start : start + _STRIP, start:]
            np.exp2(strip, out=strip)
        grams *= theta[:, 0, None, None]
        grams += theta[:, -2, None, None]
        diagonals(grams)[:] += theta[:, -1:]
        return grams

    def gram_gradients(self, theta: Array, Z: Array, grams: Array, D: Array) -> tuple[Array, Array]:
        T = grams - theta[:, -2, None, None]
        diagonals(T)[:] = theta[:, :1]
        T *= D
        Z1 = with_ones(Z)
        TZ = np.empty((len(T), *Z1.shape))
        for t, tz in zip(T, TZ, strict=True):
            tz[:] = dsymm(1.0, t.T, Z1, lower=True)
        dZ = (2.0 * theta[:, None, 1:-2]) * (TZ[:, :, :-1] - TZ[:, :, -1:] * Z)
        dtheta = _linear_part(theta, TZ[:, :, -1].sum(axis=1), D)
        dtheta[:, 1:-2] = self._widths((Z * dZ).sum(axis=1))
        return dZ.sum(axis=0), dtheta

    def gram(self, theta: Array, Z: Array) -> Array:
        """K_uu of one component, its lower triangle, in Fortran order."""
        return self.grams(theta[None], Z)[0].T

    def gram_gradient(self, theta: Array, Z: Array, gram: Array, D: Array) -> tuple[Array, Array]:
        """Gradients by Z and theta of one component, given K_uu from `gram` and the whole of D = dL/dK_uu."""
        dZ, dtheta = self.gram_gradients(theta[None], Z, gram.T[None], np.triu(D)[None])
        return dZ, dtheta[0]

    def cross_slopes(self, theta: Array, Z: Array, X: Array) -> Array:
        gaps = Z.T[:, :, None] - X.T[:, None, :]  # (Q, K, n)
        gamma = theta[1:-2][:, None, None]
        k = theta[0] * np.exp(-0.5 * np.sum(gamma * gaps**2, axis=0))
        return gamma * gaps * k

    def _widths(self, pulls: Array) -> Array:
        """Gradients by log gamma from the sums of points times their gradients (M, Q), inducing inputs and all.

        Stretching all points by a factor is the same as multiplying gamma by its square.
        """
        return 0.5 * (pulls if self.ard else pulls.sum(axis=1, keepdims=True))


class Linear:
    """Dot products: the mixture of dual probabilistic PCA that the RBF generalises."""

    def names(self, q: int) -> tuple[str, ...]:
        return ("variance", "bias", "white")

    def inducing_sides(self, theta: Array, Z: Array) -> Array:
        return np.tile(Z.T, (len(theta), 1, 1))

    def latent_sides(self, theta: Array, X: Array, weights: Weights) -> Array:
        return np.asfortranarray(X * weights.root_s[:, None])

    def headed_sides(self, theta: Array, Z: Array) -> Array:
        k, q = Z.shape
        left = np.zeros((q + 1, len(theta), 1 + k))
        left[:q, :, 1:] = Z.T[:, None]
        left[q, :, 0] = 1.0
        return left

    def plain_sides(self, X: Array) -> Array:
        return with_ones(X)

    def cross(self, left: Array, right: Array, out: Array) -> Array:
        return dgemm(1.0, left.T, right, trans_b=True, beta=0.0, c=out, overwrite_c=True)

    def fold(self, U: Array, R: Array) -> Array:
        return U

    def multiplier(self, X: Array, root_s: Array) -> Array:
        return with_ones(X) * root_s[:, None]

    def cross_gradients(
        self, theta: Array, Z: Array, X: Array, weights: Weights, TX: Array, TZ: Array
    ) -> tuple[Array, Array, Array]:
        dZ = theta[:, 0, None, None] * TX[:, :, :-1]
        dX = (theta[:, 0][weights.owner] * weights.root_s)[:, None] * TZ[:, :-1]
        dtheta = np.zeros_like(theta)
        dtheta[:, 0] = (Z * dZ).sum(axis=(1, 2))
        return dX, dZ.sum(axis=0), dtheta

    def grams(self, theta: Array, Z: Array) -> Array:
        grams = theta[:, 0, None, None] * (Z @ Z.T)
        grams += theta[:, -2, None, None]
        diagonals(grams)[:] += theta[:, -1:]
        return grams

    def gram_gradients(self, theta: Array, Z: Array, grams: Array, D: Array) -> tuple[Array, Array]:
        DZ = theta[:, 0, None, None] * np.stack([dsymm(1.0, d.T, Z, lower=True) for d in D])
        return 2.0 * DZ.sum(axis=0), _linear_part(theta, (Z * DZ).sum(axis=(1, 2)), D)

    def cross_slopes(self, theta: Array, Z: Array, X: Array) -> Array:
        return np.broadcast_to(theta[0] * Z.T[:, :, None], (X.shape[1], len(Z), len(X)))


def _linear_part(theta: Array, of_variance: Array, D: Array) -> Array:
    """Gradients by log variance, bias and white, in which K_uu is linear, of every component; zero elsewhere."""
    traces = diagonals(D).sum(axis=1)
    dtheta = np.zeros_like(theta)
    dtheta[:, 0] = of_variance
    dtheta[:, -2] = theta[:, -2] * (2.0 * D.reshape(len(D), -1).sum(axis=1) - traces)
    dtheta[:, -1] = theta[:, -1] * traces
    return dtheta
