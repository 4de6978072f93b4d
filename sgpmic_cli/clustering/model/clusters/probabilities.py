"""Probabilities of the clusters for training rows and new rows.

Every base clustering is described by Gaussians with one covariance that all clusters share, shrunk
as by Ledoit and Wolf (2004). A shared covariance accounts for correlated columns, so the same
evidence is not counted twice. Two EM steps from the labels remove most of the bias of hard
assignments. The posterior of base clustering v is linear in the row:

    p_v(m | y) = softmax_m((y' b_vm + a_vm) / T)

The probability of a cluster is the mean of p_v over the base clusterings. The temperature T >= 1 is
the one at which the mean over all base clusterings but one predicts the labels of that one best.

The consensus of the base clusterings decides the label of a row. A new row takes the label with the
largest weight among its nearest training rows, where weights are inverse distances. If the
Gaussians prefer another cluster, both clusters get the mean of their probabilities, because two
descriptions of the data disagree about the row.

Refits to random halves of the rows, if there are any, take the place of the base clusterings: the
probability is the mean of the posteriors of all refits. A refit counts for a row as far as it found
the cluster of the row again (the overlap of the two clusters).

Clusters that are separated by gaps can have any shape, so Gaussians do not describe them. Their
probabilities are the fractions of labels among the nearest training rows.
"""

from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import softmax
from sklearn.covariance import ledoit_wolf_shrinkage

from sgpmic_cli._typing import Array, Indices
from sgpmic_cli.clustering.model.map.new_rows import TrainingRows

EM_STEPS = 2
HOTTEST = 20.0
OWN_ROW = 1e-9  # distance below which a neighbour decides alone
TIE = 1e-9  # margin of the cluster that the labels prefer


class ClusterGaussians(NamedTuple):
    """Linear posteriors of V clusterings: coefficients (V, P, M) and intercepts (V, M).

    `weights` (V, M) say how much a clustering counts for the rows of a cluster.
    """

    coefficients: Array
    intercepts: Array
    weights: Array
    temperature: float

    def probabilities(self, Y: Array, labels: Indices) -> Array:
        """Return the weighted mean posterior (n, M) of rows (n, P) with known labels (n,)."""
        total = np.zeros((len(Y), self.weights.shape[1]))
        for b, a, weights in zip(self.coefficients, self.intercepts, self.weights, strict=True):
            total += weights[labels, None] * softmax((Y @ b + a) / self.temperature, axis=1)
        return np.asarray(total / total.sum(axis=1, keepdims=True))


def fit_gaussians(Y: Array, memberships: list[Array]) -> ClusterGaussians:
    """Describe base clusterings, given as matrices (N, M) with the same cluster numbers."""
    Y, basis = row_space(Y)
    soft, temperature = memberships, 1.0
    for _ in range(EM_STEPS):
        lines = [linear_posterior(Y, S) for S in soft]
        scores = [Y @ b + a for b, a in lines]
        temperature = _temperature(scores, memberships)
        soft = [softmax(score / temperature, axis=1) for score in scores]
    coefficients, intercepts = (np.stack(part) for part in zip(*lines, strict=True))
    if basis is not None:
        coefficients = basis @ coefficients
    return ClusterGaussians(coefficients, intercepts, np.ones_like(intercepts), temperature)


def row_space(Y: Array) -> tuple[Array, Array | None]:
    """Return rows with at most as many columns as rows, and the basis (P, N) of these columns."""
    if Y.shape[1] <= len(Y):
        return Y, None
    basis = np.linalg.qr(Y.T)[0]  # distances live in the space of the rows
    return Y @ basis, basis


def linear_posterior(Y: Array, S: Array) -> tuple[Array, Array]:
    """Return coefficients (P, M) and intercepts (M,) of Gaussians with a shared covariance."""
    (n, p), m = Y.shape, S.shape[1]
    counts = S.sum(axis=0)
    means = S.T @ Y / np.maximum(counts, 1e-9)[:, None]
    covariance = (Y.T @ Y - (means * counts[:, None]).T @ means) / n
    residuals = Y - means[S.argmax(axis=1)]
    shrinkage = ledoit_wolf_shrinkage(residuals, assume_centered=True) if p > 1 else 0.0
    level = np.trace(covariance) / p
    covariance = (1.0 - shrinkage) * covariance + (shrinkage * level + 1e-6) * np.eye(p)
    coefficients = np.linalg.solve(covariance, means.T)
    weights = np.log((counts + 0.5) / (n + 0.5 * m))
    return coefficients, weights - 0.5 * np.einsum("mp,pm->m", means, coefficients)


