"""Find out whether a single column of the table explains the clusters.

If one split of a column, or one of its categories, reproduces a cluster, then the cluster says
nothing that the column did not say before.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from sgpmic_cli._typing import Array, BoolArray, Indices

LEAST_AGREEMENT = 0.9  # adjusted Rand index between a cluster and the rows of a condition
MOST_VALUES = 200  # thresholds of a numeric column: half at its quantiles, half in its widest gaps


class Condition(NamedTuple):
    """A condition on one column that holds for nearly all rows of a cluster and for few others."""

    cluster: int
    column: str
    relation: str  # "<=", ">" or "="
    value: Any
    agreement: float

    def __str__(self) -> str:
        value = f"{self.value:.4g}" if isinstance(self.value, float) else str(self.value)
        return f"{self.column} {self.relation} {value}"


def explained_clusters(
    columns: Mapping[str, Any], labels: Indices, n_clusters: int
) -> list[Condition]:
    """Return the best condition of every cluster that a single column explains.

    Parameters
    ----------
    columns : mapping or DataFrame
        Columns of the table by name. Numbers are split, and other columns have categories. Rows
        with missing values do not fulfil any condition.
    labels : ndarray of shape (N,)
        Clusters from 0 to n_clusters - 1.
    n_clusters : int
        Number of clusters.
    """
    best: dict[int, Condition] = {}
    for name, values in columns.items():
        for relation, value, rows in _conditions(pd.Series(values)):
            agreement = _agreement(rows, labels, n_clusters)
            for m in np.flatnonzero(agreement >= LEAST_AGREEMENT).tolist():
                if m not in best or agreement[m] > best[m].agreement:
                    best[m] = Condition(m, str(name), relation, value, float(agreement[m]))
    return [best[m] for m in sorted(best)]


def _conditions(values: pd.Series) -> list[tuple[str, Any, BoolArray]]:
    """Return relation, value and the rows (N,) of every condition on a column."""
    number = pd.api.types.is_numeric_dtype(values) and not pd.api.types.is_bool_dtype(values)
    known = values.dropna().unique()
    if not number:
        return [("=", value, (values == value).to_numpy(dtype=bool)) for value in known]
    numbers, known = values.to_numpy(dtype=np.float64), np.sort(known.astype(np.float64))
    edges = (known[1:] + known[:-1]) / 2.0
    if len(edges) > MOST_VALUES:
        levels = np.linspace(0.0, 1.0, MOST_VALUES // 2)
        quantiles = np.quantile(numbers[np.isfinite(numbers)], levels, method="nearest")
        at_quantiles = np.searchsorted(known[:-1], quantiles, side="right") - 1
        widest = np.argsort(-np.diff(known), kind="stable")[: MOST_VALUES // 2]
        edges = edges[np.union1d(at_quantiles, widest)]
    found: list[tuple[str, Any, BoolArray]] = []
    for edge in edges.tolist():
        found += [("<=", edge, numbers <= edge), (">", edge, numbers > edge)]
    return found


def _agreement(rows: BoolArray, labels: Indices, n_clusters: int) -> Array:
    """Return the adjusted Rand index of the rows with each cluster (M,), 0 if they are apart."""
    n, condition = float(len(rows)), float(np.count_nonzero(rows))
    both = np.bincount(labels[rows], minlength=n_clusters).astype(float)
    cluster = np.bincount(labels, minlength=n_clusters).astype(float)
    together = _pairs(both, condition - both, cluster - both, n - condition - cluster + both)
    one, other = _pairs(condition, n - condition), _pairs(cluster, n - cluster)
    expected, most = one * other / _pairs(n), (one + other) / 2.0
    index = (together - expected) / np.where(most > expected, most - expected, np.inf)
    return np.where(both * n > condition * cluster, index, 0.0)


def _pairs(*counts: Any) -> Any:
    """Return the number of pairs of rows that are in the same part."""
    return sum(count * (count - 1.0) / 2.0 for count in counts)
