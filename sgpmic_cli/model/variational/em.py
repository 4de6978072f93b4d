"""The variational EM of the default model.

    L = sum_m L_m + sum_nm S_nm (log pi_m + <log N(x_n | xbar_m, C_m)> + h_nm - log S_nm) + sum_n H[q(x_n)] + log priors

L_m is the component of `component.py`, h_nm (N, M) is what is held of the row before the model is asked: the log votes
of the clusterings that the fit starts from (`committee.py`), or zero. The M-step moves q(x), the inducing inputs, the
kernels and the noise by a few steps of L-BFGS, then brings the latent prior to its closed form; the E-step gives S.
Neither lowers L, but for what an E-step leaves out (`e_step.py`).

The noise of component m has the variance r + exp(log_noise_m), r the rounding of the columns: a column of whole numbers
is not known more exactly than to its steps, whatever a narrow cluster would gain by it.
"""

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Protocol

import numpy as np
from scipy.optimize import minimize
from scipy.special import xlogy

from sgpmic_cli._typing import Array, Indices, BoolArray
from sgpmic_cli.model.e_step import AT_THE_END, IN_ROUNDS
from sgpmic_cli.model.e_step import responsibilities as shares
from sgpmic_cli.model.parallel import ALONE, PIECE, Workers, cut
from sgpmic_cli.model.variational.component import (
    Posterior,
    Rows,
    Task,
    posteriors,
    values_and_slopes,
)
from sgpmic_cli.model.variational.features import Kernel
from sgpmic_cli.model.variational.latent_prior import (
    LOG_2PI,
    LatentPrior,
    Pull,
    expected_log,
    log_density,
    maximise,
)
from sgpmic_cli.model.variational.process import Process, expected_rows, square_errors

ACTIVE = 1e-3  # rows below this responsibility are left out of a component
ALIVE = 0.5  # a component with less than half a row's worth of responsibility has died
WIDE = 9.0  # variance of the normal prior on the logs of kernel parameters and noise


@dataclass(frozen=True)
class Data:
    """Standardised rows (N, D) of P columns, <|y_n|^2>, the rounding r, what is held before (N, M), and the holes.

    Holes (N, P) are entries that were not seen: Y has their expectation, and the E-step leaves them out.
    """

    Y: Array
    n_outputs: int
    squares: Array
    rounding: float
    held: Array
    holes: BoolArray | None = None


@dataclass(frozen=True)
class Free:
    """What L-BFGS moves: q(x) as mu and log s (N, Q), Z (M, K, Q), log v, log g (M, Q), log a and log noise (M,)."""

    mu: Array
    log_s: Array
    Z: Array
    log_v: Array
    log_g: Array
    log_a: Array
    log_noise: Array

    def pack(self) -> Array:
        """All of it as one vector."""
        return np.concatenate([getattr(self, field.name).ravel() for field in fields(self)])

    def unpack(self, vector: Array) -> "Free":
        """The same shapes with the values of a vector."""
        parts, begin = {}, 0
        for field in fields(self):
            old = getattr(self, field.name)
            parts[field.name] = vector[begin : begin + old.size].reshape(old.shape)
            begin += old.size
        return Free(**parts)

    def kernel(self, m: int) -> Kernel:
        """Kernel and inducing inputs of component m in natural units."""
        return Kernel(
            self.Z[m],
            float(np.exp(self.log_v[m])),
            np.exp(self.log_g[m]),
            float(np.exp(self.log_a[m])),
        )

    @property
    def s(self) -> Array:
        """Variances of q(x), (N, Q)."""
        return np.asarray(np.exp(self.log_s))


@dataclass(frozen=True)
class State:
    """A mixture on its way: what is free, the latent prior and the responsibilities (N, M)."""

    free: Free
    prior: LatentPrior
    S: Array


@dataclass(frozen=True)
class Fit:
    """A trained mixture with the bound after every update."""

    state: State
    data: Data  # with the expectations of what was not seen
    bounds: list[float]
    rounds: int
    converged: bool


Progress = Callable[[int, float, Array], None]


class Evaluation(Protocol):
    """Whatever computes the steps of a round, and keeps data and state where it does: NumPy here, or `on_device.py`."""

    def m_step(self, steps: int) -> None:
        """Raise the bound at fixed responsibilities."""
        ...

    def evaluate(self) -> tuple[list[Posterior | None], float]:
        """What is known of every component, and the bound."""
        ...

    def e_step(self, posteriors: list[Posterior | None], negligible: float) -> None:
        """Responsibilities, zero where negligible, and what was not seen, under what is known."""
        ...

    def responsibilities(self) -> Array:
        """S (N, M) as NumPy has it, and nothing else: what a callback hears of a round."""
        ...

    def given_back(self) -> tuple[Data, State]:
        """Data and state as NumPy has them."""
        ...


