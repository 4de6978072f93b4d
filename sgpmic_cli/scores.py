"""Scores of a clustering against known classes, in per cent.

The paper's ACC is purity: every cluster is assigned its most frequent class. Most columns of its
NMI compare the classes with these assigned labels and divide by the geometric mean of the
entropies. The columns of AML, UNCA and DEC compare the classes with the clusters and also use the
geometric mean. The paper's text defines the NMI with the arithmetic mean.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray


def contingency(classes: ArrayLike, clusters: ArrayLike) -> NDArray[np.int64]:
    """Count the rows of every (class, cluster) pair, shape (n_classes, n_clusters)."""
    row = np.unique(np.asarray(classes), return_inverse=True)[1]
    column = np.unique(np.asarray(clusters), return_inverse=True)[1]
    if row.shape != column.shape or row.ndim != 1 or row.size == 0:
        raise ValueError(
            "classes and clusters must be two lists of one length, "
            f"not {row.shape} and {column.shape}."
        )
    n_columns = int(column.max()) + 1
    counts = np.bincount(row * n_columns + column, minlength=(int(row.max()) + 1) * n_columns)
    return counts.reshape(-1, n_columns)


def mapped_labels(classes: ArrayLike, clusters: ArrayLike) -> NDArray[np.int64]:
    """Assign to every row the most frequent class of its cluster; ties go to the lowest class."""
    cluster_of_row = np.unique(np.asarray(clusters), return_inverse=True)[1]
    return contingency(classes, clusters).argmax(axis=0)[cluster_of_row]


def purity(classes: ArrayLike, clusters: ArrayLike) -> float:
    """Return the paper's ACC: the fraction of rows of the most frequent class of their cluster."""
    table = contingency(classes, clusters)
    return 100.0 * float(table.max(axis=0).sum()) / float(table.sum())


def accuracy_hungarian(classes: ArrayLike, clusters: ArrayLike) -> float:
    """Return the accuracy under the best one-to-one matching of clusters and classes."""
    from scipy.optimize import linear_sum_assignment

    table = contingency(classes, clusters)
    pairs = linear_sum_assignment(table, maximize=True)
    return 100.0 * float(table[pairs].sum()) / float(table.sum())


def nmi_mapped(classes: ArrayLike, clusters: ArrayLike) -> float:
    """Return the NMI of most printed columns: assigned labels, geometric mean."""
    return _nmi(contingency(classes, mapped_labels(classes, clusters)), _geometric)


def nmi_clusters(classes: ArrayLike, clusters: ArrayLike) -> float:
    """Return the NMI of the columns AML, UNCA and DEC: clusters, geometric mean."""
    return _nmi(contingency(classes, clusters), _geometric)


def nmi_stated(classes: ArrayLike, clusters: ArrayLike) -> float:
    """Return the NMI that the paper's text defines: clusters, arithmetic mean."""
    return _nmi(contingency(classes, clusters), _arithmetic)


def ari(classes: ArrayLike, clusters: ArrayLike) -> float:
    """Return the adjusted Rand index: 0 for chance, 100 for equal partitions."""
    table = contingency(classes, clusters)
    in_class, in_cluster = _pairs(table.sum(axis=1)), _pairs(table.sum(axis=0))
    together, all_pairs = _pairs(table), _pairs(table.sum())
    if in_class == in_cluster == together:  # equal partitions; the ratio below may be 0 / 0
        return 100.0
    by_chance = in_class * in_cluster / all_pairs
    return 100.0 * (together - by_chance) / (0.5 * (in_class + in_cluster) - by_chance)


@dataclass(frozen=True)
class Score:
    """A score: its function, its title, and a note that distinguishes equal titles."""

    function: Callable[[ArrayLike, ArrayLike], float]  # classes, clusters -> percentage
    title: str
    meaning: str = ""


# Scores by their names in records and tables, in the order of the tables.
SCORES = {
    "acc": Score(purity, "ACC", "purity, the paper's"),
    "nmi": Score(nmi_mapped, "NMI", "mapped labels, the paper's"),
    "nmi_clusters": Score(nmi_clusters, "NMI", "clusters, geometric mean"),
    "nmi_stated": Score(nmi_stated, "NMI", "clusters, arithmetic mean"),
    "ari": Score(ari, "ARI"),
    "acc_hungarian": Score(accuracy_hungarian, "Hungarian ACC", "one-to-one"),
}


def score_all(classes: ArrayLike, clusters: ArrayLike) -> dict[str, float]:
    """Return all scores by name."""
    return {name: score.function(classes, clusters) for name, score in SCORES.items()}


def _nmi(table: NDArray[np.int64], mean: Callable[[float, float], float]) -> float:
    """Return mutual information over a mean of the entropies, or 0 if either side is constant."""
    if 1 in table.shape:
        return 0.0
    fractions = table / table.sum()
    of_classes, of_clusters = _entropy(fractions.sum(axis=1)), _entropy(fractions.sum(axis=0))
    mutual = of_classes + of_clusters - _entropy(fractions)
    return 100.0 * max(mutual, 0.0) / mean(of_classes, of_clusters)


def _pairs(counts: NDArray[np.int64]) -> float:
    """Return the number of pairs within the cells."""
    return float(np.sum(counts * (counts - 1) // 2))


def _entropy(fractions: NDArray[np.float64]) -> float:
    present = fractions[fractions > 0.0]
    return -float(present @ np.log(present))


def _geometric(a: float, b: float) -> float:
    return math.sqrt(a * b)


def _arithmetic(a: float, b: float) -> float:
    return 0.5 * (a + b)
