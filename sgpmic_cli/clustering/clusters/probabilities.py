"""Probabilities of the clusters for training rows and new rows.

A base clustering v gives every row a score for each cluster. The scores of k-means are those of
Gaussians with one covariance that all clusters share, shrunk as by Ledoit and Wolf (2004), and
linear in the row. A shared covariance accounts for correlated columns, so the same evidence is not
counted twice. The scores of the mixture are its logarithms of weight times density.

    p_v(m | y) = softmax_m(score_vm(y) / T)

The probability of a cluster is the mean of p_v over the base clusterings, and the label of a row is
the cluster with the largest probability, for training rows and new rows alike. The temperature
T >= 1 (temperature scaling; Guo et al., ICML 2017) is the one at which the other base clusterings
predict the labels of each one best.

Refits to random halves of the rows, if there are any, take the place of the base clusterings: the
probability is the mean of the posteriors of all refits. A refit counts for a row as far as it found
the cluster of the row again (the Jaccard index of the two clusters). If the refits prefer another
cluster than the label, both clusters get the mean of their probabilities.

Groups and clusters that the user chose can have any shape. Their probabilities
are the fractions of labels among the nearest training rows. A training row keeps its label; a new
row takes the label with the largest weight, where weights are inverse distances.
"""

from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import softmax
from sklearn.covariance import ledoit_wolf_shrinkage

from sgpmic_cli._typing import Array, Indices
from sgpmic_cli.clustering.clusters.t_mixture import TMixture
from sgpmic_cli.clustering.map.new_rows import TrainingRows

ROUNDING_ERROR = 1e-9  # difference of distances or probabilities


class ClusterPosterior(NamedTuple):
    """Posteriors of V clusterings with linear scores, and of a mixture if there is one.

    The scores have coefficients (V, P, M) and intercepts (V, M). `weights` (V, M) say how much a
    clustering counts for the rows of a cluster.
    """

    coefficients: Array
    intercepts: Array
    weights: Array
    temperature: float
    mixture: TMixture | None = None

    @property
    def n_clusterings(self) -> int:
        """Return the number of clusterings."""
        return len(self.coefficients) + (self.mixture is not None)

    def in_columns(self, projection: Array, mean: Array) -> "ClusterPosterior":
        """Return the posterior of rows Y, given that of (Y - mean) projection.

        `projection` has the shape (columns, P), and `mean` has one entry for each column.
        """
        coefficients = projection @ self.coefficients
        intercepts = self.intercepts - mean @ coefficients
        mixture = self.mixture
        if mixture is not None:
            whitening = projection @ mixture.whitening
            mixture = mixture._replace(whitening=whitening, means=mixture.means + mean @ whitening)
        return self._replace(coefficients=coefficients, intercepts=intercepts, mixture=mixture)

    def probabilities(self, Y: Array, labels: Indices | None = None) -> Array:
        """Return the mean posterior (n, M) of rows (n, P), weighted if there are labels (n,)."""
        total = np.zeros((len(Y), self.weights.shape[1]))
        for b, a, weights in zip(self.coefficients, self.intercepts, self.weights, strict=True):
            weight = 1.0 if labels is None else weights[labels, None]
            total += weight * softmax((Y @ b + a) / self.temperature, axis=1)
        if self.mixture is not None:
            total += softmax(self.mixture.scores(Y) / self.temperature, axis=1)
        return np.asarray(total / total.sum(axis=1, keepdims=True))


def fit_posterior(Y: Array, memberships: list[Array], mixture: TMixture | None) -> ClusterPosterior:
    """Describe base clusterings, given as matrices (N, M) with the same cluster numbers.

    The last one has the scores of `mixture`. Without a mixture, all scores are linear.
    """
    rows, basis = row_space(Y)
    linear = memberships if mixture is None else memberships[:-1]
    lines = [linear_posterior(rows, S) for S in linear]
    scores = [rows @ b + a for b, a in lines]
    if mixture is not None:
        scores.append(mixture.scores(Y))
    coefficients, intercepts = (np.stack(part) for part in zip(*lines, strict=True))
    if basis is not None:
        coefficients = basis @ coefficients
    temperature = _temperature(scores, memberships)
    return ClusterPosterior(
        coefficients, intercepts, np.ones_like(intercepts), temperature, mixture
    )


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

    found = minimize_scalar(loss, bounds=(0.0, np.log(20.0)), method="bounded")
    return float(np.exp(found.x))


class ClusterModel(NamedTuple):
    """Everything that assigns rows to clusters.

    `posterior` is None for clusters of any shape, which nearest rows assign. `refits` is the
    posterior of the refits to subsamples, None without refits or without a posterior.
    """

    labels: Indices  # (N,) of the training rows
    n_clusters: int
    posterior: ClusterPosterior | None
    refits: ClusterPosterior | None

    @property
    def weights(self) -> Array:
        """Return the fraction of training rows in each cluster, (M,)."""
        counts = np.bincount(self.labels, minlength=self.n_clusters)
        return np.asarray(counts / counts.sum())

    @property
    def without_refits(self) -> "ClusterModel":
        """Return the model that the map uses, so that refits do not blur it."""
        return self._replace(refits=None)

    def probabilities(self, Y: Array, training: TrainingRows) -> Array:
        """Return the probabilities of rows without missing values."""
        if self.posterior is not None:
            return self._posterior_probabilities(self.posterior, Y)
        distances, nearest = training.nearest(Y)
        weights = 1.0 / np.maximum(distances, ROUNDING_ERROR)
        weights = np.where(distances[:, :1] <= ROUNDING_ERROR, distances <= ROUNDING_ERROR, weights)
        labels = self._label_fractions(nearest, weights).argmax(axis=1)
        return _agree(self._label_fractions(nearest, np.ones(nearest.shape)), labels)

    def training_probabilities(self, training: TrainingRows) -> Array:
        """Return the probabilities of the training rows."""
        if self.posterior is not None:
            return self._posterior_probabilities(self.posterior, training.rows)
        nearest = training.nearest(training.rows)[1]
        return _agree(self._label_fractions(nearest, np.ones(nearest.shape)), self.labels)

    def map_weights(self, probabilities: Array) -> Array:
        """Return the weights of the clusters for the map: probabilities to the power V, rescaled.

        On the map each of the V base clusterings counts as one observation of a row's cluster.
        """
        count = 1 if self.posterior is None else self.posterior.n_clusterings
        weights = (probabilities / probabilities.max(axis=1, keepdims=True)) ** count
        return np.asarray(weights / weights.sum(axis=1, keepdims=True))

    def _posterior_probabilities(self, posterior: ClusterPosterior, Y: Array) -> Array:
        found = posterior.probabilities(Y)
        if self.refits is None:
            return found
        labels = found.argmax(axis=1)
        return _agree(self.refits.probabilities(Y, labels), labels)

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
        result[rows, own], result[rows, other] = mean + ROUNDING_ERROR, mean - ROUNDING_ERROR
    return np.asarray(result)
