"""Base clusterings, the clusters that follow from them, and refits.

k-means finds round clusters. A mixture of t distributions finds elongated and unequal clusters
(`t_mixture.py`). Each of them fails on tables where the other one is right, so the label of a row
is the cluster with the largest mean of their probabilities (`probabilities.py`).

All starts are computed with the same seed, so clusters depend on the rows alone.
"""

from typing import NamedTuple

import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn.cluster import KMeans

from sgpmic_cli._typing import Array, Indices
from sgpmic_cli.clustering.clusters.columns import rounding_variance
from sgpmic_cli.clustering.clusters.probabilities import (
    ClusterPosterior,
    fit_posterior,
    linear_posterior,
    row_space,
)
from sgpmic_cli.clustering.clusters.t_mixture import MixtureFit, fit_t_mixture
from sgpmic_cli.scaling import canonical_order

LEAST_VARIANCE = 1e-3  # of a cluster in a standardised column; 0.001 to 0.01 are alike
BASE_CLUSTERINGS = ("k-means", "mixture of t distributions")


class Consensus(NamedTuple):
    """Labels (N,), matched memberships (N, M) of every base clustering, and their names.

    `posterior` is None if the clusters are not those of the base clusterings. `chart` (N, 2) is the
    map of the neighbours if only that map shows the clusters.
    """

    labels: Indices
    memberships: list[Array]
    names: tuple[str, ...]
    posterior: ClusterPosterior | None = None
    chart: Array | None = None


def consensus(Y: Array, n_clusters: int) -> Consensus:
    """Cluster standardised rows."""
    if n_clusters == 1:
        return one_clustering("one cluster", np.zeros(len(Y), dtype=int), 1)
    return base_consensus(Y, n_clusters)


def base_consensus(Y: Array, n_clusters: int) -> Consensus:
    """Return the clusters of the base clusterings."""
    kmeans, fit = base_fits(Y, n_clusters)
    members = np.eye(n_clusters)[kmeans]
    order = _matched(members, fit.responsibilities)
    other = np.eye(n_clusters)[fit.responsibilities[:, order].argmax(axis=1)]
    mixture = fit.mixture.reordered(order) if Y.shape[1] <= len(Y) else None
    posterior = fit_posterior(Y, [members, other], mixture)
    labels = posterior.probabilities(Y).argmax(axis=1)
    if len(np.unique(labels)) < n_clusters:  # the mean may leave a cluster without rows
        return kmeans_consensus(Y, n_clusters)
    return Consensus(labels, [members, other], BASE_CLUSTERINGS, posterior)


def kmeans_consensus(Y: Array, n_clusters: int) -> Consensus:
    """Return the clusters of k-means.

    A label is the largest probability, unless that leaves a cluster without rows.
    """
    found = one_clustering(BASE_CLUSTERINGS[0], _kmeans(Y, n_clusters), n_clusters)
    posterior = fit_posterior(Y, found.memberships, None)
    labels = posterior.probabilities(Y).argmax(axis=1)
    if len(np.unique(labels)) < n_clusters:
        return found
    return found._replace(labels=labels, posterior=posterior)


def one_clustering(name: str, labels: Indices, n_clusters: int) -> Consensus:
    """Return a consensus that has a single base clustering."""
    return Consensus(labels, [np.eye(n_clusters)[labels]], (name,))


def base_fits(Y: Array, n_clusters: int) -> tuple[Indices, MixtureFit]:
    """Return the labels of k-means, and the mixture that starts from them."""
    labels = _kmeans(Y, n_clusters)
    floor = LEAST_VARIANCE + rounding_variance(Y)
    if Y.shape[1] > len(Y):  # only distances matter
        scaled = Y / np.sqrt(floor)
        Y = np.asarray(np.linalg.qr((scaled - scaled.mean(axis=0)).T, mode="r")).T
        floor = np.ones(Y.shape[1])
    return labels, fit_t_mixture(Y, labels, floor, n_clusters)


def refit(
    Y: Array, found: Consensus, n_resamples: int, random_state: np.random.RandomState
) -> tuple[ClusterPosterior | None, Array]:
    """Repeat the clustering on random halves of the rows.

    A refit repeats the base clusterings (both of them if labels were given), and Gaussians with a
    shared covariance extend them to the other rows. The clusters of a refit are matched with those
    of `found`.

    Returns
    -------
    refits : ClusterPosterior or None
        Posterior of all refits, weighted by Jaccard indices, with the temperature of `found`. None
        if `found` has no posterior.
    stability : ndarray of shape (M,)
        Mean Jaccard index of a cluster and its counterparts in the refits: the number of common
        rows divided by that of the rows of either.
    """
    n_clusters = found.memberships[0].shape[1]
    identity = np.eye(n_clusters)
    centre = identity[found.labels]
    rows, basis = row_space(Y)
    coefficients, intercepts, indices = [], [], []
    for _ in range(n_resamples):
        half = random_state.permutation(len(Y))[: max(len(Y) // 2, n_clusters)]
        if found.names == BASE_CLUSTERINGS[:1]:
            repeated = [_kmeans(Y[half], n_clusters)]
        else:
            kmeans, fit = base_fits(Y[half], n_clusters)
            repeated = [kmeans, fit.responsibilities.argmax(axis=1)]
        for labels in repeated:
            slope, intercept = linear_posterior(rows[half], identity[labels])
            extended = identity[(rows @ slope + intercept).argmax(axis=1)]
            order, jaccard = _jaccard(centre, extended)
            coefficients.append(slope[:, order] if basis is None else basis @ slope[:, order])
            intercepts.append(intercept[order])
            indices.append(jaccard)
    refits = None
    if found.posterior is not None:
        refits = ClusterPosterior(
            np.stack(coefficients),
            np.stack(intercepts),
            np.maximum(indices, 0.01),
            found.posterior.temperature,
        )
    return refits, np.mean(indices, axis=0)


def _jaccard(centre: Array, member: Array) -> tuple[Indices, Array]:
    """Return the matching clusters of a membership matrix and their Jaccard indices, (M,) each."""
    order = _matched(centre, member)
    member = member[:, order]
    common = np.sum(centre * member, axis=0)
    return order, common / np.maximum(np.sum(centre + member, axis=0) - common, 1.0)


def _matched(centre: Array, member: Array) -> Indices:
    """Return the clusters of `member` in the order of the clusters of `centre` they match best."""
    return np.asarray(linear_sum_assignment(-(centre.T @ member))[1])


def _kmeans(Y: Array, n_clusters: int) -> Indices:
    """Return the labels of k-means, which do not depend on rotations or on the order of the rows.

    In canonical order equal rows are neighbours, so doubled rows have the same starts.
    """
    kmeans = KMeans(n_clusters, n_init=10, random_state=0)
    order = canonical_order([Y])
    labels = np.empty(len(Y), dtype=np.intp)
    labels[order] = kmeans.fit_predict(Y[order])
    return labels
