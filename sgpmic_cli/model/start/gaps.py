"""How many parts a table falls into by gaps alone, and over how wide a range of distances it stays in these parts.

Single linkage on mutual reachability distances joins rows in the order of the gaps between them. While it does, the
number of large parts is counted; a number of parts that lasts while the joining distance grows by a factor is one that
the eye sees. Its lifetime is the logarithm of that factor.
"""

from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components, minimum_spanning_tree

from sgpmic_cli._typing import Array, Indices

CORES = (
    3,
    4,
    5,
)  # neighbours that a row's own distance reaches to; lifetimes are averaged over them
LARGE_SHARE = 0.02  # of the rows makes a part large ...
LEAST_ROWS = 6  # ... and no fewer
COVERED = 0.9  # of the rows must be in large parts, or the number does not count


class Parts(NamedTuple):
    """A number of parts: the log of the range of distances it lasts over, and labels of the rows, -1 for splinters."""

    lifetime: float
    labels: Indices


def parts_by_gaps(distances: Array) -> dict[int, Parts]:
    """The numbers of parts that rows with these distances (n, n) fall into."""
    found: dict[int, Parts] = {}
    for core in CORES:
        for number, (lifetime, labels) in _parts(distances, min(core, len(distances) - 1)).items():
            before = found[number].lifetime if number in found else 0.0
            found[number] = Parts(before + lifetime / len(CORES), labels)
    return found


def _parts(distances: Array, core: int) -> dict[int, Parts]:
    n = len(distances)
    large = max(LEAST_ROWS, int(LARGE_SHARE * n))
    reach = np.partition(distances, core, axis=1)[:, core]
    reachable = np.maximum(distances, np.maximum(reach[:, None], reach)) + 1e-12
    np.fill_diagonal(reachable, 0.0)
    tree = minimum_spanning_tree(reachable).tocoo()
    order = np.argsort(tree.data, kind="stable")
    widths = tree.data[order]
    lifetimes: dict[int, float] = {}
    longest: dict[int, tuple[float, int]] = {}
    for joined, number in enumerate(_large_parts(tree.row[order], tree.col[order], n, large)):
        if number < 2 or joined + 1 >= len(widths):
            continue
        lasting = float(np.log(widths[joined + 1] / widths[joined]))
        lifetimes[number] = lifetimes.get(number, 0.0) + lasting
        if lasting >= longest.get(number, (0.0, 0))[0]:
            longest[number] = (lasting, joined)
    return {
        number: Parts(lifetime, _labels(tree, order[: longest[number][1] + 1], n, large))
        for number, lifetime in lifetimes.items()
    }


def _large_parts(first: Any, second: Any, n: int, large: int) -> list[int]:
    """After every edge of the tree, the number of large parts; 0 while too many rows are in none."""
    root, size = np.arange(n), np.ones(n, dtype=int)
    number = covered = 0
    out = []

    def top(row: int) -> int:
        while root[row] != row:
            root[row] = root[root[row]]
            row = int(root[row])
        return row

    for one, other in zip(first, second, strict=True):
        a, b = top(int(one)), top(int(other))
        for part in (size[a], size[b]):
            if part >= large:
                number, covered = number - 1, covered - part
        root[a] = b
        size[b] += size[a]
        if size[b] >= large:
            number, covered = number + 1, covered + size[b]
        out.append(number if covered >= COVERED * n else 0)
    return out


def _labels(tree: Any, edges: Indices, n: int, large: int) -> Indices:
    links = coo_matrix((np.ones(len(edges)), (tree.row[edges], tree.col[edges])), shape=(n, n))
    labels = connected_components(links, directed=False)[1]
    return np.where(np.bincount(labels)[labels] >= large, labels, -1)
