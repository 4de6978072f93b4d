"""ISOMAP (Tenenbaum, de Silva and Langford 2000) in the reading that reproduces the paper's cells.

Twelve neighbours; an edge if either end lists the other; duplicates tied by an edge of 1e-9; ties in a neighbour list
broken by row order; geodesics and classical MDS on the largest connected part only, every other point at the origin;
then every axis to zero mean and unit variance. At twelve neighbours Iris falls into 100 + 50 rows and Segment into 1980
+ 330, so many rows share the origin there: probably an accident of the program that the paper used. Another one shows:
the distance of a and b is the root of |a|^2 + |b|^2 - 2ab, and on Iris, whose one decimal makes equal distances by the
hundred, the rounding of that sum decides who is a neighbour (71.33, 76.67 and 69.33, as printed; direct differences
give 72.67, 77.33 and 78.73). The printed numbers come out with both, so they are kept under `parts="largest"`.
`parts="joined"` measures directly and bridges the parts by their closest pairs; "auto" measures directly, and bridges
only where the largest part holds no more than half of the rows (clusters that stand apart would otherwise fall on one
point). `unit_variance=False` leaves the axes at their own length.
"""

from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, sparse
from scipy.sparse import csgraph
from scipy.spatial.distance import cdist

from sgpmic_cli._typing import Array, PathLike
from sgpmic_cli.embeddings.block_lanczos import leading_eigenvectors
from sgpmic_cli.files.array_cache import Memory, remembered

Parts = Literal["largest", "joined", "auto"]
Distances = Callable[[Array, Array], Array]  # of all rows of the one from all rows of the other

N_NEIGHBORS = 12
DUPLICATE_EDGE = 1e-9
AXES = 8  # axes come in multiples of this: a file of them serves several q
EPS = float(np.finfo(float).eps)
DENSE = 1000  # rows up to which a dense solver finds the axes faster


