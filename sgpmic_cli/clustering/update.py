"""Add rows to a fitted model. Old rows keep clusters and places unless they join a new cluster.

1. The model locates the new rows. Rows whose log density is below the limit of the model, old ones
   and new ones, are unlike the others. They are clustered as a table of their own.
2. Such a cluster is new if a valley of the density separates it from every neighbour among all rows
   (`clusters/verdicts.py`). Then new rows and unlike old rows join the cluster of their nearest
   rows; old rows do so only if it is new. Without a new cluster, new rows join as in `predict`.
3. The process is trained from where it was. The latent points of the old rows are fixed, except for
   those that join a new cluster.
"""

from typing import NamedTuple

import numpy as np

from sgpmic_cli._typing import Array, BoolArray, Indices
from sgpmic_cli.clustering.clusters.base_clusterings import consensus
from sgpmic_cli.clustering.clusters.cluster_number import choose_number
from sgpmic_cli.clustering.clusters.label_constants import MOST_CLUSTERS
from sgpmic_cli.clustering.clusters.probabilities import ClusterModel
from sgpmic_cli.clustering.clusters.valleys import FOLDS
from sgpmic_cli.clustering.clusters.verdicts import continuous_columns, verdicts_of
from sgpmic_cli.clustering.fitted_model import FittedModel
from sgpmic_cli.clustering.map.new_rows import TrainingRows
from sgpmic_cli.clustering.map.shared_process import MapParameters
from sgpmic_cli.estimator_base.scaling import distinct_rows


class Update(NamedTuple):
    """What an update has changed."""

    rows: int  # new rows with values
    known: int  # of them, rows that equal a row of the model
    unlike: Indices  # new rows that are unlike all rows of the model, counted from 0
    new_clusters: list[int]
    moved: Indices  # old rows that joined a new cluster, counted from 0


class Grown(NamedTuple):
    """Old and new rows with their clusters, and the start of the training of their map."""

    clusters: ClusterModel
    rows: TrainingRows
    mask: BoolArray  # missing values of new rows
    weights: Array  # of the clusters for the map
    start: MapParameters
    free: BoolArray  # rows that the training moves
    known: BoolArray  # new rows that equal an old row


def grow(fitted: FittedModel, new: Array, unlike: BoolArray) -> Grown:
    """Add new rows (n, P) to a model, given which of all rows (N + n,) are unlike the others."""
    (located, nearest), p = fitted.locate(new), fitted.map.parameters
    known = fitted.rows.equal(fitted.imputed(new), nearest)
    old, n_clusters = fitted.rows.rows, fitted.clusters.n_clusters
    rows = np.concatenate([old, fitted.imputed(new)])
    before = np.r_[fitted.clusters.labels, located.S.argmax(axis=1)]
    labels = with_new_clusters(rows, before, n_clusters, unlike)
    clusters = fitted.clusters._replace(labels=labels)
    if labels.max() >= n_clusters:  # a new cluster can have any shape, so nearest rows decide
        clusters = ClusterModel(labels, int(labels.max()) + 1, None, None)
        is_new = np.arange(len(rows)) >= len(old)
        sure, asked = np.where(is_new, labels >= n_clusters, ~unlike), is_new | unlike
        decided = clusters._replace(labels=labels[sure])
        found = decided.probabilities(rows[asked], TrainingRows(rows[sure])).argmax(axis=1)
        joins = is_new[asked] | (found >= n_clusters)
        labels[asked] = np.where(joins, found, before[asked])
    start = p._replace(
        mu=np.concatenate([p.mu, located.points]),
        log_s=np.concatenate([p.log_s, np.log(located.variances)]),
    )
    training = TrainingRows(rows)
    plain = clusters.without_refits.training_probabilities(training)
    free = np.r_[np.zeros(len(old), dtype=bool), ~known] | (labels != before)
    mask = np.concatenate([np.zeros(old.shape, dtype=bool), np.isnan(new)])
    return Grown(clusters, training, mask, clusters.map_weights(plain), start, free, known)


def with_new_clusters(rows: Array, labels: Indices, n_clusters: int, unlike: BoolArray) -> Indices:
    """Return the labels of rows, with new clusters of unlike rows that valleys separate."""
    pool = rows[unlike]
    if len(pool) < FOLDS:
        return labels
    most = min(MOST_CLUSTERS, max(2, len(pool) // 10))
    number = 1  # of few distinct rows
    if distinct_rows(pool, FOLDS) == FOLDS:
        number = choose_number(pool, list(range(1, most + 1))).chosen
    tried = labels.copy()
    tried[unlike] = n_clusters + consensus(pool, number).labels
    verdicts = verdicts_of(continuous_columns(rows), tried, n_clusters + number)
    new = [m for m in range(n_clusters, n_clusters + number) if verdicts[m].verdict == "group"]
    result = labels.copy()
    for place, m in enumerate(new):
        result[tried == m] = n_clusters + place
    return result
