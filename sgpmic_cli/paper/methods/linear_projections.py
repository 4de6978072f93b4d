"""AML and DEC, which alternate k-means and the linear projection that suits its labels best.

Adaptive metric learning (Ye, Zhao and Liu 2007):

    maximise  tr{ [W'(St + lambda I) W]^-1  W' Yc' L L' Yc W }

over the projection W (P, Q) and the weighted cluster indicator L (N, M). With Yc = U diag(s) V' and
A = U diag(s / sqrt(s^2 + lambda)), W becomes an orthonormal matrix B (R, Q) and the trace becomes
|L' A B|^2. Given B, the labels are k-means on A B. Given the labels, B holds the right singular
vectors of L' A. There are at most M - 1 of them; the other columns of B do not change the trace and
are the leading principal axes. The alternation starts with k-means on the data, then k-means from
these labels on the whitened principal scores. The paper's AML column is reproduced by this start
without any iteration (`max_outer=0`).

Discriminative embedded clustering (Hou, Nie, Yi and Tao 2015):

    maximise  tr W'(St - lambda Sw) W   over W'W = I (P, Q) and the labels that define Sw

Given the labels, W holds the top Q eigenvectors of St - lambda Sw. Given W, the labels are k-means
on Yc W. The first W is PCA, because random labels lead to poor local optima. If the columns have
different scales, lambda > 1 favours columns with little variance. The paper's DEC column is
reproduced by a single random k-means start per iteration (`n_init=1, warm=False`), which is not
monotone. docs/printed-numbers.md describes the choice of the settings of both.

J. Ye, Z. Zhao and H. Liu, "Adaptive Distance Metric Learning for Clustering", CVPR, 2007.
C. Hou, F. Nie, D. Yi and D. Tao, "Discriminative Embedded Clustering: A Framework for Grouping
High-Dimensional Data", IEEE Transactions on Neural Networks and Learning Systems 26, 2015.
"""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigh
from sklearn.cluster import KMeans

from sgpmic_cli._typing import Array, Indices
from sgpmic_cli.estimators import Amount, Count, CountOrZero, Flag
from sgpmic_cli.paper.methods import EmbeddingClusterer, centred


@dataclass(eq=False, repr=False, kw_only=True)
class AML(EmbeddingClusterer):
    """A clusterer that alternates trace maximisation and k-means until the labels do not change.

    `objectives_` has the trace of each iteration, which never decreases.
    """

    lam: Amount = 1.0
    max_outer: CountOrZero = 50  # iterations; with 0 the labels of the start are returned

    def _learn(self, Y: Array, rng: np.random.RandomState) -> None:
        Yc, m = centred(Y), self.n_clusters
        U, s = _left_singular(Yc)
        A = U * (s / np.sqrt(s**2 + self.lam))  # (N, R)
        B = np.eye(len(s), min(self.n_components, len(s)))
        labels = _kmeans(Yc, m, rng, n_init=1)
        labels = _kmeans(A @ B, m, rng, start=labels)
        self.objectives_ = []
        for _ in range(self.max_outer):
            LtA = indicator(labels, m).T @ A  # (M, R)
            B = _directions(LtA, B.shape[1])
            self.objectives_.append(float(np.sum((LtA @ B) ** 2)))
            before, labels = labels, _kmeans(A @ B, m, rng, start=labels)
            if np.array_equal(labels, before):
                break
        self.labels_, self.embedding_ = labels, A @ B


@dataclass(eq=False, repr=False, kw_only=True)
class DEC(EmbeddingClusterer):
    """A clusterer that alternates eigenvectors of St - lambda Sw and k-means until convergence.

    `objectives_` has the trace of each iteration, which never decreases if `warm` is True.
    """

    lam: Amount = 6.0
    max_outer: CountOrZero = 50  # iterations; with 0 the labels of k-means on PCA are returned
    n_init: Count = 10  # random starts of k-means per iteration
    warm: Flag = True  # start k-means also from the previous labels

    def _learn(self, Y: Array, rng: np.random.RandomState) -> None:
        Yc, m = centred(Y), self.n_clusters
        if Yc.shape[1] > Yc.shape[0]:
            # Null directions have eigenvalue 0, which is larger than the negative eigenvalues.
            U, s = _left_singular(Yc)
            Yc = U * s
        St = Yc.T @ Yc
        W = self._leading(St)
        labels = _kmeans(Yc @ W, m, rng, n_init=self.n_init)
        self.objectives_ = []
        for _ in range(self.max_outer):
            # The scatter of the residuals is positive semidefinite; St - Sb can lose that.
            L = indicator(labels, m)
            residuals = Yc - L @ (L.T @ Yc)
            S = St - self.lam * (residuals.T @ residuals)
            W = self._leading(S)
            self.objectives_.append(float(np.trace(W.T @ S @ W)))
            start = labels if self.warm else None
            before, labels = labels, _kmeans(Yc @ W, m, rng, n_init=self.n_init, start=start)
            if np.array_equal(labels, before):
                break
        self.labels_, self.embedding_ = labels, Yc @ W

    def _leading(self, S: Array) -> Array:
        """Return the top Q eigenvectors of a symmetric matrix (P, Q)."""
        last = len(S) - 1
        return eigh(S, subset_by_index=[max(0, len(S) - self.n_components), last])[1][:, ::-1]


def indicator(labels: Indices, n_clusters: int) -> Array:
    """Return L (N, M) with L_nm = 1 / sqrt(N_m) for rows n of cluster m, otherwise 0.

    L L' replaces every row by its cluster mean.
    """
    sizes = np.bincount(labels, minlength=n_clusters)
    return np.eye(n_clusters)[labels] / np.sqrt(np.maximum(sizes, 1))


def _left_singular(Yc: Array) -> tuple[Array, Array]:
    """Return left singular vectors (N, R) and singular values (R,) without null directions."""
    U, s, _ = np.linalg.svd(Yc, full_matrices=False)
    rank = max(1, int(np.sum(s > s[0] * 1e-10)))
    return U[:, :rank], s[:rank]


def _directions(LtA: Array, q: int) -> Array:
    """Return the right singular vectors of L' A, completed by orthogonal leading axes (R, q)."""
    _, e, Vt = np.linalg.svd(LtA, full_matrices=False)
    V = Vt[e > 1e-10 * max(e[0], np.finfo(float).tiny)].T
    filled, _ = np.linalg.qr(np.hstack([V, np.eye(len(V))]))
    return np.hstack([V, filled[:, V.shape[1] :]])[:, :q]


def _kmeans(
    Z: Array,
    n_clusters: int,
    rng: np.random.RandomState,
    *,
    n_init: int = 0,
    start: Indices | None = None,
) -> Indices:
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
