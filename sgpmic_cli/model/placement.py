"""Placing new rows: find the latent point of each under the fitted model, then its responsibilities.

A row y at latent point x scores

    h(x) = log sum_m pi_m N(x | xbar_m, C_m) exp(-beta/2 (|y - F_m(x)|^2 + P v_m(x)))

Every row starts from the latent points of its nearest training rows and climbs by damped Gauss-Newton steps, all rows at
once but each with its own damping, so that the answer for a row does not depend on its company. A row that was
trained on is already placed: it keeps its latent point.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_solve
from scipy.special import logsumexp
from sklearn.neighbors import NearestNeighbors

from sgpmic_cli.model.bound import Parameters
from sgpmic_cli.model.dtc import Factors
from sgpmic_cli.model.kernels import Kernel, positive
from sgpmic_cli.model.mixture import log_joint

Array = NDArray[np.float64]

N_STARTS = 3
STEPS = 25
BLOCK = 256


class Placed(NamedTuple):
    """Latent points (n, Q), responsibilities (n, M) and log scores h (n,) of rows."""

    X: Array
    S: Array
    log_score: Array


class Terms(NamedTuple):
    """h at some points with what its Gauss-Newton step needs."""

    log_parts: Array  # (n, M)
    gradient: Array  # (n, Q)
    curvature: Array  # (n, Q, Q), positive definite


class Placer:
    """A fitted model as a function of latent points, with the data (n_outputs columns) that it was trained on."""

    def __init__(self, kernel: Kernel, p: Parameters, factors: list[Factors], Y: Array):
        self.kernel, self.p, self.factors, self.Y = kernel, p, factors, Y
        self.inverses = [cho_solve((f.L_a, True), np.eye(len(p.Z))) for f in factors]

    def place(self, Y: Array) -> Placed:
        """Place every row of Y (n, P)."""
        neighbors = NearestNeighbors(n_neighbors=min(N_STARTS, len(self.Y))).fit(self.Y)
        placed = [self._place_block(Y[i : i + BLOCK], neighbors) for i in range(0, len(Y), BLOCK)]
        return Placed(*(np.concatenate(parts) for parts in zip(*placed, strict=True)))

    def _place_block(self, Y: Array, neighbors: NearestNeighbors) -> Placed:
        nearest = neighbors.kneighbors(Y, return_distance=False)  # (n, starts)
        best_X = self.p.X[nearest[:, 0]]
        best = logsumexp(self._log_parts(Y, best_X), axis=1)
        known = (self.Y[nearest[:, 0]] == Y).all(axis=1)
        new = np.flatnonzero(~known)
        for start in nearest[new].T if len(new) else ():
            X, value = self._climb(Y[new], self.p.X[start])
            better = value > best[new]
            best_X[new[better]], best[new[better]] = X[better], value[better]
        log_parts = self._log_parts(Y, best_X)
        log_score = logsumexp(log_parts, axis=1)
        return Placed(best_X, np.exp(log_parts - log_score[:, None]), log_score)

    def _climb(self, Y: Array, X: Array) -> tuple[Array, Array]:
        X = X.copy()
        terms = self._terms(Y, X)
        value = logsumexp(terms.log_parts, axis=1)
        damping = np.ones(len(X))
        eye = np.eye(X.shape[1])
        for _ in range(STEPS):
            scale = np.trace(terms.curvature, axis1=1, axis2=2) / X.shape[1]
            damped = terms.curvature + (damping * scale)[:, None, None] * eye
            trial = X + np.linalg.solve(damped, terms.gradient[:, :, None])[:, :, 0]
            trial_terms = self._terms(Y, trial)
            trial_value = logsumexp(trial_terms.log_parts, axis=1)
            up = trial_value > value
            damping = np.where(up, damping / 4.0, damping * 4.0)
            X[up], value[up] = trial[up], trial_value[up]
            for kept, tried in zip(terms, trial_terms, strict=True):
                kept[up] = tried[up]
        return X, value

    def _log_parts(self, Y: Array, X: Array) -> Array:
        """The M terms inside the sum of h, as logs (n, M)."""
        parts = log_joint(X, self.p.prior)
        for m in range(len(self.factors)):
            K = self._cross(m, X)
            parts[:, m] -= self._penalty(m, Y, K)[0]
        return parts

    def _terms(self, Y: Array, X: Array) -> Terms:
        """Value, gradient and Gauss-Newton curvature of h, mixed over components by their responsibilities."""
        beta, prior = self.p.beta, self.p.prior
        log_parts = log_joint(X, prior)
        gradients = np.empty((len(self.factors), *X.shape))
        curvatures = np.empty((len(self.factors), *X.shape, X.shape[1]))
        for m, (f, theta) in enumerate(zip(self.factors, self.p.theta, strict=True)):
            K = self._cross(m, X)
            penalty, residual, solved = self._penalty(m, Y, K)
            log_parts[:, m] -= penalty
            slopes = self.kernel.cross_slopes(theta, self.p.Z, X)  # (Q, K, n)
            J = np.stack([slope.T @ f.W for slope in slopes], axis=2)  # (n, P, Q) dF/dx
            dv = 2.0 * np.einsum("kn,qkn->nq", solved, slopes)
            gradients[m] = beta * np.einsum("npq,np->nq", J, residual) - 0.5 * beta * Y.shape[1] * dv
            gradients[m] -= (X - prior.means[m]) @ prior.precisions[m]
            curvatures[m] = beta * np.einsum("npq,npr->nqr", J, J) + prior.precisions[m]
        share = np.exp(log_parts - logsumexp(log_parts, axis=1, keepdims=True))  # (n, M)
        return Terms(
            log_parts,
            np.einsum("nm,mnq->nq", share, gradients),
            np.einsum("nm,mnqr->nqr", share, curvatures),
        )

    def _cross(self, m: int, X: Array) -> Array:
        theta = self.p.theta[m]
        out = np.empty((len(self.p.Z), len(X)), order="F")
        R = self.kernel.cross(theta, self.p.Z, X, np.ones(len(X)), out)
        return positive(theta[0]) * R + positive(theta[-2])

    def _penalty(self, m: int, Y: Array, K: Array) -> tuple[Array, Array, Array]:
        """beta/2 (|y - F|^2 + P v) with the residual y - F (n, P) and A^-1 k (K, n)."""
        residual = Y - K.T @ self.factors[m].W
        solved = self.inverses[m] @ K
        variance = np.einsum("kn,kn->n", K, solved)
        error = np.einsum("np,np->n", residual, residual) + Y.shape[1] * variance
        return 0.5 * self.p.beta * error, residual, solved
