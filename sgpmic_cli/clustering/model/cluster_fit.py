"""Find the clusters of scaled rows: prepare the rows, choose the number, cluster.

The clusters come from a consensus of base clusterings or from a spanning tree (`clusters/`).
"""

from collections.abc import Callable
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from sgpmic_cli._typing import Array, BoolArray, Indices
from sgpmic_cli.clustering.model.clusters.base_clusterings import (
    NAMED,
    Consensus,
    named_clustering,
    refit,
)
from sgpmic_cli.clustering.model.clusters.cluster_number import Selection, choose_number
from sgpmic_cli.clustering.model.clusters.cluster_space import ClusterSpace
from sgpmic_cli.clustering.model.clusters.discrete_columns import discrete_features
from sgpmic_cli.clustering.model.clusters.missing_values import Gaussian, fit_gaussian, impute
from sgpmic_cli.clustering.model.clusters.probabilities import ClusterModel
from sgpmic_cli.clustering.model.clusters.shared_dimensions import (
    SharedDimensions,
    shared_dimensions,
)
from sgpmic_cli.errors import UsageError, warn_caller
from sgpmic_cli.estimator_base.scaling import canonical_order, distinct_rows

MOST_CLUSTERS = 15  # tried by n_clusters="auto"


class PreparedRows(NamedTuple):
    """Weighted rows in canonical order, with missing values filled in."""

    rows: Array
    mask: BoolArray | None  # of missing values; None without any
    gaussian: Gaussian | None  # fills in missing values
    order: Indices  # of the rows
    shared: SharedDimensions | None


def prepare(rows: Array, columns: Indices) -> PreparedRows:
    """Prepare weighted rows (N, F), given the column of each feature (F,)."""
    discrete = discrete_features(rows, columns)
    missing = np.isnan(rows)
    gaussian = fit_gaussian(rows) if missing.any() else None
    if gaussian is not None:
        rows = impute(gaussian, rows)
    order = canonical_order([rows])
    rows, mask = rows[order], None if gaussian is None else missing[order]
    # The number of clusters depends on the table and not on `random_state`.
    shared = shared_dimensions(rows, discrete, columns, np.random.RandomState(0))
    return PreparedRows(rows, mask, gaussian, order, shared)


def numbers_to_try(n_clusters: Any, Y: Array, given: Array | None) -> list[int]:
    """Return the numbers of clusters to choose from for rows Y, perhaps with memberships."""
    if isinstance(n_clusters, str):
        low, high = 1, min(distinct_rows(Y, MOST_CLUSTERS), max(2, len(Y) // 10))
    elif isinstance(n_clusters, Integral):
        low = high = int(n_clusters)
    else:
        low, high = n_clusters
    if given is not None:
        m = given.shape[1]
        if not isinstance(n_clusters, str) and not low <= m <= high:
            raise UsageError(f"init has {m} clusters, which n_clusters={n_clusters} excludes.")
        return [m]
    if high > (distinct := distinct_rows(Y, high)):
        raise UsageError(
            f"n_clusters={high} needs at least that many distinct rows; there are {distinct}."
        )
    return list(range(low, high + 1))


def choose_from(
    prepared: PreparedRows, numbers: list[int], most: int | None, report: Callable[[str], None]
) -> Selection:
    """Choose the number of clusters. If it is MOST_CLUSTERS, go on once, up to `most`."""
    rows, shared = prepared.rows, prepared.shared
    report(f"number of clusters, from {numbers[0]} to {numbers[-1]}")
    found = choose_number(rows, numbers, shared)
    if found.chosen < MOST_CLUSTERS or most is None:
        return found
    numbers = list(range(1, min(most, len(rows) // 10) + 1))
    if numbers[-1] > MOST_CLUSTERS:
        report(f"number of clusters, up to {numbers[-1]}")
        found = choose_number(rows, numbers, shared)
    if found.chosen == numbers[-1]:
        warn_caller(
            f"The number of clusters, {found.chosen}, is the largest that was tried: more "
            "clusters may describe these data better, or the data form a continuum."
        )
    return found


def find_clusters(
    prepared: PreparedRows,
    n_clusters: int,
    init: str | Array,
    n_resamples: int,
    random_state: np.random.RandomState,
) -> tuple[Consensus, ClusterModel, Array | None]:
    """Return the clusters, the model that assigns rows to them, and their stability (M,).

    `init` is the name of a clustering, or the memberships (N, M) of the prepared rows. Without
    refits the stability is None.
    """
    space = ClusterSpace.of(prepared.rows, prepared.shared, n_clusters)
    seed = int(random_state.randint(np.iinfo(np.int32).max))
    if not isinstance(init, str):
        found = Consensus(init.argmax(axis=1), [init], ("given",))
    elif init == "consensus":
        found = space.consensus(n_clusters)
    else:
        found = named_clustering(init, space.rows, n_clusters, seed)
    refits = stability = None
    if n_resamples and n_clusters > 1:
        refits, stability = refit(space.rows, found, n_resamples, random_state)
    posterior, refits = space.in_columns(found.posterior), space.in_columns(refits)
    return found, ClusterModel(found.labels, n_clusters, posterior, refits), stability


def given_memberships(init: Any, n_samples: int, left_out: Indices) -> Array | None:
    """Return the labels or probabilities in `init` of the rows with values, (n, M).

    Return None if `init` is the name of a clustering.
    """
    if isinstance(init, str):
        if init in ("consensus", *NAMED):
            return None
        names = ", ".join(map(repr, ("consensus", *NAMED)))
        raise UsageError(f"init must be one of {names}, labels or probabilities.")
    given = np.asarray(init)
    if given.ndim not in (1, 2) or len(given) != n_samples:
        raise UsageError(
            f"init must have one entry for each of the {n_samples} rows, not shape {given.shape}."
        )
    if np.ma.is_masked(init) or (given.ndim == 1 and pd.isna(given).any()):
        raise UsageError("init must have an entry for every row; it has missing values.")
    given = np.delete(given, left_out, axis=0)
    if given.ndim == 1:
        values, labels = np.unique(given, return_inverse=True)
        return np.eye(len(values))[labels]
    S = np.asarray(given, dtype=np.float64)
    if not np.isfinite(S).all() or (S < 0).any() or (S.sum(axis=1) <= 0).any():
        raise UsageError("init must be probabilities: no negative numbers, and no row of zeros.")
    return S / S.sum(axis=1, keepdims=True)
