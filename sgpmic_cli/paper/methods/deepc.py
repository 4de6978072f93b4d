"""DEEPC: deep embedded clustering (Xie, Girshick and Farhadi 2016) with the encoder P-64-32-Q.

An autoencoder is trained first. Then the encoder and the cluster centres minimise KL(P || Q), where
Q are soft assignments and P is a sharpened version of Q. The paper neither explains nor cites
DEEPC; that it is this method is our reading. docs/baseline-settings.md describes the choice of the
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
from sgpmic_cli.paper.methods.base import Amount, Count, EmbeddingClusterer, Positive
from sgpmic_cli.paper.networks import Autoencoder, Dense, Momentum


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

    Parameters
    ----------
    hidden : list or tuple of int, default=(64, 32)
        Sizes of the layers between input and code.
    pretrain_epochs : int, default=200
        Number of pretraining epochs.
    pretrain_learning_rate : float, default=0.001
        Learning rate of Adam in pretraining.
    learning_rate : float, default=0.01
        Learning rate of momentum SGD in the clustering phase.
    batch_size : int, default=256
        Number of rows per minibatch.
    max_steps : int, default=20000
        Maximum number of steps in the clustering phase.
    refresh : int, default=140
        Number of steps between updates of the target distribution.
    tol : float, default=0.001
        Stop if a smaller fraction of labels changes between two updates.
    n_init : int, default=20
        Number of k-means starts.

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters, n_components)
        Cluster centres in the code space.
    pretrain_loss_curve_ : list of float
        Reconstruction loss of each pretraining epoch.
    loss_curve_ : list of float
        KL divergence of each step.
    """

    hidden: Sequence[int] = (64, 32)
    pretrain_epochs: Count = 200
    pretrain_learning_rate: Positive = 1e-3
    learning_rate: Positive = 1e-2
    batch_size: Count = 256
    max_steps: Count = 20000
    refresh: Count = 140
    tol: Amount = 1e-3
    n_init: Count = 20

    def _learn(self, Y: Array, rng: np.random.RandomState) -> None:
        Y = Y.astype(np.float32)
        network = Autoencoder(
            [Y.shape[1], *self.hidden, self.n_components], rng, single_precision=True
        )
        self.pretrain_loss_curve_ = network.fit(
            Y,
            rng,
            epochs=self.pretrain_epochs,
            batch_size=self.batch_size,
            learning_rate=self.pretrain_learning_rate,
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
        optimiser = Momentum(parameters, gradient, self.learning_rate)

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
                optimiser.step()
                if not isfinite(loss):
                    raise FloatingPointError(
                        f"The clustering loss became {loss} in step {step + 1}; "
                        "use a lower learning rate or rescale the data."
                    )
                self.loss_curve_.append(loss)
        self.embedding_ = encoder.forward(Y)
        self.cluster_centers_ = centers.copy()
        self.labels_ = soft_assignment(self.embedding_, centers)[0].argmax(axis=1)
