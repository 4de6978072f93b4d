"""The KL-corrected bound of the mixture and its gradient.

    L_KL = sum_m L_m(X, Z, theta_m, beta; S_:m)
           + sum_nm S_nm [log pi_m + log N(x_n | xbar_m, C_m) - log S_nm]

L_m is the weighted sparse Gaussian process of `dtc.py`.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import reduce
from typing import NamedTuple

import numpy as np
from scipy.special import xlogy
from sklearn.utils import gen_batches

from sgpmic_cli._typing import Array, Indices
from sgpmic_cli.paper.model.dtc import Factors, Totals, cross_gradient, factorise, gram_gradient
from sgpmic_cli.paper.model.kernels import LOG_LIMIT, Kernel, gram, gram_gradients, positive
from sgpmic_cli.paper.model.mixture import Mixture, latent_prior_gradient
from sgpmic_cli.row_blocks import ALONE, Workers

ACTIVE = 1e-3  # rows with a smaller responsibility are left out of a component ...
MIN_ACTIVE = 5  # ... but the component keeps at least this number of rows
JITTER = 1e-6  # on the diagonal of K_uu if white is on every element
BLOCK = 2048  # rows of a component that one thread processes together
# More covariances than this (256 MB) are computed again for the gradient instead of kept.
MOST_KEPT = 2**25
TINY = 1e-300  # smallest responsibility of a row, because the kernel takes its logarithm


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

    A square factor of Y Y' replaces Y if there are more columns than rows.
    """
    factor, _ = _narrow(Y)
    squares = np.einsum("np,np->n", factor, factor)
    return Observed(np.ascontiguousarray(factor), Y.shape[1], squares)


class Part(NamedTuple):
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
        self.parts: list[Part] = []
        self.totals: list[Totals] = []
        self.bases: list[Array | None] = []  # of components with fewer rows than columns
        for m, s in enumerate(S.T):
            rows = _active_rows(s, active)
            s = s[rows]
            root_s = np.sqrt(np.maximum(s, TINY))[:, None]
            Y, basis = _narrow(root_s * data.Y[rows])
            self.parts += [
                Part(m, rows[part], root_s[part], Y[part]) for part in gen_batches(len(rows), BLOCK)
            ]
            energy = float(s @ data.squares[rows])
            self.totals.append(Totals(float(s.sum()), energy, data.n_outputs))
            self.bases.append(basis)
        self.n_rows = sum(len(part.rows) for part in self.parts)

    def value(self, p: Parameters) -> tuple[float, list[Factors]]:
        """Return L_KL and the factors of every component."""
        factors, _, _ = self._evaluate(p)
        prior, _ = latent_prior_gradient(p.X, self.S, p.prior)
        whole = [
            f if basis is None else replace(f, W=f.W @ basis)
            for f, basis in zip(factors, self.bases, strict=True)
        ]
        return self._sum(factors, prior), whole

    def value_and_gradient(self, p: Parameters) -> tuple[float, Array, Array, Array, float]:
        """Return L_KL and its gradients by X, Z, theta and log beta."""
        theta, beta = p.natural, p.beta
        factors, K_uu, cross = self._evaluate(p)
        prior, dX = latent_prior_gradient(p.X, self.S, p.prior)
        slopes = [
            gram_gradient(f, K, totals.weight)
            for f, K, totals in zip(factors, K_uu, self.totals, strict=True)
        ]
        D = np.stack([slope for slope, _ in slopes])
        by_beta = sum(slope for _, slope in slopes) if abs(p.log_beta) < LOG_LIMIT else 0.0
        dZ, dtheta = gram_gradients(self.kernel, theta, p.Z, K_uu, D)

        def gradients(i: int) -> tuple[Array, Array, Array]:
            m, rows, root_s, Y = self.parts[i]
            K = cross(i)
            dK = cross_gradient(factors[m], K, Y, beta)
            return self.kernel.cross_gradients(theta[m], p.X[rows], p.Z, K, dK, root_s)

        of_parts = self.workers.map(gradients, range(len(self.parts)), self.n_rows)
        for part, (part_dX, part_dZ, part_dtheta) in zip(self.parts, of_parts, strict=True):
            dX[part.rows] += part_dX
            dZ[part.component] += part_dZ
            dtheta[part.component] += part_dtheta
        gradient = dX, dZ.sum(axis=0), p.gradient_by_theta(dtheta), by_beta
        return self._sum(factors, prior), *gradient

    def _evaluate(self, p: Parameters) -> tuple[list[Factors], Array, Callable[[int], Array]]:
        """Return factors and K_uu of every component, and a function that returns K~ of part i."""
        theta, beta = p.natural, p.beta
        K_uu = gram(self.kernel, theta, p.Z)
        keep = self.n_rows * len(p.Z) <= MOST_KEPT

        def compute(part: Part) -> Array:
            return self.kernel.cross(theta[part.component], p.X[part.rows], p.Z, part.root_s)

        def products(part: Part) -> tuple[Array, Array, Array | None]:
            K = compute(part)
            return K.T @ K, K.T @ part.Y, K if keep else None

        of_parts = self.workers.map(products, self.parts, self.n_rows)

        def cross(i: int) -> Array:
            kept = of_parts[i][2]
            return compute(self.parts[i]) if kept is None else kept

        def factors(m: int) -> Factors:
            own = [i for i, part in enumerate(self.parts) if part.component == m]
            KK = reduce(np.add, [of_parts[i][0] for i in own])
            KY = reduce(np.add, [of_parts[i][1] for i in own])
            rows = ((cross(i), self.parts[i].Y) for i in own)
            return factorise(K_uu[m], KK, KY, beta, self.totals[m], rows)

        return self.workers.map(factors, range(len(theta)), self.n_rows), K_uu, cross

    def _sum(self, factors: list[Factors], prior: float) -> float:
        return sum(f.value for f in factors) + prior + self.entropy


def _narrow(Y: Array) -> tuple[Array, Array | None]:
    """Return a square factor F of Y Y' and the basis B of Y = F B, if Y has more columns than rows.

    The bound of a component depends on Y Y' only.
    """
    n, d = Y.shape
    if d <= n:
        return Y, None
    basis, factor = np.linalg.qr(Y.T)
    return np.ascontiguousarray(factor.T), basis.T


def _active_rows(s: Array, threshold: float) -> Indices:
    """Return the rows with responsibilities of at least the threshold, but at least MIN_ACTIVE."""
    rows = np.flatnonzero(s >= threshold)
    if len(rows) < min(MIN_ACTIVE, len(s)):
        rows = np.sort(np.argsort(-s, kind="stable")[:MIN_ACTIVE])
    return rows
