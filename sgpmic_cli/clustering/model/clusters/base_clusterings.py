"""Base clusterings and their consensus.

k-means finds round clusters and is robust. Gaussian mixtures find elongated and unequal clusters,
but fit single values of discrete columns. On continuous data the consensus consists of k-means and
two mixtures; on discrete data of two k-means and a mixture that knows the rounding of the columns.
If a spanning tree has gaps that Gaussians for these clusters do not explain, its parts are the
clusters (`spanning_tree.py`). Above MOST_MIXTURE_CLUSTERS clusters only k-means is used.

Clusters of different base clusterings are matched one to one, so that a cluster number means the
same in all of them.
"""

from typing import NamedTuple

import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn.cluster import AgglomerativeClustering, KMeans, SpectralClustering
from sklearn.metrics import adjusted_rand_score
from sklearn.mixture import GaussianMixture
from sklearn.neighbors import NearestNeighbors

from sgpmic_cli._typing import Array, BoolArray, Indices
from sgpmic_cli.clustering.model.clusters.discrete_columns import is_discrete, rounding_variance
from sgpmic_cli.clustering.model.clusters.invariant_coordinate import flat_coordinate
from sgpmic_cli.clustering.model.clusters.missing_values import mixture_labels
from sgpmic_cli.clustering.model.clusters.probabilities import (
    ClusterGaussians,
    linear_posterior,
    row_space,
)
from sgpmic_cli.clustering.model.clusters.spanning_tree import gap_clusters, most_separate_parts

LEAST_VARIANCE = 0.001  # of a mixture in a standardised column
SHRINKAGE = 0.1  # grows with the number of columns relative to the rows of a cluster
RESTARTS = 3
LEAST_OVERLAP = 0.01  # weight of a refit that did not find a cluster again
MOST_MIXTURE_CLUSTERS = 50  # more clusters have too few rows for full covariances
NAMED = ("k-means", "gmm", "spectral", "ward")


class Consensus(NamedTuple):
    """Labels (N,), matched memberships (N, M) of every base clustering, and their names.

    `gaps` is True if the clusters are the parts of the spanning tree.
    """

    labels: Indices
    memberships: list[Array]
    names: tuple[str, ...]
    gaps: bool = False

    @property
    def fractions(self) -> Array:
        """Return the fraction of base clusterings for each row and cluster, (N, M)."""
        return np.asarray(np.mean(self.memberships, axis=0))


def consensus(Y: Array, n_clusters: int, seed: int, mask: BoolArray | None = None) -> Consensus:
    """Cluster standardised rows. Entries under `mask` are imputed values."""
    if n_clusters == 1:
        return one_clustering("one cluster", np.zeros(len(Y), dtype=int), 1)
    labels = base_labels(Y, n_clusters, seed, mask)
    found = match(list(labels.values()), tuple(labels), n_clusters)
    if not is_discrete(Y):  # discrete columns always have gaps
        parts = gap_clusters(Y, found.labels, n_clusters, np.random.RandomState(seed))
        if parts is not None:
            return one_clustering("spanning tree", parts, n_clusters)._replace(gaps=True)
    return found


def one_clustering(name: str, labels: Indices, n_clusters: int) -> Consensus:
    """Return a consensus that has a single base clustering."""
    return Consensus(labels, [np.eye(n_clusters)[labels]], (name,))


def named_clustering(name: str, Y: Array, n_clusters: int, seed: int) -> Consensus:
    """Return the clustering called `name`, one of NAMED."""
    if n_clusters == 1:
        labels = np.zeros(len(Y), dtype=int)
    elif name == "k-means":
        labels = _kmeans(Y, n_clusters, seed)
    elif name == "gmm":
        floor = np.full(Y.shape[1], LEAST_VARIANCE)
        starts = _mixture_starts(Y, _kmeans(Y, n_clusters, seed), n_clusters, seed)
        labels = _mixture(Y, starts, floor, n_clusters, seed)
    elif name == "ward":
        labels = AgglomerativeClustering(n_clusters).fit_predict(Y)
    else:
        k = min(12, len(Y) - 1)
        labels = SpectralClustering(
            n_clusters, affinity="nearest_neighbors", n_neighbors=k, random_state=seed
        ).fit_predict(Y)
    return one_clustering(name, np.asarray(labels), n_clusters)


