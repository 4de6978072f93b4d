"""Placing new rows: find the latent point of each under the fitted model, then its responsibilities.

A row y at latent point x scores

    h(x) = log sum_m exp l_m(x),    l_m(x) = log pi_m N(x | xbar_m, C_m) - beta/2 (|y - F_m(x)|^2 + P v_m(x))

and goes through what a training row goes through in one round: an E-step at its start, an M-step that moves x alone, a
last E-step. It starts from the latent point of the nearest training row. The M-step climbs sum_m s_m l_m(x) by damped
Gauss-Newton steps, all rows at once but each with its own damping, so that the answer for a row does not depend on its
company. h never falls on the way. A row that was trained on is already placed: it keeps its latent point and its
responsibilities (of equal rows, those of one among them).

h has many modes, and training follows one of them from its start without asking whether another is higher. Taking the
best of three starts asks just that: it raises h, but on Iris up to 15 % of rows beside a training row then land in
another cluster than that row.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import logsumexp
from sklearn.neighbors import KDTree

from sgpmic_cli._typing import Array
from sgpmic_cli.model.paper.bound import Parameters
from sgpmic_cli.model.paper.dtc import Factors
from sgpmic_cli.model.paper.kernels import Kernel, cross_matrix
from sgpmic_cli.model.paper.mixture import log_joint
from sgpmic_cli.model.paper.numerics.unlocked_blas import dtrsm
from sgpmic_cli.model.parallel import ALONE, Workers, cut

STEPS = 25
CLOSE = 1e-10  # a row has arrived when a step gains less, relative to its value ...
MOST_DAMPING = 1e8  # ... or when no step of a length that matters gains anything
NEGLIGIBLE = 1e-12  # responsibilities below this leave a component out of a row's climb
BLOCK = 256


class Placed(NamedTuple):
    """Latent points (n, Q), responsibilities (n, M) and log scores h (n,) of rows."""

    X: Array
    S: Array
    log_score: Array


class Terms(NamedTuple):
    """The M-step's objective at some points with what its Gauss-Newton step needs."""

    value: Array  # (n,)
    gradient: Array  # (n, Q)
    curvature: Array  # (n, Q, Q), positive definite


