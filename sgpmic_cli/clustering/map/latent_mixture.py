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

from typing import Any, NamedTuple

from sgpmic_cli.gp import LOG_2PI, Gaussians, from_covariances, log_densities, scatters

NU = 5.0
SCALE = 0.05


def maximising_gaussians(xp: Any, mu: Any, s: Any, S: Any) -> Gaussians:
    """Return the means and covariances that maximise the bound."""
    q, counts = mu.shape[1], S.sum(0)
    means = (S.T @ mu) / (counts + 1e-10)[:, None]
    covariances = scatters(xp, mu, S, means)
    covariances[:, range(q), range(q)] += S.T @ s + NU * SCALE
    return from_covariances(xp, means, covariances / (counts + NU)[:, None, None])


def expected_log(xp: Any, mu: Any, s: Any, mixture: Gaussians) -> Any:
    """Return <log N(x_n | xbar_m, C_m)>, (n, M)."""
    means, _, precisions, log_dets = mixture
    diagonals = xp.einsum("mqq->mq", precisions)
    return log_densities(xp, mu, means, precisions, log_dets) - 0.5 * (s @ diagonals.T)


def mixture_bound(xp: Any, S: Any, mu: Any, log_s: Any, mixture: Gaussians) -> float:
    """Return the part of the bound that belongs to the latent space."""
    prior = (S * expected_log(xp, mu, xp.exp(log_s), mixture)).sum()
    entropy = 0.5 * (log_s + (1.0 + LOG_2PI)).sum()
    return float(prior + entropy) + log_covariance_prior(xp, mixture)


def log_covariance_prior(xp: Any, mixture: Gaussians) -> float:
    """Return log p(C) up to a constant."""
    traces = xp.einsum("mqq->m", mixture.precisions)
    return -0.5 * NU * float((mixture.log_dets + SCALE * traces).sum())


class LatentPrior(NamedTuple):
    """The prior as a quadratic function of q(x_n) at fixed S.

    c_n + h_n' mu_n - 1/2 <x' L_n x>
    """

    precisions: Any  # L_n, (Q, Q, n)
    linear: Any  # h_n, (Q, n)
    constants: Any  # c_n, (n,)

    def value_and_gradient(self, xp: Any, mu: Any, s: Any) -> tuple[Any, Any, Any]:
        """Return the values (n,), and the gradients by mu and by s (n, Q)."""
        X, diagonal = mu.T, xp.einsum("qqn->qn", self.precisions)
        Lx = (self.precisions * X).sum(1)
        values = self.constants + ((self.linear - 0.5 * Lx) * X - 0.5 * diagonal * s.T).sum(0)
        return values, (self.linear - Lx).T, -0.5 * diagonal.T

    def of_rows(self, rows: Any) -> "LatentPrior":
        """Return the prior of some rows."""
        return LatentPrior(*(part[..., rows] for part in self))


def latent_prior(S: Any, mixture: Gaussians) -> LatentPrior:
    """Return the prior of the latent points at fixed responsibilities."""
    m, q = mixture.means.shape
    weighted = (mixture.precisions @ mixture.means[:, :, None])[:, :, 0]
    constants = -0.5 * ((weighted * mixture.means).sum(1) + mixture.log_dets + q * LOG_2PI)
    precisions = mixture.precisions.reshape(m, q * q).T @ S.T
    return LatentPrior(precisions.reshape(q, q, -1), weighted.T @ S.T, S @ constants)
