"""Neighbourhood component analysis (Goldberger et al. 2004) with the penalty of UNCA.

    maximise  F(A) = sum_i p_i - lambda |A|^2 / (P Q),   p_i = sum_{j in the cluster of i} p_ij
    p_ij = e_ij / r_i,   e_ij = exp(-|z_i - z_j|^2),   e_ii = 0,   r_i = sum_j e_ij,   Z = Yc A

With T = diag(p) [p_ij] - [p_ij within clusters] and H = T + T', the gradient is
2 Yc' (diag(H 1) - H) Z minus the gradient of the penalty. Points whose r_i underflows do not count,
as in the published program. w equal points of one cluster are one point with weight w: e_ij counts
w_j times, and r_i and p_i r_i increase by w_i - 1.

Terms below exp(-37) of the largest term of their row are omitted, because they are lost to
rounding. Blocks of near pairs are used while the points are close together, and lists of near pairs
once the points are spread. Without the lists a fit takes twice as long on Segment.
"""

from collections.abc import Callable

import numpy as np
from scipy.spatial import cKDTree
from scipy.spatial.distance import cdist

from sgpmic_cli._typing import Array, BoolArray, Indices
from sgpmic_cli.paper.methods.unca.graph import main_axis_coordinates, near_blocks

_NEGLIGIBLE = 37.0  # exp(-37) = 8e-17, half the spacing of floats below one
_UNDERFLOW = 700.0  # exp(-700) = 1e-304
_LOG2E = 1.0 / np.log(2.0)
_ADJACENT = 8  # sorted rows on either side that are searched for a near neighbour

_MARGIN = 0.2  # fraction of the radius by which listed pairs exceed it
_COVERED = 0.97  # fraction of the points whose neighbours lie within the radius
_MOVED = 0.05  # fraction of the points that may have moved before a new list is made

# The sum of all p, and a function for half the gradient with respect to Z (N, Q).
Evaluation = tuple[float, Callable[[], Array]]


