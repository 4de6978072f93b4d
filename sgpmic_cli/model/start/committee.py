"""What is held of the rows before the model is asked: the votes of a few clusterings that are good at different things.

k-means finds round clusters and is robust; a Gaussian mixture finds elongated and unequal ones, but on columns of a few
repeated values it sits down on single values. So on finely measured data two mixtures and k-means vote, on coarse data
two k-means and a mixture that knows the rounding of the columns (see `columns.py`). Where a graph of neighbours falls
into the wanted number of parts almost without cutting a link, its parts are taken instead: no vote in the data's own
space can see them. Of very many clusters only k-means votes. Where entries were not seen, the mixtures go by what was.

Clusters of the members are matched one to one with those of the member that agrees best with the others; a vote v_nm is
the share of members that put row n into cluster m. It enters the bound as

    h_nm = VOTE_WEIGHT P log((V v_nm + 1/2) / (V + M/2)),      V members,

so that a majority counts as some evidence in each of the P columns: columns of a table repeat each other, and a
likelihood that takes them as independent would overrule any start. The weight was chosen on some forty labelled tables;
half and twice of it give the same mean score.
"""

from typing import NamedTuple

import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn.cluster import AgglomerativeClustering, KMeans, SpectralClustering
from sklearn.metrics import adjusted_rand_score
from sklearn.mixture import GaussianMixture

from sgpmic_cli._typing import Array, Indices, BoolArray
from sgpmic_cli.model.start.columns import are_coarse, rounding
from sgpmic_cli.model.start.holed_mixture import holed_mixture
from sgpmic_cli.model.start.neighbour_graph import (
    FREE_CUT,
    MOST_CLUSTERS,
    Neighbours,
    cut,
    partition,
)
from sgpmic_cli.model.variational.holes import grouped

VOTE_WEIGHT = 0.5  # nats of log odds in each column
CERTAIN = 30.0  # nats that hold a row in its part of the graph
FINEST = 0.001  # variance that a mixture never goes below in a standardised column
SHRINKAGE = 0.1  # more of it where rows are few for the columns
RESTARTS = 3
MOST_OF_MIXTURES = (
    50  # clusters; beyond, mixtures with full covariances have few rows for each and take minutes
)


class Votes(NamedTuple):
    """Shares of the members' votes (N, M), the log evidence h (N, M) they are worth, and the members' names."""

    shares: Array
    held: Array
    members: tuple[str, ...]


def vote(
    Y: Array,
    near: Neighbours | None,
    n_clusters: int,
    random_state: np.random.RandomState,
    holes: BoolArray | None = None,
) -> Votes:
    """Let the committee cluster standardised rows, in which a first guess stands for what was not seen (`holes`)."""
    seed = int(random_state.randint(np.iinfo(np.int32).max))
    if n_clusters == 1:
        return Votes(np.ones((len(Y), 1)), np.zeros((len(Y), 1)), ("one cluster",))
    labels = _members(Y, n_clusters, seed, holes)
    shares = _shares(list(labels.values()), n_clusters)
    if near is not None and n_clusters <= MOST_CLUSTERS and not are_coarse(Y):
        found = partition(Y, near, n_clusters, seed)
        if (
            found is not None
            and found[1] <= FREE_CUT
            and 3.0 * found[1] <= cut(near, shares.argmax(axis=1))
        ):
            members = np.eye(n_clusters)[found[0]]
            return Votes(members, CERTAIN * (members - 1.0), ("graph of neighbours",))
    count = len(labels)
    held = VOTE_WEIGHT * Y.shape[1] * np.log((count * shares + 0.5) / (count + 0.5 * n_clusters))
    return Votes(shares, held, tuple(labels))


def _members(Y: Array, n_clusters: int, seed: int, holes: BoolArray | None) -> dict[str, Indices]:
    """Labels by member."""
    if n_clusters > MOST_OF_MIXTURES:
        return {"k-means": _kmeans(Y, n_clusters, seed)}
    step = rounding(Y)
    shrinkage = SHRINKAGE * Y.shape[1] / (len(Y) / n_clusters + Y.shape[1])
    kmeans = _kmeans(Y, n_clusters, seed)
    members = {"k-means": kmeans}
    unseen = None if holes is None else grouped(holes)

    def mixture(floor: Array) -> Indices:
        if unseen is None:
            return _mixture(Y, kmeans, floor, n_clusters, seed)
        return holed_mixture(Y, unseen, kmeans, floor, n_clusters)

    if are_coarse(Y):
        members["k-means, coarse columns damped"] = _kmeans(
            Y / np.sqrt(1.0 + step), n_clusters, seed
        )
    else:
        members["Gaussian mixture"] = mixture(np.full(Y.shape[1], FINEST))
    members["Gaussian mixture, regularised"] = mixture(
        3.0 * (SHRINKAGE * step + FINEST) + shrinkage
    )
    return members


