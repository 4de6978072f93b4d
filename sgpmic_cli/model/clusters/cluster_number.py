"""Choose the number of clusters by gaps and by silhouettes.

1. Gaps. The spanning tree of the rows is cut into every number of parts (`spanning_tree.py`). The
   number at which its gap falls most towards the next number is chosen, if the gap falls by more
   than LEAST_DROP, and if Gaussians for the clusters of k-means do not explain the gap. Tables with
   discrete columns always have gaps and skip this step.
2. No clusters. The silhouette of k-means is positive even for a single Gaussian cloud. So it is
   compared with its mean on null reference data: Gaussian and uniform clouds with the covariance of
   the table (`reference` is the larger of the two means). If no silhouette exceeds its reference by
   CHANCE standard deviations, the data show no clusters. Steps 1 and 2 are applied to the first two
   principal components before this is the answer, because clusters in a few of many columns show
   there.
3. Silhouettes. The number with the largest score, silhouette - DISCOUNT * reference, is chosen.
   Among scores within one standard deviation of the largest, the smallest number is chosen.
"""

from typing import NamedTuple, TypedDict

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.cluster import KMeans
from sklearn.metrics import silhouette_score

from sgpmic_cli._typing import Array, Indices
from sgpmic_cli.model.clusters.discrete_columns import is_discrete
from sgpmic_cli.model.clusters.spanning_tree import drops_of_gap, gap_clusters

CHANCE = 5.0  # standard deviations of the silhouette of a single reference
TIE = 1.0
DISCOUNT = 0.5
LEAST_DROP = 0.2  # of the gap, a logarithm
REFERENCES = 3  # of each kind
ROWS = 1000  # the choice uses a subsample of this size
PLANE = 2  # principal components that are consulted before "no clusters" is the answer


class Tried(TypedDict):
    """Evidence for one number of clusters."""

    n_clusters: int
    silhouette: float
    reference: float
    score: float
    gap_drop: float


class Selection(NamedTuple):
    """The chosen number and the evidence for every number tried."""

    chosen: int
    table: list[Tried]


def choose_number(Y: Array, numbers: list[int], random_state: np.random.RandomState) -> Selection:
    """Choose one of `numbers` for standardised rows."""
    if len(Y) > ROWS:
        Y = Y[np.sort(random_state.permutation(len(Y))[:ROWS])]
    found = _choose(Y, Y, numbers, random_state)
    if found.chosen == 1 and len(numbers) > 1 and Y.shape[1] > PLANE:
        on_plane = _choose(Y, _plane(Y), numbers, random_state)
        if on_plane.chosen > 1:
            return on_plane
    return found


def _choose(
    Y: Array, shown: Array, numbers: list[int], random_state: np.random.RandomState
) -> Selection:
    """Choose a number for the rows Y as they are shown: all columns, or the principal plane."""
    seed = int(random_state.randint(np.iinfo(np.int32).max))
    distances = cdist(shown, shown)
    split = [m for m in numbers if m > 1]
    own = {m: _silhouette(shown, distances, m, seed, n_init=5) for m in split}
    reference, deviation = _reference(Y, shown.shape[1] < Y.shape[1], split, seed, random_state)
    drops = {} if is_discrete(Y) else drops_of_gap(shown, split)
    tried = []
    for m, expected in zip(split, reference, strict=True):
        value = own[m][0]
        tried.append(
            Tried(
                n_clusters=m,
                silhouette=value,
                reference=expected,
                score=value - DISCOUNT * expected,
                gap_drop=drops.get(m, 0.0),
            )
        )
    none = Tried(n_clusters=1, silhouette=0.0, reference=0.0, score=0.0, gap_drop=0.0)
    table = [none, *tried] if 1 in numbers else tried
    steepest = max(tried, key=lambda row: row["gap_drop"])
    if steepest["gap_drop"] > LEAST_DROP:
        m = steepest["n_clusters"]
        if gap_clusters(shown, own[m][1], m, random_state) is not None:
            return Selection(m, table)
    excess = max(row["silhouette"] - row["reference"] for row in tried)
    if 1 in numbers and excess < CHANCE * deviation:
        return Selection(1, table)
    least = max(row["score"] for row in tried) - TIE * deviation
    return Selection(next(row["n_clusters"] for row in tried if row["score"] >= least), table)


def _plane(Y: Array) -> Array:
    """Return the first principal components, where the map of a fit starts."""
    U, values, _ = np.linalg.svd(Y - Y.mean(axis=0), full_matrices=False)
    return np.asarray(U[:, :PLANE] * values[:PLANE])


def _reference(
    Y: Array, on_plane: bool, numbers: list[int], seed: int, random_state: np.random.RandomState
) -> tuple[list[float], float]:
    """Return mean silhouettes of null reference data, and the deviation of a single one."""
    n = len(Y)
    spread = np.linalg.svd(Y - Y.mean(axis=0), compute_uv=False) / np.sqrt(n)
    spread = spread[spread > 1e-6 * spread[0]]
    found = np.empty((2, REFERENCES, len(numbers)))
    for turn in range(REFERENCES):
        gaussian = random_state.standard_normal((n, len(spread)))
        uniform = np.sqrt(12.0) * (random_state.random_sample((n, len(spread))) - 0.5)
        for kind, cloud in enumerate((gaussian * spread, uniform * spread)):
            shown = _plane(cloud) if on_plane else cloud
            apart = cdist(shown, shown)
            found[kind, turn] = [_silhouette(shown, apart, m, seed, n_init=2)[0] for m in numbers]
    deviation = float(np.sqrt(found.var(axis=1, ddof=1).mean()))
    return found.mean(axis=1).max(axis=0).tolist(), deviation


def _silhouette(
    Y: Array, distances: Array, m: int, seed: int, n_init: int
) -> tuple[float, Indices]:
    labels = KMeans(m, n_init=n_init, random_state=seed).fit_predict(Y)
    found = len(np.unique(labels))
    value = silhouette_score(distances, labels, metric="precomputed") if 1 < found < len(Y) else 0.0
    return float(value), labels
