"""Neighbourhood component analysis (Goldberger et al. 2004) with the penalty of UNCA, without an N x N x P array.

    maximise  F(A) = sum_i p_i - lambda |A|^2 / (P Q),   p_i = sum_{j in i's cluster} p_ij,
              p_ij = e_ij / r_i,   e_ij = exp(-|z_i - z_j|^2),   e_ii = 0,   r_i = sum_j e_ij,   Z = Yc A

With T = diag(p) [p_ij] - [p_ij where clusters agree] and H = T + T', the gradient is 2 Yc' (diag(H 1) - H) Z minus the
penalty's. A point so far from all others that its r_i underflows counts nothing, as in the published program. Equal
points of one cluster are one point with a weight w: e_ij then counts w_j times, and r_i and p_i r_i gain w_i - 1.

Three ways to the same numbers. One matrix of all pairs, where rows are few. Else what is below exp(-37) of its row's
largest is left out, lost to rounding in any case. Blocks: e is symmetric, so only its upper triangle is made; the rows
of every cluster are sorted along the axis on which Z spreads most, and a block joins a panel of them to the stretch of
a cluster that is near enough. Every sum over a block is a matrix product. Lists: once Z has spread, few pairs are near
enough, and they are listed (see neighbour_lists.py).
"""

from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from sgpmic_cli._typing import Array
from sgpmic_cli.baselines.unca.near_blocks import PANEL, Block, along_main_axis, blocks
from sgpmic_cli.baselines.unca.neighbour_lists import NeighbourLists

_NEGLIGIBLE = 37.0  # exp(-37) = 8e-17, half the spacing of floats below one
_UNDERFLOW = 700.0  # exp(-700) = 1e-304
_LOG2E = 1.0 / np.log(2.0)  # powers of two are a tenth faster than exp
_FEW = 256  # rows up to which one matrix of all pairs is faster than many blocks
_ABOVE = np.triu(np.ones((PANEL, PANEL)), 1)
_BESIDE = 8  # how many rows on either side in the order are asked for the nearest

Sums = tuple[
    float, Callable[[], Array]
]  # of all p, and what computes the gradient by Z, halved (N, Q)


