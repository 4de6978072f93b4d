"""Decide whether each cluster is a group or a slice of a continuum.

A cluster is a group if a valley separates it from every neighbour (`valleys.py`). All of these
tests must be significant, so several neighbours need no correction. The K clusters do: the level of
a test is LEVEL / (K - 1), the number of borders that K clusters in a row have. A cluster is a slice
if one of its borders has no significant valley although a clear one would have been found there
with probability POWER. Otherwise there are too few rows to say.

Only continuous columns take part. A column of few values has empty space between every two values,
which says how it was recorded and not how the rows lie. Tied values of other columns, such as whole
numbers, are spread over the interval that rounds to them.
"""

from typing import Literal, NamedTuple

import numpy as np
from sklearn.decomposition import PCA

from sgpmic_cli._typing import Array, Indices
from sgpmic_cli.clustering.clusters.discrete_columns import effective_values
from sgpmic_cli.clustering.clusters.label_constants import FEW_VALUES
from sgpmic_cli.clustering.clusters.valleys import (
    FOLDS,
    find_valleys,
    least_rows,
    nearest_rows,
    power,
)

VERDICT_LEVEL = 0.05  # false groups among uniform clouds, the worst case of `valleys.py`
POWER = 0.8  # the usual convention (Cohen 1988)
DECIMALS = 6  # of a standardised column; values that differ less are tied
VERDICT_COLUMNS = 50  # more columns take long, and a direction in them needs more rows

Kind = Literal["group", "slice", "too few rows to say"]


class ClusterVerdict(NamedTuple):
    """What a cluster is, with the border that decides it.

    `neighbour` is the cluster towards which the evidence for a valley is weakest, and `depth` the
    density in between relative to the lower peak. Both are None if nothing was compared.
    """

    verdict: Kind
    depth: float | None = None
    neighbour: int | None = None


def continuous_columns(Y: Array, seed: int = 0) -> Array:
    """Return the columns (N, P') that are not discrete, with tied values spread evenly.

    If they are more than VERDICT_COLUMNS, return as many of their principal components.
    """
    random_state = np.random.RandomState(seed)
    rounded = np.round(Y, DECIMALS)
    kept = np.flatnonzero(effective_values(rounded) >= FEW_VALUES)
    X = np.empty((len(Y), len(kept)))
    for place, column in enumerate(kept):
        X[:, place] = Y[:, column] + _spread(rounded[:, column], random_state)
    if len(kept) <= VERDICT_COLUMNS:
        return X
    components = min(VERDICT_COLUMNS, len(Y))
    return np.asarray(PCA(components, random_state=random_state).fit_transform(X))


def _spread(column: Array, random_state: np.random.RandomState) -> Array:
    """Return random moves of tied values, up to half-way to the nearest value; 0 for others."""
    values, inverse, counts = np.unique(column, return_inverse=True, return_counts=True)
    gaps = np.pad(np.diff(values), 1, constant_values=np.inf)
    half = np.minimum(gaps[1:], gaps[:-1]) / 2.0
    move = half[inverse] * random_state.uniform(-1.0, 1.0, len(column))
    return np.where(counts[inverse] > 1, move, 0.0)


def verdicts_of(X: Array, labels: Indices, n_clusters: int, seed: int = 0) -> list[ClusterVerdict]:
    """Return a verdict for each cluster; some may have no rows.

    X (N, P) are rows of `continuous_columns`. Without any column, every cluster is a slice.
    """
    sizes = np.bincount(labels, minlength=n_clusters)
    level = VERDICT_LEVEL / max(n_clusters - 1, 1)
    if n_clusters == 1 or not X.shape[1]:
        return [ClusterVerdict("slice")] * n_clusters
    large = np.flatnonzero(sizes >= max(least_rows(level, X.shape[1]), FOLDS))
    verdicts = [ClusterVerdict("too few rows to say")] * n_clusters
    if len(large) < 2:
        return verdicts
    joined = absorb_small(X, labels, large)
    valleys = find_valleys(X, joined, nearest_rows(X), seed)
    for place, m in enumerate(large):
        own = [valley for valley in valleys if place in valley[:2]]
        verdicts[m] = ClusterVerdict("group")
        for valley in sorted(own, key=lambda found: (found.p_value, found.depth)):
            other = large[valley.one + valley.other - place]
            kind: Kind = verdicts[m].verdict
            if valley.p_value > level:
                resolved = power(min(sizes[m], sizes[other]), level, X.shape[1]) >= POWER
                kind = "slice" if resolved or kind == "slice" else "too few rows to say"
            verdicts[m] = ClusterVerdict(kind, valley.depth, int(other))
    return verdicts


def absorb_small(X: Array, labels: Indices, large: Indices) -> Indices:
    """Return labels from 0 to len(large) - 1; rows of other clusters join the nearest mean."""
    number = np.full(labels.max() + 1, -1)
    number[large[large < len(number)]] = np.arange(len(large))
    joined = number[labels]
    means = np.stack([X[labels == m].mean(axis=0) for m in large])
    rest = np.flatnonzero(joined < 0)
    distances = ((X[rest, None] - means) ** 2).sum(axis=2)
    joined[rest] = distances.argmin(axis=1)
    return joined
