"""Test whether a valley of the density separates two neighbouring clusters.

Null hypothesis: the clusters are slices of one cloud. If its density is log-concave (Gaussian,
uniform on a convex body, exponential) or that of a t distribution, then the rows of a convex
region, projected on any direction, have one mode (Prekopa 1973, Borell 1975). So two modes with a
valley between them contradict the null hypothesis.

1. Region and direction of a pair are those of Gaussians with one shared, shrunk covariance (linear
   discriminant analysis). They are fitted without the rows that are projected (cross-fitting). The
   means of the two clusters are at -1 and 1.
2. A valley window near the middle is compared with a peak window near either mean, which is as
   wide. With v rows in the valley and w rows in the peak,

       z = (w - v) / sqrt(w + v)

   The statistic is the smaller of the two z, because both peaks must be higher than the valley.
   Its maximum over windows is compared with uniform clouds, as in the dip test (Hartigan and
   Hartigan 1985). Clusters lie where a cloud happens to have a valley, in one of as many
   directions as there are columns. So the reference clouds are clustered as well, by k-means.
   Other unimodal clouds have smaller values.
3. A curved cloud, such as an arc, has a valley in its projection although its rows run around it.
   There the rows of the valley window lie across the direction, where the peaks are empty. So the
   valley must also be there among the rows on that side.
4. Empty space separates clusters of any shape. Then the clusters have fewer nearest neighbours in
   each other than a single row has neighbours. A cut through a line of rows has about NEAREST^2 / 3
   of them, and cuts in more dimensions have more.
"""

from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

import numpy as np
from scipy.stats import norm
from sklearn.covariance import ledoit_wolf_shrinkage
from sklearn.neighbors import NearestNeighbors

from sgpmic_cli._typing import Array, BoolArray, Indices

FOLDS = 5
INSIDE = 0.8  # fraction of the rows of both clusters that the region of a pair holds
NEIGHBOUR = 0.1  # clusters are neighbours if one is second best for this fraction of the other
LEAST_SHRINKAGE = 0.1
NEAREST = 10
# Windows in tenths of half the distance between the means. No valley overlaps with a peak.
BIN_EDGES = np.arange(-20, 21) / 10.0
DENSITY_BINS = 6  # of a window
VALLEY_SHIFT, PEAK_SHIFT = 3, 1  # bins of a valley from the middle, and of a peak from the mean
# Statistics with these p-values for 1, 2, 3, 4, and 5 or more columns: quantiles of uniform clouds
# of 500 rows that k-means cuts in two (`python -m benchmarks.verdicts --reference --draws 2000`).
# Those of more columns are smaller, because no single column decides about the clusters.
P_VALUES = np.array([1.0, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001])
STATISTICS = np.array(
    [
        [0.0, 0.51, 1.25, 1.59, 1.95, 2.26, 2.54, 2.76, 2.89, 3.06],
        [0.0, 0.87, 1.54, 1.85, 2.12, 2.43, 2.65, 2.87, 2.95, 3.00],
        [0.0, 0.97, 1.60, 1.91, 2.24, 2.51, 2.70, 2.93, 2.99, 3.04],
        [0.0, 1.05, 1.72, 2.01, 2.31, 2.67, 2.87, 3.05, 3.20, 3.50],
        [0.0, 1.01, 1.72, 2.09, 2.38, 2.67, 2.95, 3.19, 3.48, 3.48],
    ]
)
CLEAR = 4.0  # standard deviations between two Gaussians that everybody calls groups


class Valley(NamedTuple):
    """Evidence for a valley between the clusters `one` and `other`.

    `depth` is the density in the valley relative to the lower of the two peaks, 0 for empty space.
    """

    one: int
    other: int
    p_value: float
    depth: float


def _windows(centre: int, shift: int) -> Indices:
    """Return first and last edges (W, 2) of the windows at most `shift` bins from a centre."""
    first = len(BIN_EDGES) // 2 + centre - DENSITY_BINS // 2 + np.arange(-shift, shift + 1)
    return np.column_stack([first, first + DENSITY_BINS])


VALLEYS = _windows(0, VALLEY_SHIFT)
PEAKS = np.stack([_windows(centre, PEAK_SHIFT) for centre in (-10, 10)])


def nearest_rows(X: Array) -> Indices:
    """Return the nearest other rows of each row, (N, NEAREST)."""
    model = NearestNeighbors(n_neighbors=min(NEAREST, len(X) - 1)).fit(X)
    return np.asarray(model.kneighbors(return_distance=False))


