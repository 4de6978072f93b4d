"""Other cuts of the clusters: the order in which they merge, a split of each, and chosen cuts.

Every cluster is divided into two leaves, the parts of 2-means on the map. Leaves of a cluster merge
first. Then the two clusters merge whose union has the smallest increase of the sum of squares on
the map (Ward 1963). A cut is a set of leaves for each new cluster. A row belongs to the leaf of its
cluster whose centre is nearest on the map, so that a cut applies to new rows as well.
"""

from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.cluster import KMeans

from sgpmic_cli._typing import Array, Indices
from sgpmic_cli.errors import UsageError
from sgpmic_cli.estimator_base.latent_clusterer import LatentClusterer
from sgpmic_cli.estimator_base.prediction import LEFT_OUT, RowResults
from sgpmic_cli.estimator_base.scaling import SAFE_RANGE
from sgpmic_cli.files.atomic import read_regular, strict_json
from sgpmic_cli.result.fitting import Fitted

HALVED = 20_000  # rows of a cluster that decide its parts; all take 4 % of the time of a large fit
SMALLEST = 10  # rows of a leaf
CENTRE_DIGITS = 6  # of the centre of a leaf


class MergeTree(NamedTuple):
    """Leaves with their clusters (L,) and centres (L, Q), and pairs of nodes that merge in turn.

    The leaves are the nodes 0 to L - 1, and merge i makes node L + i.
    """

    clusters: Indices
    centres: Array
    merges: list[tuple[int, int]]

    def leaves(self, labels: Indices, points: Array) -> Indices:
        """Return the leaf (n,) of rows with these clusters and places on the map; -1 for none."""
        found = np.full(len(labels), LEFT_OUT)
        for m in np.unique(self.clusters):
            own, rows = np.flatnonzero(self.clusters == m), labels == m
            found[rows] = own[_nearest(points[rows], self.centres[own])]
        return found


def merge_tree(labels: Indices, points: Array) -> MergeTree:
    """Return the leaves of clusters (N,) of rows at these places (N, Q), and how they merge."""
    clusters: list[int] = []
    centres: list[Array] = []
    merges, roots = [], []
    members = [(m, points[labels == m]) for m in np.unique(labels[labels >= 0]).tolist()]
    for m, own in members:
        found = _halves(own)
        clusters += [m] * len(found)
        centres += found
    n_leaves = len(clusters)
    for m, _ in members:
        leaves = [leaf for leaf, cluster in enumerate(clusters) if cluster == m]
        if len(leaves) == 2:
            merges.append((leaves[0], leaves[1]))
        roots.append(leaves[0] if len(leaves) == 1 else n_leaves + len(merges) - 1)
    nodes = {
        root: (len(own), own.mean(axis=0)) for root, (_, own) in zip(roots, members, strict=True)
    }
    while len(nodes) > 1:
        one, other = min(combinations(nodes, 2), key=lambda pair: _increase(*map(nodes.get, pair)))
        (n, a), (k, b) = nodes.pop(one), nodes.pop(other)
        nodes[n_leaves + len(merges)] = (n + k, (n * a + k * b) / (n + k))
        merges.append((one, other))
    return MergeTree(np.array(clusters), np.array(centres).round(CENTRE_DIGITS), merges)


def _halves(points: Array) -> list[Array]:
    """Return the centres of the two parts of a cluster, or its own if a part is too small."""
    some = points[:: max(len(points) // HALVED, 1)]
    if len(np.unique(some, axis=0)) > 1:
        halves = KMeans(2, n_init=4, random_state=0).fit(some)
        if np.bincount(halves.labels_).min() >= SMALLEST:
            return list(halves.cluster_centers_)
    return [points.mean(axis=0)]


def _increase(one: Any, other: Any) -> float:
    (n, a), (k, b) = one, other
    return float(n * k / (n + k) * np.sum((a - b) ** 2))


def _nearest(points: Array, centres: Array) -> Indices:
    return np.asarray(((points[:, None] - centres) ** 2).sum(axis=2).argmin(axis=1))


class Cut(NamedTuple):
    """Names of the new clusters, the cluster of each leaf, and the fit that they belong to."""

    names: tuple[str, ...]
    new_clusters: Indices  # (L,)
    tree: MergeTree
    sizes: list[int]  # of the clusters of the fit

    def applied(self, fitted: Fitted) -> RowResults:
        """Return the training rows of a fit with the new clusters."""
        self.check(fitted.model, np.bincount(fitted.prediction.labels).tolist())
        return self.applied_to(fitted.prediction)

    def applied_to(self, prediction: RowResults) -> RowResults:
        """Return a prediction with the new clusters; probabilities of merged clusters add up."""
        labels, points, S = prediction.labels, prediction.embedding, prediction.probabilities
        new = np.zeros((len(labels), len(self.names)))
        for m in range(S.shape[1]):
            leaves = self.tree.leaves(np.full(len(labels), m), points)
            np.add.at(new, (np.arange(len(labels)), self.new_clusters[leaves]), S[:, m])
        leaves = self.tree.leaves(labels, points)
        chosen = np.where(leaves >= 0, self.new_clusters[leaves], LEFT_OUT)
        return replace(prediction, labels=chosen, probabilities=new)

    def check(self, model: LatentClusterer, sizes: list[int] | None = None) -> None:
        """Raise UsageError if a model, or the clusters of its training rows, are others."""
        n_clusters, q = model.n_clusters_, model.embedding_.shape[1]
        same = (n_clusters, q) == (len(self.sizes), self.tree.centres.shape[1])
        if not same or sizes not in (None, self.sizes):
            raise UsageError(
                f"the cut was saved for clusters of {self.sizes} rows, and the clusters are others "
                "now: save it again on the page of this fit."
            )


def read_cut(path: Path) -> Cut:
    """Read a cut that was saved on the page of a fit. Raise UsageError for anything else."""
    content = read_regular(path)
    try:
        plain: Any = strict_json(content)
        owners = [leaf["cluster"] for leaf in plain["leaves"]]
        centres = np.array([leaf["place"] for leaf in plain["leaves"]], dtype=np.float64)
        sizes = [int(size) for size in plain["sizes"]]
        names = tuple(cluster["name"] for cluster in plain["clusters"])
        chosen = sorted(
            (leaf, new) for new, each in enumerate(plain["clusters"]) for leaf in each["leaves"]
        )
        new_clusters = [new for _, new in chosen]
        if [leaf for leaf, _ in chosen] != list(range(len(owners))):
            raise ValueError("a leaf has no new cluster, or several")
        if {*new_clusters} != {*range(len(names))} or {*owners} != {*np.flatnonzero(sizes)}:
            raise ValueError("a cluster has no leaf")
        if not (np.abs(centres) < SAFE_RANGE[1]).all() or centres.ndim != 2:
            raise ValueError("a place is not a point")
        "".join(names).encode()  # names are text that can be written
        tree = MergeTree(np.array(owners, dtype=int), centres, [])
        return Cut(names, np.array(new_clusters), tree, sizes)
    except (ValueError, KeyError, TypeError, OverflowError):
        raise UsageError(
            f"{str(path)!r} is not a cut: save one with the button on the page of a fit."
        ) from None