def _temperature(scores: list[Array], memberships: list[Array]) -> float:
    """Return the temperature at which the other base clusterings predict each one best."""
    if len(scores) == 1:
        return 1.0

    def loss(log_temperature: float) -> float:
        posteriors = [softmax(score / np.exp(log_temperature), axis=1) for score in scores]
        total = np.sum(posteriors, axis=0)
        own = [
            np.sum((total - p) * S, axis=1) for p, S in zip(posteriors, memberships, strict=True)
        ]
        return -float(np.mean(np.log(np.maximum(own, 1e-12))))

    found = minimize_scalar(loss, bounds=(0.0, np.log(HOTTEST)), method="bounded")
    return float(np.exp(found.x))


class ClusterModel(NamedTuple):
    """Everything that assigns rows to clusters.

    `gaussians` is None for clusters that are separated by gaps. `refits` are the Gaussians of the
    refits to subsamples, None without refits or with gaps.
    """

    labels: Indices  # (N,) of the training rows
    n_clusters: int
    gaussians: ClusterGaussians | None
    refits: ClusterGaussians | None

    @property
    def weights(self) -> Array:
        """Return the fraction of training rows in each cluster, (M,)."""
        counts = np.bincount(self.labels, minlength=self.n_clusters)
        return np.asarray(counts / counts.sum())

    @property
    def without_refits(self) -> "ClusterModel":
        """Return the model that the map uses, so that refits do not blur it."""
        return self._replace(refits=None)

    def probabilities(self, Y: Array, distances: Array, nearest: Indices) -> Array:
        """Return the probabilities of rows with their nearest training rows, both (n, k)."""
        weights = 1.0 / np.maximum(distances, OWN_ROW)
        weights = np.where(distances[:, :1] <= OWN_ROW, distances <= OWN_ROW, weights)
        labels = self._label_fractions(nearest, weights).argmax(axis=1)
        return self._probabilities(Y, labels, nearest)

    def training_probabilities(self, rows: TrainingRows) -> Array:
        """Return the probabilities of the training rows."""
        nearest = rows.nearest(rows.rows)[1] if self.gaussians is None else None
        return self._probabilities(rows.rows, self.labels, nearest)

    def _probabilities(self, Y: Array, labels: Indices, nearest: Indices | None) -> Array:
        gaussians = self.gaussians if self.refits is None else self.refits
        if gaussians is not None:
            return _agree(gaussians.probabilities(Y, labels), labels)
        assert nearest is not None
        return _agree(self._label_fractions(nearest, np.ones(nearest.shape)), labels)

    def map_weights(self, probabilities: Array) -> Array:
        """Return the weights of the clusters for the map: probabilities to the power V, rescaled.

        On the map each of the V base clusterings counts as one observation of a row's cluster.
        """
        count = 1 if self.gaussians is None else len(self.gaussians.coefficients)
        weights = (probabilities / probabilities.max(axis=1, keepdims=True)) ** count
        return np.asarray(weights / weights.sum(axis=1, keepdims=True))

    def _label_fractions(self, nearest: Indices, weights: Array) -> Array:
        fractions = np.zeros((len(nearest), self.n_clusters))
        for column, weight in zip(nearest.T, weights.T, strict=True):
            fractions[np.arange(len(nearest)), self.labels[column]] += weight
        return fractions / fractions.sum(axis=1, keepdims=True)


def _agree(probabilities: Array, labels: Indices) -> Array:
    """Return probabilities whose largest entry is at `labels`."""
    result = probabilities.copy()
    for _ in range(result.shape[1] - 1):  # every other cluster is the largest at most once
        largest = result.argmax(axis=1)
        rows = np.flatnonzero(largest != labels)
        own, other = labels[rows], largest[rows]
        mean = 0.5 * (result[rows, own] + result[rows, other])
        result[rows, own], result[rows, other] = mean + TIE, mean - TIE
    return np.asarray(result)
