"""The KL-corrected bound of the whole mixture, its gradient, the E-step, and the standard variational bound.

    L_KL = sum_m L_m(X, Z, theta_m, beta; S_:m) + sum_nm S_nm [log pi_m + log N(x_n | xbar_m, C_m) - log S_nm]

L_m is the weighted sparse GP of `dtc.py`. No N x N matrix is ever formed.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeVar

import numpy as np
from scipy.special import xlogy

from sgpmic_cli._typing import Array, Indices
from sgpmic_cli.model.e_step import AT_THE_END, responsibilities
from sgpmic_cli.model.paper.dtc import (
    Back,
    Component,
    Factors,
    Sides,
    Slopes,
    Sums,
    Weighted,
    components,
    weigh,
)
from sgpmic_cli.model.paper.kernels import LOG_LIMIT, Kernel, Weights, positive, with_ones
from sgpmic_cli.model.paper.mixture import Mixture, Pull, log_joint
from sgpmic_cli.model.paper.process import Processes
from sgpmic_cli.model.parallel import ALONE, Workers, cut

Result = TypeVar("Result")

ACTIVE = 1e-3  # points below this responsibility are left out of a component ...
MIN_ACTIVE = 5  # ... but never more than all but these many
JITTER = 1e-6  # on the diagonal of K_uu where white is on every element
ALMOST_ALL = 0.8  # of a block of rows in the E-step
E_STEP_BYTES = (
    2 * 1024 * 1024
)  # covariances of a component with a block of rows in the E-step: they fit the cache


@dataclass(frozen=True)
class Parameters:
    """Everything the M-step moves: X (N, Q), Z (K, Q), theta (M, T) and log beta, and the latent prior.

    `white_everywhere` adds the white variance to every covariance, as the paper prints it, and not to the diagonal of
    K_uu alone: it is a second bias then, and JITTER is all that the diagonal has.
    """

    X: Array
    Z: Array
    theta: Array
    log_beta: float
    prior: Mixture
    white_everywhere: bool = False

    @property
    def beta(self) -> float:
        """The noise precision in natural units."""
        return float(positive(np.asarray(self.log_beta)))

    @property
    def natural(self) -> Array:
        """Kernel parameters in natural units (M, T) as the kernels take them: white is on the diagonal alone."""
        theta = positive(self.theta)
        if self.white_everywhere:
            theta[:, -2] += theta[:, -1]
            theta[:, -1] = JITTER
        return theta

    def by_logs(self, slopes: Array) -> Array:
        """Slopes by the logs of `natural` (M, T) as slopes by theta, in place."""
        if self.white_everywhere:
            bias, white = positive(self.theta[:, -2:]).T
            slopes[:, -1] = slopes[:, -2] * white / (bias + white)
            slopes[:, -2] *= bias / (bias + white)
        slopes[np.abs(self.theta) >= LOG_LIMIT] = 0.0  # held by the limits there
        return slopes


@dataclass(frozen=True)
class Observed:
    """The data as the model sees them: Y (N, D) with P outputs; D < P when Y is a factor of Y Y'."""

    Y: Array
    n_outputs: int
    squares: Array  # (N,) |y_n|^2


def observe(Y: Array) -> Observed:
    """Prepare data; with more columns than rows Y enters through Y Y' only and a square factor takes its place."""
    n, p = Y.shape
    if p > n:
        Y = np.asarray(np.linalg.qr(Y.T, mode="r")).T
    return Observed(np.ascontiguousarray(Y), p, np.einsum("np,np->n", Y, Y))


