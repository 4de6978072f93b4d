"""Diagnostics of a fit: sizes and certainty of clusters, doubtful clusters, unusual rows."""

from typing import NamedTuple

import numpy as np

from sgpmic_cli._typing import Array, Indices
from sgpmic_cli.errors import warn_caller
from sgpmic_cli.row_blocks import row_blocks

TINY = 5  # a cluster with fewer rows is small ...
TINY_FRACTION = 0.2  # ... unless it has this fraction of the rows divided by the clusters
SHARED = 0.5  # two clusters overlap if they share this fraction of their responsibility
FENCE = 3.0  # interquartile ranges below the first quartile, the outer fence of a box plot


class Diagnostics(NamedTuple):
    """Rows (M,) and mean probability (M,) of every cluster, and the numbers of doubtful ones."""

    sizes: Indices
    certainty: Array
    overlapping_pairs: list[tuple[int, int]]
    small_clusters: list[int]
    empty_clusters: list[int]


def diagnose(S: Array) -> Diagnostics:
    """Compute the diagnostics from the responsibilities (N, M)."""
    n, m = S.shape
    labels, counts = S.argmax(axis=1), S.sum(axis=0)
    sizes = np.bincount(labels, minlength=m)
    sums = np.bincount(labels, weights=S.max(axis=1), minlength=m)
    certainty = np.divide(sums, sizes, out=np.zeros(m), where=sizes > 0)
    nonempty = np.flatnonzero(sizes)
    pairs: list[tuple[int, int]] = []
    for i, a in enumerate(nonempty):
        others = nonempty[i + 1 :]
        shared = np.zeros(len(others))
        for rows in row_blocks(n):
            shared += np.minimum(S[rows, a : a + 1], S[rows][:, others]).sum(axis=0)
        overlapping = shared > SHARED * np.minimum(counts[a], counts[others])
        pairs += [(int(a), int(b)) for b in others[overlapping]]
    small = np.flatnonzero((sizes > 0) & (sizes < min(TINY, TINY_FRACTION * n / m)))
    return Diagnostics(sizes, certainty, pairs, small.tolist(), np.flatnonzero(sizes == 0).tolist())


def warn_about(diagnostics: Diagnostics) -> None:
    """Warn if clusters are small, empty or hard to tell apart."""
    doubts = []
    if pairs := diagnostics.overlapping_pairs:
        (a, b), n = pairs[0], len(pairs)
        words = f"{n} pairs of clusters, such as {a} and {b}" if n > 1 else f"clusters {a} and {b}"
        doubts.append(f"many rows lie between {words}")
    if diagnostics.small_clusters:
        doubts.append(f"{_clusters(diagnostics.small_clusters)} fewer than {TINY} rows")
    if diagnostics.empty_clusters:
        doubts.append(f"{_clusters(diagnostics.empty_clusters)} no rows")
    if doubts:
        warn_caller(f"{'; '.join(doubts)}: fewer clusters may describe these data better.")


def unusual_below(log_density: Array) -> float:
    """Return the log density below which a row is unlike the training rows (N,), some NaN."""
    first, third = np.nanpercentile(log_density, [25, 75])
    return float(first - FENCE * (third - first))


def _clusters(numbers: list[int]) -> str:
    names = ", ".join(map(str, numbers))
    return f"cluster {names} has" if len(numbers) == 1 else f"clusters {names} have"
