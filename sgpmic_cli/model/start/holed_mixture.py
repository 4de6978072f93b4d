"""A Gaussian mixture of rows with holes, by the likelihood of what was seen.

Rows that were filled in lie too close to the planes that they were filled from: a mixture that takes the filling for
data finds clusters of many and of few holes. Here the holes of a row speak for no cluster, and what they leave open
goes into the covariances.
"""

import numpy as np
from scipy.special import logsumexp

from sgpmic_cli._typing import Array, Indices
from sgpmic_cli.model.variational.holes import Expected, Gaussian, Holes, expect, summed

ROUNDS = 100
TOL = 1e-3  # nats a row, as in the mixtures of rows without holes


def holed_mixture(
    filled: Array, holes: Holes, labels: Indices, floor: Array, n_clusters: int
) -> Indices:
    """Clusters of rows from a first guess at them; `floor` (P,) is added to the variances."""
    shares = np.eye(n_clusters)[labels]
    weights, parts = shares.mean(axis=0), [_part(filled, share, floor) for share in shares.T]
    before = -np.inf
    for _ in range(ROUNDS):
        found = [expect(filled, holes, part) for part in parts]
        with np.errstate(divide="ignore"):  # a cluster may die
            log_joint = np.stack([one.log_density for one in found], axis=1) + np.log(weights)
        log_seen = logsumexp(log_joint, axis=1)
        shares, value = np.exp(log_joint - log_seen[:, None]), float(log_seen.mean())
        if value - before < TOL:
            break
        before, weights = value, shares.mean(axis=0)
        parts = [
            _next(one, holes, share, floor) for one, share in zip(found, shares.T, strict=True)
        ]
    return np.asarray(shares.argmax(axis=1))


def _next(found: Expected, holes: Holes, share: Array, floor: Array) -> Gaussian:
    return _part(found.filled, share, floor, summed(holes, found.left, share))


def _part(rows: Array, share: Array, floor: Array, left: Array | float = 0.0) -> Gaussian:
    """The Gaussian of rows with weights (N,), and of what their holes leave open."""
    total = share.sum() + np.finfo(float).tiny
    mean = share @ rows / total
    centred = rows - mean
    return Gaussian(mean, (centred.T @ (centred * share[:, None]) + left) / total + np.diag(floor))