def find_valleys(X: Array, labels: Indices, nearest: Indices, seed: int = 0) -> list[Valley]:
    """Return the evidence for every pair of neighbouring clusters.

    X (N, P) has continuous columns. Every cluster has at least FOLDS rows. `nearest` (N, k) are the
    nearest other rows of each row.
    """
    fold = folds(labels, seed)
    links = np.zeros((labels.max() + 1,) * 2, dtype=int)
    np.add.at(links, (np.repeat(labels, nearest.shape[1]), labels[nearest].ravel()), 1)
    found = []
    for (one, other), t in projections(X, labels, fold).items():
        if links[one, other] + links[other, one] < NEAREST:
            found.append(Valley(one, other, P_VALUES[-1], 0.0))
        else:
            rows = ~np.isnan(t)
            found.append(Valley(one, other, *_test(X[rows], t[rows], fold[rows])))
    return found


def least_rows(level: float, n_columns: int) -> float:
    """Return the rows a cluster needs so that an empty valley beside it is significant."""
    return float(_critical(level, n_columns) ** 2 / _clear_counts()[1])


def power(n_rows: int, level: float, n_columns: int) -> float:
    """Return the probability that a clear valley beside a cluster of `n_rows` rows is found.

    The valley is that between two Gaussians of this size, CLEAR standard deviations apart.
    """
    valley, peak = _clear_counts() * n_rows
    z = (peak - valley) / np.sqrt(peak + valley)
    return float(norm.cdf(z - _critical(level, n_columns)))


def p_value(statistic: float, n_columns: int) -> float:
    """Return the p-value of the statistic of `deepest_valley`."""
    return float(np.exp(np.interp(statistic, _reference(n_columns), np.log(P_VALUES))))


def _critical(level: float, n_columns: int) -> float:
    return float(np.interp(-np.log(level), -np.log(P_VALUES), _reference(n_columns)))


def _reference(n_columns: int) -> Array:
    return STATISTICS[min(n_columns, len(STATISTICS)) - 1]


def _clear_counts() -> Array:
    """Return the fractions of the rows of a Gaussian that valley and peak window hold, (2,)."""
    window = CLEAR / 20.0 * DENSITY_BINS / 2.0 * np.array([-1, 1])
    return np.diff(norm.cdf([CLEAR / 2.0 + window, window]))[:, 0] * [2.0, 1.0]


def folds(labels: Indices, seed: int) -> Indices:
    """Return a fold for each row (N,), such that every cluster is in all of them."""
    random_state = np.random.RandomState(seed)
    fold = np.empty(len(labels), dtype=int)
    for m in range(labels.max() + 1):
        rows = np.flatnonzero(labels == m)
        fold[rows] = random_state.permutation(len(rows)) % FOLDS
    return fold


def projections(X: Array, labels: Indices, fold: Indices) -> dict[tuple[int, int], Array]:
    """Return the projection (N,) for each pair of neighbours, NaN outside of its region."""
    R = X - _means(X, labels)[labels]
    shrinkage = max(float(ledoit_wolf_shrinkage(R, assume_centered=True)), LEAST_SHRINKAGE)
    scores = _scores(X, X, labels, shrinkage)[0]
    found = {pair: np.full(len(X), np.nan) for pair in _neighbours(scores, labels)}
    for f in range(FOLDS):
        train = fold != f
        S, C = _scores(X, X[train], labels[train], shrinkage)
        for (i, j), t in found.items():
            use = ~train & _region(S, labels, train, i, j)
            low, high = C[i, j] - C[i, i], C[j, j] - C[j, i]
            t[use] = 2.0 * (S[use, j] - S[use, i] - low) / max(high - low, 1e-12) - 1.0
    return found


def _means(X: Array, labels: Indices) -> Array:
    return np.stack([X[labels == m].mean(axis=0) for m in range(labels.max() + 1)])


def _scores(X: Array, train: Array, labels: Indices, shrinkage: float) -> tuple[Array, Array]:
    """Return the linear discriminant scores (N, K) of rows and (K, K) of the cluster means."""
    means = _means(train, labels)
    R = train - means[labels]
    S = R.T @ R / len(R)
    level = np.trace(S) / len(S) + 1e-12
    W = np.linalg.solve((1.0 - shrinkage) * S + shrinkage * level * np.eye(len(S)), means.T)
    b = -0.5 * np.sum(means.T * W, axis=0)
    return X @ W + b, means @ W + b


