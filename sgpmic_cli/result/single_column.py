"""Find out whether a single column of the table explains the clusters.

If one split of a column, or one of its categories, reproduces a cluster, then the cluster says
nothing that the column did not say before.
"""

from collections.abc import Mapping
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from sgpmic_cli._typing import Array, Indices

LEAST_AGREEMENT = 0.9  # adjusted Rand index between a cluster and the rows of a condition


class Condition(NamedTuple):
    """A condition on one column that holds for nearly all rows of a cluster and for few others."""

    cluster: int
    column: str
    relation: str  # "<=", ">" or "="
    value: Any
    agreement: float

    def __str__(self) -> str:
        if self.relation == "=":  # as the names of features
            return f"{self.column}={self.value}"
        value = threshold(self.value) if isinstance(self.value, float) else str(self.value)
        return f"{self.column} {self.relation} {value}"


def explained_clusters(
    columns: Mapping[str, Any], labels: Indices, n_clusters: int
) -> list[Condition]:
    """Return the best condition of every cluster that a single column explains.

    Columns of numbers are split, and other columns have categories. Rows with missing values do not
    fulfil any condition.
    """
    best: dict[int, Condition] = {}
    sizes = np.bincount(labels, minlength=n_clusters)
    for name, values in columns.items():
        for relation, known, both in _conditions(pd.Series(values), labels, n_clusters):
            agreement = _agreement(both, sizes)
            for m in np.flatnonzero(agreement.max(axis=0, initial=0.0) >= LEAST_AGREEMENT).tolist():
                top = int(agreement[:, m].argmax())
                if m not in best or agreement[top, m] > best[m].agreement:
                    value = known[top] if relation == "=" else between(*known[top])
                    best[m] = Condition(m, str(name), relation, value, agreement[top, m])
    return [best[m] for m in sorted(best)]


def between(low: float, high: float) -> float:
    """Return the number of fewest digits in [low, high) next to their middle."""
    middle = low + (high - low) / 2.0
    for digits in range(1, 17):
        short = float(f"{middle:.{digits}g}")
        if low <= short < high:
            return short
    return low


def threshold(value: float) -> str:
    """Return the threshold of a condition as text, never in powers of ten below 10 ** 15."""
    return f"{value / 1e6:.12g} million" if 1e6 <= abs(value) < 1e15 else f"{value:.12g}"


def _conditions(
    values: pd.Series, labels: Indices, n_clusters: int
) -> list[tuple[str, list[Any], Array]]:
    """Return relation, values (or pairs to split) and rows in each cluster (V, M) of conditions."""
    number = pd.api.types.is_numeric_dtype(values) and not pd.api.types.is_bool_dtype(values)
    codes, known = pd.factorize(values, sort=number)
    counts = np.zeros((len(known), n_clusters))
    np.add.at(counts, (codes[codes >= 0], labels[codes >= 0]), 1.0)
    if not number:
        return [("=", list(known), counts)]
    ordered = np.asarray(known, dtype=np.float64).tolist()
    edges = list(pairwise(ordered))
    below = np.cumsum(counts, axis=0)
    return [("<=", edges, below[:-1]), (">", edges, below[-1:] - below[:-1])]


def _agreement(both: Array, cluster: Indices) -> Array:
    """Return the adjusted Rand index (V, M) of the rows of a condition with each cluster.

    `both` (V, M) are the numbers of rows of the condition in each cluster, and `cluster` (M,) those
    of each cluster. The index is 0 if condition and cluster are apart.
    """
    n, condition = cluster.sum(), both.sum(axis=1, keepdims=True)
    a, b, c = both, condition - both, cluster - both
    d = n - a - b - c
    # Pairs of rows, as in scikit-learn's adjusted_rand_score of two partitions with two parts.
    tp = _pairs(a) + _pairs(b) + _pairs(c) + _pairs(d)
    fp = _pairs(a + b) + _pairs(c + d) - tp
    fn = _pairs(a + c) + _pairs(b + d) - tp
    tn = _pairs(n) - tp - fp - fn
    denominator = (tp + fn) * (fn + tn) + (tp + fp) * (fp + tn)
    index = 2.0 * (tp * tn - fn * fp) / np.where(denominator > 0, denominator, 1.0)
    return np.where((both * n > condition * cluster) & (denominator > 0), index, 0.0)


def _pairs(count: Any) -> Any:
    return count * (count - 1.0) / 2.0
