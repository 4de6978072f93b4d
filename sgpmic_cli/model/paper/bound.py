"""The KL-corrected bound of the whole mixture, its gradient, the E-step, and the standard variational bound.

    L_KL = sum_m L_m(X, Z, theta_m, beta; S_:m) + sum_nm S_nm [log pi_m + log N(x_n | xbar_m, C_m) - log S_nm]

L_m is the weighted sparse GP of `dtc.py`. No N x N matrix is ever formed.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

from sgpmic_cli._typing import Array
from sgpmic_cli.model.paper.cholesky import log_determinant
from sgpmic_cli.model.paper.dtc import Factors, Sides, Slopes, Weighted, components, predict, weigh
from sgpmic_cli.model.paper.kernels import LOG_LIMIT, Kernel, Weights, positive, with_ones
from sgpmic_cli.model.paper.mixture import Mixture, Pull, log_joint

Rows = NDArray[np.intp] | slice

ACTIVE = 1e-3  # points below this responsibility are left out of a component ...
MIN_ACTIVE = 5  # ... but never more than all but these many
NOTHING = 100.0  # exp(-100) = 4e-44 of the best: for all points together less than what makes a component idle


@dataclass(frozen=True)
class Parameters:
    """Everything the M-step moves: X (N, Q), Z (K, Q), theta (M, T) and log beta, and the latent prior."""

    X: Array
    Z: Array
    theta: Array
    log_beta: float
    prior: Mixture

    @property
    def beta(self) -> float:
        """The noise precision in natural units."""
        return float(positive(np.asarray(self.log_beta)))

    @property
    def natural(self) -> Array:
        """Kernel parameters in natural units (M, T)."""
        return positive(self.theta)


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

    def __init__(self, kernel: Kernel, data: Observed, S: Array, n_inducing: int, *, active: float = ACTIVE):
        self.kernel = kernel
        self.S = S
        self.components = components(kernel, [_active_points(data, s, active) for s in S.T], n_inducing)
        self.entropy = -float(np.sum(xlogy(S, S)))
        self.pull: tuple[Mixture, Pull] | None = None
        points = [component.data for component in self.components]
        self.index = np.concatenate([np.arange(len(S))[own.rows] for own in points])  # (R,) rows of X
        root_s = np.concatenate([own.root_s for own in points])
        counts = np.array([len(own.root_s) for own in points])
        ends = np.cumsum(counts)
        self.weights = Weights(root_s, np.log2(root_s), np.repeat(np.arange(len(counts)), counts), ends - counts)
        self.places = [slice(end - count, end) for end, count in zip(ends, counts, strict=True)]

    def value(self, p: Parameters) -> tuple[float, list[Factors]]:
        """L_KL and the factors of every component."""
        state = self._state(p, keep=False)
        return state.value, state.factors

    def value_and_gradient(self, p: Parameters) -> tuple[float, Array, Array, Array, float]:
        """L_KL and its gradients by X, Z, theta and log beta, the prior held fixed."""
        state = self._state(p, keep=True)
        theta, beta, (k, q) = state.theta, state.beta, p.Z.shape
        TX, TZ = np.empty((len(theta), k, q + 1)), np.empty((len(self.index), q + 1), order="F")
        D = np.empty_like(state.grams)
        Z1, X1 = with_ones(p.Z), self.kernel.multiplier(state.X, self.weights.root_s)
        by_bias, by_beta = np.empty(len(theta)), 0.0
        for m, (component, place) in enumerate(zip(self.components, self.places, strict=True)):
            slopes = Slopes(TX[m], TZ[place], D[m].T)
            by_bias[m], rest = component.gradient(
                state.factors[m], theta[m], beta, state.sides[m], Z1, X1[place], slopes
            )
            by_beta += rest
        dx, dZ, dtheta = self.kernel.cross_gradients(theta, p.Z, state.X, self.weights, TX, TZ)
        dZ_u, dtheta_u = self.kernel.gram_gradients(theta, p.Z, state.grams, D)
        dtheta += dtheta_u
        dtheta[:, -2] += by_bias
        dtheta[np.abs(p.theta) >= LOG_LIMIT] = 0.0  # held by the limits there
        # tr(dL/dK_uu K_uu) comes for free: K_uu is linear in variance, bias and white.
        by_beta = 0.0 if abs(p.log_beta) >= LOG_LIMIT else by_beta - float(dtheta_u[:, [0, -2, -1]].sum())
        dX = state.prior_slope.copy()
        for own, more in zip(dX.T, dx.T, strict=True):
            own += np.bincount(self.index, more, len(own))
        return state.value, dX, dZ + dZ_u, dtheta, by_beta

    def _state(self, p: Parameters, *, keep: bool) -> "State":
        theta, beta = p.natural, p.beta
        X = np.asfortranarray(p.X)
        points = X.T[:, self.index].T
        left = self.kernel.inducing_sides(theta, p.Z)
        right = self.kernel.latent_sides(theta, points, self.weights)
        sides = [Sides(side, right[place]) for side, place in zip(left, self.places, strict=True)]
        grams = self.kernel.grams(theta, p.Z)
        factors = [
            component.value(theta[m], beta, grams[m].T, sides[m], keep=keep)
            for m, component in enumerate(self.components)
        ]
        prior, prior_slope = self._pull(p.prior)(X)
        value = sum(f.value for f in factors) + prior + self.entropy
        return State(theta, beta, value, factors, points, sides, grams, prior_slope)

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


def expectation(kernel: Kernel, data: Observed, p: Parameters, factors: list[Factors]) -> Array:
    """The E-step: responsibilities (N, M) under the q(f) that the factors describe.

    log S_nm = log pi_m + log N(x_n | xbar_m, C_m) - beta/2 (|y_n - F_nm|^2 + P v_nm) + const

    An idle component predicts zero, with a variance that is at least zero. Where that alone keeps it off a point, which
    is the rule, its variance is not worth computing.
    """
    log_s, theta, half_beta = log_joint(p.X, p.prior), p.natural, 0.5 * p.beta
    idle = np.array([f.idle for f in factors])
    for m in np.flatnonzero(~idle):
        log_s[:, m] -= half_beta * _expected_error(kernel, data, factors[m], theta[m], p)
    best = log_s[:, ~idle].max(axis=1)
    for m in np.flatnonzero(idle):
        near = np.flatnonzero(log_s[:, m] - half_beta * data.squares >= best - NOTHING)
        log_near = log_s[near, m] - half_beta * _expected_error(kernel, data, factors[m], theta[m], p, near)
        log_s[:, m] = -np.inf
        log_s[near, m] = log_near
    log_s -= log_s.max(axis=1, keepdims=True)
    S = np.exp(log_s)
    S /= S.sum(axis=1, keepdims=True)
    return S


def standard_bound(kernel: Kernel, data: Observed, p: Parameters, S: Array, S_of_f: Array) -> float:
    """The standard variational bound at S when q(f) was last updated with S_of_f; equal to L_KL if the two agree.

    sum_nm S_nm <log N(y_n | f_nm, 1/beta)> - sum_m P KL(q(u_m) | p(u_m)) + the prior terms, with
    q(u) = N(K_uu W, K_uu A^-1 K_uu).
    """
    P, beta = data.n_outputs, p.beta
    _, factors = Bound(kernel, data, S_of_f, len(p.Z), active=0.0).value(p)
    total = float(np.sum(S * log_joint(p.X, p.prior))) - float(np.sum(xlogy(S, S)))
    for m, (f, theta) in enumerate(zip(factors, p.natural, strict=True)):
        errors = _expected_error(kernel, data, f, theta, p)
        total += 0.5 * P * S[:, m].sum() * np.log(beta / (2.0 * np.pi)) - 0.5 * beta * float(S[:, m] @ errors)
        half = np.linalg.solve(f.L_a, f.L_u)  # tr(A^-1 K_uu) = |L_a^-1 L_u|^2
        spread = np.sum(half**2) - len(p.Z) - log_determinant(f.L_u) + log_determinant(f.L_a)
        total -= 0.5 * (P * float(spread) + float(np.sum((f.L_u.T @ f.W) ** 2)))
    return total


def _expected_error(
    kernel: Kernel, data: Observed, f: Factors, theta: Array, p: Parameters, rows: Rows = slice(None)
) -> Array:
    """|y_n - F_n|^2 + P v_n for every point of `rows`."""
    mean, variance = predict(kernel, f, theta, p.Z, p.X[rows])
    mean -= data.Y[rows]
    return np.einsum("np,np->n", mean, mean) + data.n_outputs * variance


def _active_points(data: Observed, s: Array, threshold: float) -> Weighted:
    rows = np.flatnonzero(s >= threshold)
    if threshold > 0.0 and len(rows) < min(MIN_ACTIVE, len(s)):
        rows = np.sort(np.argsort(-s, kind="stable")[:MIN_ACTIVE])
    if len(rows) == len(s):
        return weigh(data.Y, np.maximum(s, np.finfo(float).tiny), slice(None), data.n_outputs)
    return weigh(data.Y[rows], np.maximum(s[rows], np.finfo(float).tiny), rows, data.n_outputs)
