"""The process on a grid over the map: its mean, its uncertainty, and the columns that change most.

With the kernel k of `shared_process` and the weights W (K, P) of the inducing inputs Z, the mean of
the columns at a place x, its gradient and the variance, which all columns share, are

    f(x) = k(x, Z) W        df/dx_q = sum_k (-g_q (x_q - z_kq) r_k + l z_kq) W_k
    var(x) = k(x, x) - k(x, Z) (K_uu^-1 - A^-1) k(Z, x)

where r_k is the RBF part of k(x, z_k).
"""

from typing import NamedTuple

import numpy as np

from sgpmic_cli._typing import Array, Indices
from sgpmic_cli.clustering.model.map.shared_process import kernel
from sgpmic_cli.clustering.model.map.training import FittedMap

STRONG = 0.5  # a column is named if it changes at least this fraction of the one that changes most
MOST_NAMED = 3


class Field(NamedTuple):
    """Mean (n, P), gradient (n, Q, P), variance (n,), and its fraction of the RBF part's (n,).

    Far from all rows that fraction is 1.
    """

    mean: Array
    gradient: Array
    variance: Array
    unknown: Array


def field_at(fitted: FittedMap, X: Array) -> Field:
    """Return the process of the scaled columns at places X (n, Q) of the map."""
    p, process = fitted.parameters, fitted.process
    linear, widths = np.exp(p.log_l), np.exp(p.log_g)
    K = kernel(np, X, p)
    R = K - linear * X @ p.Z.T
    slopes = -widths * (X[:, None] - p.Z) * R[:, :, None] + linear * p.Z  # (n, K, Q)
    gradient = np.einsum("nkq,kp->nqp", slopes, process.W)
    prior = np.exp(p.log_v) + linear * (X**2).sum(axis=1)
    explained = np.einsum("nk,kl,nl->n", K, process.Kuu_inv - process.A_inv, K)
    variance = np.clip(prior - explained, 0.0, prior)
    unknown = np.minimum(variance / np.exp(p.log_v), 1.0)
    return Field(K @ process.W, gradient, variance, unknown)


def strongest(gradient: Array, columns: Indices) -> Indices:
    """Return the features (n, 3) that change most at each place; -1 for none.

    Parameters
    ----------
    gradient : ndarray of shape (n, Q, F)
        Change of each feature in its standard deviations.
    columns : ndarray of shape (F,)
        Column of each feature. A column is named once.
    """
    size = np.linalg.norm(gradient, axis=1)
    found = np.full((len(size), MOST_NAMED), -1)
    least = STRONG * size.max(axis=1)
    for place in range(MOST_NAMED):
        best = size.argmax(axis=1)
        enough = size.max(axis=1) >= np.maximum(least, np.finfo(float).tiny)
        found[enough, place] = best[enough]
        size = np.where(columns == columns[best][:, None], 0.0, size)
    return found
