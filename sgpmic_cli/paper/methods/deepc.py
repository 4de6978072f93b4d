"""DEEPC: deep embedded clustering (Xie, Girshick and Farhadi 2016) with the encoder P-64-32-Q.

An autoencoder is trained first. Then the encoder and the cluster centres minimise KL(P || Q), where
Q are soft assignments and P is a sharpened version of Q. The paper neither explains nor cites
DEEPC; that it is this method is our reading. docs/printed-numbers.md describes the choice of the
settings. The network uses single precision. The printed ACC is closest to one-to-one matching.

J. Xie, R. Girshick and A. Farhadi, "Unsupervised Deep Embedding for Clustering Analysis", ICML,
2016.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.cluster import KMeans

from sgpmic_cli._typing import Array
from sgpmic_cli.estimators import Amount, Count, Positive
from sgpmic_cli.paper.methods import EmbeddingClusterer
from sgpmic_cli.paper.networks import Autoencoder, Dense

MOMENTUM = 0.9


def soft_assignment(Z, centers):
    """Return q_ij = t_ij / sum_j t_ij and t_ij = 1 / (1 + |z_i - mu_j|^2), both (N, M)."""
    t = (1.0 / (1.0 + cdist(Z, centers, "sqeuclidean"))).astype(Z.dtype, copy=False)
    return t / t.sum(axis=1, keepdims=True), t


def target_distribution(q):
    """Return p_ij proportional to q_ij^2 / f_j with the cluster frequencies f_j = sum_i q_ij."""
    sharpened = q**2 / q.sum(axis=0)
    return sharpened / sharpened.sum(axis=1, keepdims=True)


def divergence(Z, centers, p):
    """Return KL(P || Q) per row and its gradients with respect to Z (N, Q) and the centres (M, Q).

    dL/dz_i = 2/N sum_j t_ij (p_ij - q_ij) (z_i - mu_j)
    dL/dmu_j = -2/N sum_i t_ij (p_ij - q_ij) (z_i - mu_j)
    """
    q, t = soft_assignment(Z, centers)
    weights = t * (p - q) * (2.0 / len(Z))
    dZ = weights.sum(axis=1)[:, None] * Z - weights @ centers
    dcenters = weights.sum(axis=0)[:, None] * centers - weights.T @ Z
    ratio = np.log(np.maximum(p, np.finfo(p.dtype).tiny) / q)
    return float((p * ratio).sum()) / len(Z), dZ, dcenters


@dataclass(eq=False, repr=False, kw_only=True)
class DEEPC(EmbeddingClusterer):
    """A clusterer that pretrains an autoencoder and refines it with k-means centres on KL(P || Q).

    `pretrain_loss_curve_` has the reconstruction loss of each epoch, `loss_curve_` the divergence
    of each step of the clustering phase.
    """

    hidden: Sequence[int] = (64, 32)  # sizes of the layers between input and code
    pretrain_epochs: Count = 200
    pretrain_learning_rate: Positive = 1e-3  # of Adam
    learning_rate: Positive = 1e-2  # of momentum SGD in the clustering phase
    batch_size: Count = 256
    max_steps: Count = 20000  # in the clustering phase
    refresh: Count = 140  # steps between updates of the target distribution
    tol: Amount = 1e-3  # stop if a smaller fraction of labels changes between two updates
    n_init: Count = 20  # starts of k-means

    def _learn(self, Y: Array, rng: np.random.RandomState) -> None:
        Y = Y.astype(np.float32)
        network = Autoencoder([Y.shape[1], *self.hidden, self.n_components], rng, single=True)
        self.pretrain_loss_curve_ = network.fit(
            Y, rng, self.pretrain_learning_rate, self.pretrain_epochs, self.batch_size
        )
        start = KMeans(self.n_clusters, n_init=self.n_init, random_state=rng).fit(network.encode(Y))
        self._refine(Y, network.encoder, start)

    def _refine(self, Y, pretrained, start):
        # One flat vector holds weights and centres, so that one optimiser updates both.
        n_weights = pretrained.parameters.size
        parameters = np.concatenate([pretrained.parameters, start.cluster_centers_.ravel()])
        gradient = np.zeros_like(parameters)
        encoder = Dense(pretrained.sizes, parameters[:n_weights], gradient[:n_weights])
        centers = parameters[n_weights:].reshape(self.n_clusters, -1)
        center_gradient = gradient[n_weights:].reshape(self.n_clusters, -1)
        velocity = np.zeros_like(parameters)

        labels, position, self.loss_curve_ = start.labels_, 0, []
        with np.errstate(over="ignore", invalid="ignore"):  # reported below
            for step in range(self.max_steps):
                if step % self.refresh == 0:
                    q, _ = soft_assignment(encoder.forward(Y), centers)
                    p = target_distribution(q)
                    previous, labels = labels, q.argmax(axis=1)
                    if step and np.mean(labels != previous) < self.tol:
                        break
                rows = slice(position, position + self.batch_size)
                position = rows.stop if rows.stop < len(Y) else 0
                loss, delta, center_gradient[...] = divergence(
                    encoder.forward(Y[rows]), centers, p[rows]
                )
                encoder.backward(delta)
                velocity *= MOMENTUM
                velocity -= gradient * self.learning_rate
                parameters += velocity
                if not isfinite(loss):
                    raise FloatingPointError(
                        f"The clustering loss became {loss} in step {step + 1}; "
                        "use a lower learning rate or rescale the data."
                    )
                self.loss_curve_.append(loss)
        self.embedding_ = encoder.forward(Y)
        self.labels_ = soft_assignment(self.embedding_, centers)[0].argmax(axis=1)