class Objective:
    """The function -F of a flat A (P Q,) with its gradient."""

    def __init__(self, Yc: Array, weights: Array, labels: Indices, n_components: int, lam: float):
        order = np.argsort(labels, kind="stable")
        self.Y = np.ascontiguousarray(Yc[order])  # (N, P)
        self.weights = weights[order]  # (N,)
        self.labels = labels[order]
        self.q = n_components
        self.lam = lam
        self._clusters = _cluster_ranges(self.labels)
        self._lists = NeighbourLists()

    def __call__(self, a: Array) -> tuple[float, Callable[[], Array]]:
        """Return -F at the flat A and a function that computes the gradient there."""
        A = a.reshape(-1, self.q)
        Z = self.Y @ A  # (N, Q)
        sparse = self._lists.valid(Z) or self._is_sparse(Z)
        p, laplacian = self._by_lists(Z) if sparse else self._by_blocks(Z)

        def gradient() -> Array:
            return (2.0 * self.lam / A.size * A - 2.0 * self.Y.T @ laplacian()).ravel()

        return self.lam * float(np.sum(A**2)) / A.size - p, gradient

    def _is_sparse(self, Z: Array) -> bool:
        """Estimate from about fifty rows whether few pairs are near."""
        if len(Z) <= 400:
            return False
        rows = np.arange(0, len(Z), len(Z) // 50)
        distances = cdist(Z[rows], Z, "sqeuclidean")
        distances[np.arange(len(rows)), rows] = np.inf
        return float(np.mean(distances < distances.min(axis=1, keepdims=True) + _NEGLIGIBLE)) < 0.08

    def _by_blocks(self, Z: Array) -> Evaluation:
        """Sort every cluster along the main axis and evaluate blocks of the upper triangle."""
        n, q = Z.shape
        along = main_axis_coordinates(Z)
        order = np.lexsort((along, self.labels))
        Z, weights = Z[order], self.weights[order]
        blocks = near_blocks(along[order], _reach(Z, weights), self._clusters)
        tiles = []
        own, other = np.zeros(n), np.zeros(n)  # sums over the own cluster and over the others
        for block in blocks:
            tile = cdist(Z[block.rows], Z[block.columns], "sqeuclidean")
            tile *= -_LOG2E
            np.exp2(tile, out=tile)
            tile = block.above_diagonal(tile)
            sums = own if block.same_cluster else other
            sums[block.rows] += tile @ weights[block.columns]
            sums[block.columns] += weights[block.rows] @ tile
            tiles.append(tile)
        p, p_over_r, inverse_r = _row_terms(weights, own + other, own)

        def laplacian() -> Array:
            a, b, w = p_over_r[:, None], inverse_r[:, None], weights[:, None]
            V = np.column_stack([Z, np.ones(n)])  # (N, Q + 1)
            within, across = np.hstack([w * V, (a - b) * V]), np.hstack([w * V, a * V])
            own, other = np.zeros_like(within), np.zeros_like(across)
            for tile, block in zip(tiles, blocks, strict=True):
                sums, sides = (own, within) if block.same_cluster else (other, across)
                sums[block.rows] += tile @ sides[block.columns]
                sums[block.columns] += (sides[block.rows].T @ tile).T
            HV = (a - b) * own[:, : q + 1] + a * other[:, : q + 1] + w * (own + other)[:, q + 1 :]
            LapZ = np.empty_like(Z)
            LapZ[order] = HV[:, q:] * Z - HV[:, :q]
            return LapZ

        return p, laplacian

    def _by_lists(self, Z: Array) -> Evaluation:
        i, j, differences, squares = self._lists.pairs(Z, self.weights > 1)
        n, same = len(Z), (self.labels.take(i) == self.labels.take(j)).astype(np.float64)

        def row_sums(at_i: Array, at_j: Array) -> Array:
            return np.bincount(i, at_i, n).astype(np.float64) + np.bincount(j, at_j, n)

        e = np.exp(-squares)
        e_i, e_j = e * self.weights.take(j), e * self.weights.take(i)
        p, a, b = _row_terms(self.weights, row_sums(e_i, e_j), row_sums(e_i * same, e_j * same))

        def laplacian() -> Array:
            H = e_i * (a.take(i) - same * b.take(i)) + e_j * (a.take(j) - same * b.take(j))
            return np.column_stack([row_sums(H * column, -H * column) for column in differences.T])

        return p, laplacian


class NeighbourLists:
    """Pairs of near points that are listed once and reused while the points move.

    A pair is near if its squared distance is below _UNDERFLOW and exceeds the squared distance of
    one of the points to its nearest neighbour by less than _NEGLIGIBLE. The list contains all pairs
    within a radius that is sufficient for nearly all points, plus a margin for later moves. Points
    that need a larger radius or moved too far are compared with all others in every call.
    """

    _listed: Array | None = None  # the points for which the list was made

    def pairs(self, Z: Array, duplicated: BoolArray) -> tuple[Indices, Indices, Array, Array]:
        """Return i, j, z_i - z_j (pairs, Q) and its squared length (pairs,) for all near pairs.

        The nearest neighbour of a `duplicated` point is its duplicate at distance zero.
        """
        moved = self._moved(Z)
        if moved is None:
            self._make(Z)
            moved = np.zeros(len(Z), dtype=np.bool_)
        i, j = self._i, self._j
        differences = Z.take(i, axis=0) - Z.take(j, axis=0)
        squares = np.einsum("nq,nq->n", differences, differences)
        if moved.any():
            squares[moved.take(i) | moved.take(j)] = np.inf
        nearest = np.where(duplicated, 0.0, np.inf)
        np.minimum.at(nearest, i, squares)
        np.minimum.at(nearest, j, squares)
        reach = np.minimum(nearest + _NEGLIGIBLE, _UNDERFLOW)
        unlisted = moved | (reach > self._radius**2)
        near = (squares < np.maximum(reach.take(i), reach.take(j))) & ~(
            unlisted.take(i) | unlisted.take(j)
        )
        kept = np.flatnonzero(near)
        i, j = i.take(kept), j.take(kept)
        differences, squares = differences.take(kept, axis=0), squares.take(kept)
        if unlisted.any():
            more_i, more_j = _pairs_with_all(Z, np.flatnonzero(unlisted), reach)
            more = Z.take(more_i, axis=0) - Z.take(more_j, axis=0)
            i, j = np.concatenate([i, more_i]), np.concatenate([j, more_j])
            differences = np.concatenate([differences, more])
            squares = np.concatenate([squares, np.einsum("nq,nq->n", more, more)])
        return i, j, differences, squares

    def valid(self, Z: Array) -> bool:
        """Tell whether there is a list and most points are near their listed positions."""
        return self._moved(Z) is not None

    def _moved(self, Z: Array) -> BoolArray | None:
        """Mark the points that moved too far for the list. Return None if a new list is needed."""
        if self._listed is None:
            return None
        moved = np.sum((Z - self._listed) ** 2, axis=1) > (0.5 * _MARGIN * self._radius) ** 2
        return moved if moved.mean() <= _MOVED else None

    def _make(self, Z: Array) -> None:
        tree = cKDTree(Z)
        nearest = np.asarray(tree.query(Z, k=2)[0])[:, 1]
        needed = np.quantile(nearest**2, _COVERED) + _NEGLIGIBLE
        self._radius = float(np.sqrt(min(needed, _UNDERFLOW)))
        pairs = tree.query_pairs((1.0 + _MARGIN) * self._radius, output_type="ndarray")
        self._i, self._j = np.ascontiguousarray(pairs.T)
        self._listed = Z


def _pairs_with_all(Z: Array, points: Indices, reach: Array) -> tuple[Indices, Indices]:
    """Return the near pairs of some points with all others; `reach` is a squared distance."""
    squares = cdist(Z[points], Z, "sqeuclidean")
    near = squares < np.maximum(reach[points, None], reach)
    near[:, points] = np.triu(near[:, points], 1)
    rows, columns = np.nonzero(near)
    return points[rows], columns


def _row_terms(weights: Array, r: Array, c: Array) -> tuple[float, Array, Array]:
    """Return sum_i w_i p_i, w p / r and w / r from sums over other rows; zero if r underflows."""
    equal = weights - 1.0
    r = r + equal
    inverse = np.divide(1.0, r, out=np.zeros_like(r), where=r > 1e-290)
    p = (c + equal) * inverse
    inverse *= weights
    return float(weights @ p), p * inverse, inverse


def _cluster_ranges(labels: Indices) -> list[tuple[int, int]]:
    """Return the start and end position of every cluster of sorted labels."""
    edges = (np.flatnonzero(np.diff(labels)) + 1).tolist()
    return list(zip([0, *edges], [*edges, len(labels)], strict=True))


def _reach(Z: Array, weights: Array) -> Array:
    """Return for each sorted row a distance that contains all its near pairs (N,)."""
    nearest = np.where(weights > 1, 0.0, _UNDERFLOW)
    for shift in range(1, min(_ADJACENT, len(Z) - 1) + 1):
        squares = np.sum((Z[shift:] - Z[:-shift]) ** 2, axis=1)
        np.minimum(nearest[shift:], squares, out=nearest[shift:])
        np.minimum(nearest[:-shift], squares, out=nearest[:-shift])
    return np.sqrt(np.minimum(nearest + _NEGLIGIBLE, _UNDERFLOW))