def isomap(
    Y: Array,
    q: int,
    *,
    parts: Parts = "largest",
    unit_variance: bool = True,
    memory: PathLike | Memory | None = None,
) -> Array:
    """Coordinates of the rows of Y on the q leading ISOMAP axes (N, q).

    `memory` says where the coordinates of a data set are kept, so that repeats and other methods reuse
    them: one file serves every q that needs as many axes, in eights.
    """
    if not 1 <= q <= max(Y.shape[0] - 1, 1):
        raise ValueError(
            f"ISOMAP of {Y.shape[0]} rows has at most {max(Y.shape[0] - 1, 1)} axes, not {q}."
        )
    n_axes = max(q, min(-(-q // AXES) * AXES, Y.shape[0] - 1))
    kept = remembered(
        memory, __name__, f"{parts} {n_axes}", Y, lambda: {"X": _coordinates(Y, n_axes, parts)}
    )
    coordinates = kept["X"][:, :q]
    if not unit_variance:
        return coordinates
    centred = coordinates - coordinates.mean(axis=0)
    deviation = centred.std(axis=0, ddof=1) if len(Y) > 1 else np.ones(q)
    return centred / np.where(deviation > 0, deviation, 1.0)


def neighbor_graph(
    Y: Array, n_neighbors: int = N_NEIGHBORS, distances: Distances = cdist
) -> sparse.csr_array:
    """The symmetric graph in which two rows are joined if either counts the other among its nearest neighbours.

    Equal rows must come out of `distances` at exactly zero. Always sparse: SciPy's graph routines read entries of a
    dense matrix below 1e-8 as missing, and with them the edges between duplicates.
    """
    n = Y.shape[0]
    n_neighbors = min(n_neighbors, n - 1)
    heads = np.empty((n, n_neighbors), dtype=np.int64)
    lengths = np.empty((n, n_neighbors))
    for start in range(0, n, 512):
        block = distances(Y[start : start + 512], Y)
        # The nearest entry is the row itself, or an earlier duplicate of it that stands in its place.
        order = _smallest(block, n_neighbors + 1)[:, 1:]
        heads[start : start + 512] = order
        lengths[start : start + 512] = np.take_along_axis(block, order, axis=1)
    tails = np.repeat(np.arange(n), n_neighbors)
    # Far below every length there is, in whatever unit: otherwise the layout would depend on the unit.
    tie = min(DUPLICATE_EDGE, 1e-6 * np.min(lengths, where=lengths > 0.0, initial=np.inf))
    edges = np.where(lengths > 0.0, lengths, tie).ravel()
    graph = sparse.csr_array((edges, (tails, heads.ravel())), shape=(n, n))
    graph.setdiag(0)
    graph.eliminate_zeros()
    return graph.maximum(graph.T).tocsr()


def expanded_distances(A: Array, B: Array) -> Array:
    """sqrt(|a|^2 + |b|^2 - 2ab) for all rows of A and B, rounded as it is by a toolbox that has no better way.

    Column after column, never by a matrix product: the last digits are then the same on every machine.
    """
    squares_a, squares_b, products = (
        np.zeros((len(A), 1)),
        np.zeros(len(B)),
        np.zeros((len(A), len(B))),
    )
    term = np.empty_like(products)
    for a, b in zip(A.T, B.T, strict=True):
        squares_a[:, 0] += a * a
        squares_b += b * b
        products += np.multiply(a[:, None], b, out=term)
    np.add(squares_a, squares_b, out=term)
    products *= 2.0
    term -= products
    return np.sqrt(np.maximum(term, 0.0, out=term), out=term)


def _smallest(distances: Array, k: int) -> NDArray[np.intp]:
    """Columns of the k smallest entries of every row in their order, equal ones by column: a stable sort cut short."""
    k = min(k, distances.shape[1])
    limits = np.partition(distances, k - 1, axis=1)[:, k - 1]
    found = np.empty((len(distances), k), dtype=np.intp)
    for row, limit, out in zip(distances, limits, found, strict=True):
        near = np.flatnonzero(row <= limit)
        out[:] = near[np.argsort(row[near], kind="stable")[:k]]
    return found


def _coordinates(Y: Array, n_axes: int, parts: Parts) -> Array:
    graph = neighbor_graph(Y, distances=expanded_distances if parts == "largest" else cdist)
    labels = csgraph.connected_components(graph, directed=False)[1]
    if parts == "joined" or (parts == "auto" and 2 * np.bincount(labels).max() <= len(labels)):
        graph = _join(Y, graph, labels)
        labels = np.zeros_like(labels)
    inside = np.flatnonzero(labels == np.bincount(labels).argmax())
    geodesic = csgraph.dijkstra(graph[inside][:, inside])  # every edge is there both ways
    coordinates = np.zeros((Y.shape[0], n_axes))
    coordinates[inside] = _classical_mds(geodesic, n_axes)
    return coordinates


def _classical_mds(distances: Array, n_axes: int) -> Array:
    """Eigenvectors of -1/2 J D^2 J times the roots of their eigenvalues; axes beyond the rank are zero."""
    n = distances.shape[0]
    gram = distances**2
    means = gram.mean(axis=0)
    gram -= means  # in place: at thousands of rows new memory costs more than the sums
    gram -= means[:, None]
    gram += means.mean()
    gram *= -0.5
    values, vectors = _leading(gram, min(n_axes, n))
    coordinates = np.zeros((n, n_axes))
    coordinates[:, : len(values)] = vectors * np.sqrt(
        np.where(values > n * EPS * values[0], values, 0.0)
    )
    return coordinates * np.where(
        coordinates[np.abs(coordinates).argmax(axis=0), np.arange(n_axes)] < 0, -1.0, 1.0
    )


def _leading(gram: Array, k: int) -> tuple[Array, Array]:
    """The k largest eigenvalues and their vectors (n, k), the largest first; fewer where the matrix has fewer."""
    n = len(gram)
    if n > max(DENSE, 4 * k):
        start = np.random.RandomState(0).standard_normal(
            (n, k + AXES // 2)
        )  # spare columns: the last converges sooner
        try:
            vectors = leading_eigenvectors(
                lambda X: gram @ X, start, k, 1e-12, noise=1e-14 * float(linalg.norm(gram))
            )
            return np.einsum("nk,nk->k", vectors, gram @ vectors), vectors
        except np.linalg.LinAlgError:
            pass  # eigenvalues too close together; a dense solver has them all
    values, vectors = linalg.eigh(gram, subset_by_index=[n - k, n - 1], overwrite_a=True)
    return values[::-1], vectors[:, ::-1]


def _join(Y: Array, graph: sparse.csr_array, labels: NDArray[np.int32]) -> sparse.csr_array:
    """Bridge the parts of a graph by the closest pair of points between each part and all that is joined so far."""
    joined = labels == np.bincount(labels).argmax()
    bridges = graph.tolil()
    while not joined.all():
        ours, theirs = np.flatnonzero(joined), np.flatnonzero(~joined)
        gaps = cdist(Y[theirs], Y[ours])
        i, j = np.unravel_index(gaps.argmin(), gaps.shape)
        bridges[theirs[i], ours[j]] = bridges[ours[j], theirs[i]] = gaps[i, j] or DUPLICATE_EDGE
        joined |= labels == labels[theirs[i]]
    return bridges.tocsr()
