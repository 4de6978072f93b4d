"""The start of a fit from X: fuzzy c-means for the clusters, random rows of X for Z."""

from typing import Any

import numpy as np

from sgpmic_cli._typing import Array
from sgpmic_cli.errors import UsageError
from sgpmic_cli.paper.fcm import fuzzy_c_means
from sgpmic_cli.paper.model.bound import Parameters
from sgpmic_cli.paper.model.kernels import LOG_LIMIT, Kernel
from sgpmic_cli.paper.model.mixture import maximise, mixture


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
    centers, S, _ = fuzzy_c_means(X, m, random_state)
    Z = X[random_state.permutation(len(X))[: model.n_inducing]].copy()
    prior = mixture(np.full(m, 1.0 / m), centers, np.tile(np.eye(q), (m, 1, 1)))
    sharp = S**model.start_sharpness
    sharp /= sharp.sum(axis=1, keepdims=True)
    spread = maximise(X, sharp, model.covariance_type, model.covariance_floor, prior).covariances
    prior = mixture(prior.weights, prior.means, spread)
    theta = np.tile(kernel.start(q), (m, 1))
    theta[:, [0, -2, -1]] += np.log(model.kernel_start)
    return Parameters(X, Z, theta, log_beta, prior, model.white_everywhere), S
