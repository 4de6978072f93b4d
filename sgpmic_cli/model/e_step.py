"""Responsibilities without what cannot matter.

S_nm is in proportion to exp l_nm. Part of l_nm is cheap, and what is dear only lowers it: errors and variances. So the
cheap part is a ceiling, and where the ceiling lies far below the best l of the row, S_nm is nothing that a later step
would see: components leave rows out that they hold to less than a thousandth, and a hundredth of that is zero here.
"""

from collections.abc import Callable

import numpy as np

from sgpmic_cli._typing import Array, Indices

NOTHING = 5.0 * np.log(10.0)  # how far below the best l S_nm is zero: at 1e-5 of the largest share of a row

Exact = Callable[[int, Indices, Array], Array]


def responsibilities(ceiling: Array, exact: Exact) -> Array:
    """S (n, M) from ceilings on l (M, n).

    `exact(m, rows, least)` gives l of component m for some rows; where it sees l below `least`, it may give -inf.
    """
    highest, log_s = ceiling.max(axis=0), np.full(ceiling.shape, -np.inf)
    for m, (own, most) in enumerate(zip(log_s, ceiling, strict=True)):
        if len(rows := np.flatnonzero(most == highest)):
            own[rows] = exact(m, rows, np.full(len(rows), -np.inf))
    best = log_s.max(axis=0)
    for m, (own, most) in enumerate(zip(log_s, ceiling, strict=True)):
        if len(rows := np.flatnonzero((most >= best - NOTHING) & (most < highest))):
            own[rows] = exact(m, rows, best[rows] - NOTHING)
            np.maximum(best, own, out=best)
    log_s -= best
    log_s[log_s < -NOTHING] = -np.inf  # whoever was computed nevertheless, so that S does not depend on who was
    S = np.exp(log_s).T.copy()
    S /= S.sum(axis=1, keepdims=True)
    return S
