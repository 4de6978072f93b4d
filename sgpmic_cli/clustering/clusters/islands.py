"""Find groups that valleys separate and that come back in refits.

The search tries several partitions: the clusters of a fit, k-means with a few numbers of clusters,
k-means on the invariant coordinate (for groups in one of several columns), and the longest edge of
the spanning trees of each view of the rows that leaves LEAST of the rows on both sides. Views are
the first two principal components and the map of a fit, which show islands to the eye. Clusters of
a partition without a significant valley between them are joined (`valleys.py`). If more than one
part remains, the parts are candidates. The clusters of the fit are tested as for their verdicts,
and the other partitions share the level.

The way to such a partition is repeated with other seeds on random halves of the rows, and on all
rows without one of at least three columns. A group survives if most refits of either kind have a
part that overlaps with it by OVERLAP. Refits have less power, so a valley that is more likely than
not suffices there. The groups are those of the first partition with survivors, in the order of the
number of parts and of the depth of the valleys.

A part with nearly all rows is no group. It is the continuum that the groups stand out from.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA

from sgpmic_cli._typing import Array, BoolArray, Indices
from sgpmic_cli.clustering.clusters.discrete_columns import invariant_coordinate
from sgpmic_cli.clustering.clusters.label_constants import LOCAL_ROWS
from sgpmic_cli.clustering.clusters.spanning_tree import SpanningTree, spanning_trees
from sgpmic_cli.clustering.clusters.valleys import (
    FOLDS,
    LEAST_SHRINKAGE,
    find_valleys,
    least_rows,
    nearest_rows,
)
from sgpmic_cli.clustering.clusters.verdicts import VERDICT_LEVEL, absorb_small

ISLAND_NUMBERS = (2, 3, 4, 6)  # of clusters of k-means
LEAST = 0.015  # of the rows; smaller parts of a tree are outliers
REFITS = 8  # of either kind, as many as the refits of a fit
LIKELY = 0.5  # level of a test in a refit
OVERLAP = 0.75  # of a cluster that is found again (Hennig 2007)
CONTINUUM = 0.8  # of the rows; a part with more is the rest of the table

# From rows, their indices in the table and a seed to the labels of these rows.
Partitioner = Callable[[Array, Indices, int], Indices]


class Groups(NamedTuple):
    """Group of each row (N,), from 0, or -1 for none, and the depth of each group's valley.

    The depth is the density in the shallowest valley around a group, relative to the lower peak.
    """

    labels: Indices
    depths: list[float]


def surviving_groups(
    X: Array, labels: Indices, views: Sequence[Array] = (), seed: int = 0
) -> Groups:
    """Return the groups that survive, in order of size.

    X (N, P) are rows of `verdicts.continuous_columns`, `labels` (N,) the clusters of the fit, and
    `views` maps (N, Q) of the rows.
    """
    none = Groups(np.full(len(X), -1), [])
    if not X.shape[1] or len(X) < 2 * least_rows(VERDICT_LEVEL, X.shape[1]):
        return none
    whole, nearest = np.arange(len(X)), nearest_rows(X)
    ways = _ways(X.shape, labels, views)
    tried = []
    for way in ways:
        partition = labels if way is ways[0] else way(X, whole, seed)
        level = VERDICT_LEVEL / max(len(np.unique(partition)) - 1, 1)
        level /= 1 if way is ways[0] else len(ways) - 1
        found = _parts(X, partition, nearest, level, seed)
        if len(found.depths) > 1:
            tried.append((way, found))
    for way, found in sorted(tried, key=lambda each: (-len(each[1].depths), max(each[1].depths))):
        sizes = np.bincount(found.labels)
        kept = np.flatnonzero(_survives(X, way, found, seed) & (sizes <= CONTINUUM * len(X)))
        if len(kept):
            kept = kept[np.argsort(-sizes[kept], kind="stable")]
            number = np.full(len(sizes), -1)
            number[kept] = np.arange(len(kept))
            return Groups(number[found.labels], [found.depths[m] for m in kept])
    return none


def _survives(X: Array, way: Partitioner, found: Groups, seed: int) -> BoolArray:
    """Return which parts (M,) come back in most halves, and in most fits without a column."""
    random_state = np.random.RandomState(seed)
    (n, p), kept = X.shape, np.ones(len(found.depths), dtype=bool)
    halves = [(np.sort(random_state.permutation(n)[: n // 2]), np.arange(p)) for _ in range(REFITS)]
    left_out = random_state.permutation(p)[:REFITS]
    fewer = [(np.arange(n), np.delete(np.arange(p), j)) for j in left_out if p > 2]
    for refits in filter(None, (halves, fewer)):
        back = np.zeros((len(refits), len(kept)))
        for number, (rows, columns) in enumerate(refits):
            Z, other_seed = X[np.ix_(rows, columns)], random_state.randint(1 << 16)
            partition = way(Z, rows, other_seed)
            again = _parts(Z, partition, nearest_rows(Z), LIKELY, other_seed).labels
            back[number] = [comes_back(found.labels[rows] == m, again) for m in range(len(kept))]
        kept &= back.mean(axis=0) > 0.5
    return kept


def _ways(shape: tuple[int, ...], labels: Indices, views: Sequence[Array]) -> list[Partitioner]:
    """Return functions that divide rows; the first one repeats the clusters of the fit."""

    def clusters(X: Array, rows: Indices, _: int) -> Indices:
        return _repeated(X, labels[rows])

    def means(k: int, X: Array, _: Indices, seed: int) -> Indices:
        return np.asarray(KMeans(k, n_init=1, random_state=seed).fit_predict(X))

    def coordinate(X: Array, _: Indices, seed: int) -> Indices:
        return means(2, invariant_coordinate(X), _, seed)

    def island(view: Array | None, X: Array, rows: Indices, seed: int) -> Indices:
        shown = PCA(2, random_state=seed).fit_transform(X) if view is None else view[rows]
        return longest_cut(spanning_trees(shown)[-1])

    ways: list[Partitioner] = [clusters, *(partial(means, k) for k in ISLAND_NUMBERS)]
    if 1 < shape[1] < shape[0] / 4:
        ways.append(coordinate)
        maps = [None, *(view for view in views if 1 < view.shape[1] <= LOCAL_ROWS)]
        ways += [partial(island, view) for view in maps]
    return ways


def _repeated(X: Array, labels: Indices) -> Indices:
    """Repeat a clustering: k-means from its means, in the metric of its shared covariance."""
    labels = np.unique(labels, return_inverse=True)[1]
    means = np.stack([X[labels == m].mean(axis=0) for m in range(labels.max() + 1)])
    R = X - means[labels]
    S = R.T @ R / len(R)
    S += LEAST_SHRINKAGE * np.trace(S) / len(S) * np.eye(len(S))
    whiten = np.linalg.inv(np.linalg.cholesky(S)).T
    return np.asarray(KMeans(len(means), init=means @ whiten, n_init=1).fit_predict(X @ whiten))


def longest_cut(tree: SpanningTree) -> Indices:
    """Return the two sides of the longest edge that leaves LEAST of the rows on both."""
    n = len(tree.rows)
    smaller = np.minimum(tree.sizes, n - tree.sizes)
    top = int(np.where(smaller >= LEAST * n, tree.lengths, 0.0).argmax())
    sides = np.zeros(n, dtype=int)
    sides[tree.rows[top : top + tree.sizes[top]]] = 1
    return sides


def _parts(X: Array, partition: Indices, nearest: Indices, level: float, seed: int) -> Groups:
    """Join the clusters of a partition between which no valley is significant at a level."""
    one = Groups(np.zeros(len(X), dtype=int), [1.0])
    large = np.flatnonzero(np.bincount(partition) >= max(least_rows(level, X.shape[1]), FOLDS))
    if len(large) < 2:
        return one
    clusters = absorb_small(X, partition, large)
    valleys = find_valleys(X, clusters, nearest, seed)
    borders = np.array([v[:2] for v in valleys if v.p_value > level], dtype=int).reshape(-1, 2)
    graph = csr_matrix((np.ones(len(borders)), borders.T), shape=(len(large), len(large)))
    number, part = connected_components(graph, directed=False)
    depths = np.zeros(number)
    for v in valleys:
        if part[v.one] != part[v.other]:
            both = [part[v.one], part[v.other]]
            depths[both] = np.maximum(depths[both], v.depth)
    return Groups(np.asarray(part[clusters], dtype=np.intp), depths.tolist()) if number > 1 else one


def comes_back(rows: BoolArray, parts: Indices) -> bool:
    """Return whether some part overlaps with these rows by OVERLAP (Jaccard index).

    Rows with a negative number are in no part.
    """
    sizes = np.bincount(parts[parts >= 0])
    common = np.bincount(parts[rows & (parts >= 0)], minlength=len(sizes))
    return bool((common >= OVERLAP * (rows.sum() + sizes - common)).any())
