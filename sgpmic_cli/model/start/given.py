"""A start that the user gives."""

import numpy as np

from sgpmic_cli._typing import Indices
from sgpmic_cli.model.start.committee import Votes


def given_start(init: object, n_clusters: int, order: Indices, n: int, wanted: object) -> Votes:
    """Votes from a user's labels or probabilities of all n rows, for those in `order`."""
    given = np.asarray(init)
    if given.ndim not in (1, 2) or len(given) != n:
        raise ValueError(
            f"init must have one entry for each of the {n} rows, not shape {given.shape}."
        )
    if given.ndim == 1:
        names, labels = np.unique(given, return_inverse=True)
        shares = np.eye(len(names))[labels]
    else:
        shares = np.asarray(given, dtype=np.float64)
        if not np.isfinite(shares).all() or (shares < 0).any() or (shares.sum(axis=1) <= 0).any():
            raise ValueError(
                "init must be probabilities: no negative numbers, and no row of zeros."
            )
        shares = shares / shares.sum(axis=1, keepdims=True)
    if isinstance(wanted, str):
        n_clusters = shares.shape[1]
    if shares.shape[1] != n_clusters:
        raise ValueError(f"init has {shares.shape[1]} clusters where n_clusters={n_clusters}.")
    return Votes(shares[order], np.zeros((len(order), n_clusters)), ("init",))
