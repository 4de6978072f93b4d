"""The KL-corrected bound of the mixture and its gradient.

    L_KL = sum_m L_m(X, Z, theta_m, beta; S_:m)
           + sum_nm S_nm [log pi_m + log N(x_n | xbar_m, C_m) - log S_nm]

L_m is the weighted sparse Gaussian process of `dtc.py`.
"""

from dataclasses import dataclass, replace
from functools import cached_property, reduce
from typing import NamedTuple

import numpy as np
from scipy.special import xlogy
from sklearn.utils import gen_batches

from sgpmic_cli._typing import Array, Indices
from sgpmic_cli.paper.model.dtc import Factors, Totals, cross_gradient, factorise, gram_gradient
from sgpmic_cli.paper.model.kernels import LOG_LIMIT, Kernel, gram, gram_gradients, positive
from sgpmic_cli.paper.model.mixture import Mixture, prior_gradients
from sgpmic_cli.row_blocks import ALONE, Workers

ACTIVE = 1e-3  # rows with a smaller responsibility are left out of a component ...
MIN_ACTIVE = 5  # ... but the component keeps at least this number of rows
JITTER = 1e-6  # on the diagonal of K_uu if white is on every element
BLOCK = 4096  # rows that one thread processes together
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

    @cached_property
    def beta(self) -> float:
        """The noise precision."""
        return float(positive(np.asarray(self.log_beta)))

    @cached_property
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


class Stack:
    """Rows of one or more components, whose kernels are computed together.

    The workspace (K + D + K, n) holds K~ and Y~ of `dtc.py`, and then dL/dK~. Its pages stay in
    memory between evaluations; new ones cost a seventh of the time of an evaluation.
    """

    def __init__(self, components: Indices, rows: Indices, root_s: Array, Y: Array):
        self.components, self.rows = components, rows  # (n,)
        self.root_s, self.Y = root_s, Y  # (n,) and (D, n):  sqrt(s_n) and sqrt(s_n) y_n
        found, starts = np.unique(components, return_index=True)
        places = map(slice, starts, [*starts[1:], len(rows)])
        self.places = dict(zip(found.tolist(), places, strict=True))
        self.workspace = np.empty((0, len(rows)))

    def at(self, p: Parameters) -> tuple[Array, Array, Array]:
        """Return the first arguments of a kernel."""
        return p.natural.T[:, self.components], p.Z, p.X[self.rows]

    def compute(self, kernel: Kernel, p: Parameters) -> Array:
        """Set and return K~ above Y~ in the workspace (K + D, n)."""
        k, height = len(p.Z), 2 * len(p.Z) + len(self.Y)
        if len(self.workspace) != height:
            self.workspace = np.empty((height, len(self.rows)))
            self.workspace[k:-k] = self.Y
        kernel.cross(*self.at(p), self.root_s, out=self.workspace[:k])
        return self.workspace[:-k]


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
        rows_of = [_active_rows(s, active) for s in S.T]
        sizes = [len(rows) for rows in rows_of]
        components = np.repeat(np.arange(len(sizes)), sizes)
        rows = np.concatenate(rows_of)
        root_s = np.sqrt(np.maximum(S[rows, components], TINY))
        Y = np.zeros((min(data.Y.shape[1], max(sizes)), len(rows)))
        self.totals: list[Totals] = []
        self.bases: list[Array | None] = []  # of components with fewer rows than columns
        for m, own in enumerate(rows_of):
            s, place = S[own, m], components == m
            narrow, basis = _narrow(root_s[place, None] * data.Y[own])
            Y[: narrow.shape[1], place] = narrow.T
            energy = float(s @ data.squares[own])
            self.totals.append(Totals(float(s.sum()), energy, data.n_outputs))
            self.bases.append(basis)
        self.n_rows = len(rows)
        self.stacks = [
            Stack(components[block], rows[block], root_s[block], Y[:, block])
            for block in gen_batches(len(rows), BLOCK)
        ]

    def value(self, p: Parameters) -> tuple[float, list[Factors]]:
        """Return L_KL and the factors of every component."""
        factors, _ = self._evaluate(p)
        prior = prior_gradients(p.X, self.S, p.prior)[0]
        whole = [
            f if basis is None else replace(f, W=f.W[:, : len(basis)] @ basis)
            for f, basis in zip(factors, self.bases, strict=True)
        ]
        return sum(f.value for f in factors) + prior + self.entropy, whole

    def value_and_gradient(self, p: Parameters) -> tuple[float, Array, Array, Array, float]:
        """Return L_KL and its gradients by X, Z, theta and log beta."""
        k, beta = len(p.Z), p.beta
        factors, K_uu = self._evaluate(p)
        prior, dX, _, _ = prior_gradients(p.X, self.S, p.prior)
        slopes = [
            gram_gradient(f, K, totals.weight)
            for f, K, totals in zip(factors, K_uu, self.totals, strict=True)
        ]
        D = np.stack([slope for slope, _ in slopes])
        by_beta = sum(slope for _, slope in slopes) if abs(p.log_beta) < LOG_LIMIT else 0.0
        dZ, dtheta = gram_gradients(self.kernel, p.natural, p.Z, K_uu, D)

        def gradients(stack: Stack) -> tuple[Array, Array, Array]:
            K, V, dK = stack.workspace[:k], stack.workspace[:-k], stack.workspace[-k:]
            for m, place in stack.places.items():
                cross_gradient(factors[m], V[:, place], beta, out=dK[:, place])
            return self.kernel.cross_gradients(*stack.at(p), K, dK, stack.root_s)

        of_stacks = self.workers.map(gradients, self.stacks, self.n_rows)
        for stack, (by_Z, by_X, by_theta) in zip(self.stacks, of_stacks, strict=True):
            dZ += by_Z
            for m, place in stack.places.items():
                dX[stack.rows[place]] += by_X[place]
                dtheta[m] += by_theta[:, place].sum(axis=1)
        value = sum(f.value for f in factors) + prior + self.entropy
        return value, dX, dZ, p.gradient_by_theta(dtheta), by_beta

    def _evaluate(self, p: Parameters) -> tuple[list[Factors], Array]:
        """Return the factors and K_uu of every component."""
        k = len(p.Z)
        K_uu = gram(self.kernel, p.natural, p.Z)

        def products(stack: Stack) -> dict[int, tuple[Array, Array]]:
            K, Y = np.vsplit(stack.compute(self.kernel, p), [k])
            return {
                m: (K[:, place] @ K[:, place].T, K[:, place] @ Y[:, place].T)
                for m, place in stack.places.items()
            }

        of_stacks = self.workers.map(products, self.stacks, self.n_rows)

        def factors(m: int) -> Factors:
            KK, KY = (
                reduce(np.add, parts)
                for parts in zip(*[found[m] for found in of_stacks if m in found], strict=True)
            )
            own = [stack for stack in self.stacks if m in stack.places]
            blocks = (stack.workspace[:-k, stack.places[m]] for stack in own)
            return factorise(K_uu[m], KK, KY, p.beta, self.totals[m], blocks)

        return self.workers.map(factors, range(len(K_uu)), self.n_rows), K_uu


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
