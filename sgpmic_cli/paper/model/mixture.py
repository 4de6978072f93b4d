"""The latent prior: a Gaussian mixture with weights pi_m, means xbar_m and covariances C_m.

Given responsibilities S and latent points X, its maximisers have closed forms: mean responsibility,
weighted mean, weighted covariance.

The bound has no maximum while C_m is free: shrinking X, Z and C_m together as gamma grows leaves
the Gaussian processes unchanged and sends log N(x | xbar, C) to infinity. Therefore the maximum is
taken over covariances with no eigenvalue below a floor. The start by ISOMAP has unit variance,
which gives the floor a scale. Clipping the eigenvalues of the weighted covariance at the floor is
the exact maximiser under this constraint, so that the M-step never lowers the bound.
"""

from typing import Literal, NamedTuple

import numpy as np

from sgpmic_cli._typing import Array
from sgpmic_cli.gp import LOG_2PI, from_covariances, log_densities, scatters

CovarianceType = Literal["spherical", "diag", "tied", "full"]
EMPTY = 1e-10  # a component with less responsibility keeps its previous moments


class Mixture(NamedTuple):
    """Weights (M,), means (M, Q), covariances (M, Q, Q), their inverses and log determinants."""

    weights: Array
    means: Array
    covariances: Array
    precisions: Array  # (M, Q, Q)
    log_dets: Array  # (M,)


def mixture(weights: Array, means: Array, covariances: Array) -> Mixture:
    """Return the mixture with these three parameters."""
    return Mixture(weights, *from_covariances(means, covariances))


def maximise(X: Array, S: Array, kind: CovarianceType, floor: float, previous: Mixture) -> Mixture:
    """Return the mixture that maximises the bound given X (N, Q) and S (N, M).

    A component without rows keeps its previous mean and covariance.
    """
    counts = S.sum(axis=0)  # (M,)
    alive = (counts > EMPTY)[:, None]
    sizes = np.where(alive, counts[:, None], 1.0)
    means = np.where(alive, S.T @ X / sizes, previous.means)
    scatter = np.asarray(scatters(X, S, means))
    if kind == "tied":
        covariances = np.broadcast_to(scatter.sum(axis=0) / len(X), scatter.shape)
    else:
        covariances = scatter / sizes[:, :, None]
    covariances = _constrained(covariances, kind, floor)
    if kind != "tied":
        covariances = np.where(alive[:, :, None], covariances, previous.covariances)
    weights = np.maximum(counts / len(X), np.finfo(float).tiny)  # keeps log pi finite
    return mixture(weights, means, covariances)


def prior_gradients(X: Array, S: Array, prior: Mixture) -> tuple[float, Array, Array, Array]:
    """Return sum_nm S_nm [log pi_m + log N(x_n | xbar_m, C_m)] and its gradients.

    They are those by X (N, Q), by the means (M, Q) and by the covariances (M, Q, Q).
    """
    constants = np.log(prior.weights) - 0.5 * (prior.log_dets + X.shape[1] * LOG_2PI)
    value, by_x = float(S.sum(axis=0) @ constants), np.zeros_like(X)
    by_mean, by_covariance = np.empty_like(prior.means), np.empty_like(prior.covariances)
    for m, (s, mean, precision) in enumerate(zip(S.T, prior.means, prior.precisions, strict=True)):
        centred = X - mean
        scaled = centred @ precision
        weighted = s[:, None] * scaled
        value -= 0.5 * float(np.vdot(weighted, centred))
        by_x -= weighted
        by_mean[m] = s @ scaled
        by_covariance[m] = 0.5 * (weighted.T @ scaled - s.sum() * precision)
    return value, by_x, by_mean, by_covariance


def log_joint(X: Array, prior: Mixture) -> Array:
    """Return log pi_m + log N(x_n | xbar_m, C_m), (N, M)."""
    densities = log_densities(X, prior.means, prior.precisions, prior.log_dets)
    return np.asarray(densities + np.log(prior.weights))


def _constrained(covariances: Array, kind: CovarianceType, floor: float) -> Array:
    """Return the maximiser over covariances of this form with no eigenvalue below the floor."""
    q = covariances.shape[-1]
    if kind == "spherical":
        level = np.maximum(np.trace(covariances, axis1=1, axis2=2) / q, floor)
        return level[:, None, None] * np.eye(q)
    if kind == "diag":
        return np.maximum(np.einsum("mqq->mq", covariances), floor)[:, :, None] * np.eye(q)
    values, vectors = np.linalg.eigh(covariances)
    return np.einsum("mij,mj,mkj->mik", vectors, np.maximum(values, floor), vectors)
