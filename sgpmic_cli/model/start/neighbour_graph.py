"""Clusters of any shape that a gap surrounds: partitions of the graph of nearest neighbours that cut almost no link.

Spirals, rings and half moons have no centres, and no mixture in the data's own space finds them. Where a partition cuts
at most `FREE_CUT` of the links between near neighbours, the clusters are there whatever their shape. Several graphs are
tried (nearest neighbours, the same weighted by local distance, mutual neighbours) and the tree of single linkage on
mutual reachability; the partition that cuts least is taken. Clusters below `LEAST_SHARE` of an equal share are outliers
that a cut is always cheap for, and do not count.
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

FREE_CUT = 0.01
LEAST_SHARE = 0.3
NEIGHBOURS = 12
MEASURED = 10  # neighbours of the graph on which all partitions are compared
MOST_CLUSTERS = 20  # shapes are for the eye; nobody draws more
TREE_ROWS = 3000  # single linkage needs all distances


class Neighbours(NamedTuple):
    """The nearest neighbours of every row: distances and indices (N, NEIGHBOURS)."""

    distances: Array
    indices: Indices

    def graph(self, k: int, weights: Array | None = None) -> sparse.csr_matrix:
        """The directed graph of the first k neighbours."""
        n, k = len(self.indices), min(k, self.indices.shape[1])
        values = np.ones(n * k) if weights is None else weights[:, :k].ravel()
        places = (np.repeat(np.arange(n), k), self.indices[:, :k].ravel())
        return sparse.csr_matrix((values, places), shape=(n, n))


def neighbours(Y: Array) -> Neighbours:
    """Nearest neighbours of the rows."""
    k = min(NEIGHBOURS + 1, len(Y) - 1)
    distances, indices = NearestNeighbors(n_neighbors=k).fit(Y).kneighbors(Y)
    return Neighbours(distances[:, 1:], indices[:, 1:])


def cut(near: Neighbours, labels: Indices) -> float:
    """The share of links that leave a cluster, averaged over clusters."""
    graph = near.graph(MEASURED)
    graph = graph.maximum(graph.T)
    members = np.eye(labels.max() + 1)[labels]
    volumes = np.asarray(graph.sum(axis=1)).ravel() @ members
    kept = np.einsum("nm,nm->m", members, graph @ members)
    return float(np.mean(1.0 - kept / np.maximum(volumes, 1e-300)))


def partition(
    Y: Array, near: Neighbours, n_clusters: int, seed: int
) -> tuple[Indices, float] | None:
    """The partition into so many clusters that cuts least, with its cut; None where none keeps its clusters large."""
    least = LEAST_SHARE * len(Y) / n_clusters
    best: tuple[Indices, float] | None = None
    for labels in _candidates(Y, near, n_clusters, least, seed):
        if len(np.unique(labels)) < n_clusters or np.bincount(labels).min() < least:
            continue
        value = cut(near, labels)
        if best is None or value < best[1]:
            best = labels, value
    return best


def _candidates(
    Y: Array, near: Neighbours, n_clusters: int, least: float, seed: int
) -> list[Indices]:
    found = []
    if len(Y) <= TREE_ROWS and (tree := _single_linkage(Y, near, n_clusters, least)) is not None:
        found.append(tree)
    plain = near.graph(NEIGHBOURS)
    local = near.distances[:, min(6, near.distances.shape[1] - 1)]
    local = np.maximum(local, 0.3 * near.distances.mean() + 1e-12)
    weights = np.exp(-(near.distances**2) / (local[:, None] * local[near.indices]))
    tuned = near.graph(NEIGHBOURS, weights)
    faint = 1e-6 * plain.maximum(
        plain.T
    )  # keeps the eigenvectors of parts apart without joining them
    for graph in (
        plain.maximum(plain.T),
        tuned.maximum(tuned.T) + faint,
        plain.minimum(plain.T) + faint,
    ):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a graph in parts is what is looked for
            try:
                spectral = SpectralClustering(
                    n_clusters, affinity="precomputed", n_init=5, random_state=seed
                )
                found.append(spectral.fit_predict(graph))
            except (ArithmeticError, ValueError, RuntimeError, np.linalg.LinAlgError):
                continue  # no eigenvectors to be had of this graph
    return found


def _single_linkage(Y: Array, near: Neighbours, n_clusters: int, least: float) -> Indices | None:
    """Cut the tree at its longest edges that leave both sides large; splinters stay with what they fell off from."""
    core = near.distances[:, min(4, near.distances.shape[1] - 1)]
    reach = np.maximum(squareform(pdist(Y)), np.maximum(core[:, None], core))
    np.fill_diagonal(reach, 0.0)
    root = to_tree(linkage(squareform(reach, checks=False), "single"))
    open_nodes: list[Any] = [(_next_split(root, least), root)]
    while len(open_nodes) < n_clusters:
        open_nodes.sort(key=lambda pair: pair[0].dist if pair[0] is not None else -1.0)
        split, node = open_nodes.pop()
        if split is None:
            return None
        left, right = split.left, split.right
        # What fell off on the way down to the split stays with its larger side.
        larger, smaller = (left, right) if left.count >= right.count else (right, left)
        kept = set(node.pre_order()) - set(smaller.pre_order())
        open_nodes += [
            (_next_split(larger, least), _Leaves(kept)),
            (_next_split(smaller, least), smaller),
        ]
    labels = np.zeros(len(Y), dtype=int)
    for label, (_, node) in enumerate(open_nodes):
        labels[list(node.pre_order())] = label
    return labels


class _Leaves:
    """A set of rows in the manner of a node of the tree."""

    def __init__(self, rows: set[int]):
        self.rows = rows

    def pre_order(self) -> list[int]:
        return sorted(self.rows)


def _next_split(node: Any, least: float) -> Any:
    """The highest node at or below, on the way of the larger side, whose two sides are both large; None at the end."""
    while not node.is_leaf():
        left, right = node.left, node.right
        if min(left.count, right.count) >= least:
            return node
        node = left if left.count >= right.count else right
    return None
