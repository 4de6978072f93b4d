"""Find the clusters of scaled rows: prepare the rows, choose the number, cluster.

The clusters are groups that the rows show, or else the consensus of base clusterings (`clusters/`).
"""

from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components
from sklearn.utils import gen_batches

from sgpmic_cli._typing import Array, BoolArray, Indices
from sgpmic_cli.clustering.clusters import MOST_CLUSTERS
from sgpmic_cli.clustering.clusters.base_clusterings import (
    Consensus,
    one_clustering,
    refit,
)
from sgpmic_cli.clustering.clusters.cluster_space import (
    ClusterSpace,
    SharedDimensions,
    shared_dimensions,
    used_features,
)
from sgpmic_cli.clustering.clusters.columns import discrete_features, numeric_features
from sgpmic_cli.clustering.clusters.curved import BY_SHEETS
from sgpmic_cli.clustering.clusters.probabilities import ClusterModel
from sgpmic_cli.clustering.clusters.search import GroupSearch, search_groups
from sgpmic_cli.clustering.missing_values import Gaussian, fit_gaussian, impute
from sgpmic_cli.errors import UsageError
from sgpmic_cli.scaling import canonical_order, distinct_rows

COPY = 0.99  # a convention: Cramér's V of near copies, which share 98 % of the variance
COLUMNS_AT_ONCE = 100  # compared with all columns together; limits the memory


class PreparedRows(NamedTuple):
    """Weighted rows in canonical order, with missing values filled in."""

    rows: Array
    mask: BoolArray | None  # of missing values; None without any
    gaussian: Gaussian | None  # fills in missing values
    order: Indices  # of the rows
    shared: SharedDimensions | None
    search: GroupSearch


def prepare_rows(rows: Array, columns: Indices) -> PreparedRows:
    """Prepare weighted rows (N, F), given the column of each feature (F,)."""
    discrete = discrete_features(rows, columns)
    used = used_features(rows, discrete, columns)
    missing = np.isnan(rows)
    numeric = numeric_features(rows)
    gaussian = fit_gaussian(rows, used) if missing.any() else None
    if gaussian is not None:
        rows = impute(gaussian, rows)
    order = canonical_order([rows])
    rows, mask = rows[order], None if gaussian is None else missing[order]
    shared = shared_dimensions(rows, discrete, used, columns)
    search = search_groups(rows, discrete, numeric, columns)
    return PreparedRows(rows, mask, gaussian, order, shared, search)


def copy_groups(Y: Array, columns: Indices) -> tuple[Indices, Array]:
    """Return for each feature its group of near copies, and the number of columns in it, (P,) each.

    `columns` (P,) is the column of each feature, 0, 1, ... in ascending order. NaN marks missing
    values. The association of two columns is Cramér's V, with ranks for numbers, which recognise
    wages and logarithms of wages. Let B_i be an orthonormal basis of the centred features of column
    i, with d_i columns (one for a number, levels - 1 for a category):

        V_ij^2 = |B_i' B_j|^2 / min(d_i, d_j)
    """
    sizes = np.bincount(columns)
    single, Y = sizes[columns] == 1, Y.copy()
    # Rounded, because a change of unit or noise may split a value in its last digits.
    Y[:, single] = pd.DataFrame(Y[:, single].round(6)).rank()
    centred = np.nan_to_num(Y - np.nanmean(Y, axis=0))
    bases = [_basis(part) for part in np.split(centred, np.cumsum(sizes)[:-1], axis=1)]
    degrees, B = np.array([basis.shape[1] for basis in bases]), np.hstack(bases)
    owners, ones = np.repeat(np.arange(len(sizes)), degrees), np.ones(B.shape[1])
    member = csr_matrix((ones, (owners, np.arange(len(ones)))), (len(sizes), len(ones)))
    pairs = []
    for block in gen_batches(len(sizes), COLUMNS_AT_ONCE):
        own = np.isin(owners, np.arange(block.start, block.stop))
        squares = (B[:, own].T @ B) ** 2
        if (degrees != 1).any():
            squares = member[block][:, own] @ squares @ member.T
        least = np.minimum(degrees[block, None], degrees).clip(1)  # a basis may be empty
        near = np.flatnonzero(squares >= COPY**2 * least) + block.start * len(sizes)
        pairs.append(np.divmod(near, len(sizes)))
    i, j = np.hstack(pairs)
    graph = csr_matrix((np.ones(len(i)), (i, j)), (len(sizes), len(sizes)))
    group = connected_components(graph, directed=False)[1].astype(np.intp)
    return group[columns], np.bincount(group)[group[columns]].astype(np.float64)


