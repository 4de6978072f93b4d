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
    """S (n, M) from ceilings on l (n, M), and `exact(m, rows)`, which gives l of component m for some rows."""
    first = ceiling.argmax(axis=1)
    log_s = np.full(ceiling.shape, -np.inf)
    for m in range(ceiling.shape[1]):
        if len(rows := np.flatnonzero(first == m)):
            log_s[rows, m] = exact(m, rows)
    known = log_s.max(axis=1)
    for m in range(ceiling.shape[1]):
        if len(rows := np.flatnonzero((ceiling[:, m] >= known - NOTHING) & (first != m))):
            log_s[rows, m] = exact(m, rows)
    log_s -= log_s.max(axis=1, keepdims=True)
    S = np.exp(log_s)
    S /= S.sum(axis=1, keepdims=True)
    return S