def _kmeans(Y: Array, n_clusters: int, seed: int) -> Indices:
    return np.asarray(KMeans(n_clusters, n_init=10, random_state=seed).fit_predict(Y))


def _mixture(Y: Array, kmeans: Indices, floor: Array, n_clusters: int, seed: int) -> Indices:
    """The best of a few Gaussian mixtures whose variances in column p stay above floor_p.

    scikit-learn adds one number to all variances; in columns divided by sqrt(floor) that number is one. A mixture of
    this kind sees distances only, so that of more columns than rows a turn into the space of the rows is enough.
    """
    scaled = Y / np.sqrt(floor)
    if scaled.shape[1] > len(scaled):
        scaled = np.asarray(np.linalg.qr((scaled - scaled.mean(axis=0)).T, mode="r")).T
    starts = [kmeans]
    starts += [
        KMeans(n_clusters, n_init=1, random_state=seed + turn).fit_predict(Y)
        for turn in range(1, RESTARTS)
    ]
    fits = [_mixture_from(scaled, labels, n_clusters, seed) for labels in starts]
    return np.asarray(max(fits, key=lambda fit: fit.lower_bound_).predict(scaled))


def _mixture_from(scaled: Array, labels: Indices, n_clusters: int, seed: int) -> GaussianMixture:
    weights, means, precisions = [], [], []
    for m in range(n_clusters):
        rows = scaled[labels == m]
        weights.append(max(len(rows), 1) / len(scaled))
        means.append(rows.mean(axis=0) if len(rows) else scaled[m % len(scaled)])
        centred = rows - means[-1]
        precisions.append(
            np.linalg.inv(centred.T @ centred / max(len(rows), 1) + np.eye(scaled.shape[1]))
        )
    return GaussianMixture(
        n_clusters,
        reg_covar=1.0,
        weights_init=np.array(weights) / np.sum(weights),
        means_init=np.array(means),
        precisions_init=np.array(precisions),
        random_state=seed,
    ).fit(scaled)


def _shares(labellings: list[Indices], n_clusters: int) -> Array:
    """Matched votes; the member that agrees best with the others gives the clusters their numbers and breaks ties."""
    agreement = [sum(adjusted_rand_score(a, b) for b in labellings) for a in labellings]
    reference = labellings[int(np.argmax(agreement))]
    members = [np.eye(n_clusters)[labels] for labels in labellings]
    medoid = np.eye(n_clusters)[reference]
    centre, shares = medoid, medoid
    for _ in range(5):  # matched with the votes themselves, until they stay
        matched = [_match(centre, member) for member in members]
        shares = np.mean(matched, axis=0)
        winners = np.eye(n_clusters)[(shares + 1e-3 * _match(centre, medoid)).argmax(axis=1)]
        if (winners == centre).all():
            break
        centre = winners
    shares = shares + 1e-3 * _match(centre, medoid)
    return np.asarray(shares / shares.sum(axis=1, keepdims=True))


def _match(centre: Array, member: Array) -> Array:
    """The columns of a labelling in the order of the clusters they share most rows with."""
    _, columns = linear_sum_assignment(-(centre.T @ member))
    return np.asarray(member[:, columns])


def named_start(name: str, Y: Array, n_clusters: int, random_state: np.random.RandomState) -> Votes:
    """One clustering as the start, which counts as no evidence."""
    seed = int(random_state.randint(np.iinfo(np.int32).max))
    if n_clusters == 1:
        labels = np.zeros(len(Y), dtype=int)
    elif name == "k-means":
        labels = _kmeans(Y, n_clusters, seed)
    elif name == "gmm":
        labels = _mixture(
            Y, _kmeans(Y, n_clusters, seed), np.full(Y.shape[1], FINEST), n_clusters, seed
        )
    elif name == "ward":
        labels = AgglomerativeClustering(n_clusters).fit_predict(Y)
    else:
        labels = SpectralClustering(
            n_clusters,
            affinity="nearest_neighbors",
            n_neighbors=min(12, len(Y) - 1),
            random_state=seed,
        ).fit_predict(Y)
    return Votes(np.eye(n_clusters)[labels], np.zeros((len(Y), n_clusters)), (name,))
