"""Scatter of labelled data, and the k-means step that never loses ground against the labels it is given."""

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import KMeans

from sgpmic_cli._typing import Array


def centred(Y: Array) -> Array:
    """Y less its column means, refused where squares leave the range of floats."""
    with np.errstate(over="ignore", invalid="ignore"):
        Yc = Y - Y.mean(axis=0)
        if not np.isfinite(np.vdot(Yc, Yc)):
            raise ValueError(
                "The squares of the data overflow; divide the columns by a common unit first."
            )
    return Yc


def principal(Yc: Array) -> tuple[Array, Array]:
    """Orthonormal scores U (N, R) and singular values s (R,) of centred data, without directions of no variance."""
    U, s, _ = np.linalg.svd(Yc, full_matrices=False)
    rank = max(1, int(np.sum(s > s[0] * 1e-10)))
    return U[:, :rank], s[:rank]


def indicator(labels: NDArray[np.int64], n_clusters: int) -> Array:
    """L (N, M) with L_nm = 1 / sqrt(N_m) for n in m, so that L L' averages within clusters; empty ones are zero."""
    L = np.zeros((len(labels), n_clusters))
    sizes = np.bincount(labels, minlength=n_clusters)
    L[np.arange(len(labels)), labels] = 1.0 / np.sqrt(sizes[labels])
    return L


def within(Yc: Array, labels: NDArray[np.int64], n_clusters: int) -> Array:
    """Sw (P, P), as the scatter of the residuals: it stays positive semidefinite where St - Sb loses digits."""
    L = indicator(labels, n_clusters)
    residuals = Yc - L @ (L.T @ Yc)
    return residuals.T @ residuals


def partition(
    Z: Array,
    n_clusters: int,
    rng: np.random.RandomState,
    *,
    n_init: int,
    start: NDArray[np.int64] | None = None,
) -> NDArray[np.int64]:
    """K-means labels of Z: the tightest of `n_init` random starts and, where given, of one from the labels `start`.

    Lloyd's steps from `start` cannot spread the clusters further than they were, which makes an alternation monotone. A
    random start has to win by more than rounding: equal partitions in another order would keep the alternation going.
    """
    tightest = np.inf
    if start is not None:
        sizes = np.maximum(np.bincount(start, minlength=n_clusters), 1)
        centres = indicator(start, n_clusters).T @ Z / np.sqrt(sizes)[:, None]  # (M, Q)
        warm = KMeans(n_clusters, init=centres, n_init=1).fit(Z)
        labels, tightest = warm.labels_, warm.inertia_ * (1 - 1e-9)
    if n_init:
        cold = KMeans(n_clusters, init="random", n_init=n_init, random_state=rng).fit(Z)
        if cold.inertia_ < tightest:
            labels = cold.labels_
    return labels.astype(np.int64)
