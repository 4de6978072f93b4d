"""One component: a sparse Gaussian process (DTC) whose points carry weights.

With weights s_n and precision beta, K = variance R + bias and everything below in terms of

    R~ = R sqrt(S)  (K, n)        Y~ = sqrt(S) [Y, 1]  (n, P+1)

the matrices of the bound follow from two products of R~, one symmetric and one narrow:

    K_uf S K_fu = v^2 R~R~' + v bias (r 1' + 1 r') + bias^2 (sum s) 1 1',       r = R s
    A = K_uu + beta K_uf S K_fu,        E = beta K_uf S Y,        W = A^-1 E

    L = P/2 sum_n s_n log(beta / 2 pi) - P/2 (log|A| - log|K_uu|) - 1/2 (beta sum_n s_n |y_n|^2 - tr(E' W))

This is the cancelled form of the paper's Gaussian term plus its correction: it stays finite when a weight goes to zero.
Symmetric K x K matrices live in their lower triangles, where BLAS and LAPACK leave and look for them.

Rows are taken in blocks that fit the cache, and blocks in pieces that threads take in turn. Blocks of R~ are kept
between the two passes of an evaluation up to a limit and computed again beyond it, so memory never grows with
N x K x M. Where A is so badly conditioned that the formulas above lose digits, `orthogonal.py` gives the same
quantities without ever forming A.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.blas import daxpy, dsyr2
from scipy.linalg.lapack import dlauum, dpotri, dpotrs, dtrtri

from sgpmic_cli._typing import Array
from sgpmic_cli.model.paper.kernels import Kernel
from sgpmic_cli.model.paper.numerics.cholesky import jittered_cholesky
from sgpmic_cli.model.paper.numerics.orthogonal import factorise, is_rough, slope
from sgpmic_cli.model.paper.numerics.unlocked_blas import dgemm, dsymm, dsyrk
from sgpmic_cli.model.parallel import PIECE, Scratch, cut

BLOCK_BYTES = 1024 * 1024  # one block of R~: what a common second-level cache holds
KEPT_BYTES = (
    512 * 1024 * 1024
)  # R~ of all components together is kept between the passes up to this size
IDLE = (
    1e-30  # a component with less than this share of one point adds nothing that a float could hold
)


class Sides(NamedTuple):
    """What the cross matrix of a component is made of."""

    left: Array  # (S, K)
    right: Array  # (n, S)


class Slopes(NamedTuple):
    """Where a component leaves what the gradients are made of; views into arrays of all components."""

    TX: Array  # (K, Q+1)
    TZ: Array  # (n, Q+1)
    D: Array  # (K, K)  dL/dK_uu, lower triangle, in Fortran order


class Totals(Protocol):
    """What the K x K algebra needs of the points of a component."""

    @property
    def turn(self) -> Array | None:
        """Orthonormal rows that lead from the columns of Y~ to those of the data, where they differ."""
        ...

    @property
    def total(self) -> float:
        """sum_n s_n."""
        ...

    @property
    def sum_y(self) -> Array:
        """sum_n s_n y_n."""
        ...

    @property
    def energy(self) -> float:
        """sum_n s_n |y_n|^2."""
        ...

    @property
    def n_outputs(self) -> int:
        """P."""
        ...


class Weighted(NamedTuple):
    """The points of one component as the bound needs them; fixed while S is."""

    rows: NDArray[np.intp] | slice  # which rows of X and Y take part
    root_s: Array  # (n,)   sqrt(s_n)
    Y1: Array  # (n, D+1)   sqrt(s_n) [y_n, 1]
    turn: (
        Array | None
    )  # (D, columns of Y) orthonormal rows: Y1 holds Y turn' when that is narrower than Y
    total: float  # sum_n s_n
    sum_y: Array  # (D,)    sum_n s_n y_n
    energy: float  # sum_n s_n |y_n|^2
    n_outputs: int  # P of the data


@dataclass(frozen=True)
class Factors:
    """What the K x K algebra of a component leaves behind."""

    value: float
    L_u: Array  # (K, K)  chol(K_uu)
    L_a: Array  # (K, K)  chol(A)
    W_turned: Array  # (K, D)    A^-1 E in the columns of Y1
    turn: Array | None
    r: Array  # (K,)       R s
    misfit: float  # beta sum_n s_n |y_n|^2 - tr(E' W)
    jitter: float
    rough: bool  # whether the factors came from `orthogonal.py`
    idle: bool = False  # whether the component holds no point, so that W is zero

    @cached_property
    def L_a_inverse(self) -> Array:
        """chol(A)^-1 (K, K): the gradient needs it, and so does the E-step that follows."""
        return np.asarray(dtrtri(self.L_a, lower=True)[0])

    @cached_property
    def W(self) -> Array:
        """A^-1 E in the columns of the data (K, P)."""
        return self.W_turned if self.turn is None else self.W_turned @ self.turn


def weigh(Y: Array, s: Array, rows: NDArray[np.intp] | slice, n_outputs: int) -> Weighted:
    """Bring the rows of Y with their weights s (both already cut to `rows`) into the form of the bound.

    The bound sees outputs through their inner products only: fewer points than columns fit into as many columns.
    """
    root_s = np.sqrt(s)
    turn = None
    if Y.shape[0] < Y.shape[1]:
        basis, triangle = np.linalg.qr(Y.T)
        Y, turn = triangle.T, np.ascontiguousarray(basis.T)
    Y1 = np.empty((Y.shape[0], Y.shape[1] + 1))
    np.multiply(Y, root_s[:, None], out=Y1[:, :-1])
    Y1[:, -1] = root_s
    sum_y = root_s @ Y1[:, :-1]
    energy = float(np.einsum("np,np->", Y1[:, :-1], Y1[:, :-1]))
    return Weighted(rows, root_s, Y1, turn, float(s.sum()), sum_y, energy, n_outputs)


class Sums(NamedTuple):
    """What a piece of the rows adds to the matrices of the bound."""

    A: Array  # (K, K)
    RY: Array  # (K, D+1)


class Back(NamedTuple):
    """What leads from the K x K algebra back to the rows, and dL by log bias and, but for tr(D K_uu), by log beta."""

    right: Array  # (K, D+1)  what Y~' is multiplied with
    log_bias: float
    log_beta: float


def components(
    kernel: Kernel, points: Sequence[Weighted], n_inducing: int
) -> list["Component | Idle"]:
    """One component for each set of points, with one limit on what they keep and one scratch between them."""
    block = max(64, BLOCK_BYTES // (8 * n_inducing))
    sizes = [len(data.root_s) for data in points]
    share = min(1.0, KEPT_BYTES / (8 * n_inducing * sum(sizes)))
    scratch = Scratch()
    return [
        Component(kernel, data, n_inducing, block, int(share * size), scratch)
        if data.total > IDLE
        else Idle(data)
        for data, size in zip(points, sizes, strict=True)
    ]


class Idle:
    """A component that lost all its points: A is K_uu, and neither the bound nor its gradient knows of it."""

    def __init__(self, data: Weighted):
        self.data = data

    def factors(
        self, theta: Array, beta: float, K_uu: Array, sides: Sides, sums: Sequence[Sums]
    ) -> Factors:
        """A value of zero, and factors without points."""
        L_u, jitter = jittered_cholesky(K_uu)
        width = self.data.Y1.shape[1] - 1
        W, r = np.zeros((len(K_uu), width), order="F"), np.zeros(len(K_uu))
        return Factors(0.0, L_u, L_u, W, self.data.turn, r, 0.0, jitter, rough=False, idle=True)

    def back(self, f: Factors, theta: Array, beta: float, slopes: Slopes) -> Back:
        """Slopes of zero."""
        for part in slopes:
            part[:] = 0.0
        return Back(np.empty(0), 0.0, 0.0)

    def collect(self, f: Factors, parts: Sequence[Array], slopes: Slopes) -> None:
        """There are no pieces."""


class Component:
    """The bound of one component and its gradient, with work arrays that live as long as the weights do.

    `sums` of every piece, then `factors`: the bound. Then `back`, `slopes` of every piece, `collect`: its gradient.
    Pieces may be taken by any thread; what they give is added up in their order.
    """

    def __init__(
        self,
        kernel: Kernel,
        data: Weighted,
        n_inducing: int,
        block: int,
        kept: int,
        scratch: Scratch,
    ):
        self.kernel = kernel
        self.data = data
        blocks = cut(len(data.root_s), block)
        self.pieces = tuple(blocks[part] for part in cut(len(blocks), -(-PIECE // block)))
        self.n_kept = kept
        self.kept: Array | None = None
        self.scratch = scratch
        self.ones = np.ones(n_inducing)

    def keep(self, wanted: bool) -> None:
        """Whether as much of R~ as the limit allows is left for a gradient at the same parameters."""
        if not wanted:
            self.kept = None
        elif self.kept is None:
            self.kept = np.empty((len(self.ones), self.n_kept), order="F")

    def sums(
        self, piece: list[slice], theta: Array, beta: float, K_uu: Array, sides: Sides
    ) -> Sums:
        """What a piece adds to A and R~Y~; the first brings K_uu along."""
        k, v = len(K_uu), float(theta[0])
        A = K_uu.copy(order="F") if piece is self.pieces[0] else np.zeros((k, k), order="F")
        RY = np.zeros((k, self.data.Y1.shape[1]), order="F")
        for rows in piece:
            R = self._cross(sides, rows)
            dsyrk(beta * v * v, R, beta=1.0, c=A, overwrite_c=True, lower=True)
            dgemm(1.0, R, self.data.Y1[rows].T, trans_b=True, beta=1.0, c=RY, overwrite_c=True)
        return Sums(A, RY)

    def factors(
        self, theta: Array, beta: float, K_uu: Array, sides: Sides, sums: Sequence[Sums]
    ) -> Factors:
        """The bound and its factors at natural kernel parameters theta, from the sums of all pieces."""
        data, (A, RY) = self.data, sums[0]
        for more in sums[1:]:
            A += more.A
            RY += more.RY

        def orthogonal(L_u: Array, L_a: Array) -> tuple[Array, Array, float]:
            return factorise(
                L_u, L_a, data.Y1.shape[1] - 1, lambda: self._weighted_rows(theta, beta, sides)
            )

        return solve(data, theta, beta, K_uu, A, RY, orthogonal)

    def back(self, f: Factors, theta: Array, beta: float, slopes: Slopes) -> Back:
        """What the slopes of the pieces need of the factors; leaves dL/dA in `slopes.D`."""
        return Back(*adjoints(self.data, f, theta, beta, slopes.D))

    def slopes(
        self,
        piece: list[slice],
        f: Factors,
        theta: Array,
        beta: float,
        sides: Sides,
        back: Back,
        Z1: Array,
        X1: Array,
        slopes: Slopes,
    ) -> Array:
        """What a piece adds to TX, given [Z, 1] (K, Q+1) and the kernel's multiplier X1 (n, Q+1); fills its TZ."""
        data, v = self.data, float(theta[0])
        TX = np.zeros((len(Z1), X1.shape[1]), order="F")
        for rows in piece:
            R = self._cross_again(sides, rows)
            if f.rough:
                covariances = self._covariances(theta, R, rows)
                U = slope(f.L_a, f.W_turned, beta, data.n_outputs, covariances, data.Y1[rows, :-1])
            else:
                U = self._scratch("U", rows)
                dsymm(2.0 * beta * v, slopes.D, R, beta=0.0, c=U, overwrite_c=True, lower=True)
                dgemm(1.0, back.right, data.Y1[rows].T, beta=1.0, c=U, overwrite_c=True)
            T = self.kernel.fold(U, R)
            dgemm(1.0, T, X1[rows], beta=1.0, c=TX, overwrite_c=True)
            slopes.TZ[rows] = dgemm(1.0, T, Z1, trans_a=True)
        return TX

    def collect(self, f: Factors, parts: Sequence[Array], slopes: Slopes) -> None:
        """Add up TX of all pieces, and bring D from dL/dA to dL/dK_uu."""
        TX = parts[0]
        for more in parts[1:]:
            TX += more
        slopes.TX[:] = TX
        add_gram_slope(slopes.D, f, self.data.n_outputs)

    def _covariances(self, theta: Array, R: Array, rows: slice) -> Array:
        """sqrt(s_n) k_n from its kernel part R~, (K, n)."""
        K = np.multiply(theta[0], R, order="F")
        K += theta[-2] * self.data.root_s[rows]
        return K

    def _weighted_rows(
        self, theta: Array, beta: float, sides: Sides
    ) -> Iterator[tuple[Array, Array]]:
        """sqrt(beta s_n) k_n (K, n) and sqrt(beta s_n) y_n (n, D), block by block."""
        for rows in chain(*self.pieces):
            K = self._covariances(theta, self._cross_again(sides, rows), rows)
            K *= np.sqrt(beta)
            yield K, np.multiply(np.sqrt(beta), self.data.Y1[rows, :-1], order="F")

    def _cross(self, sides: Sides, rows: slice) -> Array:
        """R~ of a block."""
        kept = self._kept(rows)
        return self.kernel.cross(
            sides.left, sides.right[rows], self._scratch("R", rows) if kept is None else kept
        )

    def _cross_again(self, sides: Sides, rows: slice) -> Array:
        """The same once more at the same parameters."""
        kept = self._kept(rows)
        return self._cross(sides, rows) if kept is None else kept

    def _kept(self, rows: slice) -> Array | None:
        return None if self.kept is None or rows.stop > self.n_kept else self.kept[:, rows]

    def _scratch(self, name: str, rows: slice) -> Array:
        return self.scratch.columns(name, len(self.ones), rows.stop - rows.start)


