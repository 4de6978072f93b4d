"""The features of a component at uncertain latent points, their expectations, and the gradients of these.

A component is a Gaussian process with the kernel

    k(x, x') = v exp(-1/2 sum_q g_q (x_q - x'_q)^2) + a x.x' + c

The first part is seen through K inducing inputs Z, the linear part and the constant are exact: with

    phi(x) = [k_rbf(x, Z), x, 1]        (J = K + Q + 1 features)

the process is phi(x)'w, w ~ N(0, G^-1), G = blockdiag(K_uu, I/a, 1/c), plus what the inducing inputs leave open. Under
q(x_n) = N(mu_n, diag s_n) the bound needs the expectations <phi(x_n)> (N, J) and sum_n w_n <phi(x_n) phi(x_n)'> (J, J).
All of them are closed forms. With d = 1 + g s and e = 1 + 2 g s,

    <k_k>      = v prod_q d_q^-1/2  exp(-1/2 sum_q g_q (mu_q - z_kq)^2 / d_q)
    <k_k x_q>  = <k_k> (mu_q + g_q s_q z_kq) / d_q
    <k_k k_l>  = v^2 prod_q e_q^-1/2  exp(-1/4 sum_q g_q (z_kq - z_lq)^2 - sum_q g_q (mu_q - (z_kq + z_lq)/2)^2 / e_q)

Both exponents are inner products of something of the row with something of the inducing inputs, so that a matrix
product and one exp give all rows at once, and the way back to the gradients is two matrix products more. Of the
symmetric <k_k k_l> only the K (K + 1) / 2 pairs k <= l are formed.

Sums over rows are written `a.T.dot(b)`: of a small result `@` keeps other threads from running until it is done.
"""

from dataclasses import dataclass
from functools import cache, cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sgpmic_cli._typing import Array, Indices


class Kernel(NamedTuple):
    """One component's inducing inputs Z (K, Q) and kernel: variance v, inverse squared widths g (Q,), linear a."""

    Z: Array
    variance: float
    widths: Array
    linear: float


class Pairs(NamedTuple):
    """The pairs k <= l of K inducing inputs: their indices, which are squares, and who takes part (K, pairs)."""

    first: Indices
    second: Indices
    twice: Array  # 2 where k < l, 1 where k = l: how often the pair stands in a symmetric matrix
    of_first: Array
    of_second: Array


@cache
def pairs(k: int) -> Pairs:
    """All pairs of `k` inducing inputs."""
    first, second = np.triu_indices(k)
    return Pairs(
        first,
        second,
        np.where(first == second, 1.0, 2.0),
        np.eye(k)[:, first],
        np.eye(k)[:, second],
    )


@cache
def _upper(j: int) -> NDArray[np.bool_]:
    return np.triu(np.ones((j, j), dtype=np.bool_))


@dataclass(frozen=True)
class Expectations:
    """Expected features of rows, with what their gradients need."""

    kernel: Kernel
    mu: Array  # (n, Q)
    s: Array  # (n, Q)
    d: Array  # (n, Q)
    e: Array  # (n, Q)
    rows1: Array  # (n, 1 + 2Q) the row's side of the exponent of <k_k>
    points1: Array  # (1 + 2Q, K) the inducing side
    rbf: Array  # (n, K) <k_k>
    rows2: Array  # (n, 1 + 2Q)
    points2: Array  # (1 + 2Q, pairs)
    squares: Array  # (n, pairs) <k_k k_l>
    middle: Array  # (pairs, Q) (z_k + z_l) / 2
    gap: Array  # (pairs, Q) z_k - z_l

    def second_moment(self, w: Array) -> Array:
        """sum_n w_n <phi(x_n) phi(x_n)'>, (J, J)."""
        k, q = self.kernel.Z.shape
        weighted, weighted_mu = w[:, None] * self.rbf, w[:, None] * self.mu
        out = np.empty((k + q + 1, k + q + 1))
        out[:k, :k] = symmetric(w.dot(self.squares), k)
        out[:k, k:-1] = weighted.T.dot(self._held) + self.kernel.Z * weighted.T.dot(self._pull)
        out[:k, -1] = weighted.sum(axis=0)
        out[k:-1, k:-1] = weighted_mu.T.dot(self.mu) + np.diag(w.dot(self.s))
        out[k:-1, -1] = weighted_mu.sum(axis=0)
        out[-1, -1] = w.sum()
        return np.where(_upper(len(out)), out, out.T)

    @cached_property
    def _pull(self) -> Array:
        """How far the point of <k_k x> is drawn to z: g s / d."""
        return np.asarray(self.kernel.widths * self.s / self.d)

    @cached_property
    def _held(self) -> Array:
        """What keeps it at mu: mu / d."""
        return np.asarray(self.mu / self.d)

    def gradients(self, w: Array, by_first: Array, by_second: Array) -> "Gradients":
        """Of sum_n <phi_n>.by_first_n + tr(by_second sum_n w_n <phi_n phi_n'>), by_first (n, J), by_second (J, J)."""
        Z, _, g, _ = self.kernel
        k, q = Z.shape
        mu, s, d, e = self.mu, self.s, self.d, self.e
        weighted = w[:, None] * self.rbf
        across, linear = by_second[:k, k:-1], by_second[k:-1, k:-1]
        across_Z = Z * across
        # the linear part and the constant
        to_mu, to_Z = 2.0 * (weighted @ across), 2.0 * (weighted @ across_Z)
        dmu = by_first[:, k:-1] + 2.0 * w[:, None] * (mu @ linear + by_second[k:-1, -1]) + to_mu / d
        drawn = (to_Z - to_mu * mu) / d**2  # by g s
        ds = w[:, None] * linear.diagonal() + drawn * g
        dg = (drawn * s).sum(axis=0)
        dZ = 2.0 * across * weighted.T.dot(self._pull)
        # <k_k>
        drawn_to = by_second[:k, -1] + self._held @ across.T + self._pull @ across_Z.T
        onto = (by_first[:, :k] + 2.0 * w[:, None] * drawn_to) * self.rbf
        rows, points = onto @ self.points1.T, self.rows1.T.dot(onto)
        dmu, ds, dg = self._through(rows, 0.5, g / d, dmu, ds, dg)
        dZ += points[1 : 1 + q].T + 2.0 * Z * points[1 + q :].T
        dlog_v = float(onto.sum())
        # <k_k k_l>
        pair = pairs(k)
        by_pair = pair.twice * by_second[pair.first, pair.second]
        rows = w[:, None] * (self.squares @ (by_pair[:, None] * self.points2.T))
        sums = np.concatenate([self.rows2.T * w, w[None]]).dot(self.squares) * by_pair
        points, total = sums[:-1], sums[-1]
        dmu, ds, dg = self._through(rows, 1.0, g / e, dmu, ds, dg)
        by_middle = 0.5 * (points[1 : 1 + q].T + 2.0 * self.middle * points[1 + q :].T)
        by_gap = -0.5 * total[:, None] * self.gap * g
        dZ += pair.of_first @ (by_middle + by_gap) + pair.of_second @ (by_middle - by_gap)
        dg -= 0.25 * total @ self.gap**2
        return Gradients(dmu, ds, dZ, dlog_v + 2.0 * float(total.sum()), dg)

    def _through(
        self, rows: Array, half: float, a: Array, dmu: Array, ds: Array, dg: Array
    ) -> tuple[Array, Array, Array]:
        """From the row's side of an exponent, half (-a mu^2 , 2 a mu, -a) - 1/2 log(1 + 2 half g s), to mu, s and g."""
        q, divisor = self.mu.shape[1], self.d if half == 0.5 else self.e
        first, by_mu, by_square = rows[:, :1], rows[:, 1 : 1 + q], rows[:, 1 + q :]
        by_a = half * (2.0 * by_mu * self.mu - by_square - first * self.mu**2)
        by_divisor = -(0.5 * first + by_a * a) / divisor
        dmu = dmu + 2.0 * half * a * (by_mu - first * self.mu)
        ds = ds + 2.0 * half * by_divisor * self.kernel.widths
        dg = dg + (by_a / divisor + 2.0 * half * by_divisor * self.s).sum(axis=0)
        return dmu, ds, dg


