"""The EM loop: an E-step, then an M-step, for a fixed number of rounds.

The E-step comes first, as in the paper's algorithm: the responsibilities of the start know nothing of Y yet. The M-step
moves X, Z, theta (and beta, if it is learned) by a few steps of a gradient optimiser, then sets the prior to its
maximum in closed form; or it moves the means and C by the same steps, as the paper has it. Few steps: a latent space
that runs ahead of the responsibilities takes the clusters with it.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol

import numpy as np

from sgpmic_cli._typing import Array
from sgpmic_cli.model.e_step import AT_THE_END, IN_ROUNDS
from sgpmic_cli.model.paper.bound import ACTIVE, Bound, Observed, Parameters, expectation
from sgpmic_cli.model.paper.dtc import Factors
from sgpmic_cli.model.paper.kernels import Kernel
from sgpmic_cli.model.paper.mixture import CovarianceType, maximise, mixture, slopes
from sgpmic_cli.model.paper.numerics.cholesky import NotPositiveDefinite
from sgpmic_cli.model.paper.numerics.optimizers import lbfgs, scg
from sgpmic_cli.model.parallel import ALONE, Workers

OPTIMIZERS = {"scg": scg, "lbfgs": lbfgs}
NARROWEST = 1e-8  # the least eigenvalue of a C that gradients may lead to
DEAD = 0.5  # a component with less than half a point's worth of responsibility has died


@dataclass(frozen=True)
class Schedule:
    """How long and with what the model is trained."""

    rounds: int
    steps: int
    optimizer: Literal["scg", "lbfgs"]
    covariance_type: CovarianceType
    covariance_floor: float
    learn_weights: bool
    learn_noise: bool
    tol: float
    prior_by_gradient: bool = False  # means and C, which is full then; the weights have no gradient


@dataclass(frozen=True)
class Fit:
    """A trained model: parameters, responsibilities under them, and the bound after every E and M update."""

    parameters: Parameters
    S: Array
    bounds: list[float]
    rounds: int
    converged: bool
    jitter: float
    n_dead: int


Progress = Callable[[int, float, Array], None]


class Evaluation(Protocol):
    """Whatever computes the steps of a round: NumPy here, PyTorch in `on_device.py`.

    Parameters and responsibilities (N, M) stay where it computes from `taken` to `given_back`.
    """

    def taken(self, p: Parameters, S: Array) -> tuple[Any, Any]:
        """Parameters and responsibilities where they are computed with."""
        ...

    def responsibilities(self, S: Any) -> Array:
        """S (N, M) as NumPy has it: what a callback hears of a round."""
        ...

    def given_back(self, p: Any, S: Any) -> tuple[Parameters, Array]:
        """Parameters and responsibilities as NumPy has them."""
        ...

    def bound(self, S: Any, n_inducing: int, *, active: float = ACTIVE) -> Any:
        """The bound at fixed responsibilities, which has `value`."""
        ...

    def expectation(self, p: Any, factors: list[Factors], negligible: float) -> Any:
        """The E-step; shares that are negligible beside the largest of their row are zero."""
        ...

    def m_step(self, bound: Any, p: Any, schedule: Schedule) -> tuple[Any, float]:
        """The M-step, and the bound where it starts."""
        ...


class OnHost:
    """The steps of a round in NumPy."""

    def __init__(self, kernel: Kernel, data: Observed, workers: Workers = ALONE):
        self.kernel, self.data, self.workers = kernel, data, workers

    def taken(self, p: Parameters, S: Array) -> tuple[Parameters, Array]:
        """They are where they should be."""
        return p, S

    given_back = taken

    def responsibilities(self, S: Array) -> Array:
        """It is where it should be."""
        return S

    def bound(self, S: Array, n_inducing: int, *, active: float = ACTIVE) -> Bound:
        """The bound at fixed responsibilities."""
        return Bound(self.kernel, self.data, S, n_inducing, active=active, workers=self.workers)

    def expectation(self, p: Parameters, factors: list[Factors], negligible: float) -> Array:
        """The E-step."""
        return expectation(self.kernel, self.data, p, factors, self.workers, negligible)

    def m_step(self, bound: Bound, p: Parameters, schedule: Schedule) -> tuple[Parameters, float]:
        """The M-step, and the bound where it starts."""
        return m_step(bound, p, schedule)


Compute = Callable[[Kernel, Observed], Evaluation]


def train(
    kernel: Kernel,
    data: Observed,
    parameters: Parameters,
    S: Array,
    schedule: Schedule,
    progress: Progress | None = None,
    compute: Compute = OnHost,
) -> Fit:
    """Run the schedule from the given start; `progress` hears (round, bound, S) after every round."""
    bounds: list[float] = []
    converged, done = False, 0
    evaluation = compute(kernel, data)
    p, q_s = evaluation.taken(parameters, S)
    factors = evaluation.bound(q_s, len(p.Z)).value(p)[1]
    for done in range(1, schedule.rounds + 1):
        q_s = evaluation.expectation(p, factors, IN_ROUNDS)
        bound = evaluation.bound(q_s, len(p.Z))
        p, value = evaluation.m_step(bound, p, schedule)
        bounds.append(value)
        value, factors = bound.value(p)  # the q(f) of the next E-step
        bounds.append(value)
        if progress is not None:
            progress(done, bounds[-1], evaluation.responsibilities(q_s))
        converged = done > 1 and abs(bounds[-1] - bounds[-3]) <= schedule.tol * abs(bounds[-1])
        if converged:
            break
    # A last E-step, so that the labels are those that `predict` gives under the final parameters.
    q_s = evaluation.expectation(p, factors, AT_THE_END)
    # The final bound counts every point, so that anybody can recompute it from the public attributes.
    value, factors = evaluation.bound(q_s, len(p.Z), active=0.0).value(p)
    bounds.append(value)
    p, S = evaluation.given_back(p, q_s)
    n_dead = int(np.sum(S.sum(axis=0) < DEAD))
    return Fit(p, S, bounds, done, bool(converged), max(f.jitter for f in factors), n_dead)


def m_step(bound: Bound, p: Parameters, schedule: Schedule) -> tuple[Parameters, float]:
    """Raise the bound at fixed responsibilities, never lower it; also the bound at the start, known on the way."""
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
        prior = slopes(at.X, bound.S, at.prior) if schedule.prior_by_gradient else ()
        gradient = vectors.joined(dX, dZ, dtheta, dbeta, *prior)
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
    """Parameters as the vectors that an optimiser moves, and back."""

    def __init__(self, start: Parameters, schedule: Schedule):
        self.start, self.schedule = start, schedule

    def pack(self, p: Parameters) -> Array:
        """Everything that moves, one after another."""
        prior = (p.prior.means, p.prior.covariances) if self.schedule.prior_by_gradient else ()
        return self.joined(p.X, p.Z, p.theta, p.log_beta, *prior)

    def joined(self, X: Array, Z: Array, theta: Array, log_beta: float, *prior: Array) -> Array:
        """The parts of a vector."""
        noise = [log_beta] * self.schedule.learn_noise
        return np.concatenate(
            [X.ravel(), Z.ravel(), theta.ravel(), noise, *(part.ravel() for part in prior)]
        )

    def unpack(self, vector: Array) -> Parameters:
        """The parameters of a vector; refuses, as not positive definite, covariances that are none."""
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
            if (
                not np.isfinite(covariances).all()
                or np.linalg.eigvalsh(covariances).min() <= NARROWEST
            ):
                raise NotPositiveDefinite
            prior = mixture(prior.weights, means, covariances)
        return replace(p, X=X, Z=Z, theta=theta, log_beta=log_beta, prior=prior)