class OnHost:
    """The steps of a round in NumPy."""

    def __init__(self, data: Data, state: State, workers: Workers = ALONE):
        self.data, self.state, self.workers = data, state, workers

    def m_step(self, steps: int) -> None:
        """Raise the bound at fixed responsibilities."""
        self.state = m_step(self.data, self.state, steps, self.workers)

    def evaluate(self) -> tuple[list[Posterior | None], float]:
        """What is known of every component, and the bound."""
        return evaluate(self.data, self.state, self.workers)

    def e_step(self, posteriors: list[Posterior | None], negligible: float) -> None:
        """Responsibilities, zero where negligible, and what was not seen, under what is known."""
        S = responsibilities(self.data, self.state, posteriors, self.workers, negligible)
        self.state = replace(self.state, S=S)
        if self.data.holes is not None:
            self.data = fill(self.data, self.state, posteriors)

    def responsibilities(self) -> Array:
        """S (N, M)."""
        return self.state.S

    def given_back(self) -> tuple[Data, State]:
        """Data and state."""
        return self.data, self.state


Compute = Callable[[Data, State], Evaluation]


def observe(Y: Array, rounding: float, held: Array, holes: BoolArray | None = None) -> Data:
    """Prepare rows; with more columns than rows Y enters through Y Y' only and a square factor takes its place."""
    narrow = Y.shape[1] <= Y.shape[0] or holes is not None
    factor = Y if narrow else np.asarray(np.linalg.qr(Y.T, mode="r")).T
    return Data(
        np.ascontiguousarray(factor), Y.shape[1], np.einsum("np,np->n", Y, Y), rounding, held, holes
    )


def precision(data: Data, log_noise: float) -> float:
    """beta of a component."""
    return float(1.0 / (data.rounding + np.exp(log_noise)))


def train(
    data: Data,
    state: State,
    rounds: int,
    steps: int,
    tol: float,
    progress: Progress | None = None,
    compute: Compute = OnHost,
) -> Fit:
    """M- and E-steps until a round gains less than `tol` nats a row, at most `rounds` of them."""
    bounds: list[float] = []
    converged, done = False, 0
    evaluation = compute(data, state)
    for done in range(1, rounds + 1):
        evaluation.m_step(steps)
        posteriors, value = evaluation.evaluate()
        bounds.append(value)
        converged = done > 1 and bounds[-1] - bounds[-2] <= tol * len(data.Y)
        evaluation.e_step(posteriors, AT_THE_END if converged or done == rounds else IN_ROUNDS)
        if progress is not None:
            progress(done, value, evaluation.responsibilities())
        if converged:
            break
    bounds.append(evaluation.evaluate()[1])
    data, state = evaluation.given_back()
    return Fit(state, data, bounds, done, converged)


def m_step(data: Data, state: State, steps: int, workers: Workers = ALONE) -> State:
    """Raise the bound at fixed responsibilities."""
    free, S = state.free, state.S
    rows = active_rows(data, S)
    pull = Pull(S, state.prior)

    def objective(vector: Array) -> tuple[float, Array]:
        with np.errstate(all="ignore"):
            try:
                value, gradient = value_and_gradient(data, free.unpack(vector), rows, pull, workers)
            except (
                np.linalg.LinAlgError
            ):  # a step to kernels without digits; the line search turns back
                return np.inf, np.zeros_like(vector)
        if not (np.isfinite(value) and np.isfinite(gradient).all()):
            return np.inf, np.zeros_like(vector)
        return -value, -gradient

    start = free.pack()
    found = minimize(
        objective,
        start,
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": steps, "maxfun": 3 * steps},
    )
    free = free.unpack(found.x if np.isfinite(found.fun) else start)
    return State(free, maximise(free.mu, free.s, S), S)


def evaluate(
    data: Data, state: State, workers: Workers = ALONE
) -> tuple[list[Posterior | None], float]:
    """What is known of every component (None for a dead one), and the bound."""
    free, S = state.free, state.S
    rows = active_rows(data, S)
    known_ones = iter(posteriors(tasks_of(data, free, rows), workers))
    known = [None if own is None else next(known_ones) for own in rows]
    value = sum(own.value for own in known if own is not None)
    value += float(
        np.sum(S * (expected_log(free.mu, free.s, state.prior) + data.held)) - np.sum(xlogy(S, S))
    )
    value += (
        0.5 * float(np.sum(free.log_s + 1.0 + LOG_2PI))
        + log_density(state.prior)
        + kernel_prior(free)[0]
    )
    return known, value


def tasks_of(data: Data, free: Free, rows: list[Rows | None]) -> list[Task]:
    """The components that are alive, to be evaluated on their rows."""
    s = free.s
    return [
        Task(own, free.kernel(m), precision(data, free.log_noise[m]), free.mu, s)
        for m, own in enumerate(rows)
        if own is not None
    ]


def processes(data: Data, free: Free, known: list[Posterior | None]) -> dict[int, Process]:
    """The components that are alive, by their numbers."""
    return {
        m: Process(free.kernel(m), own, data.n_outputs)
        for m, own in enumerate(known)
        if own is not None
    }


