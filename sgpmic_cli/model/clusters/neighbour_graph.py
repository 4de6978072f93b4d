"""Clusters of any shape that gaps separate: partitions of the neighbour graph with almost no cut.

Spirals, rings and half moons have no centre, so k-means and mixtures do not find them. A partition
that cuts at most FREE_CUT of the links between near neighbours shows clusters of any shape.
Candidates come from spectral clustering of three graphs and from single linkage on mutual
reachability distances. The candidate with the smallest cut is taken.
"""

import warnings
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.cluster.hierarchy import linkage, to_tree
from scipy.spatial.distance import pdist, squareform
from sklearn.cluster import SpectralClustering
from sklearn.neighbors import NearestNeighbors

from sgpmic_cli._typing import Array, Indices
from sgpmic_cli.model.clusters.discrete_columns import is_discrete

FREE_CUT = 0.01
CUT_RATIO = 3.0  # the cut must be this much smaller than that of the consensus
LEAST_SHARE = 0.3  # of an equal share of the rows; smaller parts are outliers
NEIGHBOURS = 12
CUT_NEIGHBOURS = 10  # of the graph on which all partitions are compared
MOST_CLUSTERS = 20
TREE_ROWS = 3000  # single linkage needs all distances


class Neighbours(NamedTuple):
    """The nearest neighbours of every row: distances and indices (N, NEIGHBOURS)."""

    distances: Array
    indices: Indices

    def graph(self, k: int, weights: Array | None = None) -> sparse.csr_matrix:
        """Return the directed graph of the first k neighbours."""
        n, k = len(self.indices), min(k, self.indices.shape[1])
        values = np.ones(n * k) if weights is None else weights[:, :k].ravel()
        places = (np.repeat(np.arange(n), k), self.indices[:, :k].ravel())
        return sparse.csr_matrix((values, places), shape=(n, n))


def gap_clusters(Y: Array, labels: Indices, n_clusters: int, seed: int) -> Indices | None:
    """Return clusters that gaps separate, or None if the consensus `labels` are as good."""
    # One column has intervals only, which k-means and mixtures find; its graph is cut by chance.
    if len(Y) <= 3 or Y.shape[1] == 1 or n_clusters > MOST_CLUSTERS or is_discrete(Y):
        return None
    near = neighbours(Y)
    least = LEAST_SHARE * len(Y) / n_clusters
    best, least_cut = None, FREE_CUT
    for candidate in _candidates(Y, near, n_clusters, least, seed):
        sizes = np.bincount(candidate, minlength=n_clusters)
        if sizes.min() >= least and (value := cut(near, candidate)) <= least_cut:
            best, least_cut = candidate, value
    if best is None or CUT_RATIO * least_cut >= cut(near, labels):
        return None
    return best


def neighbours(Y: Array) -> Neighbours:
    """Return the nearest neighbours of the rows. A row is never its own neighbour."""
    search = NearestNeighbors(n_neighbors=min(NEIGHBOURS, len(Y) - 1)).fit(Y)
    return Neighbours(*search.kneighbors())


def cut(near: Neighbours, labels: Indices) -> float:
    """Return the fraction of links that leave a cluster, averaged over clusters."""
    graph = near.graph(CUT_NEIGHBOURS)
    graph = graph.maximum(graph.T)
    members = np.eye(labels.max() + 1)[labels]
    volumes = np.asarray(graph.sum(axis=1)).ravel() @ members
    kept = np.einsum("nm,nm->m", members, graph @ members)
    return float(np.mean(1.0 - kept / np.maximum(volumes, 1e-300)))


def _candidates(
    Y: Array, near: Neighbours, n_clusters: int, least: float, seed: int
) -> list[Indices]:
    found = []
    if len(Y) <= TREE_ROWS:
        tree = _single_linkage(Y, near, n_clusters, least)
        found += [] if tree is None else [tree]
    plain = near.graph(NEIGHBOURS)
    local = near.distances[:, min(6, near.distances.shape[1] - 1)]
    local = np.maximum(local, 0.3 * near.distances.mean() + 1e-12)
    weights = np.exp(-(near.distances**2) / (local[:, None] * local[near.indices]))
    tuned = near.graph(NEIGHBOURS, weights)
    faint = 1e-6 * plain.maximum(plain.T)  # connects the parts, so that eigenvectors exist
    for graph in (
        plain.maximum(plain.T),
        tuned.maximum(tuned.T) + faint,
        plain.minimum(plain.T) + faint,
    ):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a graph in parts is expected here
            try:
                spectral = SpectralClustering(
                    n_clusters, affinity="precomputed", n_init=5, random_state=seed
                )
                found.append(spectral.fit_predict(graph))
            except (ArithmeticError, ValueError, RuntimeError, np.linalg.LinAlgError):
                continue  # this graph has no usable eigenvectors
    return found


def _single_linkage(Y: Array, near: Neighbours, n_clusters: int, least: float) -> Indices | None:
    """Cut the tree at its longest edges with enough rows on both sides.

    Rows that split off on the way to a cut stay with the larger side.
    """
    core = near.distances[:, min(4, near.distances.shape[1] - 1)]
    reach = np.maximum(squareform(pdist(Y)), np.maximum(core[:, None], core))
    np.fill_diagonal(reach, 0.0)
    root = to_tree(linkage(squareform(reach, checks=False), "single"))
    parts: list[tuple[Any, set[int]]] = [(_next_split(root, least), set(root.pre_order()))]
    while len(parts) < n_clusters:
        parts.sort(key=lambda part: part[0].dist if part[0] is not None else -1.0)
        split, rows = parts.pop()
        if split is None:
            return None
        smaller, larger = sorted((split.left, split.right), key=lambda node: node.count)
        leaves = set(smaller.pre_order())
        parts += [
            (_next_split(larger, least), rows - leaves),
            (_next_split(smaller, least), leaves),
        ]
    labels = np.zeros(len(Y), dtype=int)
    for label, (_, rows) in enumerate(parts):
        labels[list(rows)] = label
    return labels


def _next_split(node: Any, least: float) -> Any:
    """Return the highest node below `node` with enough rows on both sides, or None."""
    while not node.is_leaf():
        smaller, larger = sorted((node.left, node.right), key=lambda child: child.count)
        if smaller.count >= least:
            return node
        node = larger
    return None
