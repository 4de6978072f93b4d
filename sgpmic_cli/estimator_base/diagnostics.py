"""Diagnostics of a fit: sizes and mean probabilities of clusters, and doubtful clusters."""

from typing import NamedTuple

import numpy as np
from sklearn.utils import gen_batches

from sgpmic_cli._typing import Array, Indices
from sgpmic_cli.estimator_base.caller_warning import warn_caller

BLOCK = 1 << 16  # rows
TINY = 5  # a cluster with fewer rows is tiny ...
TINY_FRACTION = 0.2  # ... unless it has this fraction of an equal share of the rows
SHARED = 0.5  # two clusters are twins if they share this fraction of their responsibility


class Diagnostics(NamedTuple):
    """Rows (M,) and mean probability (M,) of every cluster, and the numbers of doubtful ones."""

    sizes: Indices
    certainty: Array
    twins: list[tuple[int, int]]
    tiny: list[int]
    dead: list[int]


def diagnose(S: Array) -> Diagnostics:
    """Compute the diagnostics from the responsibilities (N, M)."""
    n, m = S.shape
    labels, counts = S.argmax(axis=1), S.sum(axis=0)
    sizes = np.bincount(labels, minlength=m)
    sums = np.bincount(labels, weights=S.max(axis=1), minlength=m)
    certainty = np.divide(sums, sizes, out=np.zeros(m), where=sizes > 0)
    alive = np.flatnonzero(sizes)
    twins: list[tuple[int, int]] = []
    for i, a in enumerate(alive):
        others = alive[i + 1 :]
        shared = np.zeros(len(others))
        for rows in gen_batches(n, BLOCK):
            shared += np.minimum(S[rows, a : a + 1], S[rows][:, others]).sum(axis=0)
        close = shared > SHARED * np.minimum(counts[a], counts[others])
        twins += [(int(a), int(b)) for b in others[close]]
    tiny = np.flatnonzero((sizes > 0) & (sizes < min(TINY, TINY_FRACTION * n / m)))
    return Diagnostics(sizes, certainty, twins, tiny.tolist(), np.flatnonzero(sizes == 0).tolist())


def warn_about(found: Diagnostics) -> None:
    """Warn if clusters are tiny, empty or hard to tell apart."""
    doubts = []
    if found.twins:
        (a, b), n = found.twins[0], len(found.twins)
        pairs = f"{n} pairs of clusters, such as {a} and {b}," if n > 1 else f"clusters {a} and {b}"
        doubts.append(f"{pairs} overlap strongly")
    if found.tiny:
        doubts.append(f"{_clusters(found.tiny)} fewer than {TINY} rows")
    if found.dead:
        doubts.append(f"{_clusters(found.dead)} no rows")
    if doubts:
        warn_caller(f"{'; '.join(doubts)}: fewer clusters may describe these data better.")


def _clusters(numbers: list[int]) -> str:
    names = ", ".join(map(str, numbers))
    return f"cluster {names} has" if len(numbers) == 1 else f"clusters {names} have"