def solve(
    data: Totals,
    theta: Array,
    beta: float,
    K_uu: Array,
    A: Array,
    RY: Array,
    orthogonal: Callable[[Array, Array], tuple[Array, Array, float]],
) -> Factors:
    """The factors from the sums over the points: A = K_uu + beta v^2 R~R~' and RY = R~Y~, both overwritten.

    `orthogonal` gives chol(A), W and the misfit from chol(K_uu) and a first chol(A), where the sums have lost digits.
    """
    v, bias = float(theta[0]), float(theta[-2])
    r = RY[:, -1]
    tilt = (beta * v * bias) * r
    tilt += 0.5 * beta * bias * bias * data.total
    dsyr2(1.0, tilt, np.ones(len(A)), a=A, overwrite_a=True, lower=True)
    E = RY[:, :-1]
    E *= beta * v
    E += beta * bias * data.sum_y
    L_u, jitter = jittered_cholesky(K_uu)
    L_a, jitter_a = jittered_cholesky(A)
    W, _ = dpotrs(L_a, E, lower=True)
    misfit = beta * data.energy - float(np.vdot(E.T, W.T))
    value = _value(data, beta, L_u, L_a, misfit)
    terms = beta * data.energy + len(K_uu) * data.n_outputs
    rough = jitter + jitter_a > 0.0 or is_rough(L_a, terms, value)
    if rough:
        L_a, W, misfit = orthogonal(L_u, L_a)
        value = _value(data, beta, L_u, L_a, misfit)
    return Factors(value, L_u, L_a, W, data.turn, r, misfit, jitter, rough)