def _neighbours(scores: Array, labels: Indices) -> Iterator[tuple[int, int]]:
    k = scores.shape[1]
    others = scores.copy()
    others[np.arange(len(labels)), labels] = -np.inf
    second = np.zeros((k, k))
    np.add.at(second, (labels, others.argmax(axis=1)), 1.0)
    near = second >= NEIGHBOUR * np.bincount(labels)[:, None]
    return ((i, j) for i, j in combinations(range(k), 2) if near[i, j] or near[j, i])


def _region(S: Array, labels: Indices, train: BoolArray, i: int, j: int) -> BoolArray:
    """Return the rows of a convex region that holds most rows of both clusters.

    The score of a third cluster exceeds the lower of the pair's scores at most by a limit. The
    excess is a maximum of linear functions, so the region is convex.
    """
    if S.shape[1] == 2:
        return np.ones(len(S), dtype=bool)
    excess = np.delete(S, (i, j), axis=1).max(axis=1) - np.minimum(S[:, i], S[:, j])
    limit = 0.0
    for m in (i, j):
        own = excess[train & (labels == m)]
        place = int(INSIDE * (len(own) - 1))
        limit = max(limit, float(np.partition(own, place)[place]))  # np.quantile is slow
    return np.asarray(excess <= limit)


def _test(X: Array, t: Array, fold: Indices) -> tuple[float, float]:
    """Return p-value and depth of the valley in a projection t (N,) of rows X."""
    statistic, windows, depth = deepest_valley(t)
    place = np.full(len(t), -1)  # 0 in the valley, 1 and 2 in the peaks
    for number, (first, last) in enumerate(windows):
        place[(t >= BIN_EDGES[first]) & (t < BIN_EDGES[last])] = number
    if X.shape[1] > 1 and 0.0 < depth < 1.0 and _runs_around(X, t, place, fold):
        return 1.0, 1.0
    return p_value(statistic, X.shape[1]), min(depth, 1.0)


def deepest_valley(t: Array) -> tuple[float, Indices, float]:
    """Return the statistic, its windows of valley and peaks (3, 2), and the depth there."""
    total = np.r_[0, np.cumsum(np.histogram(t, BIN_EDGES)[0])]
    valley = total[VALLEYS[:, 1]] - total[VALLEYS[:, 0]]
    peak = total[PEAKS[:, :, 1]] - total[PEAKS[:, :, 0]]
    v, w = valley[:, None], peak[:, None]
    z = (w - v) / np.sqrt(np.maximum(w + v, 1))  # (2, valleys, peaks)
    smaller = z.max(axis=2).min(axis=0)
    best = int(smaller.argmax())
    chosen = z[:, best].argmax(axis=1)
    windows = np.vstack([VALLEYS[best], PEAKS[[0, 1], chosen]])
    lower = max(peak[[0, 1], chosen].min(), 1e-9)
    return float(smaller[best]), windows, float(valley[best] / lower)


def _runs_around(X: Array, t: Array, place: Indices, fold: Indices) -> bool:
    """Return whether there is no valley among the rows where a curve would pass the middle.

    On a curve, t^2 depends on the position R across the projection: linearly on an arc, and on a
    square on a ring. So t^2 is predicted from one direction for each; that of the square is a
    principal Hessian direction (Li 1992). Every row is predicted by a fit without it. Half of the
    rows in the valley have a prediction below the median. They are compared with the rows below it
    in the lower peak.
    """
    X = X - X.mean(axis=0)
    slope = np.linalg.lstsq(X, t - t.mean(), rcond=None)[0]
    R = X - np.outer(X @ slope, slope) / max(float(slope @ slope), 1e-12)
    predicted = np.empty(len(t))
    for f in range(FOLDS):
        train = fold != f
        target = t[train] ** 2 - np.mean(t[train] ** 2)
        linear = target @ R[train]
        values, vectors = np.linalg.eigh((R[train] * target[:, None]).T @ R[train])
        square = vectors[:, np.abs(values).argmax()]
        features = np.column_stack([np.ones(len(R)), R @ linear, (R @ square) ** 2])
        weights = np.linalg.lstsq(features[train], target, rcond=None)[0]
        predicted[~train] = features[~train] @ weights
    below = predicted <= np.median(predicted[place == 0])
    counts = np.bincount(place[below & (place >= 0)], minlength=3)
    return bool(counts[0] >= counts[1:].min())
