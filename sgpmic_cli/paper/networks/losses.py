"""Losses that return their value and write dL/d(arguments) into the given arrays.

`mean_squared_error` and `binary_cross_entropy` are means over rows and columns.
`gaussian_likelihood` and `gaussian_divergence` are means over rows of sums over columns, in nats.
"""

import numpy as np
from scipy.special import expit

MAX_LOG_VARIANCE = 50.0  # largest log-variance that is exponentiated


def mean_squared_error(output: np.ndarray, target: np.ndarray, gradient: np.ndarray) -> float:
    """Return 1/(N P) sum (o - t)^2."""
    np.subtract(output, target, out=gradient)
    value = np.vdot(gradient, gradient) / gradient.size
    gradient *= 2.0 / gradient.size
    return float(value)


def gaussian_likelihood(output: np.ndarray, target: np.ndarray, gradient: np.ndarray) -> float:
    """Return -log N(t | o, I) without its constant: 1/(2N) sum (o - t)^2."""
    np.subtract(output, target, out=gradient)
    value = 0.5 * np.vdot(gradient, gradient) / len(gradient)
    gradient /= len(gradient)
    return float(value)


def binary_cross_entropy(
    logits: np.ndarray, target: np.ndarray, gradient: np.ndarray, limit: float = np.inf
) -> float:
    """Return 1/(N P) sum log(1 + e^l) - t l for logits l, clipped to [-limit, limit].

    Outside the limits the gradient is zero. This bounds the loss for targets above 1.
    """
    clipped = np.clip(logits, -limit, limit)
    # log(1 + e^l) from vectorised functions, because np.logaddexp takes ten times as long.
    softplus = np.log1p(np.exp(-np.abs(clipped))) + np.maximum(clipped, 0.0)
    value = (softplus.sum() - np.vdot(target, clipped)) / clipped.size
    np.subtract(expit(clipped), target, out=gradient)
    gradient *= np.abs(logits) <= limit
    gradient /= clipped.size
    return float(value)


def gaussian_divergence(
    mean: np.ndarray,
    log_variance: np.ndarray,
    mean_gradient: np.ndarray,
    log_variance_gradient: np.ndarray,
    max_log_variance: float = MAX_LOG_VARIANCE,
) -> float:
    """Return KL(N(m, diag e^v) || N(0, I)) = 1/(2N) sum (m^2 + e^v - v - 1).

    Above `max_log_variance` e^v is continued by its tangent, so that value and gradient are finite.
    """
    n = len(mean)
    clipped = np.minimum(log_variance, max_log_variance)
    variance = np.exp(clipped)
    np.divide(mean, n, out=mean_gradient)
    np.subtract(variance, 1.0, out=log_variance_gradient)
    tangent = variance * (1.0 + log_variance - clipped)
    # The sum is in double precision, so that the loss is infinite only if a gradient is.
    value = 0.5 * (np.vdot(mean, mean) + np.sum(tangent - log_variance - 1.0, dtype=np.float64)) / n
    log_variance_gradient /= 2.0 * n
    return float(value)