def base_labels(Y: Array, n_clusters: int, seed: int, mask: BoolArray | None) -> dict[str, Indices]:
    """Return the labels of every base clustering by its name."""
    kmeans = _kmeans(Y, n_clusters, seed)
    labels = {"k-means": kmeans}
    if n_clusters > MOST_MIXTURE_CLUSTERS:
        return labels
    rounding = rounding_variance(Y)
    shrinkage = SHRINKAGE * Y.shape[1] / (len(Y) / n_clusters + Y.shape[1])

    starts = _mixture_starts(Y, kmeans, n_clusters, seed) if mask is None else []

    def mixture(floor: Array) -> Indices:
        if mask is None:
            return _mixture(Y, starts, floor, n_clusters, seed)
        return mixture_labels(Y, mask, kmeans, floor, n_clusters)

    if is_discrete(Y):
        damped = Y / np.sqrt(1.0 + rounding)
        labels["k-means, discrete columns damped"] = _kmeans(damped, n_clusters, seed)
    else:
        labels["Gaussian mixture"] = mixture(np.full(Y.shape[1], LEAST_VARIANCE))
    floor = 3.0 * (SHRINKAGE * rounding + LEAST_VARIANCE) + shrinkage
    labels["Gaussian mixture, regularised"] = mixture(floor)
    return labels


def match(labelings: list[Indices], names: tuple[str, ...], n_clusters: int) -> Consensus:
    """Match the clusters of all labelings with those of their majority."""
    agreement = [sum(adjusted_rand_score(a, b) for b in labelings) for a in labelings]
    memberships = [np.eye(n_clusters)[labels] for labels in labelings]
    medoid = memberships[int(np.argmax(agreement))]
    centre = medoid
    for _ in range(5):
        matched = [_matched(centre, member) for member in memberships]
        ties_broken = np.mean(matched, axis=0) + 1e-3 * _matched(centre, medoid)
        majority = np.eye(n_clusters)[ties_broken.argmax(axis=1)]
        if (majority == centre).all():
            break
        centre = majority
    return Consensus(np.asarray(ties_broken.argmax(axis=1)), matched, names)


