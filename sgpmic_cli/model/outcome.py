"""What a fit is worth, cluster by cluster: how sure it is, which clusters are one in truth, which are tiny or dead."""

import warnings
from typing import NamedTuple

import numpy as np

from sgpmic_cli._typing import Array, Indices
from sgpmic_cli.row_blocks import row_blocks, total

ALIVE = 0.5  # rows' worth of responsibility
TINY = 5  # rows; fewer are outliers rather than a cluster ...
TINY_SHARE = 0.2  # ... unless this is a fair part of an equal share
SHARED = 0.5  # of a cluster's responsibility that another holds as well makes the two twins


class Outcome(NamedTuple):
    """Rows, mean certainty in [0, 1] of every cluster (M,), and the numbers of doubtful ones."""

    sizes: Indices
    certainty: Array
    twins: list[tuple[int, int]]
    tiny: list[int]
    dead: list[int]


def judge(S: Array) -> Outcome:
    """Read the outcome off the responsibilities (N, M)."""
    n, m = S.shape
    labels, counts = S.argmax(axis=1), S.sum(axis=0)
    sizes = np.bincount(labels, minlength=m)
    sums = np.bincount(labels, weights=S.max(axis=1), minlength=m)
    certainty = np.divide(sums, sizes, out=np.zeros(m), where=sizes > 0)
    alive = np.flatnonzero(counts >= ALIVE)
    twins: list[tuple[int, int]] = []
    for i, a in enumerate(alive):
        others = alive[i + 1 :]
        shared = total(np.minimum(S[rows, a : a + 1], S[rows][:, others]) for rows in row_blocks(n))
        twins += [
            (int(a), int(b))
            for b in others[shared > SHARED * np.minimum(counts[a], counts[others])]
        ]
    tiny = [int(j) for j in np.flatnonzero((sizes > 0) & (sizes < min(TINY, TINY_SHARE * n / m)))]
    return Outcome(sizes, certainty, twins, tiny, [int(j) for j in np.flatnonzero(sizes == 0)])


def warn_of(outcome: Outcome) -> None:
    """One warning with advice where clusters are not what they seem."""
    doubts = []
    if outcome.twins:
        names = ", ".join(f"{a} and {b}" for a, b in outcome.twins)
        doubts.append(f"clusters {names} share most of their rows at even odds")
    if outcome.tiny:
        doubts.append(f"clusters {', '.join(map(str, outcome.tiny))} hold a handful of rows")
    if outcome.dead:
        doubts.append(f"clusters {', '.join(map(str, outcome.dead))} hold no row")
    if doubts:
        warnings.warn(
            f"{'; '.join(doubts)}: fewer clusters may describe these data better.", stacklevel=4
        )
