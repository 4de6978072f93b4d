"""The prior over the latent space: a Gaussian mixture with weights pi_m, means xbar_m and covariances C_m.

Given responsibilities S and latent points X its maximisers are closed forms: mean responsibility, weighted mean,
weighted covariance. The bound has no maximum while C_m is free: shrinking X, Z and C_m together as gamma grows leaves
the Gaussian processes as they are and sends log N(x | xbar, C) to infinity. So the maximum is taken over covariances
with no eigenvalue below a floor (ISOMAP starts the latent space at unit variance, so the floor has a scale). Cutting
the eigenvalues of the weighted covariance at the floor is the exact maximiser under that constraint, hence the M-step
stays monotone, and contraction ends when a cluster reaches the floor.
"""

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
CovarianceType = Literal["spherical", "diag", "tied", "full"]


class Mixture(NamedTuple):
    """Weights (M,), means (M, Q), covariances (M, Q, Q) and what log densities need of them."""

    weights: Array
    means: Array
    covariances: Array
    precisions: Array  # (M, Q, Q)
    log_norms: Array  # (M,)  -1/2 log |2 pi C_m|


def mixture(weights: Array, means: Array, covariances: Array) -> Mixture:
    """Complete a mixture from its three parameters."""
    precisions = np.linalg.inv(covariances)
    log_norms = -0.5 * (np.linalg.slogdet(covariances)[1] + means.shape[1] * np.log(2.0 * np.pi))
    return Mixture(weights, means, covariances, 0.5 * (precisions + precisions.transpose(0, 2, 1)), log_norms)


def maximise(X: Array, S: Array, kind: CovarianceType, floor: float, previous: Mixture) -> Mixture:
    """The mixture that maximises the bound given X (N, Q) and S (N, M); a component without points keeps its place."""
    counts = S.sum(axis=0)  # (M,)
    alive = counts > 1e-10
    means, scatter = previous.means.copy(), previous.covariances * counts[:, None, None]
    for m in np.flatnonzero(alive):
        means[m] = S[:, m] @ X / counts[m]
        centred = X - means[m]
        scatter[m] = (centred * S[:, m : m + 1]).T @ centred
    divisors = np.where(alive, counts, 1.0)
    if kind == "tied":
        covariances = np.broadcast_to(scatter.sum(axis=0) / len(X), scatter.shape)
    else:
        covariances = scatter / divisors[:, None, None]
    covariances = np.where(alive[:, None, None], _shaped(covariances, kind, floor), previous.covariances)
    # A weight of zero would make log pi infinite; the smallest positive number keeps a dead component dead.
    weights = np.maximum(counts / len(X), np.finfo(float).tiny)
    return mixture(weights, means, covariances)


def log_joint(X: Array, prior: Mixture) -> Array:
    """log pi_m + log N(x_n | xbar_m, C_m), (N, M)."""
    out = np.empty((X.shape[0], len(prior.weights)))
    for m, (mean, precision) in enumerate(zip(prior.means, prior.precisions, strict=True)):
        centred = X - mean
        out[:, m] = -0.5 * np.einsum("nq,nq->n", centred @ precision, centred)
    return out + prior.log_norms + np.log(prior.weights)


def weighted_log_joint(X: Array, S: Array, prior: Mixture) -> tuple[float, Array]:
    """sum_nm S_nm log_joint_nm and its gradient by X (N, Q), in one pass over the components."""
    across = np.ascontiguousarray(X.T)  # (Q, N): loops over points, not over a handful of dimensions
    gradient = np.zeros_like(across)
    value = float(S.sum(axis=0) @ (prior.log_norms + np.log(prior.weights)))
    for s, mean, precision in zip(S.T, prior.means, prior.precisions, strict=True):
        centred = across - mean[:, None]
        pull = precision @ centred
        pull *= s
        gradient -= pull
        value -= 0.5 * float(np.vdot(centred, pull))
    return value, gradient.T


def _shaped(covariances: Array, kind: CovarianceType, floor: float) -> Array:
    """The constrained maximiser of each kind: averaged, cut to the diagonal, or with its eigenvalues at the floor."""
    q = covariances.shape[-1]
    if kind == "spherical":
        level = np.maximum(np.trace(covariances, axis1=1, axis2=2) / q, floor)
        return level[:, None, None] * np.eye(q)
    if kind == "diag":
        return np.maximum(np.einsum("mqq->mq", covariances), floor)[:, :, None] * np.eye(q)
    values, vectors = np.linalg.eigh(covariances)
    return np.einsum("mij,mj,mkj->mik", vectors, np.maximum(values, floor), vectors)