def refit(
    Y: Array,
    found: Consensus,
    gaussians: ClusterGaussians | None,
    n_resamples: int,
    random_state: np.random.RandomState,
    mask: BoolArray | None = None,
) -> tuple[ClusterGaussians | None, Array]:
    """Repeat the clustering on random halves of the rows.

    A refit repeats the base clusterings (all of them if labels were given), and Gaussians with a
    shared covariance extend them to the other rows. If the clusters are separated by gaps, a refit
    cuts the spanning tree of the half, and other rows join their nearest row. The clusters of a
    refit are matched with those of `found`. Entries of Y under `mask` are imputed values.

    Returns
    -------
    refits : ClusterGaussians or None
        Gaussians of all refits, weighted by overlaps, with the temperature of `gaussians`. None if
        the clusters are separated by gaps.
    stability : ndarray of shape (M,)
        Mean overlap of a cluster with its counterparts in the refits: the number of common rows
        divided by that of the rows of either.
    """
    n_clusters = found.memberships[0].shape[1]
    identity = np.eye(n_clusters)
    centre = identity[found.labels]
    rows, basis = row_space(Y)
    coefficients, intercepts, overlaps = [], [], []
    for _ in range(n_resamples):
        half = random_state.permutation(len(Y))[: max(len(Y) // 2, n_clusters)]
        if gaussians is None:
            nearest = NearestNeighbors(n_neighbors=1).fit(Y[half]).kneighbors(Y)[1][:, 0]
            labels = most_separate_parts(Y[half], n_clusters)[nearest]
            overlaps.append(_overlap(centre, identity[labels])[1])
            continue
        seed = int(random_state.randint(np.iinfo(np.int32).max))
        if len(found.names) == 1 and found.names[0] in NAMED:
            repeated = [named_clustering(found.names[0], Y[half], n_clusters, seed).labels]
        else:
            known = None if mask is None else mask[half]
            repeated = list(base_labels(Y[half], n_clusters, seed, known).values())
        for labels in repeated:
            slope, intercept = linear_posterior(rows[half], identity[labels])
            extended = identity[(rows @ slope + intercept).argmax(axis=1)]
            order, overlap = _overlap(centre, extended)
            coefficients.append(slope[:, order] if basis is None else basis @ slope[:, order])
            intercepts.append(intercept[order])
            overlaps.append(overlap)
    weights = np.maximum(overlaps, LEAST_OVERLAP)
    refits = None
    if gaussians is not None:
        refits = gaussians._replace(
            coefficients=np.stack(coefficients), intercepts=np.stack(intercepts), weights=weights
        )
    return refits, np.mean(overlaps, axis=0)


def _overlap(centre: Array, member: Array) -> tuple[Indices, Array]:
    """Return the best matching clusters of a membership matrix, and their overlap, (M,) each."""
    _, order = linear_sum_assignment(-(centre.T @ member))
    member = member[:, order]
    common = np.sum(centre * member, axis=0)
    return order, common / np.maximum(np.sum(centre + member, axis=0) - common, 1.0)


def _matched(centre: Array, member: Array) -> Array:
    """Return the columns of a membership matrix in the order of the best matching clusters."""
    _, columns = linear_sum_assignment(-(centre.T @ member))
    return np.asarray(member[:, columns])


def _kmeans(Y: Array, n_clusters: int, seed: int) -> Indices:
    return np.asarray(KMeans(n_clusters, n_init=10, random_state=seed).fit_predict(Y))


def _mixture_starts(Y: Array, kmeans: Indices, n_clusters: int, seed: int) -> list[Indices]:
    """Return the labels from which Gaussian mixtures start."""
    starts = [kmeans] + [
        KMeans(n_clusters, n_init=1, random_state=seed + turn).fit_predict(Y)
        for turn in range(1, RESTARTS)
    ]
    # Clusters in one column are invisible to k-means beside columns that hold none.
    if not is_discrete(Y) and (coordinate := flat_coordinate(Y)) is not None:
        starts.append(KMeans(n_clusters, n_init=3, random_state=seed).fit_predict(coordinate))
    return starts


def _mixture(Y: Array, starts: list[Indices], floor: Array, n_clusters: int, seed: int) -> Indices:
    """Return the best of a few Gaussian mixtures with `floor` (P,) added to the variances."""
    # scikit-learn adds one number to all variances. In columns divided by sqrt(floor) it is 1.
    scaled = Y / np.sqrt(floor)
    if scaled.shape[1] > len(scaled):  # only distances matter, so the space of the rows suffices
        scaled = np.asarray(np.linalg.qr((scaled - scaled.mean(axis=0)).T, mode="r")).T
    fits = [_mixture_from(scaled, labels, n_clusters, seed) for labels in starts]
    return np.asarray(max(fits, key=lambda fit: fit.lower_bound_).predict(scaled))


def _mixture_from(scaled: Array, labels: Indices, n_clusters: int, seed: int) -> GaussianMixture:
    weights, means, precisions = [], [], []
    for m in range(n_clusters):
        rows = scaled[labels == m]
        weights.append(max(len(rows), 1) / len(scaled))
        means.append(rows.mean(axis=0) if len(rows) else scaled[m % len(scaled)])
        centred = rows - means[-1]
        scatter = centred.T @ centred / max(len(rows), 1)
        precisions.append(np.linalg.inv(scatter + np.eye(scaled.shape[1])))
    return GaussianMixture(
        n_clusters,
        reg_covar=1.0,
        weights_init=np.array(weights) / np.sum(weights),
        means_init=np.array(means),
        precisions_init=np.array(precisions),
        random_state=seed,
    ).fit(scaled)
