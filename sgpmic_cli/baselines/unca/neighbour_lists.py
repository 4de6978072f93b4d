"""Pairs of points near enough to matter to one of the two, listed once and kept while the points move.

What matters to a point is what is hardly farther than its nearest neighbour: of squared distance below that one's
plus a margin, and below a limit beyond which nothing counts. A tree lists the pairs within a radius that is enough
for nearly all points, and somewhat beyond, so that the list outlives small moves. Two kinds of points are compared
with all others every time: those that need a larger radius, and those that moved too far since the list was made,
which is no reason to list all others anew.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree
from scipy.spatial.distance import cdist

from sgpmic_cli._typing import Array

Places = NDArray[np.int64]

_SKIN = 0.2  # share of the radius by which the list goes beyond it
_ENOUGH = 0.97  # share of the points for which the radius is enough
_MOVED = 0.05  # share of the points that may have moved too far before a list is made anew


class NeighbourLists:
    """Near pairs of points that move: `margin` and `limit` are those of the squared distances."""

    def __init__(self, margin: float, limit: float):
        self.margin = margin
        self.limit = limit
        self._listed: Array | None = None  # where the points were when the list was made

    def pairs(self, Z: Array, has_twin: NDArray[np.bool_]) -> tuple[Places, Places, Array, Array]:
        """Places i and j of every pair that matters, once, with z_i - z_j (pairs, Q) and its square (pairs,).

        Points that have a twin, one at no distance that is not among the rows of Z, find it their nearest.
        """
        moved = self._moved(Z)
        if moved is None:
            self._make(Z)
            moved = np.zeros(len(Z), dtype=np.bool_)
        i, j = self._i, self._j
        apart = Z.take(i, axis=0) - Z.take(j, axis=0)
        squares = np.einsum("nq,nq->n", apart, apart)
        if moved.any():
            squares[moved.take(i) | moved.take(j)] = np.inf
        nearest = np.where(has_twin, 0.0, np.inf)
        np.minimum.at(nearest, i, squares)
        np.minimum.at(nearest, j, squares)
        reach = np.minimum(nearest + self.margin, self.limit)
        alone = moved | (reach > self._radius**2)
        matters = (squares < np.maximum(reach.take(i), reach.take(j))) & ~(
            alone.take(i) | alone.take(j)
        )
        kept = np.flatnonzero(matters)
        i, j, apart, squares = (
            i.take(kept),
            j.take(kept),
            apart.take(kept, axis=0),
            squares.take(kept),
        )
        if alone.any():
            more_i, more_j = _beside(Z, np.flatnonzero(alone), reach)
            more_apart = Z.take(more_i, axis=0) - Z.take(more_j, axis=0)
            i, j = np.concatenate([i, more_i]), np.concatenate([j, more_j])
            apart = np.concatenate([apart, more_apart])
            squares = np.concatenate([squares, np.einsum("nq,nq->n", more_apart, more_apart)])
        return i, j, apart, squares

    def serve(self, Z: Array) -> bool:
        """Whether there is a list, and most points are still where it found them."""
        return self._moved(Z) is not None

    def _moved(self, Z: Array) -> NDArray[np.bool_] | None:
        """Which points moved so far that they may be near to others unlisted; None where a list has to be made."""
        if self._listed is None:
            return None
        moved = np.sum((Z - self._listed) ** 2, axis=1) > (0.5 * _SKIN * self._radius) ** 2
        return moved if moved.mean() <= _MOVED else None

    def _make(self, Z: Array) -> None:
        tree = cKDTree(Z)
        nearest = np.asarray(tree.query(Z, k=2)[0])[:, 1]
        needed = np.quantile(nearest**2, _ENOUGH) + self.margin
        self._radius = float(np.sqrt(min(needed, self.limit)))
        pairs = tree.query_pairs((1.0 + _SKIN) * self._radius, output_type="ndarray")
        self._i, self._j = np.ascontiguousarray(
            pairs.T
        )  # each in one piece: every evaluation reads them
        self._listed = Z


def _beside(Z: Array, alone: Places, reach: Array) -> tuple[Places, Places]:
    """Pairs of some points with all others, each once, that are within the reach (a square) of one of the two."""
    squares = cdist(Z[alone], Z, "sqeuclidean")
    near = squares < np.maximum(reach[alone, None], reach)
    near[:, alone] = np.triu(near[:, alone], 1)
    rows, columns = np.nonzero(near)
    return alone[rows], columns
