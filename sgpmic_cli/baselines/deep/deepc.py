"""DEEPC: deep embedded clustering (Xie, Girshick and Farhadi 2016) with the network P-64-32-Q.

An autoencoder is trained first; then its encoder and the cluster centres sharpen their own soft assignment. The paper
names the layers and says "the other settings are the same as its original paper". One set serves all data sets: the
defaults of the functions in a widely used Keras version, on raw columns. Eight other combinations were tried by
closeness to the printed ACC, two repeats each. Refreshing the targets every 140 steps came closer than every 30, and a
cap of 20000 steps closer than 2000: Australian is at 56 after pretraining, 66 at step 2000, and 69, as printed, when
its labels settle near step 4000. Input on one global scale does as well as raw input (mean distance 2.2 against 2.4
points); raw is kept because the rest of the table is raw, not because the column demands it. The network computes in
single precision, as such libraries do.

The printed ACC of this column cannot be purity: CMC's 38.98 to 40.78 lie below the majority share 42.70. The best
one-to-one match, the score shipped with that Keras version, gives CMC about 40. So the table scores this column with
it (mean distance from the print 1.6 points, with purity 2.2) and tells purity in a note. Segment stays 5 to 7 above.
Weights that start within one over the root of a layer's inputs, as in the script beside those functions, bring it down
(46 to 51) but no more cells near on a second set of seeds: 28 within one point and 3 that differ for 26 and 5 on
the first, 23 and 3 for 32 and 0 on the second.
"""

from math import isfinite
from typing import ClassVar

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.cluster import KMeans

from sgpmic_cli._typing import Array
from sgpmic_cli.baselines._clusterer import EmbeddingClusterer
from sgpmic_cli.estimator_base.parameter_checks import layers, number, positive_number, whole
from sgpmic_cli.networks import Autoencoder, Dense, Momentum


def soft_assignment(Z, centers):
    """q_ij = t_ij / sum_j t_ij with Student's t_ij = 1 / (1 + |z_i - mu_j|^2): q and t, both (N, M)."""
    t = (1.0 / (1.0 + cdist(Z, centers, "sqeuclidean"))).astype(Z.dtype, copy=False)
    return t / t.sum(axis=1, keepdims=True), t


def target_distribution(q):
    """p_ij proportional to q_ij^2 / f_j with f_j = sum_i q_ij: sharper than q, and fair to small clusters."""
    sharpened = q**2 / q.sum(axis=0)
    return sharpened / sharpened.sum(axis=1, keepdims=True)


def divergence(Z, centers, p):
    """KL(P || Q) per row, with its slopes for Z (N, Q) and for the centres (M, Q).

    dL/dz_i = 2/N sum_j t_ij (p_ij - q_ij) (z_i - mu_j); a centre receives the opposite, summed over rows.
    """
    q, t = soft_assignment(Z, centers)
    pull = t * (p - q) * (2.0 / len(Z))
    dZ = pull.sum(axis=1)[:, None] * Z - pull @ centers
    dcenters = pull.sum(axis=0)[:, None] * centers - pull.T @ Z
    ratio = np.log(np.maximum(p, np.finfo(p.dtype).tiny) / q)
    return float((p * ratio).sum()) / len(Z), dZ, dcenters


class DEEPC(EmbeddingClusterer):
    """Pretrain by reconstruction, start the centres by k-means, then descend KL(P || Q) until labels settle.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    n_components : int, default=2
        Width of the code.
    hidden : list or tuple of int, default=(64, 32)
        Widths of the layers between input and code.
    pretrain_epochs : int, default=200
        Passes over the rows while the autoencoder is trained.
    pretrain_learning_rate : float, default=0.001
        Step size of Adam, for the autoencoder.
    learning_rate : float, default=0.01
        Step size of momentum, for encoder and centres.
    batch_size : int, default=256
        Rows in a step.
    max_steps : int, default=20000
        Steps at most on encoder and centres.
    refresh : int, default=140
        Steps between two target distributions.
    tol : float, default=0.001
        The fit ends when a smaller share of rows changes its label between two target distributions.
    n_init : int, default=20
        Starts of k-means.
    random_state : int, RandomState instance or None, default=None
        Seed of the network, of the order of the rows and of k-means.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Cluster of each row.
    embedding_ : ndarray of shape (n_samples, n_components)
        Codes.
    cluster_centers_ : ndarray of shape (n_clusters, n_components)
        Centres among the codes.
    pretrain_loss_curve_ : list of float
        Loss of every epoch of the autoencoder.
    loss_curve_ : list of float
        Divergence in every step.

    References
    ----------
    .. [1] J. Xie, R. Girshick and A. Farhadi, "Unsupervised Deep Embedding for Clustering Analysis", ICML, 2016.

    Examples
    --------
    >>> from sgpmic_cli.baselines import DEEPC
    >>> from sgpmic_cli.data import load
    >>> model = DEEPC(n_clusters=3, pretrain_epochs=2, max_steps=10, random_state=0).fit(load("iris").Y)
    >>> model.labels_.shape, model.embedding_.shape
    ((150,), (150, 2))
    """

    _rules: ClassVar = {
        "hidden": layers(),
        "pretrain_epochs": whole(),
        "pretrain_learning_rate": positive_number(),
        "learning_rate": positive_number(),
        "batch_size": whole(),
        "max_steps": whole(),
        "refresh": whole(),
        "tol": number(),
        "n_init": whole(),
    }

    def __init__(
        self,
        n_clusters=8,
        n_components=2,
        *,
        hidden=(64, 32),
        pretrain_epochs=200,
        pretrain_learning_rate=1e-3,
        learning_rate=1e-2,
        batch_size=256,
        max_steps=20000,
        refresh=140,
        tol=1e-3,
        n_init=20,
        random_state=None,
    ):
        self.n_clusters = n_clusters
        self.n_components = n_components
        self.hidden = hidden
        self.pretrain_epochs = pretrain_epochs
        self.pretrain_learning_rate = pretrain_learning_rate
        self.learning_rate = learning_rate
        self.batch_size = batch_size
        self.max_steps = max_steps
        self.refresh = refresh
        self.tol = tol
        self.n_init = n_init
        self.random_state = random_state

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
        self._sharpen(Y, network.encoder, start)

    def _sharpen(self, Y, pretrained, start):
        # Encoder and centres share one vector, so that one optimiser moves both.
        n_weights = pretrained.parameters.size
        parameters = np.concatenate([pretrained.parameters, start.cluster_centers_.ravel()])
        gradient = np.zeros_like(parameters)
        encoder = Dense(
            pretrained.sizes, pretrained.activations, parameters[:n_weights], gradient[:n_weights]
        )
        centers = parameters[n_weights:].reshape(self.n_clusters, -1)
        center_gradient = gradient[n_weights:].reshape(self.n_clusters, -1)
        optimiser = Momentum(parameters, gradient, self.learning_rate)

        labels, position, self.loss_curve_ = start.labels_, 0, []
        with np.errstate(over="ignore", invalid="ignore"):  # reported below, with advice
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
                        f"The clustering loss became {loss} in step {step + 1}; use a lower learning rate or rescale Y."
                    )
                self.loss_curve_.append(loss)
        self.embedding_ = encoder.forward(Y).copy()
        self.cluster_centers_ = centers.copy()
        self.labels_ = soft_assignment(self.embedding_, centers)[0].argmax(axis=1)
