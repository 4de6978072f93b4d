"""Discriminative embedded clustering (Hou, Nie, Yi and Tao 2015): a projection that keeps variance between clusters.

    maximise  tr W'(St - lambda Sw) W   over W'W = I (P, Q) and the labels behind Sw

Given labels, W holds the top-Q eigenvectors of St - lambda Sw; given W, the labels are k-means on Yc W. Starting from
PCA matters: from random labels the alternation stops at poor partitions. With lambda > 1 a direction pays for its
variance within clusters, so on badly scaled columns W turns to those that hardly vary (WDBC and Australian end at
the majority share). Q = 1 is as well defined as any other Q, though the published table leaves it out.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import validate_data

from sgpmic_cli._typing import Array
from sgpmic_cli.baselines import _scatter


class DEC(ClusterMixin, BaseEstimator):
    """Alternate eigenvectors of St - lambda Sw and k-means until the labels repeat; `objectives_` never decreases."""

    labels_: NDArray[np.int64]
    embedding_: Array  # (N, Q)
    objectives_: list[float]

    def __init__(self, n_clusters=8, n_components=2, *, lam=6.0, max_outer=50, n_init=10, random_state=None):
        self.n_clusters = n_clusters
        self.n_components = n_components
        self.lam = lam
        self.max_outer = max_outer
        self.n_init = n_init
        self.random_state = random_state

    def fit(self, Y, y=None):
        """Embed and cluster the rows of Y."""
        Y = validate_data(self, Y, dtype=np.float64)
        rng = check_random_state(self.random_state)
        Yc = _scatter.centred(Y)
        if Yc.shape[1] > Yc.shape[0]:
            # A direction without variance has eigenvalue 0 and outranks every negative one; with P > N there are P - N.
            U, s = _scatter.principal(Yc)
            Yc = U * s
        St = Yc.T @ Yc
        W = self._leading(St)
        labels = _scatter.partition(Yc @ W, self.n_clusters, rng, n_init=self.n_init)
        self.objectives_ = []
        for _ in range(self.max_outer):
            S = St - self.lam * _scatter.within(Yc, labels, self.n_clusters)
            W = self._leading(S)
            self.objectives_.append(float(np.trace(W.T @ S @ W)))
            before = labels
            labels = _scatter.partition(Yc @ W, self.n_clusters, rng, n_init=self.n_init, start=before)
            if np.array_equal(labels, before):
                break
        self.labels_ = labels
        self.embedding_ = Yc @ W
        return self

    def _leading(self, S: Array) -> Array:
        """The top-Q eigenvectors of a symmetric matrix, largest first (P, Q)."""
        last = len(S) - 1
        return eigh(S, subset_by_index=[max(0, len(S) - self.n_components), last])[1][:, ::-1]