class Placer:
    """A fitted model as a function of latent points, with the rows Y (N, P) it was trained on and their S (N, M)."""

    def __init__(self, kernel: Kernel, p: Parameters, factors: list[Factors], Y: Array, S: Array):
        self.kernel, self.p, self.factors, self.Y, self.S = kernel, p, factors, Y, S
        self.tree = KDTree(
            Y
        )  # direct differences: a training row must find itself at distance zero

    def place(self, Y: Array, workers: Workers = ALONE) -> Placed:
        """Place every row of Y (n, P)."""
        placed = workers.map(
            lambda rows: self._place_block(Y[rows]), cut(len(Y), BLOCK), STEPS * len(Y)
        )
        return Placed(*(np.concatenate(parts) for parts in zip(*placed, strict=True)))

    def _place_block(self, Y: Array) -> Placed:
        nearest = self.tree.query(Y, return_distance=False)[:, 0]
        X = self.p.X[nearest]
        new = (self.Y[nearest] != Y).any(axis=1)
        if new.any():
            X[new] = self._climb(Y[new], X[new], _assign(self._log_parts(Y[new], X[new]))[0])
        S, log_score = _assign(self._log_parts(Y, X))
        S[~new] = self.S[nearest[~new]]
        return Placed(X, S, log_score)

    def _climb(self, Y: Array, X: Array, S: Array) -> Array:
        """The local maximum over x of sum_m s_m l_m(x), uphill from X."""
        X = X.copy()
        rows = np.arange(len(X))  # those still on their way
        terms = self._terms(Y, X, S)
        damping = np.ones(len(X))
        for _ in range(STEPS):
            scale = np.trace(terms.curvature, axis1=1, axis2=2) / X.shape[1]
            damped = terms.curvature + (damping * scale)[:, None, None] * np.eye(X.shape[1])
            trial = X[rows] + np.linalg.solve(damped, terms.gradient[:, :, None])[:, :, 0]
            trial_terms = self._terms(Y[rows], trial, S[rows])
            gain = trial_terms.value - terms.value
            up = gain > 0.0
            X[rows[up]] = trial[up]
            for kept, tried in zip(terms, trial_terms, strict=True):
                kept[up] = tried[up]
            damping = np.where(up, damping / 4.0, damping * 4.0)
            going = ~(up & (gain < CLOSE * (1.0 + np.abs(terms.value)))) & (damping < MOST_DAMPING)
            if not going.any():
                break
            rows, damping, terms = (
                rows[going],
                damping[going],
                Terms(*(part[going] for part in terms)),
            )
        return X

    def _log_parts(self, Y: Array, X: Array) -> Array:
        """l_m(x_n), (n, M)."""
        parts = log_joint(X, self.p.prior)
        for m in range(len(self.factors)):
            K = self._cross(m, X)
            parts[:, m] -= self._penalty(m, Y, K)[0]
        return parts

    def _terms(self, Y: Array, X: Array, S: Array) -> Terms:
        """Value, gradient and Gauss-Newton curvature of sum_m s_m l_m(x)."""
        beta, prior = self.p.beta, self.p.prior
        joint = log_joint(X, prior)
        terms = Terms(np.zeros(len(X)), np.zeros(X.shape), np.zeros((*X.shape, X.shape[1])))
        for m, (f, theta) in enumerate(zip(self.factors, self.p.natural, strict=True)):
            rows = np.flatnonzero(S[:, m] > NEGLIGIBLE)
            if not len(rows):
                continue
            s, x, y = S[rows, m], X[rows], Y[rows]
            penalty, residual, half = self._penalty(m, y, self._cross(m, x))
            solved = dtrsm(1.0, f.L_a, half, lower=True, trans_a=True)  # A^-1 k
            slopes = self.kernel.cross_slopes(theta, self.p.Z, x)  # (Q, K, n)
            J = np.stack([slope.T @ f.W for slope in slopes], axis=2)  # (n, P, Q) dF/dx
            dv = 2.0 * np.einsum("kn,qkn->nq", solved, slopes)
            gradient = beta * np.einsum("npq,np->nq", J, residual) - 0.5 * beta * Y.shape[1] * dv
            gradient -= (x - prior.means[m]) @ prior.precisions[m]
            terms.value[rows] += s * (joint[rows, m] - penalty)
            terms.gradient[rows] += s[:, None] * gradient
            terms.curvature[rows] += s[:, None, None] * (
                beta * J.transpose(0, 2, 1) @ J + prior.precisions[m]
            )
        return terms

    def _cross(self, m: int, X: Array) -> Array:
        theta = self.p.natural[m]
        out = np.empty((len(self.p.Z), len(X)), order="F")
        R = cross_matrix(self.kernel, theta, self.p.Z, X, out)
        return theta[0] * R + theta[-2]

    def _penalty(self, m: int, Y: Array, K: Array) -> tuple[Array, Array, Array]:
        """beta/2 (|y - F|^2 + P v) with the residual y - F (n, P) and chol(A)^-1 k (K, n), whose square is v."""
        residual = Y - K.T @ self.factors[m].W
        half = dtrsm(1.0, self.factors[m].L_a, K, lower=True)
        variance = np.einsum("kn,kn->n", half, half)
        error = np.einsum("np,np->n", residual, residual) + Y.shape[1] * variance
        return 0.5 * self.p.beta * error, residual, half


def _assign(log_parts: Array) -> tuple[Array, Array]:
    """The E-step of rows: responsibilities (n, M) and log scores h (n,)."""
    log_score = logsumexp(log_parts, axis=1)
    return np.exp(log_parts - log_score[:, None]), log_score
