"""Clusters of any shape that gaps separate, by single linkage.

Spirals, rings and half moons have no centre, and a map of the neighbours may tear them. Single
linkage of the mutual reachability distances (as in HDBSCAN) keeps them whole. The rows are divided
where the longest links join enough rows on both sides. The gap of a division compares the shortest
of these links with the other links of more than single rows: log(shortest / 90 % quantile). Clouds
without clusters have no such division, or a gap near zero.
"""

from typing import NamedTuple

import numpy as np
from scipy.cluster.hierarchy import fcluster, linkage, maxRstat
from scipy.spatial import KDTree
from scipy.spatial.distance import pdist, squareform

from sgpmic_cli._typing import Array, Indices

CORE = 3  # neighbours that set the core distance; fewer rows are outliers
LEAST_FRACTION = 0.4  # of an equal share of the rows; smaller parts are outliers


class Division(NamedTuple):
    """Labels (N,) of the parts of single linkage, and their gap."""

    labels: Indices
    gap: float


def single_links(points: Array) -> Array:
    """Return SciPy's table of single linkage of the mutual reachability distances."""
    distances = squareform(pdist(points))
    core = np.partition(distances, CORE, axis=1)[:, CORE]
    reach = np.maximum(distances, np.maximum(core[:, None], core))
    np.fill_diagonal(reach, 0.0)
    return linkage(squareform(reach, checks=False), "single")


def divide_links(points: Array, links: Array, number: int) -> Division | None:
    """Divide points (N, P) at the longest links, or return None if they have too few long links.

    Points that join later than the parts belong to the part of the nearest point.
    """
    n, least = len(points), LEAST_FRACTION * len(points) / number
    sizes = np.r_[np.ones(n), links[:, 3]]
    smaller = sizes[links[:, :2].astype(int)].min(axis=1)
    longest = np.flatnonzero(smaller >= least)[1 - number :]
    others = np.setdiff1d(np.flatnonzero(smaller >= CORE), longest)
    if len(longest) < number - 1 or not len(others):
        return None
    usual = np.quantile(links[others, 2], 0.9)
    if usual <= 0.0:  # most rows repeat
        return None
    # Parts are the largest branches without one of the longest links.
    is_longest = np.zeros((len(links), 4))
    is_longest[longest, 3] = 1.0
    labels = fcluster(links, 0.5, "monocrit", monocrit=maxRstat(links, is_longest, 3))
    known = np.bincount(labels)[labels] >= least
    nearest = KDTree(points[known]).query(points[~known])[1]
    labels[~known] = labels[known][nearest]
    labels = np.unique(labels, return_inverse=True)[1]
    return Division(labels, float(np.log(links[longest, 2].min() / usual)))
