"""Placing new rows: the distribution of each in the latent space under the fitted mixture, then its responsibilities.

A row begins where its nearest training row is, with what was held of that row, and climbs the bound of its own,

    log sum_m exp(log pi_m + <log N(x | xbar_m, C_m)> + h_m + P/2 log beta_m - beta_m/2 <|y - f_m|^2>) + H[q(x)]

by damped Newton steps on q(x) = N(mu, diag s): the expected second derivative by mu_q is twice the derivative by s_q
(Price's theorem), so that both come with the gradient. All rows of a block at once, each with its own damping, so that
the answer for a row does not depend on its company, but for the last digits of a matrix product; the same rows in the
same blocks come out the same, whichever thread places them. A row that was trained on is already placed.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import logsumexp

from sgpmic_cli._typing import Array, BoolArray
from sgpmic_cli.model.parallel import ALONE, Workers, cut
from sgpmic_cli.model.variational.component import Posterior
from sgpmic_cli.model.variational.em import Data, State, precision, processes
from sgpmic_cli.model.variational.features import expectations
from sgpmic_cli.model.variational.latent_prior import LOG_2PI, expected_log
from sgpmic_cli.model.variational.nearest_row import NearestRow
from sgpmic_cli.model.variational.process import expected_rows, square_errors

STEPS = 20
CLOSE = 1e-6  # nats; a row that gains less has arrived
LEAST_STEP = 1e-3
BLOCK = 4096  # rows that are placed together, by one thread
REFILLS = 3  # times that holes of new rows are filled anew
NEGLIGIBLE = 1e-9  # responsibilities below this leave a component out of a row's climb; where it ends, all are asked


class Placed(NamedTuple):
    """Latent means and variances (n, Q), responsibilities (n, M) and log scores (n,) of rows."""

    mu: Array
    s: Array
    S: Array
    log_score: Array


class Placer:
    """A fitted mixture as a function of rows.

    `data` are the rows it was trained on, `first` the same rows as they are first filled, by which they are known
    again.
    """

    def __init__(self, data: Data, state: State, posteriors: list[Posterior | None], first: Array):
        self.data, self.state, self.posteriors, self.first = data, state, posteriors, first
        self.nearest = NearestRow(first)
        self.processes = processes(data, state.free, posteriors)

    def place(self, Y: Array, holes: BoolArray, workers: Workers = ALONE) -> Placed:
        """Place every standardised row of Y (n, P); holes are filled by what the model expects at the row's place."""
        blocks = workers.map(
            lambda rows: self._place(Y[rows], holes[rows]), cut(len(Y), BLOCK), STEPS * len(Y)
        )
        return Placed(*(np.concatenate(parts) for parts in zip(*blocks, strict=True)))

    def _place(self, Y: Array, holes: BoolArray) -> Placed:
        placed = self._place_filled(Y)
        if holes.any():
            new = np.flatnonzero(holes.any(axis=1) & ~self.nearest.knows(Y))
            for _ in range(REFILLS if len(new) else 0):
                again = self._place_filled(
                    np.where(
                        holes[new],
                        self.expected(placed.mu[new], placed.s[new], placed.S[new]),
                        Y[new],
                    )
                )
                for old, better in zip(placed, again, strict=True):
                    old[new] = better
        return placed

    def expected(self, mu: Array, s: Array, S: Array) -> Array:
        """The rows that the mixture expects at latent distributions with these responsibilities (n, P)."""
        return expected_rows(self.processes, S, mu, s)

    def _place_filled(self, Y: Array) -> Placed:
        nearest, trained = self.nearest.find(Y)
        free, held = self.state.free, self.data.held[nearest]
        mu, s = free.mu[nearest], free.s[nearest]
        new = np.flatnonzero(~trained)
        if len(new):
            mu[new], s[new] = self._climb(Y[new], mu[new], s[new], held[new])
        log_parts = self._log_parts(Y, mu, s, held)
        log_score = logsumexp(log_parts, axis=1)
        S = np.exp(log_parts - log_score[:, None])
        S[trained] = self.state.S[nearest[trained]]
        return Placed(mu, s, S, log_score + _entropy(s))

    def _climb(self, Y: Array, mu: Array, s: Array, held: Array) -> tuple[Array, Array]:
        mu, s = mu.copy(), s.copy()
        rows, step = np.arange(len(Y)), np.ones(len(Y))
        parts = self._log_parts(Y, mu, s, held)
        score = logsumexp(parts, axis=1) + _entropy(s)
        for _ in range(STEPS):
            S = np.exp(parts - logsumexp(parts, axis=1, keepdims=True))
            slope, curvature = self._slopes(Y[rows], mu[rows], s[rows], S)
            rate = step[:, None]
            new_s = 1.0 / ((1.0 - rate) / s[rows] + rate * curvature)
            new_mu = mu[rows] + rate * new_s * slope
            trial = self._log_parts(Y[rows], new_mu, new_s, held[rows], S > NEGLIGIBLE)
            trial_score = logsumexp(trial, axis=1) + _entropy(new_s)
            gain = trial_score - score[rows]
            up = gain > 0.0
            mu[rows[up]], s[rows[up]], score[rows[up]] = new_mu[up], new_s[up], trial_score[up]
            parts[up] = trial[up]
            step = np.where(up, np.minimum(2.0 * step, 1.0), 0.25 * step)
            going = ~(up & (gain < CLOSE)) & (step >= LEAST_STEP)
            if not going.any():
                break
            rows, step, parts = rows[going], step[going], parts[going]
        return mu, s

    def _log_parts(
        self, Y: Array, mu: Array, s: Array, held: Array, asked: BoolArray | None = None
    ) -> Array:
        """The exponents of the bound of every row (n, M); minus infinity where a component is not asked."""
        prior = expected_log(mu, s, self.state.prior) + held
        out = np.full_like(prior, -np.inf)
        for m, process in self.processes.items():
            rows = np.arange(len(Y)) if asked is None else np.flatnonzero(asked[:, m])
            if not len(rows):
                continue
            at, beta = (
                process.means(mu[rows].T, s[rows].T),
                precision(self.data, self.state.free.log_noise[m]),
            )
            error = square_errors(Y[rows].T, at.f) + process.spread(at)
            out[rows, m] = prior[rows, m] + 0.5 * (
                Y.shape[1] * (np.log(beta) - LOG_2PI) - beta * error
            )
        return out

    def _slopes(self, Y: Array, mu: Array, s: Array, S: Array) -> tuple[Array, Array]:
        """Gradient by mu and the expected curvature (n, Q), at least that of the prior."""
        free, prior = self.state.free, self.state.prior
        inverse = 1.0 / prior.variances
        slope, least = S @ (prior.means * inverse) - (S @ inverse) * mu, S @ inverse
        curvature = least.copy()
        for m, known in enumerate(self.posteriors):
            rows = np.flatnonzero(S[:, m] > NEGLIGIBLE)
            if known is None or not len(rows):
                continue
            beta, w = precision(self.data, free.log_noise[m]), S[rows, m]
            seen = expectations(free.kernel(m), mu[rows], s[rows])
            gradients = seen.gradients(
                w, beta * (w[:, None] * Y[rows]) @ known.W.T, -0.5 * beta * known.B
            )
            slope[rows] += gradients.mu
            curvature[rows] -= 2.0 * gradients.s
        return slope, np.maximum(curvature, least)


def _entropy(s: Array) -> Array:
    return np.asarray(0.5 * np.sum(np.log(s) + 1.0 + LOG_2PI, axis=1))
