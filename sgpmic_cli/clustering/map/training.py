"""Fit the map: variational EM of the shared process under the latent mixture.

The M-step moves the latent distributions, the inducing inputs, the kernel and the noise by a few
steps of L-BFGS, then sets the latent mixture to its closed form. The E-step updates the
expectations of missing values. Neither step lowers the bound.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from sklearn.cluster import KMeans

from sgpmic_cli._typing import Array, BoolArray
from sgpmic_cli.clustering.map import latent_mixture
from sgpmic_cli.clustering.map.features import MapParameters
from sgpmic_cli.clustering.map.shared_process import (
    Posterior,
    bound_and_gradient,
    expected_rows,
    log_prior,
    process_of,
)
from sgpmic_cli.gp import Gaussians, ascend, lbfgs, pca
from sgpmic_cli.row_blocks import ALONE, Workers

LATENT_VARIANCE = 0.03  # of q(x_n) at the start, beside latent points of unit variance
START_NOISE = 0.05  # variance at the start, beside columns of unit variance
ROWS_PER_INDUCING = 3  # at least this many rows for each inducing input
WINDOW = 3  # iterations over which gains are compared
SLOWEST = 0.95  # largest ratio of the gains of two windows


class FittedMap(NamedTuple):
    """A fitted map: parameters, latent mixture, process and history."""

    parameters: MapParameters
    mixture: Gaussians
    process: Posterior
    bounds: list[float]  # after every iteration
    converged: bool


def principal_components(Y: Array, q: int) -> Array:
    """Return the first q principal components, scaled to a mean variance of one."""
    scores = pca(Y, q)
    return np.asarray(scores / np.sqrt(np.mean(scores**2)))


def start_map(X: Array, n_inducing: int, seed: int) -> MapParameters:
    """Return the parameters at the start, with latent points X (N, Q)."""
    k = int(np.clip(len(X) // ROWS_PER_INDUCING, 1, n_inducing))
    Z = KMeans(k, n_init=1, random_state=seed).fit(X).cluster_centers_
    one = np.ones(1)
    return MapParameters(
        mu=X,
        log_s=np.full(X.shape, np.log(LATENT_VARIANCE)),
        Z=np.asarray(Z, dtype=np.float64),
        log_v=0.0 * one,
        log_g=np.zeros(X.shape[1]),
        log_l=0.0 * one,
        log_noise=np.log(START_NOISE) * one,
    )


class MapFitter:
    """The state of a fit of rows Y (N, P), of which those under `mask` are missing."""

    def __init__(
        self,
        Y: Array,
        mask: BoolArray | None,
        probabilities: Array,
        parameters: MapParameters,
        workers: Workers = ALONE,
    ):
        self.Y, self.mask, self.S, self.workers = Y, mask, probabilities, workers
        self.missing = 0 if mask is None else int(mask.sum())
        self.parameters = parameters
        self._set_squares(START_NOISE)
        self._maximise_mixture()

    def m_step(self, steps: int) -> None:
        """Raise the bound over latent points, process and latent mixture."""
        prior = latent_mixture.latent_prior(self.S, self.mixture)

        def bound(*p: Array) -> tuple[float, MapParameters]:
            parameters = MapParameters(*p)
            return bound_and_gradient(self.Y, self.squares, parameters, prior, self.workers)

        self.parameters = MapParameters(*ascend(bound, self.parameters, lbfgs, steps)[0])
        self._maximise_mixture()

    def e_step(self) -> float:
        """Return the bound, and then replace missing values by their expectations.

        Without missing values nothing is updated: the weights of the clusters stay fixed.
        """
        p = self.parameters
        found = self.process()
        latent = latent_mixture.mixture_bound(self.S, p.mu, p.log_s, self.mixture)
        bound = found.bound + log_prior(p) + latent + self.missing_entropy
        if self.mask is not None:
            self.Y = np.where(self.mask, expected_rows(p, found, self.workers), self.Y)
            self._set_squares(float(np.exp(p.log_noise[0])))
        return bound

    def process(self) -> Posterior:
        """Return the distribution of the process at the inducing inputs."""
        return process_of(self.Y, self.squares, self.parameters, self.workers)

    def _set_squares(self, noise: float) -> None:
        """Set the sum of <y^2> and the entropy of missing values, which have variance `noise`."""
        self.squares = float((self.Y**2).sum()) + self.missing * noise
        self.missing_entropy = 0.5 * self.missing * (1.0 + float(np.log(2.0 * np.pi * noise)))

    def _maximise_mixture(self) -> None:
        p = self.parameters
        self.mixture = latent_mixture.maximising_gaussians(p.mu, np.exp(p.log_s), self.S)


def fit_map(
    fitter: MapFitter,
    max_iter: int,
    steps: int,
    tol: float,
    progress: Callable[[int, float], None] = lambda *_: None,
) -> FittedMap:
    """Run EM until the bound is estimated to be within `tol` nats per row of its limit."""
    bounds: list[float] = []
    converged = False
    for iteration in range(1, max_iter + 1):
        fitter.m_step(steps)
        bounds.append(fitter.e_step())
        progress(iteration, bounds[-1])
        if converged := remaining_gain(bounds) <= tol * len(fitter.Y):
            break
    return FittedMap(fitter.parameters, fitter.mixture, fitter.process(), bounds, converged)


def remaining_gain(bounds: list[float]) -> float:
    """Estimate how far the bound is below its limit, from the decay of its gains.

    Gains of EM decay like a geometric series (Aitken's extrapolation, as in Boehning et al. 1994).
    They are summed over WINDOW iterations, because single gains of a few L-BFGS steps vary.
    """
    if len(bounds) < 2 * WINDOW + 1:
        return float("inf")
    last, before = bounds[-1] - bounds[-1 - WINDOW], bounds[-1 - WINDOW] - bounds[-1 - 2 * WINDOW]
    ratio = min(last / before, SLOWEST) if before > 0.0 else SLOWEST
    return max(last, 0.0) * max(1.0, ratio / (1.0 - ratio))
