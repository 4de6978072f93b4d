"""The kernel of the map as a linear function of features of a point.

    k(x, z) = v exp(-1/2 sum_q g_q (x_q - z_q)^2) + l x.z

A point x has the features f = (r, x), where r (K,) is the first part of its kernel with the
inducing inputs Z (K, Q). With h = (x, x^2, 1),

    k(x, Z) = B f    B = (I, l Z)
    r = exp(A h)     A = (g Z, -g/2, log v - 1/2 sum_q g_q z_q^2)

So matrix products give the kernel of many points and, from T = dL/dr * r, its gradients:
dL/dA = T h' and dL/dh = A' T, with dh/dx = (1, 2 x, 0). Arrays of points have a column for each
point, so that the long axis is the inner one: r above h, (K + 2 Q + 1, n), of which the first K + Q
rows are f.
"""

from typing import Any, NamedTuple

import numpy as np

from sgpmic_cli._typing import Array
from sgpmic_cli.clustering.map.backend import NUMPY, Backend, inner


class MapParameters(NamedTuple):
    """Latent means and log variances (N, Q), inducing inputs (K, Q), logs of v, g, l and 1/beta.

    During a fit, the first two are arrays of its backend. All others are small and of NumPy.
    """

    mu: Any
    log_s: Any
    Z: Array
    log_v: Array  # (1,)
    log_g: Array  # (Q,)
    log_l: Array  # (1,)
    log_noise: Array  # (1,)

    def pack(self, backend: Backend) -> Any:
        """Return all parameters as one vector of the backend."""
        parts = [self.mu.reshape(-1), self.log_s.reshape(-1), backend.asarray(self.small)]
        return backend.xp.concatenate(parts)

    @property
    def small(self) -> Array:
        """All but the latent distributions, as a vector."""
        return np.concatenate([part.ravel() for part in self[2:]])

    def unpack(self, vector: Any, backend: Backend) -> "MapParameters":
        """Return parameters of the same shapes with the values of a vector of the backend."""
        shape, size = self.mu.shape, int(np.prod(self.mu.shape))
        small = backend.to_numpy(vector[2 * size :])
        ends = np.cumsum([part.size for part in self[2:-1]])
        parts = zip(np.split(small, ends), self[2:], strict=True)
        return MapParameters(
            vector[:size].reshape(shape),
            vector[size : 2 * size].reshape(shape),
            *(part.reshape(like.shape) for part, like in parts),
        )


class Features:
    """The matrices A and B of some parameters, and what follows from them.

    Arrays of points are those of the backend, and so is A. All other matrices are of NumPy.
    """

    def __init__(self, p: MapParameters, backend: Backend = NUMPY):
        self.backend, self.Z = backend, p.Z
        self.k, self.q = p.Z.shape
        self.g, self.linear = np.exp(p.log_g), np.exp(p.log_l)
        level = p.log_v - 0.5 * (p.Z * p.Z) @ self.g
        curved = np.broadcast_to(-0.5 * self.g, p.Z.shape)
        self.A = backend.asarray(np.hstack([self.g * p.Z, curved, level[:, None]]))
        own = np.vstack([np.eye(self.q), np.zeros((self.q, self.q))])
        self.by_x = backend.asarray(np.hstack([np.vstack([(self.g * p.Z).T, 2.0 * curved.T]), own]))
        self.B = np.hstack([np.eye(self.k), self.linear * p.Z])

    @property
    def rows(self) -> int:
        """Number of rows of an array of points."""
        return self.k + 2 * self.q + 1

    def compute(self, points: Any) -> Any:
        """Complete an array whose rows K to K + Q are the points. Return f, (K + Q, n)."""
        k, end = self.k, self.k + self.q
        xp, X = self.backend.xp, points[k:end]
        xp.multiply(X, X, out=points[end:-1])
        points[-1] = 1.0
        r = xp.matmul(self.A, points[k:], out=points[:k])
        xp.exp(r, out=r)
        return points[:end]

    def of(self, X: Array) -> Array:
        """Return the array of points X (Q, n)."""
        points = np.empty((self.rows, X.shape[1]))
        points[self.k : self.k + self.q] = X
        self.compute(points)
        return points

    def kernel(self, X: Array) -> Array:
        """Return the kernel between the inducing inputs and points X (Q, n), (K, n)."""
        return np.asarray(self.B @ self.of(X)[: self.k + self.q])

    def by_points(self, points: Any, df: Any) -> Any:
        """Return dL/dX (Q, n), given dL/df (K + Q, n), of which the first K rows become T."""
        k, q = self.k, self.q
        df[:k] *= points[:k]
        by_x = self.by_x @ df  # by x and, over x, by x^2
        by_x[q:] *= points[k : k + q]
        by_x[:q] += by_x[q:]
        return by_x[:q]

    def by_A(self, points: Any, df: Any) -> Array:
        """Return dL/dA, (K, 2 Q + 1), given T in the first K rows of `df`."""
        return self.backend.to_numpy(inner(self.backend.xp, df[: self.k], points[self.k :]))

    def by_parameters(self, dA: Array, dB: Array) -> tuple[Array, Array, Array, Array]:
        """Return the gradients by Z, log v, log g and log l from dL/dA and dL/dB."""
        Z, q = self.Z, self.q
        by_gZ, by_g, by_level, by_lZ = dA[:, :q], dA[:, q:-1], dA[:, -1:], dB[:, self.k :]
        dZ = self.g * (by_gZ - by_level * Z) + self.linear * by_lZ
        dg = (Z * by_gZ - 0.5 * by_g - 0.5 * by_level * Z * Z).sum(0)
        return dZ, by_level.sum(0), self.g * dg, self.linear * (Z * by_lZ).sum()
