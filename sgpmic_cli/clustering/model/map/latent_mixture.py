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

import numpy as np

NU = 5.0
SCALE = 0.05
LOG_2PI = float(np.log(2.0 * np.pi))


class LatentMixture(NamedTuple):
    """Means (M, Q), covariances (M, Q, Q), their inverses and log determinants (M,)."""

    means: Any
    covariances: Any
    precisions: Any
    log_dets: Any


def from_covariances(xp: Any, means: Any, covariances: Any) -> LatentMixture:
    """Return the mixture with these means and covariances."""
    return LatentMixture(
        means, covariances, xp.linalg.inv(covariances), xp.linalg.slogdet(covariances)[1]
    )


def maximise(xp: Any, mu: Any, s: Any, S: Any) -> LatentMixture:
    """Return the means and covariances that maximise the bound."""
    n_clusters, q = S.shape[1], mu.shape[1]
    counts = S.sum(0)
    means = (S.T @ mu) / (counts + 1e-10)[:, None]
    scatters = []
    for m in range(n_clusters):
        centred, weights = mu - means[m], S[:, m : m + 1]
        scatter = (centred * weights).T @ centred
        diagonal = (weights * s).sum(0) + NU * SCALE
        scatter[range(q), range(q)] = xp.diagonal(scatter) + diagonal
        scatters.append(scatter / (counts[m] + NU))
    return from_covariances(xp, means, xp.stack(scatters))


def expected_log(xp: Any, mu: Any, s: Any, mixture: LatentMixture) -> Any:
    """Return <log N(x_n | xbar_m, C_m)>, (n, M)."""
    columns = []
    for mean, precision, log_det in zip(
        mixture.means, mixture.precisions, mixture.log_dets, strict=True
    ):
        centred = mu - mean
        distance = ((centred @ precision) * centred).sum(1) + s @ xp.diagonal(precision)
        columns.append(-0.5 * (distance + log_det + mu.shape[1] * LOG_2PI))
    return xp.stack(columns, 1)


def mixture_bound(xp: Any, S: Any, mu: Any, log_s: Any, mixture: LatentMixture) -> float:
    """Return the part of the bound that belongs to the latent space."""
    prior = (S * expected_log(xp, mu, xp.exp(log_s), mixture)).sum()
    entropy = 0.5 * (log_s + (1.0 + LOG_2PI)).sum()
    return float(prior + entropy) + log_prior(xp, mixture)


def log_prior(xp: Any, mixture: LatentMixture) -> float:
    """Return log p(C) up to a constant."""
    traces = xp.einsum("mqq->m", mixture.precisions)
    return -0.5 * NU * float((mixture.log_dets + SCALE * traces).sum())


class LatentPrior(NamedTuple):
    """The prior as a quadratic function of q(x_n) at fixed S: -1/2 <x' L_n x> + h_n' mu_n."""

    precisions: Any  # L_n, (n, Q, Q)
    linear: Any  # h_n, (n, Q)

    def value_and_gradient(self, xp: Any, mu: Any, s: Any) -> tuple[float, Any, Any]:
        """Return the value, and the gradients by mu and by s."""
        Lmu = xp.einsum("nqr,nr->nq", self.precisions, mu)
        diagonal = xp.einsum("nqq->nq", self.precisions)
        value = -0.5 * ((mu * Lmu).sum() + (diagonal * s).sum()) + (self.linear * mu).sum()
        return float(value), self.linear - Lmu, -0.5 * diagonal


def latent_prior(S: Any, mixture: LatentMixture) -> LatentPrior:
    """Return the prior of the latent points at fixed responsibilities."""
    m, q = mixture.means.shape
    weighted = (mixture.precisions @ mixture.means[:, :, None])[:, :, 0]
    return LatentPrior((S @ mixture.precisions.reshape(m, q * q)).reshape(-1, q, q), S @ weighted)
