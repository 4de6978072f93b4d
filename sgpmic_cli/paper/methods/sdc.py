"""SDC: similarity-based discriminative clustering (Passalis and Tefas 2019).

A linear projection z = y W is trained so that the similarities of the projected rows approach
targets from k-means, which are high within clusters and low between clusters. The defaults are
those of the authors' evaluation script. W starts at the principal axes.

N. Passalis and A. Tefas, "Discriminative clustering using regularized subspace learning", Pattern
Recognition 96, 2019.
"""

from dataclasses import dataclass

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.cluster import KMeans

from sgpmic_cli._typing import Array
from sgpmic_cli.estimators import Amount, Count, Positive
from sgpmic_cli.paper.methods import EmbeddingClusterer
from sgpmic_cli.paper.networks import Adam, train

WARM_UP_ROWS = 1000  # rows that determine the initial W, sigma and the first epoch


def similarity_loss(Z, clusters, sigma, within, across):
    """Return J = sum w (G - T)^2 / sum w with G = exp(-|z_i - z_j|^2 / sigma^2), and dJ/dZ (N, Q).

    Within clusters T = `within` and w = 1. Between clusters T = `across` and
    w = 1 / (number of clusters - 1), which balances the two kinds of pairs.
    """
    same = clusters[:, None] == clusters[None, :]
    others = len(np.unique(clusters)) - 1
    weights = np.where(same, 1.0, 1.0 / others if others else 0.0)
    weights /= weights.sum()
    G = np.exp(cdist(Z, Z, "sqeuclidean") / -(sigma**2))
    residual = G - np.where(same, within, across)
    slope = weights * residual * G * (-2.0 / sigma**2)  # dJ/d|z_i - z_j|^2, symmetric
    return float(np.sum(weights * residual**2)), 4.0 * (slope.sum(axis=1)[:, None] * Z - slope @ Z)


def orthonormality_loss(W):
    """Return R = |W'W - I|^2 / (2 Q^2) and dR/dW."""
    excess = W.T @ W - np.eye(W.shape[1])
    scale = W.shape[1] ** 2
    return float(np.vdot(excess, excess)) / (2.0 * scale), 2.0 * W @ excess / scale


@dataclass(eq=False, repr=False, kw_only=True)
class SDC(EmbeddingClusterer):
    """A clusterer that applies k-means to a projection, which is trained on k-means targets.

    `components_` (n_features, n_components) is the projection W, and `loss_curve_` has the training
    loss of each epoch.
    """

    within: Amount = 0.8  # target similarities within and between clusters
    across: Amount = 0.2
    cluster_factor: Positive = 1.2  # number of target clusters divided by `n_clusters`
    n_init: Count = 3  # starts of k-means
    epochs: Count = 50
    batch_size: Count = 128
    learning_rate: Positive = 1e-3

    def _learn(self, Y: Array, rng: np.random.RandomState) -> None:
        n_targets = min(int(self.cluster_factor * self.n_clusters), len(Y))
        clusters = KMeans(n_targets, n_init=self.n_init, random_state=rng).fit_predict(Y)

        first = Y[:WARM_UP_ROWS]
        axes = np.linalg.svd(first - first.mean(axis=0), full_matrices=False)[2]
        W = np.ascontiguousarray(axes[: self.n_components].T)  # (P, Q)
        projected = first @ W
        sigma = cdist(projected, projected).mean() or 1.0

        self.loss_curve_ = []
        # The optimiser is restarted after the warm-up epoch.
        for n_rows, epochs in ((len(first), 1), (len(Y), self.epochs)):
            self.loss_curve_ += self._descend(W, Y[:n_rows], clusters, sigma, epochs, rng)
        self.components_ = W
        self.embedding_ = Y @ W
        final = KMeans(self.n_clusters, n_init=self.n_init, random_state=rng)
        self.labels_ = final.fit_predict(self.embedding_).astype(np.int64)

    def _descend(self, W, Y, clusters, sigma, epochs, rng):
        gradient = np.zeros_like(W)
        optimiser = Adam(W, gradient, self.learning_rate)

        def step(rows):
            batch = Y[rows]
            J, dZ = similarity_loss(batch @ W, clusters[rows], sigma, self.within, self.across)
            R, dW = orthonormality_loss(W)
            np.add(batch.T @ dZ, dW, out=gradient)
            optimiser.step()
            return J + R

        return train(step, len(Y), epochs=epochs, batch_size=self.batch_size, rng=rng)
