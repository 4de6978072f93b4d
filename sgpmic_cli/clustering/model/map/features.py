"""The kernel of the map as a linear function of features of a point.

    k(x, z) = v exp(-1/2 sum_q g_q (x_q - z_q)^2) + l x.z

A point x has the features f = (r, x), where r (K,) is the first part of its kernel with the
inducing inputs Z (K, Q). With h = (x, x^2, 1),

    k(x, Z) = B f    B = (I, l Z)
    r = exp(A h)     A = (g Z, -g/2, log v - 1/2 sum_q g_q z_q^2)

So matrix products give the kernel of many points and, from T = dL/dr * r, its gradients:
dL/dA = T h' and dL/dh = A' T. Arrays of points have a column for each point, so that the long axis
is the inner one: r above h, (K + 2 Q + 1, n), of which the first K + Q rows are f.
"""

from typing import Any, NamedTuple

import numpy as np

from sgpmic_cli.gp import inner


class MapParameters(NamedTuple):
    """Latent means and log variances (N, Q), inducing inputs (K, Q), logs of v, g, l and 1/beta."""

    mu: Any
    log_s: Any
    Z: Any
    log_v: Any  # (1,)
    log_g: Any  # (Q,)
    log_l: Any  # (1,)
    log_noise: Any  # (1,)

    def pack(self, xp: Any) -> Any:
        """Return all parameters as one vector."""
        return xp.concatenate([part.reshape(-1) for part in self])

    def unpack(self, vector: Any) -> "MapParameters":
        """Return parameters of the same shapes with the values of a vector."""
        parts, begin = [], 0
        for part in self:
            size = int(np.prod(part.shape))
            parts.append(vector[begin : begin + size].reshape(part.shape))
            begin += size
        return MapParameters(*parts)


class Features:
    """The matrices A and B of some parameters, and what follows from them."""

    def __init__(self, xp: Any, p: MapParameters):
        self.xp, self.Z = xp, p.Z
        self.k, self.q = p.Z.shape
        self.g, self.linear = xp.exp(p.log_g), xp.exp(p.log_l)
        ones = xp.ones_like(p.Z[:, :1])
        level = p.log_v - 0.5 * (p.Z * p.Z) @ self.g
        self.A = xp.concatenate([self.g * p.Z, -0.5 * self.g * ones, level[:, None]], 1)
        self.B = xp.concatenate([xp.diag(ones[:, 0]), self.linear * p.Z], 1)

    @property
    def rows(self) -> int:
        """Number of rows of an array of points."""
        return self.k + 2 * self.q + 1

    def compute(self, points: Any) -> Any:
        """Complete an array whose rows K to K + Q are the points. Return f, (K + Q, n)."""
        k, end = self.k, self.k + self.q
        X = points[k:end]
        points[end:-1] = X * X
        points[-1] = 1.0
        r = self.xp.matmul(self.A, points[k:], out=points[:k])
        self.xp.exp(r, out=r)
        return points[:end]

    def of(self, X: Any) -> Any:
        """Return the array of points X (Q, n)."""
        points = self.xp.concatenate([self.Z @ X, X, X, X[:1]])
        self.compute(points)
        return points

    def kernel(self, X: Any) -> Any:
        """Return the kernel between the inducing inputs and points X (Q, n), (K, n)."""
        return self.B @ self.of(X)[: self.k + self.q]

    def by_points(self, points: Any, df: Any) -> Any:
        """Return dL/dX (Q, n), given dL/df (K + Q, n), of which the first K rows become T."""
        k, q = self.k, self.q
        df[:k] *= points[:k]
        by_h = self.A[:, :-1].T @ df[:k]
        return df[k:] + by_h[:q] + 2.0 * points[k : k + q] * by_h[q:]

    def by_A(self, points: Any, df: Any) -> Any:
        """Return dL/dA, (K, 2 Q + 1), given T in the first K rows of `df`."""
        return inner(self.xp, df[: self.k], points[self.k :])

    def by_parameters(self, dA: Any, dB: Any) -> tuple[Any, Any, Any, Any]:
        """Return the gradients by Z, log v, log g and log l from dL/dA and dL/dB."""
        Z, q = self.Z, self.q
        by_gZ, by_g, by_level, by_lZ = dA[:, :q], dA[:, q:-1], dA[:, -1:], dB[:, self.k :]
        dZ = self.g * (by_gZ - by_level * Z) + self.linear * by_lZ
        dg = (Z * by_gZ - 0.5 * by_g - 0.5 * by_level * Z * Z).sum(0)
        return dZ, by_level.sum(), self.g * dg, self.linear * (Z * by_lZ).sum()
