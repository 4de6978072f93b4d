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

from typing import NamedTuple

import numpy as np

from sgpmic_cli._typing import Array


class MapParameters(NamedTuple):
    """Latent means and log variances (N, Q), inducing inputs (K, Q), logs of v, g, l and 1/beta."""

    mu: Array
    log_s: Array
    Z: Array
    log_v: Array  # (1,)
    log_g: Array  # (Q,)
    log_l: Array  # (1,)
    log_noise: Array  # (1,)


class Features:
    """The matrices A and B of some parameters, and what follows from them."""

    def __init__(self, p: MapParameters):
        self.Z = p.Z
        self.k, self.q = p.Z.shape
        self.g, self.linear = np.exp(p.log_g), np.exp(p.log_l)
        level = p.log_v - 0.5 * (p.Z * p.Z) @ self.g
        curved = np.broadcast_to(-0.5 * self.g, p.Z.shape)
        self.A = np.hstack([self.g * p.Z, curved, level[:, None]])
        own = np.vstack([np.eye(self.q), np.zeros((self.q, self.q))])
        self.by_x = np.hstack([np.vstack([(self.g * p.Z).T, 2.0 * curved.T]), own])
        self.B = np.hstack([np.eye(self.k), self.linear * p.Z])

    def of(self, X: Array) -> Array:
        """Return the array of points X (Q, ...)."""
        k, end = self.k, self.k + self.q
        points = np.empty((end + self.q + 1, X[0].size))
        points[k:end] = X.reshape(self.q, -1)
        np.multiply(points[k:end], points[k:end], out=points[end:-1])
        points[-1] = 1.0
        r = np.matmul(self.A, points[k:], out=points[:k])
        np.exp(r, out=r)
        return points

    def kernel(self, X: Array) -> Array:
        """Return the kernel between the inducing inputs and points X (Q, n), (K, n)."""
        return np.asarray(self.B @ self.of(X)[: self.k + self.q])

    def by_points(self, points: Array, df: Array) -> Array:
        """Return dL/dX (Q, n), given dL/df (K + Q, n), of which the first K rows become T."""
        k, q = self.k, self.q
        df[:k] *= points[:k]
        by_x = self.by_x @ df  # by x and, over x, by x^2
        by_x[q:] *= points[k : k + q]
        by_x[:q] += by_x[q:]
        return np.asarray(by_x[:q])

    def by_A(self, points: Array, df: Array) -> Array:
        """Return dL/dA, (K, 2 Q + 1), given T in the first K rows of `df`."""
        return np.dot(df[: self.k], points[self.k :].T)

    def by_parameters(self, dA: Array, dB: Array) -> tuple[Array, Array, Array, Array]:
        """Return the gradients by Z, log v, log g and log l from dL/dA and dL/dB."""
        Z, q = self.Z, self.q
        by_gZ, by_g, by_level, by_lZ = dA[:, :q], dA[:, q:-1], dA[:, -1:], dB[:, self.k :]
        dZ = self.g * (by_gZ - by_level * Z) + self.linear * by_lZ
        dg = (Z * by_gZ - 0.5 * by_g - 0.5 * by_level * Z * Z).sum(0)
        return dZ, by_level.sum(0), self.g * dg, self.linear * (Z * by_lZ).sum()


def cubature_points(mu: Array, s: Array) -> Array:
    """Return the points mu +- sqrt(Q s) along each axis, first +, then -, (Q, 2 Q, n)."""
    n, q = mu.shape
    step = np.sqrt(q * s).T
    points = np.empty((q, 2 * q, n))
    points[:] = mu.T[:, None]
    added, subtracted = on_axes(points)
    added += step
    subtracted -= step
    return points


def on_axes(values: Array) -> tuple[Array, Array]:
    """Return the entries (Q, n) of `values` (Q, 2 Q, n) along the axis of each point, + and -."""
    q = len(values)
    flat = values.reshape(2 * q * q, -1)
    return flat[:: 2 * q + 1], flat[q :: 2 * q + 1]