def _basis(centred: Array) -> Array:
    """Return an orthonormal basis of the centred features of one column."""
    U, spread, _ = np.linalg.svd(centred, full_matrices=False)
    return np.asarray(U[:, spread > 1e-9 * spread[0]])


def numbers_to_try(n_clusters: Any, Y: Array, given: Array | None) -> list[int]:
    """Return the numbers of clusters to choose from for rows Y, perhaps with memberships."""
    if isinstance(n_clusters, str):
        low, high = 1, min(distinct_rows(Y, MOST_CLUSTERS), max(2, len(Y) // 4))
    elif isinstance(n_clusters, Integral):
        low = high = int(n_clusters)
    elif len(n_clusters) == 2 and 1 <= n_clusters[0] <= n_clusters[1]:
        low, high = n_clusters
    else:
        raise UsageError(
            f"n_clusters must be a number or a pair, the smaller one first, not {n_clusters}."
        )
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


def find_clusters(
    prepared: PreparedRows,
    n_clusters: int,
    is_open: bool,
    given: Array | None,
    n_resamples: int,
    random_state: np.random.RandomState,
) -> tuple[Consensus, ClusterModel, Array | None]:
    """Return the clusters, the model that assigns rows to them, and their stability (M,).

    `given` are memberships (N, M) of the prepared rows, or None. Without refits the stability is
    None. If the number was open, only groups that decided it are taken for the clusters.
    """
    seed = int(random_state.randint(np.iinfo(np.int32).max))
    refitted = n_resamples > 0 and n_clusters > 1
    if given is None:
        search = prepared.search
        groups = search.groups if is_open else search.of_number(n_clusters)
        if groups is not None and groups.number == n_clusters:
            found = one_clustering(groups.evidence, search.labels(groups), n_clusters)
            if groups.evidence == BY_SHEETS:
                found = found._replace(chart=search.on_map(groups))
            stability = groups.stability if refitted else None
            return found, ClusterModel(found.labels, n_clusters, None, None), stability
    space = ClusterSpace.of(prepared.rows, prepared.shared, n_clusters)
    if given is None:
        found = space.consensus(n_clusters)
    else:
        found = Consensus(given.argmax(axis=1), [given], ("given",))
    refits = stability = None
    if refitted:
        refits, stability = refit(space.rows, found, n_resamples, np.random.RandomState(seed))
    posterior, refits = space.in_columns(found.posterior), space.in_columns(refits)
    return found, ClusterModel(found.labels, n_clusters, posterior, refits), stability


def given_memberships(init: Any, n_samples: int, left_out: Indices) -> Array | None:
    """Return the labels or probabilities in `init` of the rows with values, (n, M), or None."""
    if init is None:
        return None
    given = np.asarray(init)
    if given.ndim not in (1, 2) or len(given) != n_samples:
        raise UsageError(
            f"init must have one entry for each of the {n_samples} rows, not shape {given.shape}."
        )
    given = np.delete(given, left_out, axis=0)
    if given.ndim == 1:
        if pd.isna(given).any():
            raise UsageError("init must have an entry for every row; it has missing values.")
        values, labels = np.unique(given, return_inverse=True)
        return np.eye(len(values))[labels]
    S = np.asarray(given, dtype=np.float64)
    if not np.isfinite(S).all() or (S < 0).any() or (S.sum(axis=1) <= 0).any():
        raise UsageError("init must be probabilities: no negative numbers, and no row of zeros.")
    return S / S.sum(axis=1, keepdims=True)