def adjoints(
    data: Totals, f: Factors, theta: Array, beta: float, H: Array
) -> tuple[Array, float, float]:
    """Fill H (K, K) with dL/dA, its lower triangle; what Y~' is multiplied with, and dL by log bias and log beta.

    H = dL/dA = -1/2 (P A^-1 + W W');  dL/dK_uu = P/2 K_uu^-1 + H;  dL/dK_uf = beta (2 H K_uf + W Y') S
    """
    v, bias, p, W = float(theta[0]), float(theta[-2]), data.n_outputs, f.W_turned
    ones = np.ones(len(W))
    H[:] = f.L_a_inverse
    dlauum(H, lower=True, overwrite_c=True)
    dsyrk(-0.5, W, beta=-0.5 * p, c=H, overwrite_c=True, lower=True)
    solved_ones, _ = dpotrs(f.L_a, ones, lower=True)
    sum_w = ones @ W
    right = np.empty((len(W), W.shape[1] + 1), order="F")
    np.multiply(W, beta, out=right[:, :-1])
    np.multiply(W @ sum_w + p * solved_ones, -beta * bias, out=right[:, -1])  # 2 beta bias H 1
    Ks = v * f.r + bias * data.total  # K_uf s
    by_bias = bias * beta * float(sum_w @ (data.sum_y - Ks @ W) - p * (solved_ones @ Ks))
    return right, by_bias, 0.5 * (p * data.total - f.misfit)


def add_gram_slope(H: Array, f: Factors, n_outputs: int) -> None:
    """From dL/dA to dL/dK_uu, in place."""
    K_inverse, _ = dpotri(f.L_u, lower=True)
    daxpy(K_inverse.ravel(order="F"), H.ravel(order="F"), a=0.5 * n_outputs)


def _value(data: Totals, beta: float, L_u: Array, L_a: Array, misfit: float) -> float:
    log_ratio = 2.0 * float(np.log(L_a.diagonal() / L_u.diagonal()).sum())  # log|A| - log|K_uu|
    return 0.5 * (
        data.n_outputs * (data.total * math.log(beta / (2.0 * math.pi)) - log_ratio) - misfit
    )