def responsibilities(
    data: Data,
    state: State,
    known: list[Posterior | None],
    workers: Workers = ALONE,
    negligible: float = AT_THE_END,
) -> Array:
    """The E-step: S_nm in proportion to exp(log pi_m + <log N(x_n)> + h_nm + P/2 log beta_m - beta_m/2 <|y - f|^2>).

    The prior is known before any feature is, the error of the mean before the spread, which costs most; so few rows
    need all three of a component. The error is that of what was seen of a row; the spread is that of all columns.
    """
    free = state.free
    alive = processes(data, free, known)
    betas = np.array([precision(data, log_noise) for log_noise in free.log_noise])

    def of_rows(rows: slice) -> Array:
        mu, log_s, Y = (
            np.ascontiguousarray(part[rows].T) for part in (free.mu, free.log_s, data.Y)
        )
        s, holes = (
            np.exp(log_s),
            None if data.holes is None else np.ascontiguousarray(data.holes[rows].T),
        )
        columns = data.n_outputs if holes is None else data.n_outputs - holes.sum(axis=0)
        ceiling = (expected_log(mu.T, s.T, state.prior) + data.held[rows]).T + 0.5 * np.log(betas)[
            :, None
        ] * columns
        ceiling[[own is None for own in known]] = -np.inf

        def exact(m: int, near: Indices, least: Array) -> Array:
            at = alive[m].means(mu.take(near, axis=1), s.take(near, axis=1))
            error = square_errors(
                Y.take(near, axis=1), at.f, None if holes is None else holes.take(near, axis=1)
            )
            found = ceiling[m, near] - 0.5 * betas[m] * error
            left = np.flatnonzero(found >= least)
            found[left] -= 0.5 * betas[m] * alive[m].spread(at.of(left))
            return np.asarray(found)

        living = np.array(list(alive), dtype=np.intp)
        return shares(
            ceiling, exact, negligible, first=living[state.S[rows][:, living].argmax(axis=1)]
        )

    return np.concatenate(workers.map(of_rows, cut(len(free.mu), PIECE), len(free.mu) * len(known)))


def fill(data: Data, state: State, posteriors: list[Posterior | None]) -> Data:
    """What was not seen takes its expectation under the mixture, and its variance goes into <|y_n|^2>."""
    assert data.holes is not None
    alive = processes(data, state.free, posteriors)
    expected = expected_rows(alive, state.S, state.free.mu, state.free.s)
    variance = sum(state.S[:, m] / precision(data, state.free.log_noise[m]) for m in alive)
    Y = np.where(data.holes, expected, data.Y)
    return replace(data, Y=Y, squares=np.sum(Y**2, axis=1) + data.holes.sum(axis=1) * variance)


def active_rows(data: Data, S: Array) -> list[Rows | None]:
    """The rows that count for each component; None for one that has died."""
    out: list[Rows | None] = []
    for weights in S.T:
        index = np.flatnonzero(weights >= ACTIVE)
        alive = weights.sum() >= ALIVE and len(index) > 0
        if not alive:
            out.append(None)
            continue
        w = weights[index]
        out.append(Rows(index, w[:, None] * data.Y[index], data.squares[index], w, data.n_outputs))
    return out


def value_and_gradient(
    data: Data, free: Free, rows: list[Rows | None], pull: Pull, workers: Workers = ALONE
) -> tuple[float, Array]:
    """The part of the bound that depends on what is free, and its gradient as one vector."""
    s = free.s
    value, dmu, ds = pull(free.mu, s)
    value += 0.5 * float(np.sum(free.log_s))
    prior_value, (dlog_v, dlog_g, dlog_a, dlog_noise) = kernel_prior(free)
    value += prior_value
    dZ = np.zeros_like(free.Z)
    alive = [(m, own) for m, own in enumerate(rows) if own is not None]
    found = values_and_slopes(tasks_of(data, free, rows), workers)
    for (m, own), (part, slopes) in zip(alive, found, strict=True):
        noise = np.exp(free.log_noise[m])
        beta = 1.0 / (data.rounding + noise)
        value += part
        for q in range(
            s.shape[1]
        ):  # numpy adds to places of one column four times as fast as to rows of a few
            dmu[:, q][own.places] += slopes.mu[:, q]
            ds[:, q][own.places] += slopes.s[:, q]
        dZ[m] += slopes.Z
        dlog_v[m] += slopes.log_v
        dlog_g[m] += slopes.log_g
        dlog_a[m] += slopes.log_a
        dlog_noise[m] -= slopes.log_beta * beta * noise
    slope = Free(dmu, 0.5 + ds * s, dZ, dlog_v, dlog_g, dlog_a, dlog_noise)
    return value, slope.pack()


def kernel_prior(free: Free) -> tuple[float, tuple[Array, Array, Array, Array]]:
    """Log density of the kernels' logs under their wide normal prior, and its gradients."""
    logs = (free.log_v, free.log_g, free.log_a, free.log_noise)
    v, g, a, noise = (-part / WIDE for part in logs)
    return float(-0.5 * sum(np.sum(part**2) for part in logs) / WIDE), (v, g, a, noise)
