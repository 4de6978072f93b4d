"""A component as rows see it: at an uncertain latent point, the mean of its process f and the spread around it.

    <|y_n - f_n|^2> = |y_n - <f_n>|^2 + spread_n
    <f_n> = W'<phi_n>        spread_n = <phi_n' B phi_n> + P v - |<f_n>|^2 >= 0

with W, B and v of `component.py`. The mean needs K features, the spread their K (K + 1) / 2 products. The formulas are
those of `features.py`, but an array has a line for every feature and not for every row: no gradient is asked for here,
and rows are picked between the two.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from sgpmic_cli._typing import Array, Indices, BoolArray
from sgpmic_cli.model.variational.component import Posterior
from sgpmic_cli.model.variational.features import Kernel, pairs


class Means(NamedTuple):
    """Means of f (D, n) with what they come from: mu, s, d (Q, n) and the expected features (J, n)."""

    mu: Array
    s: Array
    d: Array
    features: Array
    f: Array

    def of(self, rows: Indices) -> "Means":
        """Those of some rows, in ascending order."""
        return (
            self
            if len(rows) == self.f.shape[1]
            else Means(*(part.take(rows, axis=1) for part in self))
        )


class Process:
    """One component whose rows are known."""

    def __init__(self, kernel: Kernel, known: Posterior, n_outputs: int):
        Z, v, self.widths, _ = kernel
        k, pair, B = len(Z), pairs(len(Z)), known.B
        gap, across = Z[pair.first] - Z[pair.second], B[:k, k:-1]
        self.points = _point_side(Z, np.full(k, np.log(v)))
        self.middles = _point_side(
            0.5 * (Z[pair.first] + Z[pair.second]), 2.0 * np.log(v) - 0.25 * (gap**2 @ self.widths)
        )
        self.to_f = np.ascontiguousarray(known.W.T)
        # B in the parts that meet <k_k k_l>, <k_k x> and <k_k>, <x x'> and <x>, and nothing
        self.by_pairs = pair.twice * B[pair.first, pair.second]
        self.by_points = 2.0 * np.hstack([across, Z * across, B[:k, -1:]])
        self.by_place = np.hstack([B[k:-1, k:-1], 2.0 * B[k:-1, -1:]])
        self.by_variances = B[k:-1, k:-1].diagonal().copy()
        self.constant = B[-1, -1] + n_outputs * v

    def means(self, mu: Array, s: Array) -> Means:
        """At q(x_n) = N(mu_n, diag s_n), both (Q, n)."""
        mu, s = np.ascontiguousarray(mu), np.ascontiguousarray(s)
        (q, n), k = mu.shape, len(self.points)
        side, d = _row_side(mu, s, self.widths, 0.5)
        features = np.empty((k + q + 1, n))
        rbf = np.matmul(self.points, side, out=features[:k])
        np.exp(rbf, out=rbf)
        features[k:-1], features[-1] = mu, 1.0
        return Means(mu, s, d, features, self.to_f @ features)

    def spread(self, at: Means) -> Array:
        """Around these means (n,)."""
        mu, s, d, features, f = at
        (q, n), k = mu.shape, len(self.points)
        products = self.middles @ _row_side(mu, s, self.widths, 1.0)[0]
        np.exp(products, out=products)
        found = self.by_pairs @ products
        drawn = np.empty(
            (2 * q + 1, n)
        )  # where <k_k x> lies: mu / d, g s / d of the way to z_k, and <k_k> itself
        np.divide(mu, d, out=drawn[:q])
        np.divide(self.widths[:, None] * s, d, out=drawn[q:-1])
        drawn[-1] = 1.0
        found += np.einsum("kn,kn->n", self.by_points @ drawn, features[:k])
        found += np.einsum("qn,qn->n", self.by_place @ features[k:], mu) + self.by_variances @ s
        found -= np.einsum("pn,pn->n", f, f)
        return np.asarray(found + self.constant)


def expected_rows(processes: Mapping[int, Process], S: Array, mu: Array, s: Array) -> Array:
    """Means of numbered processes, weighted by shares S (n, M), at q(x_n) with mu and s (n, Q): rows (n, D)."""
    return np.asarray(
        sum(S[:, m : m + 1] * process.means(mu.T, s.T).f.T for m, process in processes.items())
    )


def square_errors(Y: Array, f: Array, holes: BoolArray | None = None) -> Array:
    """|y_n - f_n|^2 of rows (D, n) over what was seen of them (n,)."""
    gap = Y - f
    if holes is not None:
        gap[holes] = 0.0
    return np.asarray(np.einsum("pn,pn->n", gap, gap))


def _row_side(mu: Array, s: Array, widths: Array, half: float) -> tuple[Array, Array]:
    """The row's side of an exponent (2 + 2Q, n), and its divisor d or e (Q, n)."""
    q, n = mu.shape
    side = np.empty((2 + 2 * q, n))
    divisor = 1.0 + (2.0 * half * widths)[:, None] * s
    first, by_place, by_square = side[0], side[1 : 1 + q], side[1 + q : -1]
    np.divide((-half * widths)[:, None], divisor, out=by_square)
    np.multiply(by_square, mu, out=by_place)
    np.einsum("qn,qn->n", by_place, mu, out=first)
    first -= 0.5 * np.log(divisor.prod(axis=0))
    by_place *= -2.0
    side[-1] = 1.0
    return side, divisor


def _point_side(Z: Array, constant: Array) -> Array:
    """The inducing side (K, 2 + 2Q) with what the exponent has besides."""
    return np.column_stack([np.ones(len(Z)), Z, Z**2, constant])
