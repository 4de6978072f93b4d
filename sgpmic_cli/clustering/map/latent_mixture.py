"""The prior over the latent space: a Gaussian for each cluster.

    p(x_n) = sum_m S_nm N(x_n | xbar_m, C_m)

S_nm is the weight of cluster m for row n, a sharpened probability (`ClusterModel.map_weights`).
It also serves as the distribution of the row over the clusters, so the prior enters the bound as

    sum_nm S_nm <log N(x_n | xbar_m, C_m)> + sum_n H[q(x_n)] + log p(C)

    log p(C_m) = -NU/2 (log|C_m| + SCALE tr C_m^-1)

This weak prior also gives a covariance to a cluster with a single row. Rows attract each other on
the map as far as they are known to belong together. S stays fixed: an E-step on S would separate
clusters that the data do not separate.
"""

from typing import NamedTuple

import numpy as np

from sgpmic_cli._typing import Array, Indices
from sgpmic_cli.gp import LOG_2PI, Gaussians, from_covariances, log_densities, scatters

NU = 5.0
SCALE = 0.05


def maximising_gaussians(mu: Array, s: Array, S: Array) -> Gaussians:
    """Return the means and covariances that maximise the bound."""
    q, counts = mu.shape[1], S.sum(0)
    means = (S.T @ mu) / (counts + 1e-10)[:, None]
    covariances = scatters(mu, S, means)
    covariances[:, range(q), range(q)] += S.T @ s + NU * SCALE
    return from_covariances(means, covariances / (counts + NU)[:, None, None])


def expected_log(mu: Array, s: Array, mixture: Gaussians) -> Array:
    """Return <log N(x_n | xbar_m, C_m)>, (n, M)."""
    means, _, precisions, log_dets = mixture
    diagonals = np.einsum("mqq->mq", precisions)
    return log_densities(mu, means, precisions, log_dets) - 0.5 * (s @ diagonals.T)


def mixture_bound(S: Array, mu: Array, log_s: Array, mixture: Gaussians) -> float:
    """Return the part of the bound that belongs to the latent space."""
    prior = (S * expected_log(mu, np.exp(log_s), mixture)).sum()
    entropy = 0.5 * (log_s + (1.0 + LOG_2PI)).sum()
    return float(prior + entropy) + log_covariance_prior(mixture)


def log_covariance_prior(mixture: Gaussians) -> float:
    """Return log p(C) up to a constant."""
    traces = np.einsum("mqq->m", mixture.precisions)
    return -0.5 * NU * float((mixture.log_dets + SCALE * traces).sum())


class LatentPrior(NamedTuple):
    """The prior as a quadratic function of q(x_n) at fixed S.

    c_n + h_n' mu_n - 1/2 <x' L_n x>
    """

    precisions: Array  # L_n, (Q, Q, n)
    linear: Array  # h_n, (Q, n)
    constants: Array  # c_n, (n,)

    def value_and_gradient(self, mu: Array, s: Array) -> tuple[Array, Array, Array]:
        """Return the values (n,), and the gradients by mu and by s (n, Q)."""
        X, diagonal = mu.T, np.einsum("qqn->qn", self.precisions)
        Lx = (self.precisions * X).sum(1)
        values = self.constants + ((self.linear - 0.5 * Lx) * X - 0.5 * diagonal * s.T).sum(0)
        return values, (self.linear - Lx).T, -0.5 * diagonal.T

    def of_rows(self, rows: slice | Indices) -> "LatentPrior":
        """Return the prior of some rows."""
        return LatentPrior(*(part[..., rows] for part in self))


def latent_prior(S: Array, mixture: Gaussians) -> LatentPrior:
    """Return the prior of the latent points at fixed responsibilities."""
    m, q = mixture.means.shape
    weighted = (mixture.precisions @ mixture.means[:, :, None])[:, :, 0]
    constants = -0.5 * ((weighted * mixture.means).sum(1) + mixture.log_dets + q * LOG_2PI)
    precisions = mixture.precisions.reshape(m, q * q).T @ S.T
    return LatentPrior(precisions.reshape(q, q, -1), weighted.T @ S.T, S @ constants)
