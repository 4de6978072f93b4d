"""Choose the number of clusters by gaps and by silhouettes.

1. Gaps. The spanning trees of the rows are cut into every number m of parts (`spanning_tree.py`).
   The m with the largest drop gap(m) - gap(m + 1) is chosen, if the drop is larger than LEAST_DROP,
   and if Gaussians for the clusters of k-means do not explain the gap. Otherwise all drops count as
   0. Tables with discrete columns always have gaps and skip this step.
2. No clusters. The silhouette of k-means is positive even for a single cloud. So it is compared
   with its mean on null reference data: clouds with the covariance of the table, whose columns are
   gamma distributed with the skewness of the table (Gaussian if it is 0, and for tables with many
   discrete columns), and uniform clouds (`reference` is the larger of the two means). If no
   silhouette exceeds its reference by CHANCE standard deviations, the data show no clusters.
   Before this is the answer, all steps are repeated on the first two principal components, because
   clusters in a few of many columns show there, and on the invariant coordinate if it is flat
   (`invariant_coordinate.py`), because clusters in one of a few columns show there.
3. Silhouettes. The number with the largest score, silhouette - DISCOUNT * reference, is chosen.
   Among scores within one standard deviation of the largest, the smallest number is chosen.

Discrete columns that are independent of every other column are left out first, because their values
look like clusters. The variance that the values explain in the other columns decides (chi-squared
test). Then outliers are left out: rows that k-means with two clusters separates, if they are a
handful. This is repeated while at most OUTLIERS of the rows are left out.

Other numbers are plausible if the gap falls by SIMILAR_DROP of the largest fall, or if they are
next to a number at which the gap does not fall completely, from LARGE_GAP to SMALL_GAP. If
silhouettes decide, numbers with SIMILAR_SCORE of the largest score are plausible.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypedDict

import numpy as np
from scipy.spatial.distance import cdist
from scipy.stats import chi2
from sklearn.cluster import KMeans
from sklearn.metrics import silhouette_score

from sgpmic_cli._typing import Array, Indices
from sgpmic_cli.model.clusters.discrete_columns import (
    FEW_VALUES,
    effective_values,
    is_discrete,
)
from sgpmic_cli.model.clusters.invariant_coordinate import flat_coordinate, invariant_coordinate
from sgpmic_cli.model.clusters.label_constants import MARGIN
from sgpmic_cli.model.clusters.spanning_tree import (
    LARGE_GAP,
    SMALL_GAP,
    drops_of_gap,
    excess_of_gap,
    spanning_trees,
)
from sgpmic_cli.model.diagnostics import TINY, TINY_FRACTION

CHANCE = 5.0  # standard deviations of the silhouette of a single reference
TIE = 1.0
DISCOUNT = 0.5
LEAST_DROP = 0.1  # of the gap, a logarithm
SIMILAR_DROP, SIMILAR_SCORE = 0.3, 0.9
REFERENCES = 3  # of each kind
OUTLIERS = 0.05
INDEPENDENT = 0.001  # probability by chance that some column depends on a discrete one
MOST_SKEWED = 2.0  # the exponential distribution; its density falls from its largest value
ROWS = 1000  # the choice uses a subsample of this size
PLANE = 2  # principal components that are consulted before "no clusters" is the answer

View = Callable[[Array], Array]  # from the rows (N, P) to some coordinates (N, Q)


class Tried(TypedDict):
    """Evidence for one number of clusters."""

    n_clusters: int
    silhouette: float
    reference: float
    score: float
    gap_drop: float
    plausible: bool


class Selection(NamedTuple):
    """The chosen number and the evidence for every number tried."""

    chosen: int
    table: list[Tried]


def choose_number(Y: Array, numbers: list[int], random_state: np.random.RandomState) -> Selection:
    """Choose one of `numbers` for standardised rows."""
    if len(Y) > ROWS:
        Y = Y[np.sort(random_state.permutation(len(Y))[:ROWS])]
    Y = _without_outliers(_without_independent(Y))
    views: list[View] = [np.asarray]
    if Y.shape[1] > PLANE:
        views.append(_plane)
    if flat_coordinate(Y) is not None:
        views.append(invariant_coordinate)
    tried = []
    for view in views:
        tried.append(_choose(Y, view, numbers, random_state))
        if tried[-1].chosen > 1:
            return tried[-1]
    return tried[0]


def _choose(
    Y: Array, view: View, numbers: list[int], random_state: np.random.RandomState
) -> Selection:
    """Choose a number for the rows Y. The view is applied to them and to the reference data."""
    seed = int(random_state.randint(np.iinfo(np.int32).max))
    shown = view(Y)
    distances = cdist(shown, shown)
    split = [m for m in numbers if m > 1]
    own = {m: _silhouette(shown, distances, m, seed, n_init=5) for m in split}
    reference, deviation = _reference(Y, view, split, seed, random_state)
    trees = [] if is_discrete(Y) else spanning_trees(shown)
    drops = drops_of_gap(trees, split)
    tried = [
        Tried(
            n_clusters=m,
            silhouette=own[m][0],
            reference=expected,
            score=own[m][0] - DISCOUNT * expected,
            gap_drop=drops.get(m, 0.0),
            plausible=False,
        )
        for m, expected in zip(split, reference, strict=True)
    ]
    none = Tried(
        n_clusters=1, silhouette=0.0, reference=0.0, score=0.0, gap_drop=0.0, plausible=False
    )
    table = [none, *tried] if 1 in numbers else tried
    steepest = max(tried, key=lambda row: row["gap_drop"])
    m, drop = steepest["n_clusters"], steepest["gap_drop"]
    if drop > LEAST_DROP and excess_of_gap(shown, trees, own[m][1], m, random_state)[1] > MARGIN:
        near = 1 if drop < LARGE_GAP - SMALL_GAP else 0
        for row in tried:
            similar = row["gap_drop"] >= SIMILAR_DROP * drop
            row["plausible"] = similar or abs(row["n_clusters"] - m) <= near
        return Selection(m, table)
    for row in tried:
        row["gap_drop"] = 0.0
    excess = max(row["silhouette"] - row["reference"] for row in tried)
    if 1 in numbers and excess <= CHANCE * deviation:
        none["plausible"] = True
        return Selection(1, table)
    best = max(row["score"] for row in tried)
    chosen = next(row for row in tried if row["score"] >= best - TIE * deviation)
    for row in tried:
        row["plausible"] = row is chosen or row["score"] >= SIMILAR_SCORE * best
    return Selection(chosen["n_clusters"], table)


def plausible_in_words(table: Sequence[Mapping[str, Any]], chosen: int) -> str:
    """Return "Plausible as well: 3, 5", or an empty string if no other number is plausible."""
    numbers = [row["n_clusters"] for row in table if row.get("plausible")]
    others = ", ".join(str(number) for number in numbers if number != chosen)
    return f"Plausible as well: {others}" if others else ""


def _without_independent(Y: Array) -> Array:
    """Return the rows with 0 in discrete columns that are independent of every other column."""
    kept = np.ones(Y.shape[1], dtype=bool)
    few = min(FEW_VALUES, len(Y) / 2)  # in a small table all columns have few values
    for column in np.flatnonzero(effective_values(Y) < few):
        values = np.unique(np.round(Y[:, column], 9), return_inverse=True)[1]
        members = np.eye(values.max() + 1)[values]
        counts = members.sum(axis=0)
        explained = counts @ (members.T @ Y / counts[:, None]) ** 2  # n times the variance
        chance = chi2.sf(np.delete(explained, column), len(counts) - 1)
        kept[column] = np.any(chance * Y.shape[1] < INDEPENDENT)
    return np.where(kept, Y, 0.0)


def _without_outliers(Y: Array) -> Array:
    """Return the rows without those that k-means with two clusters separates, if they are few."""
    fewest = (1.0 - OUTLIERS) * len(Y)
    while True:
        labels = KMeans(2, n_init=5, random_state=0).fit_predict(Y)
        sizes = np.bincount(labels)
        if sizes.max() < fewest or sizes.min() >= min(TINY, TINY_FRACTION * len(Y) / 2):
            return Y
        Y = Y[labels == sizes.argmax()]


def _plane(Y: Array) -> Array:
    """Return the first principal components, where the map of a fit starts."""
    U, values, _ = np.linalg.svd(Y - Y.mean(axis=0), full_matrices=False)
    return np.asarray(U[:, :PLANE] * values[:PLANE])


def _reference(
    Y: Array, view: View, numbers: list[int], seed: int, random_state: np.random.RandomState
) -> tuple[list[float], float]:
    """Return mean silhouettes of null reference data, and the deviation of a single one."""
    n, centred = len(Y), Y - Y.mean(axis=0)
    _, spread, axes = np.linalg.svd(centred / np.sqrt(n), full_matrices=False)
    kept = spread > 1e-6 * spread[0]
    spread, axes = spread[kept], axes[kept]
    scale = np.where(np.ptp(Y, axis=0) > 0.0, Y.std(axis=0), 1.0)
    skewness = np.clip(np.mean((centred / scale) ** 3, axis=0), -MOST_SKEWED, MOST_SKEWED)
    if is_discrete(Y):  # the skewness of a flag describes no cloud
        skewness = np.zeros_like(skewness)
    found = np.empty((2, REFERENCES, len(numbers)))
    for turn in range(REFERENCES):
        normal = random_state.standard_normal((n, len(spread))) * spread @ axes
        uniform = np.sqrt(12.0) * (random_state.random_sample((n, len(spread))) - 0.5)
        gamma = scale * _gamma_quantiles(normal / scale, skewness)
        for kind, cloud in enumerate((gamma, uniform * spread)):
            shown = view(cloud)
            apart = cdist(shown, shown)
            found[kind, turn] = [_silhouette(shown, apart, m, seed, n_init=2)[0] for m in numbers]
    deviation = float(np.sqrt(found.var(axis=1, ddof=1).mean()))
    return found.mean(axis=1).max(axis=0).tolist(), deviation


def _gamma_quantiles(normal: Array, skewness: Array) -> Array:
    """Map standard normal columns to gamma distributions with mean 0 and variance 1.

    This is the approximation of Wilson and Hilferty (1931). It is the identity for skewness 0.
    """
    g = np.where(np.abs(skewness) < 1e-3, 1e-3, skewness)
    return np.asarray(2.0 / g * (np.maximum(1.0 + g * normal / 6.0 - g**2 / 36.0, 0.0) ** 3 - 1.0))


def _silhouette(
    Y: Array, distances: Array, m: int, seed: int, n_init: int
) -> tuple[float, Indices]:
    labels = KMeans(m, n_init=n_init, random_state=seed).fit_predict(Y)
    if not 1 < len(set(labels)) < len(Y):
        return 0.0, labels
    return float(silhouette_score(distances, labels, metric="precomputed")), labels
