"""Losses, which return their value and the gradients by their arguments.

`mean_squared_error` and `binary_cross_entropy` are means over rows and columns, the divergence is a
mean over rows of sums over columns, in nats.
"""

import numpy as np
from scipy.special import expit

MAX_LOG_VARIANCE = 50.0  # largest log-variance that is exponentiated
# Keras clips probabilities to [1e-7, 1 - 1e-7]; this is the same limit for logits.
LOGIT_LIMIT = float(np.log((1.0 - 1e-7) / 1e-7))


def mean_squared_error(output: np.ndarray, target: np.ndarray) -> tuple[float, np.ndarray]:
    """Return 1/(N P) sum (o - t)^2 and its gradient."""
    residual = output - target
    value = np.vdot(residual, residual) / residual.size
    residual *= 2.0 / residual.size
    return float(value), residual


def binary_cross_entropy(logits: np.ndarray, target: np.ndarray) -> tuple[float, np.ndarray]:
    """Return 1/(N P) sum log(1 + e^l) - t l for logits l, and its gradient.

    The logits are clipped to +-LOGIT_LIMIT, and outside the gradient is zero. This bounds the loss
    for targets above 1.
    """
    clipped = np.clip(logits, -LOGIT_LIMIT, LOGIT_LIMIT)
    # log(1 + e^l) from vectorised functions, because np.logaddexp takes ten times as long.
    softplus = np.log1p(np.exp(-np.abs(clipped))) + np.maximum(clipped, 0.0)
    value = (softplus.sum() - np.vdot(target, clipped)) / clipped.size
    gradient = expit(clipped) - target
    gradient *= np.abs(logits) <= LOGIT_LIMIT
    gradient /= clipped.size
    return float(value), gradient


def gaussian_divergence(
    mean: np.ndarray, log_variance: np.ndarray, max_log_variance: float = MAX_LOG_VARIANCE
) -> tuple[float, np.ndarray, np.ndarray]:
    """Return KL(N(m, diag e^v) || N(0, I)) = 1/(2N) sum (m^2 + e^v - v - 1) and its gradients.

    Above `max_log_variance` e^v is continued by its tangent, so that value and gradient are finite.
    """
    n = len(mean)
    clipped = np.minimum(log_variance, max_log_variance)
    variance = np.exp(clipped)
    tangent = variance * (1.0 + log_variance - clipped)
    # The sum is in double precision, so that the loss is infinite only if a gradient is.
    value = 0.5 * (np.vdot(mean, mean) + np.sum(tangent - log_variance - 1.0, dtype=np.float64)) / n
    return float(value), mean / n, (variance - 1.0) / (2.0 * n)
