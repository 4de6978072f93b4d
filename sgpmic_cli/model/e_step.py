"""Responsibilities without what cannot matter.

S_nm is in proportion to exp l_nm. Most of l_nm is cheap, and what is dear only lowers it: a variance. So the cheap part
is a ceiling, and where the ceiling lies far below the best l of the row, S_nm is zero to every digit that a row of
probabilities has.
"""

from collections.abc import Callable

import numpy as np

from sgpmic_cli._typing import Array, Indices

NOTHING = 30.0  # exp(-30) = 1e-13 of a row


def responsibilities(ceiling: Array, exact: Callable[[int, Indices], Array]) -> Array:
    """S (n, M) from ceilings on l (M, n), and `exact(m, rows)`, which gives l of component m for some rows."""
    highest, log_s = ceiling.max(axis=0), np.full(ceiling.shape, -np.inf)
    for m, (own, most) in enumerate(zip(log_s, ceiling, strict=True)):
        if len(rows := np.flatnonzero(most == highest)):
            own[rows] = exact(m, rows)
    least = log_s.max(axis=0) - NOTHING
    for m, (own, most) in enumerate(zip(log_s, ceiling, strict=True)):
        if len(rows := np.flatnonzero((most >= least) & (most < highest))):
            own[rows] = exact(m, rows)
    log_s -= log_s.max(axis=0)
    S = np.exp(log_s).T.copy()
    S /= S.sum(axis=1, keepdims=True)
    return S
