"""Neighbourhood component analysis (Goldberger et al. 2004) with the penalty of UNCA.

    maximise  F(A) = sum_i p_i - lambda |A|^2 / (P Q),   p_i = sum_{j in the cluster of i} p_ij
    p_ij = e_ij / r_i,   e_ij = exp(-|z_i - z_j|^2),   e_ii = 0,   r_i = sum_j e_ij,   Z = Yc A

With T = diag(p) [p_ij] - [p_ij within clusters] and H = T + T', the gradient is
2 Yc' (diag(H 1) - H) Z minus the gradient of the penalty. Points whose r_i underflows do not count,
as in the published program. w equal points of one cluster are one point with weight w: e_ij counts
w_j times, and r_i and p_i r_i increase by w_i - 1.

Terms below exp(-37) of the largest term of their row are omitted, because they are lost to
rounding.
"""

from collections.abc import Callable

import numpy as np
from scipy.spatial.distance import cdist

from sgpmic_cli._typing import Array, Indices
from sgpmic_cli.paper.methods.unca.graph import main_axis_coordinates, near_blocks

_NEGLIGIBLE = 37.0  # exp(-37) = 8e-17, half the spacing of floats below one
_UNDERFLOW = 700.0  # exp(-700) = 1e-304
_LOG2E = 1.0 / np.log(2.0)
_ADJACENT = 8  # sorted rows on either side that are searched for a near neighbour


class Objective:
    """The function -F of a flat A (P Q,) with its gradient."""

    def __init__(self, Yc: Array, weights: Array, labels: Indices, n_components: int, lam: float):
        order = np.argsort(labels, kind="stable")
        self.Y = np.ascontiguousarray(Yc[order])  # (N, P)
        self.weights, self.labels = weights[order], labels[order]
        self.q, self.lam = n_components, lam
        edges = (np.flatnonzero(np.diff(self.labels)) + 1).tolist()
        self._clusters = list(zip([0, *edges], [*edges, len(labels)], strict=True))

    def __call__(self, a: Array) -> tuple[float, Callable[[], Array]]:
        """Return -F at the flat A and a function that computes the gradient there."""
        A = a.reshape(-1, self.q)
        p, laplacian = self.neighbours(self.Y @ A)

        def gradient() -> Array:
            return (2.0 * self.lam / A.size * A - 2.0 * self.Y.T @ laplacian()).ravel()

        return self.lam * float(np.sum(A**2)) / A.size - p, gradient

    def neighbours(self, Z: Array) -> tuple[float, Callable[[], Array]]:
        """Return the sum of all p, and a function for half the gradient with respect to Z (N, Q).

        Every cluster is sorted along the main axis, and blocks of the upper triangle are evaluated.
        """
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
        equal = weights - 1.0
        r = own + other + equal
        inverse_r = np.divide(1.0, r, out=np.zeros_like(r), where=r > 1e-290)
        p = (own + equal) * inverse_r

        def laplacian() -> Array:
            b, w = (weights * inverse_r)[:, None], weights[:, None]
            a = p[:, None] * b
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

        return float(weights @ p), laplacian


def _reach(Z: Array, weights: Array) -> Array:
    """Return for each sorted row a distance that contains all its near pairs (N,)."""
    nearest = np.where(weights > 1, 0.0, _UNDERFLOW)
    for shift in range(1, min(_ADJACENT, len(Z) - 1) + 1):
        squares = np.sum((Z[shift:] - Z[:-shift]) ** 2, axis=1)
        np.minimum(nearest[shift:], squares, out=nearest[shift:])
        np.minimum(nearest[:-shift], squares, out=nearest[:-shift])
    return np.sqrt(np.minimum(nearest + _NEGLIGIBLE, _UNDERFLOW))
