"""Scatter matrices of labelled data and a k-means step for alternating algorithms."""

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import KMeans

from sgpmic_cli._typing import Array


def centred(Y: Array) -> Array:
    """Subtract the column means. Raise ValueError if the squares overflow."""
    with np.errstate(over="ignore", invalid="ignore"):
        Yc = Y - Y.mean(axis=0)
        if not np.isfinite(np.vdot(Yc, Yc)):
            raise ValueError(
                "The squares of the data overflow; divide the columns by a common unit first."
            )
    return Yc


def left_singular(Yc: Array) -> tuple[Array, Array]:
    """Return left singular vectors (N, R) and singular values (R,) without null directions."""
    U, s, _ = np.linalg.svd(Yc, full_matrices=False)
    rank = max(1, int(np.sum(s > s[0] * 1e-10)))
    return U[:, :rank], s[:rank]


def indicator(labels: NDArray[np.int64], n_clusters: int) -> Array:
    """Return L (N, M) with L_nm = 1 / sqrt(N_m) for rows n of cluster m, otherwise 0.

    L L' replaces every row by its cluster mean.
    """
    L = np.zeros((len(labels), n_clusters))
    sizes = np.bincount(labels, minlength=n_clusters)
    L[np.arange(len(labels)), labels] = 1.0 / np.sqrt(sizes[labels])
    return L


def within_scatter(Yc: Array, labels: NDArray[np.int64], n_clusters: int) -> Array:
    """Return the within-cluster scatter Sw (P, P).

    The scatter of the residuals is positive semidefinite; St - Sb can lose that by cancellation.
    """
    L = indicator(labels, n_clusters)
    residuals = Yc - L @ (L.T @ Yc)
    return residuals.T @ residuals


def kmeans_labels(
    Z: Array,
    n_clusters: int,
    rng: np.random.RandomState,
    *,
    n_init: int,
    start: NDArray[np.int64] | None = None,
) -> NDArray[np.int64]:
    """Return k-means labels of Z from `n_init` random starts and from the labels `start`.

    Lloyd's iterations from `start` never increase the inertia, so an alternating algorithm stays
    monotone. A random start replaces that result only if it is better by more than rounding.
    Otherwise equal partitions with permuted labels would prevent convergence.
    """
    inertia = np.inf
    if start is not None:
        sizes = np.maximum(np.bincount(start, minlength=n_clusters), 1)
        centres = indicator(start, n_clusters).T @ Z / np.sqrt(sizes)[:, None]  # (M, Q)
        warm = KMeans(n_clusters, init=centres, n_init=1).fit(Z)
        labels, inertia = warm.labels_, warm.inertia_ * (1 - 1e-9)
    if n_init:
        cold = KMeans(n_clusters, init="random", n_init=n_init, random_state=rng).fit(Z)
        if cold.inertia_ < inertia:
            labels = cold.labels_
    return labels.astype(np.int64)
