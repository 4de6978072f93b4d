"""Choose the number of clusters by gaps, silhouettes and stability.

Continuous columns:

1. Gaps. The spanning trees of the rows are cut into every number m of parts (`spanning_tree.py`).
   The m with the largest drop gap(m) - gap(m + 1) is chosen, if the drop is larger than LEAST_DROP,
   and if Gaussians for the clusters of k-means do not explain the gap. Otherwise all drops count as
   0.
2. No clusters. The silhouette of k-means is positive even for a single cloud. So it is compared
   with its mean on null reference data: clouds with the covariance of the table, whose columns are
   gamma distributed with the skewness of the table (Gaussian if it is 0), and uniform clouds
   (`reference` is the larger of the two means). Numbers whose silhouette exceeds the reference by
   CHANCE standard deviations are candidates. If there are none, the data show no clusters. Before
   this is the answer, all steps are repeated on the first two principal components, because
   clusters in a few of many columns show there, and on the invariant coordinate if it is flat
   (`discrete_columns.py`), because clusters in one of a few columns show there.
3. Stability. Two random halves of the rows are clustered by k-means. The stability of a number is
   the agreement of the two about all rows (adjusted Rand index). Candidates below STABLE are left
   out if others are above.
4. Silhouettes. The candidate with the largest score, silhouette - DISCOUNT * reference, is chosen.

Outliers are left out first: rows that k-means with two clusters separates, if they are a handful.
This is repeated while at most OUTLIERS of the rows are left out.

Discrete columns: values of a discrete column look like clusters, so neither gaps nor silhouettes of
clouds say anything. If some discrete column depends on another column, the number is at most q + 1,
where q is the number of dimensions that the columns share (`cluster_space.py`). Steps 3 and 4
use the silhouettes on these dimensions. The columns of the majority, continuous or discrete,
decide. If they show no clusters, the others decide.

Other numbers are plausible if the gap falls by SIMILAR_DROP of the largest fall, or if they are
next to a number at which the gap does not fall completely, from LARGE_GAP to SMALL_GAP. If
silhouettes decide, candidates with SIMILAR_SCORE of the largest score are plausible.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypedDict

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.metrics import adjusted_rand_score

from sgpmic_cli._typing import Array, Indices
from sgpmic_cli.clustering.clusters.cluster_space import SharedDimensions
from sgpmic_cli.clustering.clusters.discrete_columns import (
    flat_coordinate,
    invariant_coordinate,
)
from sgpmic_cli.clustering.clusters.label_constants import (
    CHANCE,
    CHOICE_ROWS,
    DISCOUNT,
    LARGE_GAP,
    LEAST_DROP,
    MARGIN,
    MOST_SKEWED,
    OUTLIERS,
    PLANE,
    REFERENCES,
    SIMILAR_DROP,
    SIMILAR_SCORE,
    SMALL_GAP,
    SPLITS,
    STABLE,
)
from sgpmic_cli.clustering.clusters.nested_means import NestedMeans
from sgpmic_cli.clustering.clusters.spanning_tree import (
    drops_of_gap,
    excess_of_gap,
    spanning_trees,
)
from sgpmic_cli.estimators import TINY, TINY_FRACTION

View = Callable[[Array], Array]  # from the rows (N, P) to some coordinates (N, Q)


class Tried(TypedDict):
    """Evidence for one number of clusters."""

    n_clusters: int
    silhouette: float
    reference: float
    score: float
    stability: float
    gap_drop: float
    plausible: bool


class Selection(NamedTuple):
    """The chosen number and the evidence for every number tried."""

    chosen: int
    table: list[Tried]


def choose_number(
    Y: Array, numbers: list[int], shared: SharedDimensions | None = None
) -> Selection:
    """Choose one of `numbers` for weighted rows, with their shared dimensions if some are discrete.

    The choice depends on the rows only: its random numbers are always the same.
    """
    random_state = np.random.RandomState(0)
    if len(Y) > CHOICE_ROWS:
        Y = Y[np.sort(random_state.permutation(len(Y))[:CHOICE_ROWS])]
    if shared is None:
        return _by_continuous(Y, numbers, random_state)
    continuous = Y[:, ~shared.discrete]

    def by_continuous() -> Selection | None:
        return _by_continuous(continuous, numbers, random_state) if continuous.size else None

    def by_shared() -> Selection:
        return _by_shared(Y, numbers, shared, random_state)

    order = [by_shared, by_continuous] if shared.mostly_discrete else [by_continuous, by_shared]
    first = order[0]()
    if first is not None and first.chosen > 1:
        return first
    second = order[1]()
    if second is not None and (first is None or second.chosen > 1):
        return second
    assert first is not None
    return first


def _by_continuous(Y: Array, numbers: list[int], random_state: np.random.RandomState) -> Selection:
    """Choose a number for continuous columns."""
    Y = _without_outliers(Y)
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


def _by_shared(
    Y: Array, numbers: list[int], shared: SharedDimensions, random_state: np.random.RandomState
) -> Selection:
    """Choose a number for the dimensions that discrete columns share with others."""
    seed = int(random_state.randint(np.iinfo(np.int32).max))
    most = shared.number + 1 if shared.dependent else 1
    shown = (Y - shared.mean) @ shared.axes[:, : max(shared.number, 1)]
    distances, table = cdist(shown, shown), []
    means = NestedMeans(shown, numbers[-1], 5, seed)
    for m in numbers:
        row = _no_evidence(m)
        if m > 1 and (m <= most or numbers[0] > most):
            labels = means.labels(m)
            row["silhouette"] = silhouette(distances, labels, m)
            if np.bincount(labels).min() > 1:  # a single row has no silhouette
                row["score"] = row["silhouette"]
        table.append(row)
    candidates = [row for row in table if row["score"] > 0.0] or table[:1]
    return Selection(_best(candidates, shown, seed, random_state), table)


def _best(
    candidates: list[Tried], shown: Array, seed: int, random_state: np.random.RandomState
) -> int:
    """Return the number of the best stable candidate, and set what is plausible."""
    numbers = [row["n_clusters"] for row in candidates]
    found = agreements_of_halves(shown, numbers, seed, random_state)
    for row, agreement in zip(candidates, found, strict=True):
        row["stability"] = agreement
    stable = [row for row in candidates if row["stability"] >= STABLE] or candidates
    best = max(stable, key=lambda row: row["score"])
    for row in stable:
        row["plausible"] = row is best or row["score"] >= SIMILAR_SCORE * best["score"]
    return best["n_clusters"]


def _no_evidence(m: int) -> Tried:
    return Tried(
        n_clusters=m,
        silhouette=0.0,
        reference=0.0,
        score=0.0,
        stability=0.0,
        gap_drop=0.0,
        plausible=False,
    )


def _choose(
    Y: Array, view: View, numbers: list[int], random_state: np.random.RandomState
) -> Selection:
    """Choose a number for the rows Y. The view is applied to them and to the reference data."""
    seed = int(random_state.randint(np.iinfo(np.int32).max))
    shown = view(Y)
    distances = cdist(shown, shown)
    split = [m for m in numbers if m > 1]
    means = NestedMeans(shown, split[-1], 5, seed)
    labels = {m: means.labels(m) for m in split}
    reference, deviation = _reference(Y, view, split, seed, random_state)
    trees = spanning_trees(shown)
    drops = drops_of_gap(trees, split)
    tried = [_no_evidence(m) for m in split]
    for row, expected in zip(tried, reference, strict=True):
        m = row["n_clusters"]
        row["silhouette"], row["reference"] = silhouette(distances, labels[m], m), expected
        row["gap_drop"] = drops.get(m, 0.0)
        row["score"] = row["silhouette"] - DISCOUNT * expected
    none = _no_evidence(1)
    table = [none, *tried] if 1 in numbers else tried
    steepest = max(tried, key=lambda row: row["gap_drop"])
    m, drop = steepest["n_clusters"], steepest["gap_drop"]
    if drop > LEAST_DROP and excess_of_gap(shown, trees, labels[m], m, random_state)[1] > MARGIN:
        near = 1 if drop < LARGE_GAP - SMALL_GAP else 0
        for row in tried:
            similar = row["gap_drop"] >= SIMILAR_DROP * drop
            row["plausible"] = similar or abs(row["n_clusters"] - m) <= near
        return Selection(m, table)
    for row in tried:
        row["gap_drop"] = 0.0
    shows = [row for row in tried if row["silhouette"] - row["reference"] > CHANCE * deviation]
    if 1 in numbers and not shows:
        none["plausible"] = True
        return Selection(1, table)
    return Selection(_best(shows or tried, shown, seed, random_state), table)


def plausible_in_words(table: Sequence[Mapping[str, Any]], chosen: int) -> str:
    """Return "Plausible as well: 3, 5", or an empty string if no other number is plausible."""
    numbers = [row["n_clusters"] for row in table if row.get("plausible")]
    others = ", ".join(str(number) for number in numbers if number != chosen)
    return f"Plausible as well: {others}" if others else ""


def _without_outliers(Y: Array) -> Array:
    """Return the rows without those that k-means with two clusters separates, if they are few."""
    fewest = (1.0 - OUTLIERS) * len(Y)
    while True:
        labels = NestedMeans(Y, 2, 5, 0).labels(2)
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
    found = np.empty((2, REFERENCES, len(numbers)))
    for turn in range(REFERENCES):
        normal = random_state.standard_normal((n, len(spread))) * spread @ axes
        uniform = np.sqrt(12.0) * (random_state.random_sample((n, len(spread))) - 0.5)
        gamma = scale * _gamma_quantiles(normal / scale, skewness)
        for kind, cloud in enumerate((gamma, uniform * spread)):
            shown = view(cloud)
            apart, means = cdist(shown, shown), NestedMeans(shown, numbers[-1], 2, seed)
            found[kind, turn] = [silhouette(apart, means.labels(m), m) for m in numbers]
    deviation = float(np.sqrt(found.var(axis=1, ddof=1).mean()))
    return found.mean(axis=1).max(axis=0).tolist(), deviation


def _gamma_quantiles(normal: Array, skewness: Array) -> Array:
    """Map standard normal columns to gamma distributions with mean 0 and variance 1.

    This is the approximation of Wilson and Hilferty (1931). It is the identity for skewness 0.
    """
    g = np.where(np.abs(skewness) < 1e-3, 1e-3, skewness)
    return np.asarray(2.0 / g * (np.maximum(1.0 + g * normal / 6.0 - g**2 / 36.0, 0.0) ** 3 - 1.0))


def silhouette(distances: Array, labels: Indices, m: int) -> float:
    """Return the mean silhouette of m clusters, given the distances of all rows (N, N)."""
    if not 1 < len(set(labels)) < len(labels):
        return 0.0
    # With one matrix product the choice takes 0.77 of the time that silhouette_score needs.
    member = labels[:, None] == np.arange(m)
    sizes, totals = member.sum(axis=0), distances @ member.astype(np.float64)
    own = totals[member] / np.maximum(sizes[labels] - 1, 1)
    means = totals / np.maximum(sizes, 1)
    other = np.where(member | (sizes == 0), np.inf, means).min(axis=1)
    larger = np.maximum(own, other)
    values = np.divide(other - own, larger, out=np.zeros(len(labels)), where=larger > 0.0)
    return float(np.mean(values * (sizes[labels] > 1)))


def agreements_of_halves(
    Y: Array, numbers: list[int], seed: int, random_state: np.random.RandomState
) -> list[float]:
    """Return the agreement of k-means of two random halves of the rows about all rows, from 0.

    There is one value for each number of clusters, ascending.
    """
    found = np.zeros((SPLITS, len(numbers)))
    for split in range(SPLITS):
        halves = [Y[half] for half in np.array_split(random_state.permutation(len(Y)), 2)]
        possible = [m for m in numbers if m <= min(map(len, halves))]
        both = [NestedMeans(half, max(possible, default=1), 2, seed) for half in halves]
        for place, m in enumerate(possible):
            one, other = (means.predict(m, Y) for means in both)
            found[split, place] = adjusted_rand_score(one, other)
    return np.maximum(found.mean(axis=0), 0.0).tolist()
