"""What a fitted model says about rows: predictions, and diagnostics of its clusters."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from sgpmic_cli._typing import Array, BoolArray, Indices
from sgpmic_cli.errors import warn_caller
from sgpmic_cli.row_blocks import row_blocks
from sgpmic_cli.tables.encoder import TableEncoder

LEFT_OUT = -1  # label of a row without any value, as of noise in scikit-learn
TINY = 5  # a cluster with fewer rows is small ...
TINY_FRACTION = 0.2  # ... unless it has this fraction of the rows divided by the clusters
SHARED = 0.5  # two clusters overlap if they share this fraction of their responsibility
FENCE = 3.0  # interquartile ranges below the first quartile, the outer fence of a box plot


class Features(NamedTuple):
    """Rows that were encoded before, such as those of a file that is read in blocks.

    `fit` and `prediction` take them in place of a data frame.
    """

    Y: Array  # (n, F), NaN for missing values
    encoder: TableEncoder | None  # the fitted encoder of the table; None for an array of numbers
    first_row: int = 0  # number of rows before these in their table


class Located(NamedTuple):
    """Latent points and variances (n, Q), cluster probabilities (n, M) and log densities (n,)."""

    points: Array
    variances: Array
    S: Array
    log_density: Array

    @classmethod
    def joined(cls, parts: Sequence["Located"]) -> "Located":
        """Return the rows of all parts."""
        return cls(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))


@dataclass(frozen=True, eq=False)
class RowResults:
    """Clusters, probabilities, latent points and densities of rows.

    A row without any value has the label -1, and NaN for all numbers.

    Attributes
    ----------
    labels : ndarray of shape (n_samples,)
        Cluster of each row.
    probabilities : ndarray of shape (n_samples, n_clusters)
        Probability of each cluster.
    embedding, variances : ndarray of shape (n_samples, Q)
        Means and variances of the latent points.
    log_density : ndarray of shape (n_samples,)
        Lower bound on the log density of each row in the scaled columns.
    unusual : ndarray of shape (n_samples,)
        Whether a row is unlike the training rows: its log density is more than three interquartile
        ranges below the first quartile of theirs.
    """

    labels: Indices
    probabilities: Array
    embedding: Array
    variances: Array
    log_density: Array
    unusual: BoolArray

    @classmethod
    def of(cls, located: Located, unusual_below: float) -> "RowResults":
        """Derive the labels and the unusual rows."""
        points, variances, S, log_density = located
        return cls(most_probable(S), S, points, variances, log_density, log_density < unusual_below)

    def part(self, rows: Any) -> "RowResults":
        """Return some of the rows."""
        return RowResults(**{name: array[rows] for name, array in vars(self).items()})


def most_probable(S: Array) -> Indices:
    """Return the most probable cluster of each row (n,), -1 for NaN."""
    labels = S.argmax(axis=1)
    labels[np.isnan(S[:, 0])] = LEFT_OUT
    return labels


def with_left_out(values: Array, left_out: Indices) -> Array:
    """Insert NaN, or -1 among integers, for rows that were left out, at these places."""
    if not len(left_out):
        return values
    n, empty = len(values) + len(left_out), -1 if values.dtype.kind == "i" else np.nan
    result = np.full((n, *values.shape[1:]), empty)
    result[np.delete(np.arange(n), left_out)] = values
    return result


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
        fewer = "fewer clusters" if len(diagnostics.sizes) > 2 else "a single cluster"
        warn_caller(f"{'; '.join(doubts)}: {fewer} may describe these data better.")


def unusual_below(log_density: Array) -> float:
    """Return the log density below which a row is unlike the training rows (N,), some NaN."""
    first, third = np.nanpercentile(log_density, [25, 75])
    return float(first - FENCE * (third - first))


def _clusters(numbers: list[int]) -> str:
    names = ", ".join(map(str, numbers))
    return f"cluster {names} has" if len(numbers) == 1 else f"clusters {names} have"
