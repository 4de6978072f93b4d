"""Find groups that two independent views of the rows agree about.

Any method divides any rows, so a division alone is no evidence. The columns and a map of the
neighbours (t-SNE) are views that distort the rows in different ways. HDBSCAN (Campello, Moulavi and
Sander, 2013) divides each of them with several smallest sizes of a cluster. Where a division of one
view and one of the other agree, with an adjusted Rand index of at least AGREEMENT, the rows have
groups, and the pair that agrees best says which. Chance gaps of a few hundred rows agree as well,
but their division changes if a tenth of the rows is left out: groups come back (AGAIN).

If no pair agrees, single linkage (`single_linkage.py`) is a third view, for curves that the map
tears: its parts are groups if a wide gap separates them.

A division that follows a single column is no group unless that column is continuous
(`_of_one_column`): price points, codes and imputed entries have gaps that say how a column was
recorded.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
from scipy.spatial import KDTree
from sklearn.cluster import HDBSCAN
from sklearn.decomposition import PCA
from sklearn.manifold import TSNE
from sklearn.metrics import adjusted_rand_score
from sklearn.model_selection import cross_val_predict
from sklearn.neighbors import KNeighborsClassifier
from threadpoolctl import threadpool_limits

from sgpmic_cli._typing import Array, Indices
from sgpmic_cli.clustering.clusters import MOST_CLUSTERS
from sgpmic_cli.clustering.clusters.columns import two_peaks, values_repeat
from sgpmic_cli.clustering.clusters.single_linkage import CORE, divide_links, single_links
from sgpmic_cli.scaling import canonical_order

AGREEMENT = 0.85  # adjusted Rand index of the same division; 0.8 and 0.9 find the same groups
GAP = 0.2  # of single linkage, a logarithm; clouds of 200 rows have at most 0.06
ALONE = 1.0  # the same in a single column, where clouds have up to 1
# A cluster has at least 1/30 or 1/100 of the rows (coarse and fine), and at least FEWEST rows.
PARTS = (30, 100)
FEWEST = 5
REPEATS = 8  # of a division without a tenth of the rows
AGAIN = 0.95  # mean Jaccard index of groups that come back; 0.9 keeps more chance gaps
MAP_ITERATIONS = 500  # of t-SNE; 1,000 give the same map in twice the time

BY_VIEWS = "found in the columns and on the map"
BY_GAPS = "found by gaps between neighbours"

Divide = Callable[[Array, int], Indices]  # from points (n, p) and a number of clusters to labels


@dataclass(frozen=True)
class Groups:
    """Labels (N,) of groups, the points they are divided in, and the evidence in words.

    `divide` repeats the division for other rows of the points. `score` says how strong the evidence
    is: the agreement of two views, the gap of single linkage, or the gain of curved sheets.
    """

    labels: Indices
    points: Array
    divide: Divide
    score: float
    evidence: str

    @property
    def number(self) -> int:
        """Number of groups."""
        return int(self.labels.max()) + 1

    @cached_property
    def stability(self) -> Array:
        """Mean Jaccard indices (M,) of groups and those that come without a tenth of the rows."""
        n, found, random_state = len(self.points), [], np.random.RandomState(0)
        for _ in range(REPEATS):
            rest = random_state.permutation(n)[: n - n // 10]
            labels = self.divide(self.points[rest], self.number)
            nearest = KDTree(self.points[rest]).query(self.points)[1]
            found.append(overlaps(self.labels, labels[nearest]))
        return np.asarray(np.mean(found, axis=0))


class Views:
    """The views of standardised rows Y (N, P) without missing values, each computed once."""

    def __init__(self, Y: Array):
        self.Y = Y

    @cached_property
    def points(self) -> Array:
        """The rows in at most N dimensions, with the same distances."""
        n, p = self.Y.shape
        return self.Y if p <= n else PCA(svd_solver="full").fit_transform(self.Y)

    @cached_property
    def chart(self) -> Array:
        """The map of the neighbours (N, 2)."""
        return neighbour_map(self.points)

    @cached_property
    def columns(self) -> list[tuple[Indices, Divide]]:
        """Divisions of the columns, with the functions that repeat them."""
        return _divisions(self.points)

    @cached_property
    def divisions(self) -> list[Groups]:
        """Divisions of the columns and of the map, each with its agreement with the other view."""
        columns = [each for each in self.columns if each[0].max() > 0]
        # The map takes most of the time, so it is not drawn if the columns have no division.
        chart = [each for each in _divisions(self.chart) if each[0].max() > 0] if columns else []
        if not chart:
            return []
        scores = np.array([[adjusted_rand_score(a, b) for b, _ in chart] for a, _ in columns])
        both = [(self.points, columns, scores.max(axis=1)), (self.chart, chart, scores.max(axis=0))]
        return [
            Groups(labels, points, divide, float(score), BY_VIEWS)
            for points, found, agreements in both
            for (labels, divide), score in zip(found, agreements, strict=True)
        ]

    @cached_property
    def links(self) -> Array:
        """Single linkage of the columns."""
        return single_links(self.points)

    @cached_property
    def gaps(self) -> list[Groups]:
        """Divisions of the columns by single linkage."""
        found = map(self._parts, range(2, MOST_CLUSTERS + 1))
        return [parts for parts in found if parts is not None]

    def groups(self) -> Groups | None:
        """Return the groups that the views agree about best, or None.

        The map of a single column is the column again, so only a wide gap can divide it.
        """
        if self.Y.shape[1] > 1:
            found = _best(self.divisions, AGREEMENT) or _best(self.gaps, GAP)
        else:
            found = None if two_peaks(self.Y[:, 0]) is None else _best(self.gaps, ALONE)
        return None if found is None or _of_one_column(self.Y, found.labels) else found

    def of_number(self, number: int) -> Groups | None:
        """Return this number of groups, or None if no view shows them."""
        several = self.divisions if self.Y.shape[1] > 1 else []
        found = _best([groups for groups in several if groups.number == number], AGREEMENT)
        parts = self._parts(number) if found is None else None
        return parts if parts is not None and parts.score >= GAP else found

    def _parts(self, number: int) -> Groups | None:
        """Return this number of parts of single linkage."""
        parts = divide_links(self.points, self.links, number)
        if parts is None:
            return None
        return Groups(parts.labels, self.points, divide_by_gaps, parts.gap, BY_GAPS)


def neighbour_map(X: Array) -> Array:
    """Return the t-SNE map (N, 2) of rows (N, P).

    It depends neither on rounding errors nor on the order of the rows, which other columns change.
    """
    order = canonical_order([X])
    pca = PCA(min(50, X.shape[1], len(X) - 1), svd_solver="full")
    scores = pca.fit_transform(X[order]).round(6)
    start = np.zeros((len(X), 2))
    start[:, : scores.shape[1]] = scores[:, :2]
    start *= 1e-4 / (start[:, 0].std() or 1.0)
    tsne = TSNE(
        perplexity=min(30.0, (len(X) - 1) / 4),
        init=start.astype(np.float32),
        max_iter=MAP_ITERATIONS,
        random_state=0,
    )
    with threadpool_limits(1):  # the sums of several threads are rounded in any order
        points = np.asarray(tsne.fit_transform(scores), dtype=np.float64)
    return points[np.argsort(order)]


def divide_by_gaps(points: Array, number: int) -> Indices:
    """Return the parts that gaps separate, or a single part if there are none."""
    parts = divide_links(points, single_links(points), number)
    return np.zeros(len(points), dtype=np.intp) if parts is None else parts.labels


def by_density(points: Array, least: int, core: int | None) -> Indices:
    """Return the clusters of HDBSCAN (N,). Rows that it calls noise join the nearest other row."""
    labels = HDBSCAN(least, min_samples=core, copy=True).fit_predict(points)
    known = labels >= 0
    if not known.any():
        return np.zeros(len(points), dtype=np.intp)
    nearest = KDTree(points[known]).query(points[~known])[1]
    labels[~known] = labels[known][nearest]
    return np.unique(labels, return_inverse=True)[1]


def _divisions(points: Array) -> list[tuple[Indices, Divide]]:
    """Return divisions of the points with the functions that repeat them."""
    found: list[tuple[Indices, Divide]] = []
    n = len(points)
    for part in PARTS:
        least = max(min(FEWEST, n // 2), n // part)
        for core in (None, CORE):
            divide: Divide = partial(_divide, least=least / n, core=core)
            found.append((by_density(points, least, core), divide))
    return found


def _divide(points: Array, _: int, least: float, core: int | None) -> Indices:
    """Divide other rows, whose smallest cluster is the same fraction of them."""
    return by_density(points, max(int(least * len(points)), CORE), core)


def _best(candidates: list[Groups], least: float) -> Groups | None:
    """Return the division with the highest score of at least `least` that comes back, or None.

    If several have the same score, it is the finest.
    """
    order = [groups for groups in candidates if groups.score >= least]
    order.sort(key=lambda groups: (round(groups.score, 6), groups.number), reverse=True)
    return next((groups for groups in order if groups.stability.mean() >= AGAIN), None)


def overlaps(labels: Indices, others: Indices) -> Array:
    """Return the largest Jaccard index of each cluster (N,) with another clustering, (M,)."""
    counts = np.zeros((labels.max() + 1, others.max() + 1))
    np.add.at(counts, (labels, others), 1)
    either = counts.sum(axis=1)[:, None] + counts.sum(axis=0) - counts
    return np.asarray((counts / np.maximum(either, 1.0)).max(axis=1))


def _of_one_column(Y: Array, labels: Indices) -> bool:
    """Return whether a single column alone has the groups, and its values are no measurements.

    Groups in which few values of the column repeat count. Others count only if other columns show
    them as well.
    """
    means = np.stack([Y[labels == m].mean(axis=0) for m in range(labels.max() + 1)])
    sizes = np.bincount(labels)
    between = sizes @ (means - Y.mean(axis=0)) ** 2 / np.maximum(Y.var(axis=0), 1e-12)
    column = int(between.argmax())
    parts = [Y[labels == m, column] for m in range(len(sizes))]
    if not any(values_repeat(part) for part in parts):
        return False

    def shown(columns: Array) -> float:
        if not columns.shape[1] or sizes.min() < 3:
            return 0.0
        found = cross_val_predict(KNeighborsClassifier(5), columns, labels, cv=3)
        return float(adjusted_rand_score(labels, found))

    return shown(Y[:, [column]]) >= AGREEMENT and shown(np.delete(Y, column, axis=1)) < 0.15
