"""ISOMAP (Tenenbaum, de Silva and Langford 2000) with the details that reproduce the paper.

`parts="largest"` reproduces the paper's table. Two rows are connected if either is among the twelve
nearest neighbours of the other; equal distances are ordered by row number. Only the largest
connected component is embedded; all other rows are at the origin. Distances are computed as the
root of |a|^2 + |b|^2 - 2ab, because its rounding decides between the equal distances of Iris.

`parts="joined"` computes distances directly and connects the components by their closest pairs.
`parts="auto"` does this only if the largest component has no more than half of the rows.

ISOMAP takes N^2 log N time and N^2 memory.
"""

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from joblib import Memory
from numpy.typing import NDArray
from scipy import linalg, sparse
from scipy.sparse import csgraph
from scipy.sparse.linalg import eigsh
from scipy.spatial.distance import cdist
from sklearn.utils import gen_batches

from sgpmic_cli._typing import Array
from sgpmic_cli.errors import UsageError
from sgpmic_cli.gp import with_fixed_signs

Parts = Literal["largest", "joined", "auto"]

N_NEIGHBORS = 12
DUPLICATE_EDGE = 1e-9
AXES = 8  # the number of cached axes is a multiple of this, so that several q share them
EPS = float(np.finfo(float).eps)
DENSE = 1000  # largest number of rows for which a dense eigensolver is faster
MAX_ROWS = 10_000  # the geodesic distances of this many rows take 0.8 GB


def isomap(
    Y: Array, q: int, *, parts: Parts = "largest", unit_variance: bool = True, memory: Any = None
) -> Array:
    """Return the coordinates of the rows of Y on the q leading ISOMAP axes (N, q).

    `unit_variance` scales every axis to zero mean and unit variance (ddof 1). `memory` is a folder
    or a joblib.Memory for the coordinates, which repeats and other methods then reuse.
    """
    check_rows("ISOMAP", Y, MAX_ROWS)
    n_axes = max(q, min(-(-q // AXES) * AXES, len(Y) - 1))
    cache = memory if hasattr(memory, "cache") else Memory(memory, verbose=0)
    coordinates = cache.cache(_coordinates)(Y, n_axes, parts)[:, :q]
    if not unit_variance:
        return coordinates
    centred = coordinates - coordinates.mean(axis=0)
    deviation = centred.std(axis=0, ddof=1)
    return centred / np.where(deviation > 0, deviation, 1.0)


def check_rows(method: str, Y: Array, most: int) -> None:
    """Raise UsageError if there are too many rows for arrays of all their pairs."""
    if len(Y) > most:
        raise UsageError(
            f"{method} compares all pairs of rows; it accepts at most {most}, not {len(Y)}."
        )


def neighbor_graph(Y: Array, distances: Callable[..., Array] = cdist) -> sparse.csr_array:
    """Return the symmetric graph of pairs of which one row is a nearest neighbour of the other.

    `distances` must return exactly zero for equal rows. The graph is sparse, because SciPy treats
    entries below 1e-8 of a dense graph as missing, and with them the edges between duplicates.
    """
    n = Y.shape[0]
    n_neighbors = min(N_NEIGHBORS, n - 1)
    heads = np.empty((n, n_neighbors), dtype=np.int64)
    lengths = np.empty((n, n_neighbors))
    for rows in gen_batches(n, 512):
        block = distances(Y[rows], Y)
        # The first entry is the row itself or an earlier duplicate.
        order = np.argsort(block, axis=1, kind="stable")[:, 1 : n_neighbors + 1]
        heads[rows] = order
        lengths[rows] = np.take_along_axis(block, order, axis=1)
    tails = np.repeat(np.arange(n), n_neighbors)
    # Edges between duplicates must be much shorter than all others, whatever the unit is.
    tie = min(DUPLICATE_EDGE, 1e-6 * np.min(lengths, where=lengths > 0.0, initial=np.inf))
    edges = np.where(lengths > 0.0, lengths, tie).ravel()
    graph = sparse.csr_array((edges, (tails, heads.ravel())), shape=(n, n))
    graph.setdiag(0)
    graph.eliminate_zeros()
    return graph.maximum(graph.T).tocsr()


def expanded_distances(A: Array, B: Array) -> Array:
    """Return sqrt(|a|^2 + |b|^2 - 2ab) for all pairs of rows.

    The sums run over columns and use no matrix product, so that rounding is equal on all machines.
    """
    squares_a, squares_b = np.zeros((len(A), 1)), np.zeros(len(B))
    products = np.zeros((len(A), len(B)))
    for a, b in zip(A.T, B.T, strict=True):
        squares_a[:, 0] += a * a
        squares_b += b * b
        products += a[:, None] * b
    return np.sqrt(np.maximum(squares_a + squares_b - 2.0 * products, 0.0))


def _coordinates(Y: Array, n_axes: int, parts: Parts) -> Array:
    graph = neighbor_graph(Y, distances=expanded_distances if parts == "largest" else cdist)
    labels = csgraph.connected_components(graph, directed=False)[1]
    if parts == "joined" or (parts == "auto" and 2 * np.bincount(labels).max() <= len(labels)):
        graph = _join(Y, graph, labels)
        labels = np.zeros_like(labels)
    inside = np.flatnonzero(labels == np.bincount(labels).argmax())
    geodesic = csgraph.dijkstra(graph[inside][:, inside])
    coordinates = np.zeros((Y.shape[0], n_axes))
    coordinates[inside] = _classical_mds(geodesic, n_axes)
    return coordinates


def _classical_mds(distances: Array, n_axes: int) -> Array:
    """Return the eigenvectors of -1/2 J D^2 J times the roots of their eigenvalues."""
    n = len(distances)
    gram: Array = distances**2
    means = gram.mean(axis=0)
    gram -= means  # in place, because several N x N arrays would need much memory
    gram -= means[:, None]
    gram += means.mean()
    gram *= -0.5
    k = min(n_axes, n)
    if n > max(DENSE, 4 * k):
        start = np.random.RandomState(0).standard_normal(n)
        values, vectors = eigsh(gram, k, which="LA", v0=start)
    else:
        values, vectors = linalg.eigh(gram, subset_by_index=[n - k, n - 1], overwrite_a=True)
    kept = np.where(values > n * EPS * values[-1], values, 0.0)
    coordinates = np.zeros((n, n_axes))
    coordinates[:, :k] = (vectors * np.sqrt(kept))[:, ::-1]
    return with_fixed_signs(coordinates)


def _join(Y: Array, graph: sparse.csr_array, labels: NDArray[np.int32]) -> sparse.csr_array:
    """Connect the components, each by its closest pair with the rows connected so far."""
    joined = labels == np.bincount(labels).argmax()
    bridges = graph.tolil()
    while not joined.all():
        inside, outside = np.flatnonzero(joined), np.flatnonzero(~joined)
        gaps = cdist(Y[outside], Y[inside])
        i, j = np.unravel_index(gaps.argmin(), gaps.shape)
        a, b = outside[i], inside[j]
        bridges[a, b] = bridges[b, a] = gaps[i, j] or DUPLICATE_EDGE
        joined |= labels == labels[a]
    return bridges.tocsr()
