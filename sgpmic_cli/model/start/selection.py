"""How many clusters: the number whose k-means clusters are furthest apart, beside those of data without any.

The silhouette of k-means says how far apart M clusters are, but it is never zero: k-means cuts a plain cloud into
pieces that look like clusters, more so in small numbers than in large ones. So it is compared with the silhouettes of
clouds of the same covariance, Gaussian and uniform, which have no clusters; `reference` is the larger of their two
means.

- No silhouette beyond its reference by `CHANCE` deviations of single clouds: the data show no clusters, M = 1.
- Otherwise M has the largest score, silhouette - `DISCOUNT` reference; of numbers within a deviation the smallest. The
  whole reference would favour many small clusters, none of it two large ones.
- Before both: data that fall into large parts by gaps alone (`gaps.py`), over a wide range of distances, in a way that
  k-means does not show, have the clusters that the eye sees, whatever their shape. Coarse columns have gaps by
  themselves and are not asked.

The bound does not judge here: it compares models of the same rows, and a class of a labelled table is often more than
one Gaussian process. On the tables tried it asked for more clusters than there are classes.
"""

from typing import NamedTuple, TypedDict

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score, silhouette_score

from sgpmic_cli._typing import Array, Indices
from sgpmic_cli.model.start.columns import are_coarse
from sgpmic_cli.model.start.gaps import Parts, parts_by_gaps

CHANCE = 5.0  # deviations of the silhouette of a single cloud
TIE = 1.0  # of them, within which the smaller number is taken
DISCOUNT = 0.5
LARGE = 0.3  # of an equal share: parts by gaps that are smaller are outliers
LONG_LIVED = 0.15  # log of the range of distances over which parts must last
SAME = 0.9  # adjusted Rand index from which k-means shows the same parts
DRAWS = 3  # of each reference
ROWS = 1000  # more add cost and no certainty


class Tried(TypedDict):
    """What speaks for a number of clusters."""

    n_clusters: int
    silhouette: float
    reference: float
    score: float
    lifetime: float


class Selection(NamedTuple):
    """The number chosen, what spoke for each number tried, and why, in a few words."""

    chosen: int
    table: list[Tried]
    reason: str


def choose_clusters(Y: Array, numbers: list[int], random_state: np.random.RandomState) -> Selection:
    """Choose among `numbers` for standardised rows."""
    if len(Y) > ROWS:
        Y = Y[np.sort(random_state.permutation(len(Y))[:ROWS])]
    seed = int(random_state.randint(np.iinfo(np.int32).max))
    distances = cdist(Y, Y)
    split = [m for m in numbers if m > 1]
    own = {m: _silhouette(Y, distances, m, seed, tries=5) for m in split}
    reference, chance = _reference(Y, split, seed, random_state)
    parts = {} if are_coarse(Y) else parts_by_gaps(distances)
    table = (
        [Tried(n_clusters=1, silhouette=0.0, reference=0.0, score=0.0, lifetime=0.0)]
        if 1 in numbers
        else []
    )
    for m, expected in zip(split, reference, strict=True):
        value, lifetime = own[m][0], parts[m].lifetime if m in parts else 0.0
        score = value - DISCOUNT * expected
        table.append(
            Tried(
                n_clusters=m, silhouette=value, reference=expected, score=score, lifetime=lifetime
            )
        )
    lasting = max(
        (m for m in split if m in parts and _last(parts[m])),
        key=lambda m: parts[m].lifetime,
        default=None,
    )
    if lasting is not None and not _same(parts[lasting].labels, own[lasting][1]):
        return Selection(lasting, table, "the rows fall into so many parts by gaps alone")
    tried = [row for row in table if row["n_clusters"] > 1]
    if (
        1 in numbers
        and max(row["silhouette"] - row["reference"] for row in tried) < CHANCE * chance
    ):
        return Selection(
            1,
            table,
            "no number of clusters is further apart than those of a cloud without clusters",
        )
    most = max(row["score"] for row in tried)
    chosen = next(row["n_clusters"] for row in tried if row["score"] >= most - TIE * chance)
    return Selection(
        chosen, table, "clusters are furthest apart beside those of a cloud without clusters"
    )


def _last(parts: Parts) -> bool:
    """Whether parts last over a wide range of distances and are all large."""
    sizes = np.unique(parts.labels[parts.labels >= 0], return_counts=True)[1]
    return bool(
        parts.lifetime >= LONG_LIVED and sizes.min() >= LARGE * len(parts.labels) / len(sizes)
    )


def _same(parts: Indices, kmeans: Indices) -> bool:
    """Whether k-means shows the parts too, splinters aside."""
    return bool(adjusted_rand_score(parts[parts >= 0], kmeans[parts >= 0]) >= SAME)


def _reference(
    Y: Array, numbers: list[int], seed: int, random_state: np.random.RandomState
) -> tuple[list[float], float]:
    """Mean silhouettes of structureless clouds, the larger of two kinds, and the deviation of a single one."""
    n = len(Y)
    spread = np.linalg.svd(Y - Y.mean(axis=0), compute_uv=False) / np.sqrt(n)
    spread = spread[spread > 1e-6 * spread[0]]
    drawn = np.empty((2, DRAWS, len(numbers)))
    for draw in range(DRAWS):
        gaussian = random_state.standard_normal((n, len(spread)))
        uniform = np.sqrt(12.0) * (random_state.random_sample((n, len(spread))) - 0.5)
        for kind, cloud in enumerate((gaussian * spread, uniform * spread)):
            apart = cdist(cloud, cloud)
            drawn[kind, draw] = [_silhouette(cloud, apart, m, seed, tries=2)[0] for m in numbers]
    return drawn.mean(axis=1).max(axis=0).tolist(), float(np.sqrt(drawn.var(axis=1, ddof=1).mean()))


def _silhouette(Y: Array, distances: Array, m: int, seed: int, tries: int) -> tuple[float, Indices]:
    labels = KMeans(m, n_init=tries, random_state=seed).fit_predict(Y)
    found = len(np.unique(labels))
    value = silhouette_score(distances, labels, metric="precomputed") if 1 < found < len(Y) else 0.0
    return float(value), labels
