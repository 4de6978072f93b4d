"""Which training row a row is nearest to, and whether it is that row itself."""

import numpy as np
from scipy.spatial import KDTree
from sklearn.metrics import pairwise_distances_argmin

from sgpmic_cli._typing import Array, Indices, BoolArray

FEW_COLUMNS = (
    15  # a tree of more dimensions opens most of its leaves, and products of blocks are faster
)


class NearestRow:
    """The training rows (N, P), ready to be searched by several threads at once."""

    def __init__(self, rows: Array):
        self.rows = rows
        self.tree = KDTree(rows) if rows.shape[1] <= FEW_COLUMNS else None
        self.places = {
            key: n for n, key in reversed(list(enumerate(_keys(rows))))
        }  # of equal rows the first

    def find(self, Y: Array) -> tuple[Indices, BoolArray]:
        """Index of the nearest training row (n,), and whether the row is that one to the last bit (n,)."""
        nearest = np.array([self.places.get(key, -1) for key in _keys(Y)], dtype=np.int64)
        known = nearest >= 0
        if not known.all():
            nearest[~known] = self._search(Y[~known])
        return nearest, known

    def knows(self, Y: Array) -> BoolArray:
        """Whether each row is a training row, without a search for the nearest where it is not (n,)."""
        return np.array([key in self.places for key in _keys(Y)], dtype=bool)

    def _search(self, Y: Array) -> Indices:
        return np.asarray(
            pairwise_distances_argmin(Y, self.rows) if self.tree is None else self.tree.query(Y)[1]
        )


def _keys(rows: Array) -> list[bytes]:
    return [
        row.tobytes() for row in np.ascontiguousarray(rows) + 0.0
    ]  # the sum has no negative zero