class Bound:
    """The bound as a function of the parameters while the responsibilities S (N, M) stay fixed."""

    def __init__(
        self,
        kernel: Kernel,
        data: Observed,
        S: Array,
        n_inducing: int,
        *,
        active: float = ACTIVE,
        workers: Workers = ALONE,
    ):
        self.kernel = kernel
        self.workers = workers
        self.S = S
        self.components = components(
            kernel, [_active_points(data, s, active) for s in S.T], n_inducing
        )
        self.entropy = -float(np.sum(xlogy(S, S)))
        self.best: tuple[float, Parameters, list[Factors]] | None = None
        self.pull: tuple[Mixture, Pull] | None = None
        points = [component.data for component in self.components]
        self.index = np.concatenate(
            [np.arange(len(S))[own.rows] for own in points]
        )  # (R,) rows of X
        root_s = np.concatenate([own.root_s for own in points])
        counts = np.array([len(own.root_s) for own in points])
        ends = np.cumsum(counts)
        self.weights = Weights(
            root_s, np.log2(root_s), np.repeat(np.arange(len(counts)), counts), ends - counts
        )
        self.places = [slice(end - count, end) for end, count in zip(ends, counts, strict=True)]

    def value(self, p: Parameters) -> tuple[float, list[Factors]]:
        """L_KL and the factors of every component.

        The prior enters no factor: those at the best point of all that `value_and_gradient` has seen are known, and a
        maximiser that ends there has only moved the prior since.
        """
        if self.best is not None and _same(self.best[1], p):
            self._keep(False)
            factors = self.best[2]
            return self._sum(factors, self._pull(p.prior)(np.asfortranarray(p.X))[0]), factors
        state = self._state(p, keep=False)
        return state.value, state.factors

    def value_and_gradient(self, p: Parameters) -> tuple[float, Array, Array, Array, float]:
        """L_KL and its gradients by X, Z, theta and log beta, the prior held fixed."""
        state = self._state(p, keep=True)
        if self.best is None or state.value > self.best[0]:
            own = replace(
                p, X=p.X.copy(), Z=p.Z.copy(), theta=p.theta.copy()
            )  # an optimiser may move its vector
            self.best = state.value, own, state.factors
        theta, beta, (k, q) = state.theta, state.beta, p.Z.shape
        TX, TZ = np.empty((len(theta), k, q + 1)), np.empty((len(self.index), q + 1), order="F")
        D = np.empty_like(state.grams)
        Z1, X1 = with_ones(p.Z), self.kernel.multiplier(state.X, self.weights.root_s)
        slopes = [Slopes(TX[m], TZ[place], D[m].T) for m, place in enumerate(self.places)]

        def back(m: int) -> Back:
            return self.components[m].back(state.factors[m], theta[m], beta, slopes[m])

        def of_piece(m: int, component: Component, piece: list[slice]) -> Array:
            given = (
                state.factors[m],
                theta[m],
                beta,
                state.sides[m],
                backs[m],
                Z1,
                X1[self.places[m]],
                slopes[m],
            )
            return component.slopes(piece, *given)

        backs = self._each(back)
        for m, parts in enumerate(self._each_piece(of_piece)):
            self.components[m].collect(state.factors[m], parts, slopes[m])
        by_bias, by_beta = (
            np.array([own.log_bias for own in backs]),
            sum(own.log_beta for own in backs),
        )
        dx, dZ, dtheta = self.kernel.cross_gradients(theta, p.Z, state.X, self.weights, TX, TZ)
        dZ_u, dtheta_u = self.kernel.gram_gradients(theta, p.Z, state.grams, D)
        dtheta += dtheta_u
        dtheta[:, -2] += by_bias
        # tr(dL/dK_uu K_uu) comes for free: K_uu is linear in variance, bias and white.
        by_beta = (
            0.0 if abs(p.log_beta) >= LOG_LIMIT else by_beta - float(dtheta_u[:, [0, -2, -1]].sum())
        )
        dX = state.prior_slope.copy()
        for own, more in zip(dX.T, dx.T, strict=True):
            own += np.bincount(self.index, more, len(own))
        return state.value, dX, dZ + dZ_u, p.by_logs(dtheta), by_beta

    def _state(self, p: Parameters, *, keep: bool) -> "State":
        theta, beta = p.natural, p.beta
        X = np.asfortranarray(p.X)
        points = X.T.take(self.index, axis=1).T
        left = self.kernel.inducing_sides(theta, p.Z)
        right = self.kernel.latent_sides(theta, points, self.weights)
        sides = [Sides(side, right[place]) for side, place in zip(left, self.places, strict=True)]
        grams = self.kernel.grams(theta, p.Z)
        self._keep(keep)

        def sums(m: int, component: Component, piece: list[slice]) -> Sums:
            return component.sums(piece, theta[m], beta, grams[m].T, sides[m])

        of_pieces = self._each_piece(sums)
        factors = self._each(
            lambda m: self.components[m].factors(theta[m], beta, grams[m].T, sides[m], of_pieces[m])
        )
        prior, prior_slope = self._pull(p.prior)(X)
        return State(
            theta, beta, self._sum(factors, prior), factors, points, sides, grams, prior_slope
        )

    def _keep(self, wanted: bool) -> None:
        for component in self._busy():
            if component is not None:
                component.keep(wanted)

    def _sum(self, factors: list[Factors], prior: float) -> float:
        return sum(f.value for f in factors) + prior + self.entropy

    def _each(self, work: Callable[[int], Result]) -> list[Result]:
        """The work of all components, by their numbers."""
        return self.workers.map(work, range(len(self.components)), len(self.index))

    def _each_piece(
        self, work: Callable[[int, Component, list[slice]], Result]
    ) -> list[list[Result]]:
        """The work of all pieces of all components, component by component."""
        pieces = [
            (m, own, piece)
            for m, own in enumerate(self._busy())
            if own is not None
            for piece in own.pieces
        ]
        done = self.workers.map(lambda piece: work(*piece), pieces, len(self.index))
        found: list[list[Result]] = [[] for _ in self.components]
        for (m, _, _), result in zip(pieces, done, strict=True):
            found[m].append(result)
        return found

    def _busy(self) -> list[Component | None]:
        """The components that hold points, None for the others."""
        return [
            component if isinstance(component, Component) else None for component in self.components
        ]

    def _pull(self, prior: Mixture) -> Pull:
        """The pull of the prior, which stays the same during an M-step."""
        if self.pull is None or self.pull[0] is not prior:
            self.pull = prior, Pull(self.S, prior)
        return self.pull[1]


