"""How a clustering is compared with known classes. All scores are percentages.

The paper's ACC is purity: every cluster takes its most frequent class. Most columns of its printed NMI are not what its
text defines: they come out only when the *mapped* labels (clusters of one class merged) are compared with the classes
and the mutual information is divided by the geometric mean of the two entropies. The columns of AML, UNCA and DEC are
those of the clusters themselves, with that geometric mean; the text has the arithmetic one. All three are here, under
names that say so.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray


def contingency(classes: ArrayLike, clusters: ArrayLike) -> NDArray[np.int64]:
    """Count the points of every (class, cluster) pair: an array (n_classes, n_clusters)."""
    row = np.unique(np.asarray(classes), return_inverse=True)[1]
    column = np.unique(np.asarray(clusters), return_inverse=True)[1]
    if row.shape != column.shape or row.ndim != 1 or row.size == 0:
        raise ValueError(
            f"classes and clusters must be two lists of one length, not {row.shape} and {column.shape}."
        )
    n_columns = int(column.max()) + 1
    counts = np.bincount(row * n_columns + column, minlength=(int(row.max()) + 1) * n_columns)
    return counts.reshape(-1, n_columns)


def mapped_labels(classes: ArrayLike, clusters: ArrayLike) -> NDArray[np.int64]:
    """Give every point the most frequent class of its cluster (the lowest class where two are equally frequent)."""
    cluster_of_point = np.unique(np.asarray(clusters), return_inverse=True)[1]
    return contingency(classes, clusters).argmax(axis=0)[cluster_of_point]


def purity(classes: ArrayLike, clusters: ArrayLike) -> float:
    """The paper's ACC: the share of points that carry the most frequent class of their cluster."""
    table = contingency(classes, clusters)
    return 100.0 * float(table.max(axis=0).sum()) / float(table.sum())


def accuracy_hungarian(classes: ArrayLike, clusters: ArrayLike) -> float:
    """Accuracy under the best one-to-one match of clusters with classes, never above the purity."""
    from scipy.optimize import linear_sum_assignment

    table = contingency(classes, clusters)
    pairs = linear_sum_assignment(table, maximize=True)
    return 100.0 * float(table[pairs].sum()) / float(table.sum())


def nmi_mapped(classes: ArrayLike, clusters: ArrayLike) -> float:
    """The NMI that most printed columns fit: mapped labels, geometric mean; 0 when every point maps to one class."""
    return _nmi(contingency(classes, mapped_labels(classes, clusters)), _geometric)


def nmi_clusters(classes: ArrayLike, clusters: ArrayLike) -> float:
    """The NMI that the columns of AML, UNCA and DEC fit: clusters, geometric mean; 0 when either side is constant."""
    return _nmi(contingency(classes, clusters), _geometric)


def nmi_stated(classes: ArrayLike, clusters: ArrayLike) -> float:
    """The NMI that the paper's text defines: cluster indicators, arithmetic mean; 0 when either side is constant."""
    return _nmi(contingency(classes, clusters), _arithmetic)


def ari(classes: ArrayLike, clusters: ArrayLike) -> float:
    """The adjusted Rand index: 0 for chance, 100 for equal partitions."""
    table = contingency(classes, clusters)
    in_class, in_cluster = _pairs(table.sum(axis=1)), _pairs(table.sum(axis=0))
    together, all_pairs = _pairs(table), _pairs(table.sum())
    if (
        in_class == in_cluster == together
    ):  # equal partitions, also where nothing can be told by chance
        return 100.0
    by_chance = in_class * in_cluster / all_pairs
    return 100.0 * (together - by_chance) / (0.5 * (in_class + in_cluster) - by_chance)


@dataclass(frozen=True)
class Score:
    """A way to compare clusters with classes: function, title for people, and what sets it apart from its like."""

    function: Callable[[ArrayLike, ArrayLike], float]  # classes, clusters -> percentage
    title: str
    meaning: str = ""


# Every score by its name in records and tables, in the order of the tables. A new score is one line here.
SCORES = {
    "acc": Score(purity, "ACC", "purity, the paper's"),
    "nmi": Score(nmi_mapped, "NMI", "mapped labels, the paper's"),
    "nmi_clusters": Score(nmi_clusters, "NMI", "clusters, geometric mean"),
    "nmi_stated": Score(nmi_stated, "NMI", "clusters, arithmetic mean"),
    "ari": Score(ari, "ARI"),
    "acc_hungarian": Score(accuracy_hungarian, "Hungarian ACC", "one-to-one"),
}


def score_all(classes: ArrayLike, clusters: ArrayLike) -> dict[str, float]:
    """Every score by its name in the records and tables."""
    return {name: score.function(classes, clusters) for name, score in SCORES.items()}


def _nmi(table: NDArray[np.int64], mean: Callable[[float, float], float]) -> float:
    """Mutual information over a mean of the two entropies, 0 where either side is constant."""
    if 1 in table.shape:
        return 0.0
    shares = table / table.sum()
    of_classes, of_clusters = _entropy(shares.sum(axis=1)), _entropy(shares.sum(axis=0))
    mutual = of_classes + of_clusters - _entropy(shares)
    return 100.0 * max(mutual, 0.0) / mean(of_classes, of_clusters)


def _pairs(counts: NDArray[np.int64]) -> float:
    """How many pairs of points stand together."""
    return float(np.sum(counts * (counts - 1) // 2))


def _entropy(shares: NDArray[np.float64]) -> float:
    present = shares[shares > 0.0]
    return -float(present @ np.log(present))


def _geometric(a: float, b: float) -> float:
    return math.sqrt(a * b)


def _arithmetic(a: float, b: float) -> float:
    return 0.5 * (a + b)
