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

from sgpmic_cli._typing import Array

CovarianceType = Literal["spherical", "diag", "tied", "full"]
EMPTY = 1e-10  # a component with less responsibility than this has no moments of its own


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
    return Mixture(
        weights, means, covariances, 0.5 * (precisions + precisions.transpose(0, 2, 1)), log_norms
    )


class Moments(NamedTuple):
    """What the prior is made of: sums of the responsibilities (M,), means (M, Q) and scatter (M, Q, Q) under them."""

    counts: Array
    means: Array
    scatter: Array


def maximise(X: Array, S: Array, kind: CovarianceType, floor: float, previous: Mixture) -> Mixture:
    """The mixture that maximises the bound given X (N, Q) and S (N, M); a component without points keeps its place."""
    return from_moments(moments(X, S, previous), len(X), kind, floor, previous)


def moments(X: Array, S: Array, previous: Mixture) -> Moments:
    """The moments of X (N, Q) under S (N, M); those of a component without points are the previous ones."""
    counts = S.sum(axis=0)  # (M,)
    means, scatter = previous.means.copy(), previous.covariances * counts[:, None, None]
    for m in np.flatnonzero(counts > EMPTY):
        means[m] = S[:, m] @ X / counts[m]
        centred = X - means[m]
        scatter[m] = (centred * S[:, m : m + 1]).T @ centred
    return Moments(counts, means, scatter)


def from_moments(
    found: Moments, n: int, kind: CovarianceType, floor: float, previous: Mixture
) -> Mixture:
    """The mixture that maximises the bound given the moments of n points."""
    counts, means, scatter = found
    alive = counts > EMPTY
    divisors = np.where(alive, counts, 1.0)
    if kind == "tied":
        covariances = np.broadcast_to(scatter.sum(axis=0) / n, scatter.shape)
    else:
        covariances = scatter / divisors[:, None, None]
    covariances = _shaped(covariances, kind, floor)
    if kind != "tied":
        covariances = np.where(alive[:, None, None], covariances, previous.covariances)
    # A weight of zero would make log pi infinite; the smallest positive number keeps a dead component dead.
    weights = np.maximum(counts / n, np.finfo(float).tiny)
    return mixture(weights, means, covariances)


def slopes(X: Array, S: Array, prior: Mixture) -> tuple[Array, Array]:
    """Gradients of sum_nm S_nm log_joint_nm by the means (M, Q) and by the covariances (M, Q, Q)."""
    by_mean, by_covariance = np.empty_like(prior.means), np.empty_like(prior.covariances)
    for m, (mean, precision) in enumerate(zip(prior.means, prior.precisions, strict=True)):
        drawn = (X - mean) @ precision
        by_mean[m] = S[:, m] @ drawn
        by_covariance[m] = 0.5 * ((drawn * S[:, m : m + 1]).T @ drawn - S[:, m].sum() * precision)
    return by_mean, by_covariance


def log_joint(X: Array, prior: Mixture) -> Array:
    """log pi_m + log N(x_n | xbar_m, C_m), (N, M)."""
    across, out = np.ascontiguousarray(X.T), np.empty((len(prior.weights), len(X)))
    for own, mean, precision in zip(out, prior.means, prior.precisions, strict=True):
        centred = across - mean[:, None]
        np.einsum("qn,qn->n", precision @ centred, centred, out=own)
    out *= -0.5
    out += (prior.log_norms + np.log(prior.weights))[:, None]
    return out.T


class Pull:
    """sum_nm S_nm log_joint_nm as a function of X while S (N, M) and the prior stay.

    sum_n x_n'(b_n - 1/2 Lambda_n x_n) + constant,   Lambda_n = sum_m S_nm C_m^-1,   b_n = sum_m S_nm C_m^-1 xbar_m

    Arrays are (Q, N): loops run over points, not over a handful of dimensions.
    """

    def __init__(self, S: Array, prior: Mixture):
        self.S, self.precisions = S, prior.precisions
        drawn = np.einsum("mij,mj->mi", prior.precisions, prior.means)
        diagonals = np.einsum("mii->mi", prior.precisions)
        diagonal = np.count_nonzero(prior.precisions) == np.count_nonzero(diagonals)
        self.diagonal = (
            diagonals.T @ S.T if diagonal else None
        )  # of Lambda_n; M terms are summed once, not every time
        self.linear = drawn.T @ S.T
        constants = (
            prior.log_norms
            + np.log(prior.weights)
            - 0.5 * np.einsum("mi,mi->m", prior.means, drawn)
        )
        self.constant = float(S.sum(axis=0) @ constants)

    def __call__(self, X: Array) -> tuple[float, Array]:
        """The value and its gradient by X (N, Q)."""
        across = np.ascontiguousarray(X.T)
        if self.diagonal is not None:
            gradient = self.linear - self.diagonal * across
        else:
            gradient = self.linear.copy()
            for s, precision in zip(self.S.T, self.precisions, strict=True):
                gradient -= s * (precision @ across)
        value = 0.5 * (np.vdot(across, self.linear) + np.vdot(across, gradient)) + self.constant
        return float(value), gradient.T


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
