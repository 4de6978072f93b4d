"""Responsibilities without what cannot matter.

S_nm is in proportion to exp l_nm. Part of l_nm is cheap, and what is dear only lowers it: errors and variances. So the
cheap part is a ceiling, and where the ceiling lies far below the best l of the row, S_nm is zero. How far, depends on
who asks: in a round components leave rows out that they hold to less than a thousandth, so a tenth of that is nothing
to the next step; what a fit gives back has half of the digits that a number has.
"""

from collections.abc import Callable

import numpy as np

from sgpmic_cli._typing import Array, Indices

# What is below this share of the largest of its row is zero.
IN_ROUNDS = 1e-4
AT_THE_END = 1.5e-8

Exact = Callable[[int, Indices, Array], Array]


def responsibilities(
    ceiling: Array, exact: Exact, negligible: float, first: Indices | None = None
) -> Array:
    """S (n, M) from ceilings on l (M, n), zero below a negligible share of the row's largest.

    `exact(m, rows, least)` gives l of component m for some rows; where it sees l below `least`, it may give -inf. Every
    row asks one component `first` (n,), the one with the highest ceiling unless told.
    """
    log_s, margin = np.full(ceiling.shape, -np.inf), -np.log(negligible)
    first = ceiling.argmax(axis=0) if first is None else first
    for m, own in enumerate(log_s):
        if len(rows := np.flatnonzero(first == m)):
            own[rows] = exact(m, rows, np.full(len(rows), -np.inf))
    best = log_s.max(axis=0)
    for m, (own, most) in enumerate(zip(log_s, ceiling, strict=True)):
        if len(rows := np.flatnonzero((most >= best - margin) & (first != m) & (most > -np.inf))):
            own[rows] = exact(m, rows, best[rows] - margin)
            np.maximum(best, own, out=best)
    log_s -= best
    log_s[
        log_s < -margin
    ] = -np.inf  # whoever was computed nevertheless, so that S does not depend on who was
    S = np.exp(log_s).T.copy()
    S /= S.sum(axis=1, keepdims=True)
    return S