class State(NamedTuple):
    """What the bound at some parameters leaves for its gradient."""

    theta: Array  # (M, T) in natural units
    beta: float
    value: float
    factors: list[Factors]
    X: Array  # (R, Q) latent points of all components, one after another
    sides: list[Sides]
    grams: Array  # (M, K, K)
    prior_slope: Array  # (N, Q)


def expectation(
    kernel: Kernel,
    data: Observed,
    p: Parameters,
    factors: list[Factors],
    workers: Workers = ALONE,
    negligible: float = AT_THE_END,
) -> Array:
    """The E-step: responsibilities (N, M) under the q(f) that the factors describe, zero where negligible.

    log S_nm = log pi_m + log N(x_n | xbar_m, C_m) - beta/2 (|y_n - F_nm|^2 + P v_nm) + const

    The prior is known before any covariance with the inducing inputs is, the error before the variance v, which costs
    most; so few rows need all three of a component. An idle component predicts zero everywhere.
    """
    processes, half_beta = Processes(kernel, factors, p.natural, p.Z), 0.5 * p.beta

    def of_rows(rows: slice) -> Array:
        X, Y, squares = p.X[rows], np.ascontiguousarray(data.Y[rows].T), data.squares[rows]
        sides, prior = kernel.plain_sides(X), log_joint(X, p.prior).T.copy()

        def from_prior(m: int, near: Indices, least: Array) -> Array:
            whole = len(near) > ALMOST_ALL * len(
                X
            )  # to pick most of the rows would cost more than to compute them all
            some: Indices | slice = slice(None) if whole else near
            R = processes.covariances(m, sides[some])
            errors = processes.square_errors(m, R, Y[:, some], squares[some])
            ceiling = prior[m, near] - half_beta * (errors[near] if whole else errors)
            found, undecided = np.full(len(near), -np.inf), np.flatnonzero(ceiling >= least)
            if len(undecided):
                variances = processes.variances(m, R, near[undecided] if whole else undecided)
                found[undecided] = ceiling[undecided] - half_beta * data.n_outputs * variances
            return found

        if len(X) * len(factors) * len(p.Z) * 8 > E_STEP_BYTES:
            return responsibilities(prior, from_prior, negligible)

        # Few rows: to ask every component twice would cost more than what the prior saves.
        R = [processes.covariances(m, sides, ("R", m)) for m in range(len(factors))]
        errors = np.array([processes.square_errors(m, own, Y, squares) for m, own in enumerate(R)])
        ceiling = prior - half_beta * errors

        def from_errors(m: int, near: Indices, _: Array) -> Array:
            return ceiling[m, near] - half_beta * data.n_outputs * processes.variances(
                m, R[m], near
            )

        return responsibilities(ceiling, from_errors, negligible)

    blocks = cut(len(p.X), max(64, E_STEP_BYTES // (8 * len(p.Z))))
    return np.concatenate(workers.map(of_rows, blocks, len(p.X) * len(factors)))


def _same(a: Parameters, b: Parameters) -> bool:
    """Whether two sets of parameters are equal but for the prior."""
    arrays = ((a.X, b.X), (a.Z, b.Z), (a.theta, b.theta))
    return a.log_beta == b.log_beta and all(np.array_equal(one, other) for one, other in arrays)


def _active_points(data: Observed, s: Array, threshold: float) -> Weighted:
    rows = np.flatnonzero(s >= threshold)
    if threshold > 0.0 and len(rows) < min(MIN_ACTIVE, len(s)):
        rows = np.sort(np.argsort(-s, kind="stable")[:MIN_ACTIVE])
    if len(rows) == len(s):
        return weigh(data.Y, np.maximum(s, np.finfo(float).tiny), slice(None), data.n_outputs)
    return weigh(data.Y[rows], np.maximum(s[rows], np.finfo(float).tiny), rows, data.n_outputs)