class Gradients(NamedTuple):
    """By mu (n, Q), s (n, Q), Z (K, Q), log v and g (Q,)."""

    mu: Array
    s: Array
    Z: Array
    log_v: float
    g: Array


def expectations(kernel: Kernel, mu: Array, s: Array) -> Expectations:
    """The expected features of rows at q(x_n) = N(mu_n, diag s_n)."""
    Z, v, g, _ = kernel
    mu, s = (
        np.asfortranarray(mu),
        np.asfortranarray(s),
    )  # loops run over rows then, not over a handful of dimensions
    d, e = 1.0 + g * s, 1.0 + 2.0 * g * s
    pair = pairs(len(Z))
    middle, gap = 0.5 * (Z[pair.first] + Z[pair.second]), Z[pair.first] - Z[pair.second]
    rows1, points1 = _row_side(mu, d, g / d, 0.5), _point_side(Z)
    rows2, points2 = _row_side(mu, e, g / e, 1.0), _point_side(middle)
    rbf = rows1 @ points1
    rbf += np.log(v)
    squares = rows2 @ points2
    squares += 2.0 * np.log(v) - 0.25 * (gap**2 @ g)
    np.exp(rbf, out=rbf)
    np.exp(squares, out=squares)
    return Expectations(
        kernel, mu, s, d, e, rows1, points1, rbf, rows2, points2, squares, middle, gap
    )


def prior_gram(kernel: Kernel, jitter: float) -> Array:
    """K_uu of the inducing inputs (K, K), its diagonal raised by a share `jitter`."""
    Z, v, g, _ = kernel
    scaled = Z * np.sqrt(g)
    gram: Array = v * np.exp(-0.5 * ((scaled[:, None] - scaled) ** 2).sum(axis=-1))
    np.einsum("kk->k", gram)[:] += jitter * v
    return gram


def gram_gradients(kernel: Kernel, by_gram: Array, gram: Array) -> tuple[Array, float, Array]:
    """Gradients by Z, log v and g of <by_gram, K_uu> for a symmetric by_gram."""
    Z, _, g, _ = kernel
    onto = by_gram * gram
    gap = Z[:, None] - Z
    dZ = -2.0 * np.einsum("kl,klq->kq", onto, gap) * g
    return dZ, float(onto.sum()), -0.5 * np.einsum("kl,klq->q", onto, gap**2)


def symmetric(values: Array, k: int) -> Array:
    """The symmetric matrix (k, k) of its pairs."""
    pair = pairs(k)
    out = np.empty((k, k))
    out[pair.first, pair.second] = values
    out[pair.second, pair.first] = values
    return out


def _row_side(mu: Array, divisor: Array, a: Array, half: float) -> Array:
    first = -half * (a * mu**2).sum(axis=1) - 0.5 * np.log(divisor).sum(axis=1)
    return np.concatenate([first[:, None], 2.0 * half * a * mu, -half * a], axis=1)


def _point_side(Z: Array) -> Array:
    return np.concatenate([np.ones((1, len(Z))), Z.T, (Z**2).T])
