"""Gaussians over the latent space, for NumPy arrays and PyTorch tensors."""

from typing import Any, NamedTuple

import numpy as np

LOG_2PI = float(np.log(2.0 * np.pi))


class Gaussians(NamedTuple):
    """Means (M, Q), covariances (M, Q, Q), their inverses and log determinants (M,)."""

    means: Any
    covariances: Any
    precisions: Any
    log_dets: Any


def from_covariances(xp: Any, means: Any, covariances: Any) -> Gaussians:
    """Return the Gaussians with these means and covariances."""
    precisions = xp.linalg.inv(covariances)
    log_dets = xp.linalg.slogdet(covariances)[1]
    return Gaussians(means, covariances, 0.5 * (precisions + precisions.mT), log_dets)


def log_densities(xp: Any, X: Any, means: Any, precisions: Any, log_dets: Any) -> Any:
    """Return log N(x_n | mean_m, covariance_m), (N, M)."""
    columns = []
    for mean, precision, log_det in zip(means, precisions, log_dets, strict=True):
        centred = X - mean
        distance = ((centred @ precision) * centred).sum(1)
        columns.append(-0.5 * (distance + log_det + X.shape[1] * LOG_2PI))
    return xp.stack(columns, 1)


def scatters(xp: Any, X: Any, S: Any, means: Any) -> Any:
    """Return sum_n S_nm (x_n - mean_m) (x_n - mean_m)', (M, Q, Q)."""
    centred = [X - mean for mean in means]
    return xp.stack([(part * S[:, m : m + 1]).T @ part for m, part in enumerate(centred)])
