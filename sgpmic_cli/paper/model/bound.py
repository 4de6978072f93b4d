"""The KL-corrected bound of the mixture and its gradient.

    L_KL = sum_m L_m(X, Z, theta_m, beta; S_:m)
           + sum_nm S_nm [log pi_m + log N(x_n | xbar_m, C_m) - log S_nm]

L_m is the weighted sparse Gaussian process of `dtc.py`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import xlogy
from sklearn.utils import gen_batches

from sgpmic_cli._typing import Array, Indices
from sgpmic_cli.estimator_base.parallel import ALONE, Workers
from sgpmic_cli.paper.model.dtc import Factors, Totals, cross_gradient, factorise, gram_gradient
from sgpmic_cli.paper.model.kernels import LOG_LIMIT, Kernel, gram, gram_gradients, positive
from sgpmic_cli.paper.model.mixture import Mixture, latent_prior_gradient

ACTIVE = 1e-3  # rows with a smaller responsibility are left out of a component ...
MIN_ACTIVE = 5  # ... but the component keeps at least this number of rows
JITTER = 1e-6  # on the diagonal of K_uu if white is on every element
BLOCK = 2048  # rows of a component that one thread processes together
# Blocks of more numbers than this (256 MB) are computed again for the gradient instead of kept.
MOST_KEPT = 2**25


@dataclass(frozen=True)
class Parameters:
    """The parameters that the M-step optimises.

    X (N, Q), Z (K, Q), theta (M, T) and beta, the last two as logarithms, and the latent prior.
    `white_everywhere` adds the white variance to every covariance, as the paper prints it, instead
    of only to the diagonal of K_uu. It is a second bias then, and the diagonal gets `JITTER`.
    """

    X: Array
    Z: Array
    theta: Array
    log_beta: float
    prior: Mixture
    white_everywhere: bool = False

    @property
    def beta(self) -> float:
        """The noise precision."""
        return float(positive(np.asarray(self.log_beta)))

    @property
    def natural(self) -> Array:
        """The kernel parameters in natural units (M, T), with white on the diagonal only."""
        theta = positive(self.theta)
        if self.white_everywhere:
            theta[:, -2] += theta[:, -1]
            theta[:, -1] = JITTER
        return theta

    def gradient_by_theta(self, gradient: Array) -> Array:
        """Convert the gradient (M, T) by the logarithms of `natural` to that by `theta`."""
        gradient = gradient.copy()
        if self.white_everywhere:
            bias, white = positive(self.theta[:, -2:]).T
            gradient[:, -1] = gradient[:, -2] * white / (bias + white)
            gradient[:, -2] *= bias / (bias + white)
        gradient[np.abs(self.theta) >= LOG_LIMIT] = 0.0
        return gradient


class Observed(NamedTuple):
    """The data: Y (N, D), the number of outputs P, and |y_n|^2 (N,); see `observe` for D < P."""

    Y: Array
    n_outputs: int
    squares: Array


def observe(Y: Array) -> Observed:
    """Prepare the data Y (N, P).

    The bound depends on Y Y' only. If there are more columns than rows, a square factor of Y Y'
    replaces Y.
    """
    n, p = Y.shape
    if p > n:
        Y = np.asarray(np.linalg.qr(Y.T, mode="r")).T
    return Observed(np.ascontiguousarray(Y), p, np.einsum("np,np->n", Y, Y))


class Rows(NamedTuple):
    """Some rows of one component."""

    component: int
    rows: Indices  # (n,)
    root_s: Array  # (n, 1)  sqrt(s_n)
    Y: Array  # (n, D)  sqrt(s_n) y_n


class Bound:
    """The bound as a function of the parameters at fixed responsibilities S (N, M)."""

    def __init__(
        self,
        kernel: Kernel,
        data: Observed,
        S: Array,
        *,
        active: float = ACTIVE,
        workers: Workers = ALONE,
    ):
        self.kernel, self.S, self.workers = kernel, S, workers
        self.entropy = -float(np.sum(xlogy(S, S)))
        self.parts: list[Rows] = []
        self.totals: list[Totals] = []
        for m, s in enumerate(S.T):
            active_rows = _active_rows(s, active)
            for part in gen_batches(len(active_rows), BLOCK):
                rows = active_rows[part]
                root_s = np.sqrt(s[rows])[:, None]
                self.parts.append(Rows(m, rows, root_s, root_s * data.Y[rows]))
            s = s[active_rows]
            energy = float(s @ data.squares[active_rows])
            self.totals.append(Totals(float(s.sum()), energy, data.n_outputs))
        self.n_rows = sum(len(part.rows) for part in self.parts)

    def value(self, p: Parameters) -> tuple[float, list[Factors]]:
        """Return L_KL and the factors of every component."""
        factors, _, _ = self._evaluate(p)
        prior, _ = latent_prior_gradient(p.X, self.S, p.prior)
        return self._sum(factors, prior), factors

    def value_and_gradient(self, p: Parameters) -> tuple[float, Array, Array, Array, float]:
        """Return L_KL and its gradients by X, Z, theta and log beta."""
        theta, beta = p.natural, p.beta
        factors, grams, block = self._evaluate(p)
        prior, dX = latent_prior_gradient(p.X, self.S, p.prior)
        dZ, dtheta, by_beta = np.zeros_like(p.Z), np.zeros_like(theta), 0.0

        def gradients(i: int) -> tuple[Array, Array, Array]:
            m, rows, root_s, _ = self.parts[i]
            weighted = block(i)
            K, dK = weighted[:, : len(p.Z)], cross_gradient(factors[m], weighted, beta)
            return self.kernel.cross_gradients(theta[m], p.X[rows], p.Z, K, dK, root_s)

        found = self.workers.map(gradients, range(len(self.parts)), self.n_rows)
        for part, (own_dX, own_dZ, own_dtheta) in zip(self.parts, found, strict=True):
            dX[part.rows] += own_dX
            dZ += own_dZ
            dtheta[part.component] += own_dtheta
        for m, (f, K_uu) in enumerate(zip(factors, grams, strict=True)):
            D, own_by_beta = gram_gradient(f, K_uu, self.totals[m].weight)
            own_dZ, own_dtheta = gram_gradients(self.kernel, theta[m], p.Z, K_uu, D)
            by_beta += own_by_beta
            dZ += own_dZ
            dtheta[m] += own_dtheta
        if abs(p.log_beta) >= LOG_LIMIT:
            by_beta = 0.0
        return self._sum(factors, prior), dX, dZ, p.gradient_by_theta(dtheta), by_beta

    def _evaluate(self, p: Parameters) -> tuple[list[Factors], list[Array], Callable[[int], Array]]:
        """Return factors and K_uu of every component, and a function that returns block i."""
        theta, beta, k = p.natural, p.beta, len(p.Z)
        grams = [gram(self.kernel, own, p.Z) for own in theta]
        keep = self.n_rows * (k + self.parts[0].Y.shape[1]) <= MOST_KEPT

        def compute(part: Rows) -> Array:
            block = np.empty((len(part.rows), k + part.Y.shape[1]))
            K = self.kernel.cross(theta[part.component], p.X[part.rows], p.Z)
            np.multiply(part.root_s, K, out=block[:, :k])
            block[:, k:] = part.Y
            return block

        def sums_and_block(part: Rows) -> tuple[Array, Array | None]:
            block = compute(part)
            return block[:, :k].T @ block, block if keep else None

        found = self.workers.map(sums_and_block, self.parts, self.n_rows)

        def block(i: int) -> Array:
            kept = found[i][1]
            return compute(self.parts[i]) if kept is None else kept

        def factors(m: int) -> Factors:
            own = [i for i, part in enumerate(self.parts) if part.component == m]
            sums = np.sum([found[i][0] for i in own], axis=0)
            return factorise(grams[m], sums, beta, self.totals[m], map(block, own))

        return self.workers.map(factors, range(len(theta)), self.n_rows), grams, block

    def _sum(self, factors: list[Factors], prior: float) -> float:
        return sum(f.value for f in factors) + prior + self.entropy


def _active_rows(s: Array, threshold: float) -> Indices:
    """Return the rows with responsibilities of at least the threshold, but at least MIN_ACTIVE."""
    rows = np.flatnonzero(s >= threshold)
    if len(rows) < min(MIN_ACTIVE, len(s)):
        rows = np.sort(np.argsort(-s, kind="stable")[:MIN_ACTIVE])
    return rows
