"""Adaptive metric learning (Ye, Zhao and Liu 2007).

    maximise  tr{ [W'(St + lambda I) W]^-1  W' Yc' L L' Yc W }

over the projection W (P, Q) and the weighted cluster indicator L (N, M). With Yc = U diag(s) V' and
A = U diag(s / sqrt(s^2 + lambda)), W becomes an orthonormal matrix B (R, Q) and the trace becomes
|L' A B|^2. Given B, the labels are k-means on A B. Given the labels, B holds the right singular
vectors of L' A. There are at most M - 1 of them; the other columns of B do not change the trace and
are the leading principal axes.

The alternation starts with k-means on the data, then k-means from these labels on the whitened
principal scores. The paper's AML column is reproduced by this start without any iteration
(`max_outer=0`), see docs/baseline-settings.md.

J. Ye, Z. Zhao and H. Liu, "Adaptive Distance Metric Learning for Clustering", CVPR, 2007.
"""

from dataclasses import dataclass

import numpy as np

from sgpmic_cli._typing import Array
from sgpmic_cli.paper.methods import scatter
from sgpmic_cli.paper.methods.base import EmbeddingClusterer
from sgpmic_cli.parameters import Amount, CountOrZero


@dataclass(eq=False, repr=False, kw_only=True)
class AML(EmbeddingClusterer):
    """A clusterer that alternates trace maximisation and k-means until the labels do not change.

    `objectives_` has the trace of each iteration, which never decreases.
    """

    lam: Amount = 1.0
    max_outer: CountOrZero = 50  # iterations; with 0 the labels of the start are returned

    def _learn(self, Y: Array, rng: np.random.RandomState) -> None:
        Yc = scatter.centred(Y)
        U, s = scatter.left_singular(Yc)
        A = U * (s / np.sqrt(s**2 + self.lam))  # (N, R)
        B = np.eye(len(s), min(self.n_components, len(s)))
        labels = scatter.kmeans_labels(Yc, self.n_clusters, rng, n_init=1)
        labels = scatter.kmeans_labels(A @ B, self.n_clusters, rng, n_init=0, start=labels)
        self.objectives_ = []
        for _ in range(self.max_outer):
            LtA = scatter.indicator(labels, self.n_clusters).T @ A  # (M, R)
            B = _directions(LtA, B.shape[1])
            self.objectives_.append(float(np.sum((LtA @ B) ** 2)))
            before = labels
            labels = scatter.kmeans_labels(A @ B, self.n_clusters, rng, n_init=0, start=before)
            if np.array_equal(labels, before):
                break
        self.labels_ = labels
        self.embedding_ = A @ B


def _directions(LtA: Array, q: int) -> Array:
    """Return the right singular vectors of L' A, completed by orthogonal leading axes (R, q)."""
    _, e, Vt = np.linalg.svd(LtA, full_matrices=False)
    V = Vt[e > 1e-10 * max(e[0], np.finfo(float).tiny)].T
    filled, _ = np.linalg.qr(np.hstack([V, np.eye(len(V))]))
    return np.hstack([V, filled[:, V.shape[1] :]])[:, :q]
