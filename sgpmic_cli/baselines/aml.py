"""Adaptive metric learning (Ye, Zhao and Liu 2007): the labels and the projection that share one trace.

    maximise  tr{ [W'(St + lambda I) W]^-1  W' Yc' L L' Yc W }   over W (P, Q) and the weighted indicator L (N, M)

With Yc = U diag(s) V' and A = U diag(s / sqrt(s^2 + lambda)), every W is an orthonormal matrix B (R, Q) in the
coordinates of A, the trace is |L' A B|^2, and A A' = Yc (St + lambda I)^-1 Yc' is the kernel of DisKmeans. Given B, the
labels are k-means on A B (which is kernel k-means on A B B' A'); given labels, B holds the right singular vectors of
L' A. Those are at most M - 1; further columns leave the trace as it is: we fill them with the principal axes. The
alternation starts from k-means on the data, and from the principal axes.

The paper's AML column is that start, not the alternation: the labels of k-means on the data, and from those k-means on
the whitened principal scores, nothing more. ACC on Iris at 95 % (77.33), WDBC at 99 % (85.06) and Breast Cancer at 50 %
(96.19) comes out as printed to the last digit, with no spread as printed, on Sonar at 95 % (53.37) in nine runs of ten,
and that for every lambda from 0.001 to 10. Random starts on the whitened scores have a spread there, and 80 on Breast
Cancer at 95 and 99 %, where the paper prints 94.73 and 95.17 (we 95.46 and 95.61; 94.73 and 95.17 if every k-means goes
on with moves of single points, which MATLAB's does, but then WDBC at 99 % is 83.83). Unexplained: Wine at 95 and 99 %,
where the paper is 5 and 14 points higher and has a spread, and Segment at 50 %.
"""

from typing import ClassVar

import numpy as np

from sgpmic_cli._typing import Array
from sgpmic_cli.baselines import _scatter
from sgpmic_cli.baselines._clusterer import EmbeddingClusterer
from sgpmic_cli.estimator_base.parameter_checks import number, whole


class AML(EmbeddingClusterer):
    """Alternate trace maximisation and k-means until the labels repeat.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    n_components : int, default=2
        Number of latent dimensions.
    lam : float, default=1.0
        Ridge lambda on the total scatter.
    max_outer : int, default=50
        Rounds at most; 0 stops at the first labels, those on the principal axes.
    random_state : int, RandomState instance or None, default=None
        Seed of k-means.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Cluster of each row.
    embedding_ : ndarray of shape (n_samples, n_components)
        Coordinates that the labels were made from.
    objectives_ : list of float
        The trace after every round; it never decreases.

    References
    ----------
    .. [1] J. Ye, Z. Zhao and H. Liu, "Adaptive Distance Metric Learning for Clustering", CVPR, 2007.

    Examples
    --------
    >>> from sgpmic_cli.baselines import AML
    >>> from sgpmic_cli.data import load
    >>> model = AML(n_clusters=3, random_state=0).fit(load("iris").Y)
    >>> model.labels_.shape, model.embedding_.shape
    ((150,), (150, 2))
    """

    objectives_: list[float]

    _rules: ClassVar = {"lam": number(), "max_outer": whole(0)}

    def __init__(self, n_clusters=8, n_components=2, *, lam=1.0, max_outer=50, random_state=None):
        self.n_clusters = n_clusters
        self.n_components = n_components
        self.lam = lam
        self.max_outer = max_outer
        self.random_state = random_state

    def _learn(self, Y: Array, rng: np.random.RandomState) -> None:
        Yc = _scatter.centred(Y)
        U, s = _scatter.principal(Yc)
        A = U * (s / np.sqrt(s**2 + self.lam))  # (N, R)
        B = np.eye(len(s), min(self.n_components, len(s)))
        labels = _scatter.partition(Yc, self.n_clusters, rng, n_init=1)
        labels = _scatter.partition(A @ B, self.n_clusters, rng, n_init=0, start=labels)
        self.objectives_ = []
        for _ in range(self.max_outer):
            LtA = _scatter.indicator(labels, self.n_clusters).T @ A  # (M, R)
            B = _directions(LtA, B.shape[1])
            self.objectives_.append(float(np.sum((LtA @ B) ** 2)))
            before = labels
            labels = _scatter.partition(A @ B, self.n_clusters, rng, n_init=0, start=before)
            if np.array_equal(labels, before):
                break
        self.labels_ = labels
        self.embedding_ = A @ B


def _directions(LtA: Array, q: int) -> Array:
    """The right singular vectors of L' A with a singular value, then the leading axes orthogonal to them (R, q)."""
    _, e, Vt = np.linalg.svd(LtA, full_matrices=False)
    V = Vt[e > 1e-10 * max(e[0], np.finfo(float).tiny)].T
    filled, _ = np.linalg.qr(np.hstack([V, np.eye(len(V))]))
    return np.hstack([V, filled[:, V.shape[1] :]])[:, :q]
