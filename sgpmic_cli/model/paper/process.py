"""The posterior processes of all components at latent points: what the E-step asks of them.

    mean F = K_fu W        variance v = k' A^-1 k = |chol(A)^-1 k|^2        (pure DTC)

Covariances with the inducing inputs are headed by a row of ones for the bias, so that F and chol(A)^-1 k are each one
product with them. To multiply by the inverse of the factor is faster than to solve with it, and as exact where A has
kept its digits; where it has not (`orthogonal.py`), the factor is solved with.
"""

from collections.abc import Sequence

import numpy as np

from sgpmic_cli._typing import Array, Indices
from sgpmic_cli.model.paper.dtc import Factors
from sgpmic_cli.model.paper.kernels import Kernel
from sgpmic_cli.model.paper.numerics.unlocked_blas import dtrmm, dtrsm
from sgpmic_cli.model.parallel import Scratch

SCRATCH = (
    Scratch()
)  # of all E-steps, one after another: new memory would cost as much as what is computed into it


class Processes:
    """Means and variances of the components whose factors are known, at any latent points."""

    def __init__(self, kernel: Kernel, factors: Sequence[Factors], theta: Array, Z: Array):
        self.kernel, self.factors = kernel, factors
        self.heads = np.ascontiguousarray(
            kernel.headed_sides(theta, Z).transpose(1, 0, 2)
        )  # (M, S, 1+K)
        self.scales = theta[:, [0, -2]]  # variance and bias
        self.maps = [
            _map(f.W_turned, *scale) for f, scale in zip(factors, self.scales, strict=True)
        ]
        self.halves = [
            None if f.rough else _half(f.L_a_inverse, *t)
            for f, t in zip(factors, self.scales, strict=True)
        ]

    def covariances(self, m: int, sides: Array, name: object = "R") -> Array:
        """[1; R] (1+K, n) of component m, given the kernel's plain sides; the next of that name takes its memory."""
        return self.kernel.cross(
            self.heads[m], sides, SCRATCH.columns(name, self.heads.shape[2], len(sides))
        )

    def square_errors(self, m: int, R: Array, Y: Array, squares: Array) -> Array:
        """|y_n - F_n|^2 of rows Y (D, n) with their |y_n|^2, given [1; R] of component m, (n,)."""
        f = self.factors[m]
        if f.idle:  # its mean is zero
            return squares
        if f.turn is None:
            gap = np.matmul(self.maps[m], R, out=SCRATCH.columns("gap", *Y.shape[::-1]).T)
            gap -= Y
            return np.einsum("pn,pn->n", gap, gap)
        inside = (
            f.turn @ Y
        )  # F lies in the span of few directions: the rest of y is error whatever F is
        outside = squares - np.einsum("pn,pn->n", inside, inside)
        inside -= self.maps[m] @ R
        return outside + np.einsum("pn,pn->n", inside, inside)

    def variances(self, m: int, R: Array, near: Indices) -> Array:
        """v at some of the points of [1; R] of component m, (len(near),); R is of no use afterwards."""
        own = R
        if len(near) < R.shape[1]:
            own = SCRATCH.columns("near", len(R), len(near))
            np.take(
                R.T, near, axis=0, out=own.T, mode="clip"
            )  # all are within; to make sure would cost a copy
        if (half := self.halves[m]) is not None:
            solved = dtrmm(1.0, half, own, lower=True, overwrite_b=True)
        else:
            variance, bias = self.scales[m]
            solved = dtrsm(
                1.0, self.factors[m].L_a, variance * own[1:] + bias, lower=True, overwrite_b=True
            )
        return np.einsum("kn,kn->n", solved, solved)


def _map(W: Array, variance: float, bias: float) -> Array:
    """From [1; R] to F', (D, 1+K)."""
    return np.ascontiguousarray(np.column_stack([bias * W.sum(axis=0), variance * W.T]))


def _half(inverse: Array, variance: float, bias: float) -> Array:
    """From [1; R] to [0; L^-1 k], (1+K, 1+K) and lower triangular."""
    half = np.zeros((1 + len(inverse), 1 + len(inverse)), order="F")
    half[1:, 0] = bias * inverse.sum(axis=1)
    np.multiply(variance, inverse, out=half[1:, 1:])
    return half
