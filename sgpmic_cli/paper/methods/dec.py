"""Discriminative embedded clustering (Hou, Nie, Yi and Tao 2015).

    maximise  tr W'(St - lambda Sw) W   over W'W = I (P, Q) and the labels that define Sw

Given the labels, W holds the top Q eigenvectors of St - lambda Sw. Given W, the labels are k-means
on Yc W. The first W is PCA, because random labels lead to poor local optima. If the columns have
different scales, lambda > 1 favours columns with little variance. The paper's DEC column is
reproduced by a single random k-means start per iteration (`n_init=1, warm=False`), which is not
monotone; see docs/baseline-settings.md.

C. Hou, F. Nie, D. Yi and D. Tao, "Discriminative Embedded Clustering: A Framework for Grouping
High-Dimensional Data", IEEE Transactions on Neural Networks and Learning Systems 26, 2015.
"""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigh

from sgpmic_cli._typing import Array
from sgpmic_cli.paper.methods import scatter
from sgpmic_cli.paper.methods.base import EmbeddingClusterer
from sgpmic_cli.parameters import Amount, Count, CountOrZero, Flag


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
        Yc = scatter.centred(Y)
        if Yc.shape[1] > Yc.shape[0]:
            # Null directions have eigenvalue 0, which is larger than the negative eigenvalues.
            U, s = scatter.left_singular(Yc)
            Yc = U * s
        St = Yc.T @ Yc
        W = self._leading(St)
        labels = scatter.kmeans_labels(Yc @ W, self.n_clusters, rng, n_init=self.n_init)
        self.objectives_ = []
        for _ in range(self.max_outer):
            S = St - self.lam * scatter.within_scatter(Yc, labels, self.n_clusters)
            W = self._leading(S)
            self.objectives_.append(float(np.trace(W.T @ S @ W)))
            before = labels
            start = before if self.warm else None
            labels = scatter.kmeans_labels(
                Yc @ W, self.n_clusters, rng, n_init=self.n_init, start=start
            )
            if np.array_equal(labels, before):
                break
        self.labels_ = labels
        self.embedding_ = Yc @ W

    def _leading(self, S: Array) -> Array:
        """Return the top Q eigenvectors of a symmetric matrix (P, Q)."""
        last = len(S) - 1
        return eigh(S, subset_by_index=[max(0, len(S) - self.n_components), last])[1][:, ::-1]
