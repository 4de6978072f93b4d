"""Losses: each returns its value and writes dL/d(arguments) into the arrays handed in, so nothing is allocated twice.

`mean_squared_error` and `binary_cross_entropy` are means over rows and columns; `gaussian_likelihood` and
`gaussian_divergence` are nats per row, summed over columns.
"""

import numpy as np
from scipy.special import expit

STEEPEST = 50.0  # largest log-variance that is exponentiated


def mean_squared_error(output: np.ndarray, target: np.ndarray, gradient: np.ndarray) -> float:
    """1/(N P) sum (o - t)^2."""
    np.subtract(output, target, out=gradient)
    value = np.vdot(gradient, gradient) / gradient.size
    gradient *= 2.0 / gradient.size
    return float(value)


def gaussian_likelihood(output: np.ndarray, target: np.ndarray, gradient: np.ndarray) -> float:
    """-log N(t | o, I) without its constant: 1/(2N) sum (o - t)^2."""
    np.subtract(output, target, out=gradient)
    value = 0.5 * np.vdot(gradient, gradient) / len(gradient)
    gradient /= len(gradient)
    return float(value)


def binary_cross_entropy(
    logits: np.ndarray, target: np.ndarray, gradient: np.ndarray, limit: float = np.inf
) -> float:
    """Of sigmoid(l): 1/(N P) sum log(1 + e^l) - t l, with l held inside [-limit, limit].

    Past the limit the slope is zero. That is what keeps the loss bounded when the targets are not probabilities:
    with t > 1 it falls without end as l grows.
    """
    held = np.clip(logits, -limit, limit)
    # log(1 + e^l) by its parts, which NumPy has in vectors; `logaddexp` takes them one by one, ten times as long.
    softplus = np.abs(held)
    np.exp(np.negative(softplus, out=softplus), out=softplus)
    np.log1p(softplus, out=softplus)
    softplus += np.maximum(held, 0.0)
    value = (softplus.sum() - np.vdot(target, held)) / held.size
    np.subtract(expit(held), target, out=gradient)
    gradient *= np.abs(logits) <= limit
    gradient /= held.size
    return float(value)


def gaussian_divergence(
    mean: np.ndarray,
    log_variance: np.ndarray,
    mean_gradient: np.ndarray,
    log_variance_gradient: np.ndarray,
    steepest: float = STEEPEST,
) -> float:
    """KL(N(m, diag e^v) || N(0, I)) = 1/(2N) sum (m^2 + e^v - v - 1).

    Past v = `steepest` the exponential goes on as its tangent, so that a wild start has a gradient instead of infinity.
    """
    n = len(mean)
    held = np.minimum(log_variance, steepest)
    variance = np.exp(held)
    np.divide(mean, n, out=mean_gradient)
    np.subtract(variance, 1.0, out=log_variance_gradient)
    tangent = variance * (1.0 + log_variance - held)
    # In double precision, so that the loss is infinite only where a gradient is.
    value = 0.5 * (np.vdot(mean, mean) + np.sum(tangent - log_variance - 1.0, dtype=np.float64)) / n
    log_variance_gradient /= 2.0 * n
    return float(value)
