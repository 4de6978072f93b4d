"""Scores of a clustering against known classes, in per cent.

The paper's ACC is purity: every cluster is assigned its most frequent class. Most columns of its
NMI compare the classes with these assigned labels and divide by the geometric mean of the
entropies. The columns of AML, UNCA and DEC compare the classes with the clusters and also use the
geometric mean. The paper's text defines the NMI with the arithmetic mean.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray


def contingency(classes: ArrayLike, clusters: ArrayLike) -> NDArray[np.int64]:
    """Count the rows of every (class, cluster) pair, shape (n_classes, n_clusters)."""
    from sklearn.metrics.cluster import contingency_matrix

    return np.asarray(contingency_matrix(classes, clusters))


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
    return _nmi(classes, mapped_labels(classes, clusters), "geometric")


def nmi_clusters(classes: ArrayLike, clusters: ArrayLike) -> float:
    """Return the NMI of the columns AML, UNCA and DEC: clusters, geometric mean."""
    return _nmi(classes, clusters, "geometric")


def nmi_stated(classes: ArrayLike, clusters: ArrayLike) -> float:
    """Return the NMI that the paper's text defines: clusters, arithmetic mean."""
    return _nmi(classes, clusters, "arithmetic")


def ari(classes: ArrayLike, clusters: ArrayLike) -> float:
    """Return the adjusted Rand index: 0 for chance, 100 for equal partitions."""
    from sklearn.metrics import adjusted_rand_score

    return 100.0 * float(adjusted_rand_score(classes, clusters))


def _nmi(classes: ArrayLike, clusters: ArrayLike, average: str) -> float:
    """Return mutual information over a mean of the entropies, or 0 if either side is constant."""
    from sklearn.metrics import normalized_mutual_info_score

    if 1 in contingency(classes, clusters).shape:  # scikit-learn has 1 if both are
        return 0.0
    return 100.0 * float(normalized_mutual_info_score(classes, clusters, average_method=average))


class Score(NamedTuple):
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
