"""Choose the number of clusters of rows without groups by silhouettes.

Continuous columns: the silhouette of k-means is positive even for a single cloud. So it is compared
with its mean on null reference data: clouds with the covariance of the table, whose columns are
gamma distributed with the skewness of the table (Gaussian if it is 0), and uniform clouds
(`reference` is the larger of the two means). Numbers whose silhouette exceeds the reference by
CHANCE standard deviations are candidates. The one with the largest score, silhouette - DISCOUNT *
reference, is chosen. If there are none, the data show no clusters.

Discrete columns: values of a discrete column look like clusters, so silhouettes of clouds say
nothing. If some discrete column depends on another column, the number is at most q + 1, where q is
the number of dimensions that the columns share (`cluster_space.py`), and the silhouette on these
dimensions decides. The columns of the majority, continuous or discrete, decide. If they show no
clusters, the others decide.
"""

from itertools import repeat
from typing import Any, NamedTuple

import numpy as np
from scipy.spatial.distance import cdist
from scipy.stats import norm, pearson3
from sklearn.utils.extmath import svd_flip

from sgpmic_cli._typing import Array
from sgpmic_cli.clustering.clusters import DRAWS, SAMPLE
from sgpmic_cli.clustering.clusters.cluster_space import SharedDimensions
from sgpmic_cli.clustering.clusters.nested_means import nested_means, silhouette, silhouettes

CHANCE = 5.0  # a convention: standard deviations of the silhouette of a single reference
DISCOUNT = 0.5  # a convention: of the silhouette of the reference


class Selection(NamedTuple):
    """The chosen number and the evidence for every number tried."""

    chosen: int
    table: list[dict[str, Any]]


def choose_number(
    Y: Array, numbers: list[int], shared: SharedDimensions | None = None
) -> Selection:
    """Choose one of `numbers` for weighted rows, with their shared dimensions if some are discrete.

    The choice depends on the rows only: its random numbers are always the same.
    """
    if len(Y) > SAMPLE:
        Y = Y[np.sort(np.random.RandomState(0).permutation(len(Y))[:SAMPLE])]
    if shared is None:
        return _by_clouds(Y, numbers)
    continuous = Y[:, ~shared.discrete]
    ways = [lambda: _by_shared(Y, numbers, shared)]
    if continuous.size:
        place = 1 if shared.mostly_discrete else 0
        ways.insert(place, lambda: _by_clouds(continuous, numbers))
    first = ways[0]()
    if first.chosen > 1 or len(ways) == 1:
        return first
    second = ways[1]()
    return second if second.chosen > 1 else first


def _by_shared(Y: Array, numbers: list[int], shared: SharedDimensions) -> Selection:
    """Choose a number for the dimensions that discrete columns share with others."""
    most = shared.number + 1 if shared.dependent else 1
    shown = (Y - shared.mean) @ shared.axes[:, : max(shared.number, 1)]
    distances, table = cdist(shown, shown), [_tried(m) for m in numbers]
    for row, labels in zip(table, nested_means(shown, numbers, 5, 0), strict=True):
        m = row["n_clusters"]
        if m > 1 and (m <= most or numbers[0] > most):
            row["silhouette"] = silhouette(distances, labels, m)
            if np.bincount(labels).min() > 1:  # a single row has no silhouette
                row["score"] = row["silhouette"]
    return Selection(max(table, key=lambda row: row["score"])["n_clusters"], table)


def _by_clouds(Y: Array, numbers: list[int]) -> Selection:
    """Choose a number for continuous columns."""
    split = [m for m in numbers if m > 1]
    found = silhouettes(Y, split, 5, 0)
    references, deviation = _reference(Y, split)
    tried = [*map(_tried, split, found, references)]
    none = [_tried(1)] * (1 in numbers)
    shows = [row for row in tried if row["silhouette"] - row["reference"] > CHANCE * deviation]
    best = max(shows or none or tried, key=lambda row: row["score"])
    return Selection(best["n_clusters"], [*none, *tried])


def _tried(m: int, found: float = 0.0, reference: float = 0.0) -> dict[str, Any]:
    """Return the evidence for a number of clusters."""
    score = found - DISCOUNT * reference
    return {"n_clusters": m, "silhouette": found, "reference": reference, "score": score}


def _reference(Y: Array, numbers: list[int]) -> tuple[list[float], float]:
    """Return mean silhouettes of null reference data, and the deviation of a single one."""
    n, centred = len(Y), Y - Y.mean(axis=0)
    left, spread, axes = np.linalg.svd(centred / np.sqrt(n), full_matrices=False)
    axes = svd_flip(left, axes, u_based_decision=False)[1]
    kept = spread > 1e-6 * spread[0]
    spread, axes = spread[kept], axes[kept]
    scale = np.where(Y.std(axis=0) > 0.0, Y.std(axis=0), 1.0)
    skewness = np.mean((centred / scale) ** 3, axis=0)
    # Quantiles at a grid, because each takes as long as a thousand products.
    grid = np.linspace(-6.0, 6.0, 61)
    quantiles = pearson3.ppf(norm.cdf(grid[:, None]), skewness)
    found = np.empty((2, DRAWS, len(numbers)))
    for turn in range(DRAWS):
        size = n, len(spread)
        normal = np.random.RandomState(turn).standard_normal(size) * spread @ axes
        # Rounding errors of columns with large units exceed columns with small ones.
        gamma = np.array(list(map(np.interp, (normal / scale).T, repeat(grid), quantiles.T)))
        uniform = np.sqrt(12.0) * (np.random.RandomState(turn).random_sample(size) - 0.5)
        for kind, cloud in enumerate((gamma.T * scale, uniform * spread)):
            found[kind, turn] = silhouettes(cloud, numbers, 2, 0)
    deviation = float(np.sqrt(found.var(axis=1, ddof=1).mean()))
    return found.mean(axis=1).max(axis=0).tolist(), deviation
