"""Pairs of points near enough to matter, as rectangles of the upper triangle of an N x N matrix.

The points of every cluster are sorted along one axis, the one on which all of them spread most. What is far from a
panel of sorted points along that axis is far from it altogether, so the rest of a cluster is one stretch.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from sgpmic_cli._typing import Array

PANEL = 96


class Block(NamedTuple):
    """Points of one cluster against points of one cluster, as places in the sorted order."""

    rows: slice
    columns: slice
    agree: bool  # it is the same cluster

    @property
    def on_diagonal(self) -> bool:
        """Whether it begins at the diagonal, so that part of it lies below."""
        return self.rows.start == self.columns.start

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and columns."""
        return self.rows.stop - self.rows.start, self.columns.stop - self.columns.start


def along_main_axis(Z: Array) -> Array:
    """Coordinates of the rows of Z on the axis of their largest moment (N,)."""
    size = np.abs(Z).max()
    if size == 0.0 or not np.isfinite(size):
        return Z[:, 0]
    scaled = Z / size
    return Z @ np.linalg.eigh(scaled.T @ scaled)[1][:, -1]


def blocks(along: Array, reach: Array, clusters: Sequence[tuple[int, int]]) -> list[Block]:
    """Blocks with every pair of points that are no farther apart than one of the two reaches.

    `clusters` gives the first and past the last place of each; inside it `along` (N,) rises.
    """
    before, after = along + reach, along - reach
    for (
        begin,
        end,
    ) in (
        clusters
    ):  # how far up those reach that come no later, how far down those that come no earlier
        before[begin:end] = np.maximum.accumulate(before[begin:end])
        after[begin:end] = np.minimum.accumulate(after[begin:end][::-1])[::-1]
    found = []
    for k, (begin, end) in enumerate(clusters):
        for start in range(begin, end, PANEL):
            stop = min(start + PANEL, end)
            farthest = reach[start:stop].max()
            low, high = along[start], along[stop - 1]
            for first, last in clusters[k:]:
                there = slice(first, last)
                left = min(
                    along[there].searchsorted(low - farthest), before[there].searchsorted(low)
                )
                right = max(
                    along[there].searchsorted(high + farthest, "right"),
                    after[there].searchsorted(high, "right"),
                )
                columns = slice(max(first + int(left), start), first + int(right))
                if columns.start < columns.stop:
                    found.append(Block(slice(start, stop), columns, first == begin))
    return found
