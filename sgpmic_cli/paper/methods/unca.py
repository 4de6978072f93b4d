"""Unsupervised neighbourhood component analysis (Qin, Song, Huang and Zhu 2015).

A fixed number of iterations alternates two steps:

- Labels: spectral clustering with Gaussian affinities of Z, in the first iteration of the data.
  k-means is repeated up to 51 times until the cohesion of the clusters exceeds the previous one.
- Projection: neighbourhood component analysis for these labels, from a new random A of size 0.01.

The last labels are the result. On unscaled data most affinities are at their lower limit and the
labels follow a few nearly equal pairs; this is a property of the published method. The settings
that reproduce the paper's column are explained in docs/baseline-settings.md.

C. Qin, S. Song, G. Huang and L. Zhu, "Unsupervised neighborhood component analysis for clustering",
Neurocomputing 168, 2015.
"""

from dataclasses import dataclass
from math import ceil
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sgpmic_cli._typing import Array
from sgpmic_cli.estimator_base.parameter_checks import number, whole
from sgpmic_cli.paper.methods import _scatter
from sgpmic_cli.paper.methods._clusterer import EmbeddingClusterer
from sgpmic_cli.paper.methods.conjugate_gradients import descend, evaluated
from sgpmic_cli.paper.methods.unca_graph import Affinity
from sgpmic_cli.paper.methods.unca_projection import Objective

Labels = NDArray[np.int64]

_LINE_SEARCHES_PER_CALL = 5  # of the minimiser in the published program
MAX_ROWS = 20_000  # the affinities of this many rows take up to 1.6 GB


@dataclass(eq=False, repr=False, kw_only=True)
class UNCA(EmbeddingClusterer):
    """A clusterer that alternates spectral labels and penalised neighbourhood component analysis.

    As in the published program, line searches are run in groups of five. A projection ends if the
    last four searches of a group improve the objective by less than 1e-4.

    Parameters
    ----------
    lam : float, default=1.0
        Weight lambda of the penalty on the projection.
    n_iter : int, default=15
        Number of iterations.
    line_searches : int, default=1000
        Maximum number of line searches per projection.
    eigenvector_error : float, default=0.0
        Size of the noise that is added to an eigenvector, in multiples of its eigenvalue. 0 gives
        exact eigenvectors; 1.5 is used for the paper's table.
    """

    lam: float = 1.0
    n_iter: int = 15
    line_searches: int = 1000
    eigenvector_error: float = 0.0

    _rules: ClassVar = {
        "lam": number(),
        "n_iter": whole(),
        "line_searches": whole(),
        "eigenvector_error": number(),
    }

    def _learn(self, Y: Array, rng: np.random.RandomState) -> None:
        if len(Y) > MAX_ROWS:
            raise ValueError(
                f"UNCA compares all pairs of rows; it accepts at most {MAX_ROWS}, not {len(Y)}."
            )
        # Equal rows have equal results, so each distinct row is processed once with a weight.
        Yc, index, counts = np.unique(
            _scatter.centred(Y), axis=0, return_inverse=True, return_counts=True
        )
        weights = counts.astype(np.float64)
        Z, cohesion = Yc, -np.inf
        for _ in range(self.n_iter - 1):
            labels, cohesion = self._label(Z, weights, cohesion, rng)
            Z = Yc @ self._project(Yc, weights, labels, rng)
        labels, _ = self._label(Z, weights, cohesion, rng)
        self.labels_, self.embedding_ = labels[index], Z[index]

    def _label(
        self, Z: Array, weights: Array, previous: float, rng: np.random.RandomState
    ) -> tuple[Labels, float]:
        """Return the first partition with more cohesion than `previous`, or the last one."""
        graph = Affinity(Z, weights)
        try:
            U = graph.eigenvectors(self.n_clusters, rng, error=self.eigenvector_error)
        except np.linalg.LinAlgError as failure:
            raise FloatingPointError(
                "The spectral step of UNCA failed; rescale the columns or use another random_state."
            ) from failure
        for tries in (1, 10, 40):
            labels = partitions(U, weights, self.n_clusters, tries, rng)
            cohesion = graph.cohesion(labels, self.n_clusters)
            first = int(np.argmax(cohesion > previous))  # 0 if there is none
            if cohesion[first] > previous:
                return labels[first], float(cohesion[first])
        return labels[-1], float(cohesion[-1])

    def _project(
        self, Yc: Array, weights: Array, labels: Labels, rng: np.random.RandomState
    ) -> Array:
        """Return A (P, Q) of neighbourhood component analysis for these labels."""
        objective = Objective(Yc, weights, labels, self.n_components, self.lam)
        point = evaluated(objective, 0.01 * rng.standard_normal(Yc.shape[1] * self.n_components))
        for _ in range(ceil(self.line_searches / _LINE_SEARCHES_PER_CALL)):
            point, values = descend(objective, point, _LINE_SEARCHES_PER_CALL)
            if not values or values[0] - values[-1] < 1e-4:
                break
        return point.x.reshape(-1, self.n_components)


def partitions(U: Array, weights: Array, m: int, tries: int, rng: np.random.RandomState) -> Labels:
    """Return weighted k-means labels from several random starts (tries, N).

    All starts are computed together, because fifty calls of scikit-learn's k-means would take most
    of the time of a fit. An empty cluster takes the row that is farthest from its centre.
    """
    n, d = U.shape
    points = np.repeat(np.arange(n), weights.astype(np.int64))
    centres = np.stack([U[rng.permutation(points)[:m]] for _ in range(tries)])  # (T, M, d)
    labels = np.full((tries, n), -1)
    squares = np.einsum("nd,nd->n", U, U)
    columns = np.vstack([U.T, np.ones(n)])
    moving = np.arange(tries)
    for _ in range(200):
        lengths = np.einsum("tmd,tmd->tm", centres, centres)[:, :, None]
        distances = np.concatenate([-2.0 * centres, lengths], axis=2).reshape(-1, d + 1) @ columns
        distances = distances.reshape(-1, m, n)  # less |u|^2
        assigned = distances.argmin(axis=1)  # (T, N)
        counts = np.stack([np.bincount(row, weights, minlength=m) for row in assigned])
        for t in np.flatnonzero((counts == 0).any(axis=1)):
            empty = np.flatnonzero(counts[t] == 0)[:n]
            farthest = np.argsort(-(distances[t].min(axis=0) + squares), kind="stable")
            assigned[t, farthest[: len(empty)]] = empty
            counts[t] = np.maximum(np.bincount(assigned[t], weights, minlength=m), 1.0)
        changed = (assigned != labels[moving]).any(axis=1)
        labels[moving] = assigned
        if not changed.any():
            break
        moving, assigned, counts = moving[changed], assigned[changed], counts[changed]
        members = (assigned[:, None, :] == np.arange(m)[:, None]).astype(np.float64)  # (T, M, N)
        centres = (members.reshape(-1, n) @ (weights[:, None] * U)).reshape(-1, m, d) / counts[
            :, :, None
        ]
    return labels
