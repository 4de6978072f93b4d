"""Count the parts of a table by gaps alone, and the range of distances over which they last.

Single linkage on mutual reachability distances joins rows in the order of the gaps between them.
The number of large parts is counted after every join. The lifetime of a number of parts is the
logarithm of the factor by which the joining distance grows while the number stays the same.
"""

from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components, minimum_spanning_tree

from sgpmic_cli._typing import Array, Indices

CORE_NEIGHBOURS = (3, 4, 5)  # lifetimes are averaged over these core distances
LARGE_FRACTION = 0.02  # of the rows makes a part large ...
LEAST_ROWS = 6  # ... and at least this many rows
COVERED = 0.9  # fraction of the rows that must be in large parts


class Parts(NamedTuple):
    """Lifetime of a number of parts, and the part of each row, -1 for rows in small parts."""

    lifetime: float
    labels: Indices


def parts_by_gaps(distances: Array) -> dict[int, Parts]:
    """Return the numbers of parts of rows with these distances (n, n)."""
    found: dict[int, Parts] = {}
    for core in CORE_NEIGHBOURS:
        for number, (lifetime, labels) in _parts(distances, min(core, len(distances) - 1)).items():
            before = found[number].lifetime if number in found else 0.0
            found[number] = Parts(before + lifetime / len(CORE_NEIGHBOURS), labels)
    return found


def _parts(distances: Array, core: int) -> dict[int, Parts]:
    n = len(distances)
    large = max(LEAST_ROWS, int(LARGE_FRACTION * n))
    reach = np.partition(distances, core, axis=1)[:, core]
    reachable = np.maximum(distances, np.maximum(reach[:, None], reach)) + 1e-12
    np.fill_diagonal(reachable, 0.0)
    tree = minimum_spanning_tree(reachable).tocoo()
    order = np.argsort(tree.data, kind="stable")
    lengths = tree.data[order]
    lifetimes: dict[int, float] = {}
    longest: dict[int, tuple[float, int]] = {}
    for joined, number in enumerate(_large_parts(tree.row[order], tree.col[order], n, large)):
        if number < 2 or joined + 1 >= len(lengths):
            continue
        lifetime = float(np.log(lengths[joined + 1] / lengths[joined]))
        lifetimes[number] = lifetimes.get(number, 0.0) + lifetime
        if lifetime >= longest.get(number, (0.0, 0))[0]:
            longest[number] = (lifetime, joined)
    return {
        number: Parts(lifetime, _labels(tree, order[: longest[number][1] + 1], n, large))
        for number, lifetime in lifetimes.items()
    }


def _large_parts(first: Any, second: Any, n: int, large: int) -> list[int]:
    """Return the number of large parts after every edge, or 0 if too few rows are in them."""
    root, size = np.arange(n), np.ones(n, dtype=int)
    number = covered = 0
    counts = []

    def find(row: int) -> int:
        while root[row] != row:
            root[row] = root[root[row]]
            row = int(root[row])
        return row

    for one, other in zip(first, second, strict=True):
        a, b = find(int(one)), find(int(other))
        for part in (size[a], size[b]):
            if part >= large:
                number, covered = number - 1, covered - part
        root[a] = b
        size[b] += size[a]
        if size[b] >= large:
            number, covered = number + 1, covered + size[b]
        counts.append(number if covered >= COVERED * n else 0)
    return counts


def _labels(tree: Any, edges: Indices, n: int, large: int) -> Indices:
    links = coo_matrix((np.ones(len(edges)), (tree.row[edges], tree.col[edges])), shape=(n, n))
    labels = connected_components(links, directed=False)[1]
    return np.where(np.bincount(labels)[labels] >= large, labels, -1)
