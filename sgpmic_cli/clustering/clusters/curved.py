"""Find clusters on curved sheets, which the columns do not show and the neighbours do.

Images, sensor readings and embeddings lie on curved sheets of many columns, where k-means and
mixtures cut across. Gaussians on the map of the neighbours are the alternative. Both divisions are
compared on the graph of shared neighbours, by their mean normalised cut c:

    gain = log(c(clusters of the columns) / c(Gaussians on the map))

The map has a gain by chance, too, because it is made from neighbours. So the gain is compared with
the gains in data drawn from the clusters of the columns: a Gaussian copula for each cluster, with
the values that the columns have in the cluster. The sheets are taken if the gain exceeds each of
DRAWS gains of drawn data by EXCESS.
"""

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.mixture import GaussianMixture
from sklearn.neighbors import kneighbors_graph

from sgpmic_cli._typing import Array, Indices
from sgpmic_cli.clustering.clusters import DRAWS
from sgpmic_cli.clustering.clusters.base_clusterings import base_consensus
from sgpmic_cli.clustering.clusters.groups import Groups, neighbour_map
from sgpmic_cli.clustering.clusters.nested_means import silhouettes

EXCESS = 0.5  # of the gain; sheets have 0.6 and more, clouds without clusters at most 0.3
LEAST_COLUMNS = 5  # with fewer, the columns show what there is
NEIGHBOURS = 15  # of the graph

BY_SHEETS = "found on the map, and not explained by Gaussian clusters"


def sheets(Y: Array, chart: Array, number: int | None) -> Groups | None:
    """Return clusters of standardised rows Y (N, P) on their map `chart` (N, 2), or None.

    The number of clusters is the one with the highest silhouette on the map if it is not given.
    """
    m = _number(chart) if number is None else number
    labels, own = divide_by_gaussians(chart, m), base_consensus(Y, m).labels
    gain = _gain(Y, own, labels)
    # Most tables have no gain, and drawing and mapping further data takes most of the time.
    if labels.max() + 1 < m or gain <= EXCESS / 2:
        return None
    for seed in range(DRAWS):
        drawn = _draw(Y, own, np.random.RandomState(seed))
        by_map = divide_by_gaussians(neighbour_map(drawn), m)
        if gain - _gain(drawn, base_consensus(drawn, m).labels, by_map) <= EXCESS:
            return None
    return Groups(labels, chart, divide_by_gaussians, gain, BY_SHEETS)


def divide_by_gaussians(points: Array, number: int) -> Indices:
    """Return the clusters (N,) of a Gaussian mixture."""
    mixture = GaussianMixture(number, reg_covar=1e-2, n_init=5, random_state=0)
    return np.unique(mixture.fit_predict(points), return_inverse=True)[1]


def _number(chart: Array) -> int:
    """Return the number of clusters of k-means, at most sqrt(N), with the highest silhouette."""
    numbers = [*range(2, int(np.sqrt(len(chart))) + 1)]
    return numbers[int(np.argmax(silhouettes(chart, numbers, 3, 0)))]


def _gain(Y: Array, own: Indices, labels: Indices) -> float:
    graph = _shared_neighbours(Y)
    return float(np.log((_cut(graph, own) + 1e-3) / (_cut(graph, labels) + 1e-3)))


def _shared_neighbours(Y: Array) -> csr_matrix:
    """Return the numbers of neighbours that neighbouring rows share, (N, N)."""
    A = kneighbors_graph(Y, min(NEIGHBOURS, len(Y) - 1), include_self=True)
    shared = (A @ A.T).multiply((A + A.T) > 0).tocsr()
    shared.setdiag(0.0)
    return shared


def _cut(graph: csr_matrix, labels: Indices) -> float:
    """Return the mean fraction of the weight of a cluster that leads out of it."""
    member = np.eye(labels.max() + 1)[labels]
    inside = np.sum((graph @ member) * member, axis=0)
    volume = member.T @ np.asarray(graph.sum(axis=1)).ravel()
    return float(np.mean(1.0 - inside / np.maximum(volume, 1e-9)))


def _draw(Y: Array, labels: Indices, random_state: np.random.RandomState) -> Array:
    """Draw rows from a Gaussian copula for each cluster, with the cluster's values of a column.

    The covariances of the copulas are shrunk towards their mean as in `t_mixture.py`.
    """
    n, p = Y.shape
    members = [np.flatnonzero(labels == m) for m in range(labels.max() + 1)]
    centred = [Y[rows] - Y[rows].mean(axis=0) for rows in members]
    scatters = [each.T @ each for each in centred]
    pooled, drawn = np.sum(scatters, axis=0) / n, Y.copy()
    for rows, scatter in zip(members, scatters, strict=True):
        covariance = (scatter + p * pooled) / (len(rows) + p) + 1e-6 * np.eye(p)
        normal = random_state.standard_normal((len(rows), p)) @ np.linalg.cholesky(covariance).T
        ranks = normal.argsort(axis=0).argsort(axis=0)
        drawn[rows] = np.take_along_axis(np.sort(Y[rows], axis=0), ranks, axis=0)
    return drawn
