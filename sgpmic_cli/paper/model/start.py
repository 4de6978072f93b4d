"""The start of a fit: ISOMAP for X, fuzzy c-means on X for the clusters, random rows of X for Z."""

from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

from sgpmic_cli._typing import Array
from sgpmic_cli.errors import UsageError, warn_caller
from sgpmic_cli.paper.fcm import fuzzy_c_means, memberships_of
from sgpmic_cli.paper.isomap import N_LANDMARKS, Parts, isomap, landmark_isomap
from sgpmic_cli.paper.model.bound import Parameters
from sgpmic_cli.paper.model.kernels import LOG_LIMIT, Kernel
from sgpmic_cli.paper.model.mixture import maximise, mixture

EXACT_ROWS = 5000  # with more rows the N x N geodesic distances of ISOMAP cost more than the fit
FCM_ROWS = 50_000  # a subsample of this size determines the centres precisely enough


def latent_start(
    Y: Array, q: int, parts: Parts, memory: Any, random_state: np.random.RandomState
) -> Array:
    """Return ISOMAP coordinates with unit variance (N, q), from landmarks if N is large."""
    if len(Y) <= EXACT_ROWS:
        return isomap(Y, q, parts=parts, memory=memory)
    warn_caller(
        f"{len(Y)} rows are too many for exact ISOMAP (up to {EXACT_ROWS}): the start uses ISOMAP "
        f"of {N_LANDMARKS} random rows and interpolates the others, and fuzzy c-means of at most "
        f"{FCM_ROWS} rows."
    )
    return landmark_isomap(Y, q, random_state, parts=parts)


def starting_log_beta(scaled: Array) -> float:
    """Return the logarithm of the paper's starting noise precision, 4 / mean variance."""
    log_beta = float(np.log(4.0 / np.mean(np.var(scaled, axis=0, ddof=1))))
    if abs(log_beta) > LOG_LIMIT:
        raise UsageError(
            f"The mean variance of the columns, {4.0 * np.exp(-log_beta):.1e}, is out of the "
            "model's range; fit with scale='global' or scale='standard'."
        )
    return log_beta


def start(
    model: Any, kernel: Kernel, X: Array, log_beta: float, random_state: np.random.RandomState
) -> tuple[Parameters, Array]:
    """Return the parameters and responsibilities before the first E-step.

    The parameters of `model`, a SGPMIC, are the settings.
    Weights are equal, means are the centres of fuzzy c-means. Covariances are those of its
    memberships to the power `start_sharpness`. Kernel parameters have the paper's values; variance,
    bias and white, which have the unit of Y^2, are multiplied by `kernel_start`.
    """
    m, q = model.n_clusters, X.shape[1]
    sample = X if len(X) <= FCM_ROWS else X[random_state.permutation(len(X))[:FCM_ROWS]]
    centers, S, _ = fuzzy_c_means(sample, m, random_state)
    if sample is not X:
        S = memberships_of(cdist(centers, X, "sqeuclidean")).T.copy()
    Z = X[random_state.permutation(len(X))[: model.n_inducing]].copy()
    prior = mixture(np.full(m, 1.0 / m), centers, np.tile(np.eye(q), (m, 1, 1)))
    sharp = S**model.start_sharpness
    sharp /= sharp.sum(axis=1, keepdims=True)
    spread = maximise(X, sharp, model.covariance_type, model.covariance_floor, prior).covariances
    prior = mixture(prior.weights, prior.means, spread)
    theta = np.tile(kernel.start(q), (m, 1))
    theta[:, [0, -2, -1]] += np.log(model.kernel_start)
    return Parameters(X, Z, theta, log_beta, prior, model.white_everywhere), S