class Objective:
    """-F and its gradient at a flattened A (P Q,), to be minimised."""

    def __init__(
        self,
        Yc: Array,
        weights: Array,
        labels: NDArray[np.int64],
        n_components: int,
        lam: float,
    ):
        order = np.argsort(labels, kind="stable")
        self.Y = np.ascontiguousarray(Yc[order])  # (N, P)
        self.weights = weights[order]  # (N,)
        self.labels = labels[order]
        self.q = n_components
        self.lam = lam
        self._clusters = _clusters(self.labels)
        self._room = np.empty(0)  # for the blocks of one evaluation
        self._lists = NeighbourLists(_NEGLIGIBLE, _UNDERFLOW)

    def __call__(self, a: Array) -> tuple[float, Callable[[], Array]]:
        """-F at A, which is flat, and what computes its gradient there, until the next call."""
        A = a.reshape(-1, self.q)
        Z = self.Y @ A  # (N, Q)
        p, laplacian = self._way(Z)(Z)

        def gradient() -> Array:
            return (2.0 * self.lam / A.size * A - 2.0 * self.Y.T @ laplacian()).ravel()

        return self.lam * float(np.sum(A**2)) / A.size - p, gradient

    def _way(self, Z: Array) -> Callable[[Array], Sums]:
        if len(Z) <= _FEW:
            return self._by_matrix
        return self._by_lists if self._lists.serve(Z) or self._is_sparse(Z) else self._by_blocks

    def _is_sparse(self, Z: Array) -> bool:
        """Whether few pairs matter, judged by some fifty rows; small sets are never worth a tree."""
        if len(Z) <= 400:
            return False
        rows = np.arange(0, len(Z), len(Z) // 50)
        distances = cdist(Z[rows], Z, "sqeuclidean")
        distances[np.arange(len(rows)), rows] = np.inf
        return float(np.mean(distances < distances.min(axis=1, keepdims=True) + _NEGLIGIBLE)) < 0.08

    @cached_property
    def _agree(self) -> Array:
        """One where clusters agree, else zero (N, N)."""
        return (self.labels[:, None] == self.labels).astype(np.float64)

    def _by_matrix(self, Z: Array) -> Sums:
        w, agree = self.weights, self._agree
        e = cdist(Z, Z, "sqeuclidean")
        np.exp(np.negative(e, out=e), out=e)
        np.fill_diagonal(e, 0.0)
        p, share, inverse = _shares(w, e @ w, (e * agree) @ w)

        def laplacian() -> Array:
            T = e * w * (share[:, None] - agree * inverse[:, None])
            H = T + T.T
            return H.sum(axis=1)[:, None] * Z - H @ Z

        return p, laplacian

    def _by_blocks(self, Z: Array) -> Sums:
        n, q = Z.shape
        along = along_main_axis(Z)
        order = np.lexsort((along, self.labels))
        Z, weights = Z[order], self.weights[order]
        near = blocks(along[order], _reach(Z, weights), self._clusters)
        tiles = self._tiles(near)
        own, other = np.zeros(n), np.zeros(n)  # sums over the own cluster, and over all others
        for tile, block in zip(tiles, near, strict=True):
            cdist(Z[block.rows], Z[block.columns], "sqeuclidean", out=tile)
            tile *= -_LOG2E
            np.exp2(tile, out=tile)
            if block.on_diagonal:
                tile[:, : len(tile)] *= _ABOVE[: len(tile), : len(tile)]
            sums = own if block.agree else other
            sums[block.rows] += tile @ weights[block.columns]
            sums[block.columns] += weights[block.rows] @ tile
        p, share, inverse = _shares(weights, own + other, own)

        def laplacian() -> Array:
            a, b, w = share[:, None], inverse[:, None], weights[:, None]
            V = np.column_stack([Z, np.ones(n)])  # (N, Q + 1)
            within, across = np.hstack([w * V, (a - b) * V]), np.hstack([w * V, a * V])
            own, other = np.zeros_like(within), np.zeros_like(across)
            for tile, block in zip(tiles, near, strict=True):
                sums, sides = (own, within) if block.agree else (other, across)
                sums[block.rows] += tile @ sides[block.columns]
                sums[block.columns] += (sides[block.rows].T @ tile).T
            HV = (a - b) * own[:, : q + 1] + a * other[:, : q + 1] + w * (own + other)[:, q + 1 :]
            LapZ = np.empty_like(Z)
            LapZ[order] = HV[:, q:] * Z - HV[:, :q]
            return LapZ

        return p, laplacian

    def _tiles(self, near: Sequence[Block]) -> list[Array]:
        """An array for each block, all from one stretch of memory that the next evaluation uses again."""
        sizes = [height * width for height, width in (block.shape for block in near)]
        ends = list(accumulate(sizes))
        if len(self._room) < ends[-1]:
            self._room = np.empty(ends[-1])
        parts = [self._room[end - size : end] for end, size in zip(ends, sizes, strict=True)]
        return [part.reshape(block.shape) for part, block in zip(parts, near, strict=True)]

    def _by_lists(self, Z: Array) -> Sums:
        i, j, apart, squares = self._lists.pairs(Z, self.weights > 1)
        n, agree = len(Z), (self.labels.take(i) == self.labels.take(j)).astype(np.float64)

        def ends(at_i: Array, at_j: Array) -> Array:
            return np.bincount(i, at_i, n).astype(np.float64) + np.bincount(j, at_j, n)

        e = np.exp(-squares)
        e_i, e_j = e * self.weights.take(j), e * self.weights.take(i)
        p, a, b = _shares(self.weights, ends(e_i, e_j), ends(e_i * agree, e_j * agree))

        def laplacian() -> Array:
            H = e_i * (a.take(i) - agree * b.take(i)) + e_j * (a.take(j) - agree * b.take(j))
            return np.column_stack([ends(H * column, -H * column) for column in apart.T])

        return p, laplacian


def _shares(weights: Array, r: Array, c: Array) -> tuple[float, Array, Array]:
    """The sum of all p, and w p / r and w / r for each row, from sums over other rows; zero where r underflows."""
    equal = weights - 1.0
    r = r + equal
    inverse = np.divide(1.0, r, out=np.zeros_like(r), where=r > 1e-290)
    p = (c + equal) * inverse
    inverse *= weights
    return float(weights @ p), p * inverse, inverse


def _clusters(labels: NDArray[np.int64]) -> list[tuple[int, int]]:
    """First and past the last row of every cluster, for sorted labels."""
    edges = (np.flatnonzero(np.diff(labels)) + 1).tolist()
    return list(zip([0, *edges], [*edges, len(labels)], strict=True))


def _reach(Z: Array, weights: Array) -> Array:
    """How far from each row others may matter to it, judged by the nearest of the rows beside it in the order (N,)."""
    nearest = np.where(weights > 1, 0.0, _UNDERFLOW)
    for shift in range(1, min(_BESIDE, len(Z) - 1) + 1):
        squares = np.sum((Z[shift:] - Z[:-shift]) ** 2, axis=1)
        np.minimum(nearest[shift:], squares, out=nearest[shift:])
        np.minimum(nearest[:-shift], squares, out=nearest[:-shift])
    return np.sqrt(np.minimum(nearest + _NEGLIGIBLE, _UNDERFLOW))
