"""The EM algorithm: an E-step, then an M-step, for a fixed number of iterations.

The E-step comes first, as in the paper's Algorithm 1, because the starting responsibilities do not
depend on Y. The M-step moves X, Z, theta (and beta, if it is learned) by a few steps of a gradient
optimiser. Then it sets the latent prior to its maximum in closed form, or moves the means and
covariances by the same gradient steps, as in the paper. The steps are few: if the latent points
move too far before the responsibilities settle, clusters merge.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from sgpmic_cli._typing import Array
from sgpmic_cli.model.paper.bound import Bound, Observed, Parameters
from sgpmic_cli.model.paper.cholesky import NotPositiveDefinite
from sgpmic_cli.model.paper.e_step import NEGLIGIBLE_IN_ITERATIONS, expectation
from sgpmic_cli.model.paper.kernels import Kernel
from sgpmic_cli.model.paper.mixture import (
    CovarianceType,
    maximise,
    mixture,
    prior_parameter_gradients,
)
from sgpmic_cli.model.paper.optimizers import lbfgs, scg
from sgpmic_cli.model.parallel import ALONE, Workers

OPTIMIZERS = {"scg": scg, "lbfgs": lbfgs}
MIN_EIGENVALUE = 1e-8  # of the covariances that gradient steps may reach


@dataclass(frozen=True)
class Schedule:
    """The number of iterations, and the settings of the M-step."""

    iterations: int
    steps: int  # of the optimiser in one M-step
    optimizer: Literal["scg", "lbfgs"]
    covariance_type: CovarianceType
    covariance_floor: float
    learn_weights: bool
    learn_noise: bool
    tol: float
    prior_by_gradient: bool = False  # of means and full covariances; weights keep the closed form


@dataclass(frozen=True)
class Fit:
    """A trained model; `bounds` holds the bound after every E-step and M-step."""

    parameters: Parameters
    S: Array
    bounds: list[float]
    iterations: int
    converged: bool
    jitter: float


Progress = Callable[[int, float, Array], None]


def train(
    kernel: Kernel,
    data: Observed,
    p: Parameters,
    S: Array,
    schedule: Schedule,
    progress: Progress | None = None,
    workers: Workers = ALONE,
) -> Fit:
    """Run EM from the given start; call `progress(iteration, bound, S)` after every iteration."""
    bounds: list[float] = []
    converged, iteration = False, 0
    _, factors = Bound(kernel, data, S, workers=workers).value(p)
    for iteration in range(1, schedule.iterations + 1):
        S = expectation(kernel, data, p, factors, workers, NEGLIGIBLE_IN_ITERATIONS)
        bound = Bound(kernel, data, S, workers=workers)
        p, before = m_step(bound, p, schedule)
        after, factors = bound.value(p)
        bounds += [before, after]
        if progress is not None:
            progress(iteration, after, S)
        converged = iteration > 1 and abs(after - bounds[-3]) <= schedule.tol * abs(after)
        if converged:
            break
    # A last E-step makes the labels agree with `predict`. The final bound includes every row, so
    # that it can be computed from the fitted attributes.
    S = expectation(kernel, data, p, factors, workers)
    value, factors = Bound(kernel, data, S, active=0.0, workers=workers).value(p)
    bounds.append(value)
    return Fit(p, S, bounds, iteration, converged, max(f.jitter for f in factors))


def m_step(bound: Bound, p: Parameters, schedule: Schedule) -> tuple[Parameters, float]:
    """Raise the bound at fixed responsibilities, and return the bound at the start as well."""
    values: list[float] = []
    vectors = Vectors(p, schedule)

    def objective(vector: Array) -> tuple[float, Array]:
        try:
            with np.errstate(over="ignore", invalid="ignore", divide="ignore", under="ignore"):
                at = vectors.unpack(vector)
                value, dX, dZ, dtheta, dbeta = bound.value_and_gradient(at)
        except NotPositiveDefinite:
            values.append(-np.inf)
            return np.inf, np.zeros_like(vector)
        values.append(value)
        by_prior: tuple[Array, ...] = ()
        if schedule.prior_by_gradient:
            by_prior = prior_parameter_gradients(at.X, bound.S, at.prior)
        gradient = vectors.join(dX, dZ, dtheta, dbeta, *by_prior)
        if not (np.isfinite(value) and np.isfinite(gradient).all()):
            return np.inf, np.zeros_like(vector)
        return -value, -gradient

    vector, _ = OPTIMIZERS[schedule.optimizer](objective, vectors.pack(p), schedule.steps)
    p = vectors.unpack(vector)
    prior = p.prior
    if schedule.learn_weights or not schedule.prior_by_gradient:
        best = maximise(p.X, bound.S, schedule.covariance_type, schedule.covariance_floor, prior)
        moved = prior if schedule.prior_by_gradient else best
        prior = moved._replace(weights=best.weights if schedule.learn_weights else prior.weights)
    return replace(p, prior=prior), values[0]


class Vectors:
    """Conversion of parameters to the vector that an optimiser moves, and back."""

    def __init__(self, start: Parameters, schedule: Schedule):
        self.start, self.schedule = start, schedule

    def pack(self, p: Parameters) -> Array:
        """Return the parameters as one vector."""
        prior = (p.prior.means, p.prior.covariances) if self.schedule.prior_by_gradient else ()
        return self.join(p.X, p.Z, p.theta, p.log_beta, *prior)

    def join(self, X: Array, Z: Array, theta: Array, log_beta: float, *prior: Array) -> Array:
        """Return the parts, parameters or gradients, as one vector."""
        noise = [log_beta] * self.schedule.learn_noise
        return np.concatenate(
            [X.ravel(), Z.ravel(), theta.ravel(), noise, *(part.ravel() for part in prior)]
        )

    def unpack(self, vector: Array) -> Parameters:
        """Return the parameters of a vector.

        Raise NotPositiveDefinite if one of its covariances is not positive definite.
        """
        p, taken = self.start, 0

        def take(shape: tuple[int, ...]) -> Array:
            nonlocal taken
            begin, taken = taken, taken + math.prod(shape)
            return vector[begin:taken].reshape(shape)

        X, Z, theta = take(p.X.shape), take(p.Z.shape), take(p.theta.shape)
        log_beta = float(take((1,))[0]) if self.schedule.learn_noise else p.log_beta
        prior = p.prior
        if self.schedule.prior_by_gradient:
            means, covariances = take(prior.means.shape), take(prior.covariances.shape)
            covariances = 0.5 * (covariances + covariances.transpose(0, 2, 1))
            finite = np.isfinite(covariances).all()
            if not finite or np.linalg.eigvalsh(covariances).min() <= MIN_EIGENVALUE:
                raise NotPositiveDefinite
            prior = mixture(prior.weights, means, covariances)
        return replace(p, X=X, Z=Z, theta=theta, log_beta=log_beta, prior=prior)
