"""Unsupervised neighbourhood component analysis (Qin, Song, Huang and Zhu 2015).

A fixed number of iterations alternates two steps:

- Labels: spectral clustering with Gaussian affinities of Z, in the first iteration of the data.
  k-means is repeated up to 51 times until the cohesion of the clusters exceeds the previous one.
- Projection: neighbourhood component analysis for these labels, from a new random A of size 0.01.

The last labels are the result. On unscaled data most affinities are at their lower limit and the
labels follow a few nearly equal pairs; this is a property of the published method. The settings
that reproduce the paper's column are explained in docs/printed-numbers.md.

C. Qin, S. Song, G. Huang and L. Zhu, "Unsupervised neighborhood component analysis for clustering",
Neurocomputing 168, 2015.
"""

from dataclasses import dataclass
from math import ceil

import numpy as np

from sgpmic_cli._typing import Array, Indices
from sgpmic_cli.estimators import Amount, Count
from sgpmic_cli.paper.isomap import check_rows
from sgpmic_cli.paper.methods import EmbeddingClusterer, centred
from sgpmic_cli.paper.methods.unca.graph import Affinity
from sgpmic_cli.paper.methods.unca.projection import Objective, Point, descend

LINE_SEARCHES = 5  # per call of the minimiser in the published program
TRIES = (1, 10, 40)  # starts of k-means that are drawn together
MAX_ROWS = 20_000  # the affinities of this many rows take up to 1.6 GB


@dataclass(eq=False, repr=False, kw_only=True)
class UNCA(EmbeddingClusterer):
    """A clusterer that alternates spectral labels and penalised neighbourhood component analysis.

    As in the published program, line searches are run in groups of five. A projection ends if the
    last four searches of a group improve the objective by less than 1e-4.
    """

    lam: Amount = 1.0  # weight of the penalty on the projection
    n_iter: Count = 15
    line_searches: Count = 1000  # at most, for each projection
    # Size of the noise that is added to an eigenvector, in multiples of its eigenvalue. 0 gives
    # exact eigenvectors; 1.5 is used for the paper's table.
    eigenvector_error: Amount = 0.0

    def _learn(self, Y: Array, rng: np.random.RandomState) -> None:
        check_rows("UNCA", Y, MAX_ROWS)
        # Equal rows have equal results, so each distinct row is processed once with a weight.
        Yc, index, counts = np.unique(centred(Y), axis=0, return_inverse=True, return_counts=True)
        weights = counts.astype(np.float64)
        Z, cohesion = Yc, -np.inf
        for _ in range(self.n_iter - 1):
            labels, cohesion = self._label(Z, weights, cohesion, rng)
            Z = Yc @ self._project(Yc, weights, labels, rng)
        labels, _ = self._label(Z, weights, cohesion, rng)
        self.labels_, self.embedding_ = labels[index], Z[index]

    def _label(
        self, Z: Array, weights: Array, previous: float, rng: np.random.RandomState
    ) -> tuple[Indices, float]:
        """Return the first partition with more cohesion than `previous`, or the last one."""
        graph = Affinity(Z, weights)
        try:
            U = graph.eigenvectors(self.n_clusters, rng, error=self.eigenvector_error)
        except np.linalg.LinAlgError as failure:
            raise FloatingPointError(
                "The spectral step of UNCA failed; rescale the columns or use another random_state."
            ) from failure
        rows = np.repeat(np.arange(len(U)), weights.astype(np.int64))
        for tries in TRIES:
            starts = [U[rng.permutation(rows)[: self.n_clusters]] for _ in range(tries)]
            for centres in starts:
                labels = kmeans(U, weights, centres)
                cohesion = graph.cohesion(labels)
                if cohesion > previous:
                    return labels, cohesion
        return labels, cohesion

    def _project(
        self, Yc: Array, weights: Array, labels: Indices, rng: np.random.RandomState
    ) -> Array:
        """Return A (P, Q) of neighbourhood component analysis for these labels."""
        objective = Objective(Yc, weights, labels, self.n_components, self.lam)
        start = 0.01 * rng.standard_normal(Yc.shape[1] * self.n_components)
        value, gradient = objective(start)
        point = Point(start, value, gradient())
        for _ in range(ceil(self.line_searches / LINE_SEARCHES)):
            point, values = descend(objective, point, LINE_SEARCHES)
            if not values or values[0] - values[-1] < 1e-4:
                break
        return point.x.reshape(-1, self.n_components)


def kmeans(U: Array, weights: Array, centres: Array) -> Indices:
    """Return the labels (N,) of weighted k-means from these centres (M, d).

    An empty cluster takes the row that is farthest from its centre. scikit-learn's k-means gives
    the same labels in five times the time for the few rows of most data sets.
    """
    m, labels = len(centres), np.full(len(U), -1)
    for _ in range(200):
        distances = np.sum(centres**2, axis=1)[:, None] - 2.0 * centres @ U.T  # less |u|^2
        assigned = distances.argmin(axis=0)
        counts = np.bincount(assigned, weights, minlength=m)
        if not counts.all():
            empty = np.flatnonzero(counts == 0)[: len(U)]
            errors = distances.min(axis=0) + np.sum(U**2, axis=1)
            assigned[np.argsort(-errors, kind="stable")[: len(empty)]] = empty
            counts = np.maximum(np.bincount(assigned, weights, minlength=m), 1.0)
        if np.array_equal(assigned, labels):
            break
        labels = assigned
        centres = (weights * (labels == np.arange(m)[:, None])) @ U / counts[:, None]
    return labels
