"""The posterior processes of all components at latent points: what the E-step asks of them.

    mean F = K_fu W        variance v = k' A^-1 k = |chol(A)^-1 k|^2        (pure DTC)

Covariances with the inducing inputs of all components are one product and one exp, headed by a row of ones for the
bias. The triangular solve goes strip by strip of the factor, as matrix products: with G = L_ii^-1 [-L_i,:i, I], strip i
of the solution is G times what is solved so far, over what is not yet. That is two to three times faster than the
solver of BLAS for a small factor and many points, and lets other threads run.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.linalg.lapack import dtrtri

from sgpmic_cli._typing import Array, Indices
from sgpmic_cli.model.paper.dtc import Factors
from sgpmic_cli.model.paper.kernels import Kernel
from sgpmic_cli.model.parallel import Scratch, cut

STRIP = 56


class Strip(NamedTuple):
    """Some rows of a solve: where they end, under the row of ones, and what they are made by."""

    rows: slice
    G: Array  # (rows, their end)


class Processes:
    """Means and variances of the components whose factors are known, at any latent points."""

    def __init__(self, kernel: Kernel, factors: Sequence[Factors], theta: Array, Z: Array):
        self.kernel, self.factors = kernel, factors
        self.heads = kernel.headed_sides(theta, Z)  # (S, M, 1+K)
        self.busy = [m for m, f in enumerate(factors) if not f.idle]
        self.busy_heads = self.heads[:, self.busy].reshape(len(self.heads), -1)
        self.maps = [_map(f.W_turned, *t) for f, t in zip(factors, theta[:, [0, -2]], strict=True)]
        self.strips = [_strips(f.L_a, *t) for f, t in zip(factors, theta[:, [0, -2]], strict=True)]
        self.scratch = Scratch()

    def covariances(self, X: Array) -> dict[int, Array]:
        """[1; R] (1+K, n) of every component that holds points; the memory is taken again by the next call."""
        stack = self.scratch.columns("covariances", self.busy_heads.shape[1], len(X))
        self.kernel.cross(self.busy_heads, self.kernel.plain_sides(X), stack)
        return dict(zip(self.busy, np.split(stack, len(self.busy)), strict=True)) if self.busy else {}

    def square_errors(self, m: int, R: Array, Y: Array, squares: Array) -> Array:
        """|y_n - F_n|^2 of rows Y (n, D) with their |y_n|^2, given [1; R] of component m, (n,)."""
        turn = self.factors[m].turn
        if turn is None:
            gap = self.maps[m] @ R
            gap -= Y.T
            return np.einsum("pn,pn->n", gap, gap)
        inside = turn @ Y.T  # F lies in the span of few directions: the rest of y is error whatever F is
        outside = squares - np.einsum("pn,pn->n", inside, inside)
        inside -= self.maps[m] @ R
        return outside + np.einsum("pn,pn->n", inside, inside)

    def variances(self, m: int, near: Indices, X: Array, R: Array | None) -> Array:
        """v at the points `near` of X, (len(near),); R as `covariances` has it, or None for an idle component."""
        if R is None:
            solved = self.scratch.columns("idle", self.heads.shape[2], len(near))
            self.kernel.cross(np.ascontiguousarray(self.heads[:, m]), self.kernel.plain_sides(X[near]), solved)
        else:
            solved = R.T[near].T
        out = np.zeros(len(near))
        for rows, G in self.strips[m]:
            part = np.matmul(G, solved[: rows.stop], out=self.scratch.columns("part", len(G), len(near)))
            out += np.einsum("kn,kn->n", part, part)
            solved[rows] = part
        return out


def _map(W: Array, variance: float, bias: float) -> Array:
    """From [1; R] to F', (D, 1+K)."""
    return np.ascontiguousarray(np.column_stack([bias * W.sum(axis=0), variance * W.T]))


def _strips(L: Array, variance: float, bias: float) -> list[Strip]:
    strips = []
    for rows in cut(len(L), STRIP):
        inverse, _ = dtrtri(L[rows, rows], lower=True)
        head = bias * inverse.sum(axis=1, keepdims=True)
        G = np.asfortranarray(np.hstack([head, -inverse @ L[rows, : rows.start], variance * inverse]))
        strips.append(Strip(slice(1 + rows.start, 1 + rows.stop), G))
    return strips
