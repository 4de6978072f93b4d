"""The prior over the latent space: a Gaussian mixture with weights pi_m, means xbar_m and diagonal covariances C_m.

Scaling latent points, inducing inputs, widths and C_m together changes nothing in the bound, since q(x_n) has an
entropy: contraction pays nothing, and no floor is needed. C_m has a weak inverse-gamma prior all the same, so that a
cluster of one row has a spread:

    log p(C_mq) = -1/2 (NU log C_mq + SCALE / C_mq) + const
"""

from typing import NamedTuple

import numpy as np

from sgpmic_cli._typing import Array

NU = 2.0
SCALE = 0.02
LOG_2PI = float(np.log(2.0 * np.pi))


class LatentPrior(NamedTuple):
    """Weights (M,), means (M, Q) and variances (M, Q)."""

    weights: Array
    means: Array
    variances: Array


def maximise(mu: Array, s: Array, S: Array) -> LatentPrior:
    """The prior that maximises the bound given q(x) and the responsibilities S (N, M)."""
    return from_moments(S.sum(axis=0), S.T @ mu, S.T @ (mu**2 + s), len(mu))


def from_moments(counts: Array, sums: Array, squares: Array, n: int) -> LatentPrior:
    """The same from the sums over n rows of S (M,), S mu (M, Q) and S (mu^2 + s) (M, Q)."""
    means = sums / np.maximum(counts, 1e-10)[:, None]
    scatter = squares - counts[:, None] * means**2
    variances = (np.maximum(scatter, 0.0) + SCALE) / (counts[:, None] + NU)
    # A weight of zero would make log pi infinite; the smallest positive number keeps a dead component dead.
    return LatentPrior(np.maximum(counts / n, np.finfo(float).tiny), means, variances)


def expected_log(mu: Array, s: Array, prior: LatentPrior) -> Array:
    """log pi_m + <log N(x_n | xbar_m, C_m)>, (N, M)."""
    inverse = 1.0 / prior.variances
    square = (
        (mu**2 + s) @ inverse.T
        - 2.0 * mu @ (prior.means * inverse).T
        + np.sum(prior.means**2 * inverse, axis=1)
    )
    norms = np.log(prior.weights) - 0.5 * np.sum(np.log(prior.variances) + LOG_2PI, axis=1)
    return np.asarray(norms - 0.5 * square)


def log_density(prior: LatentPrior) -> float:
    """log p(C) of all components, constants left out."""
    return float(-0.5 * np.sum(NU * np.log(prior.variances) + SCALE / prior.variances))


class Pull:
    """sum_nm S_nm expected_log_nm as a function of q(x) while S and the prior stay."""

    def __init__(self, S: Array, prior: LatentPrior):
        inverse = 1.0 / prior.variances
        self.precision, self.linear = S @ inverse, S @ (prior.means * inverse)
        norms = np.log(prior.weights) - 0.5 * np.sum(np.log(prior.variances) + LOG_2PI, axis=1)
        self.constant = float(
            S.sum(axis=0) @ (norms - 0.5 * np.sum(prior.means**2 * inverse, axis=1))
        )

    def __call__(self, mu: Array, s: Array) -> tuple[float, Array, Array]:
        """The value and its gradients by mu and s (N, Q)."""
        value = (
            self.constant + np.sum(self.linear * mu) - 0.5 * np.sum(self.precision * (mu**2 + s))
        )
        return float(value), self.linear - self.precision * mu, -0.5 * self.precision
