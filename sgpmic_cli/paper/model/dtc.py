"""One component: a sparse Gaussian process (DTC) whose rows have weights s_n.

    A = K_uu + beta K_uf S K_fu        E = beta K_uf S Y        W = A^-1 E        S = diag(s)

    L = P/2 sum_n s_n log(beta / 2 pi) - P/2 (log|A| - log|K_uu|) - 1/2 misfit
    misfit = beta sum_n s_n |y_n|^2 - tr(E' W)

This is the Gaussian term of the paper's bound plus its correction c_nm. The terms with log s_n
cancel, so that L stays finite if a weight goes to zero. No N x N matrix is formed. Gradients:

    dL/dA = H = -1/2 (P A^-1 + W W')
    dL/dK_uu  = P/2 K_uu^-1 + H
    dL/dK_uf  = beta (2 H K_uf + W Y') S
    dL/dlog beta = 1/2 (P sum_n s_n - misfit) - tr(dL/dK_uu K_uu)

If A is badly conditioned, these formulas lose digits. Then one QR factorisation gives the same
quantities without forming A:

    [ sqrt(beta S) K_fu   sqrt(beta S) Y ]         [ chol(A)'   chol(A)' W ]
    [ chol(K_uu)'         0              ]  =  Q   [ 0          residual   ]

    misfit = |residual|^2

A tilde marks weighted rows: K~ = K_uf sqrt(S) (K, n) and Y~ = Y' sqrt(S) (D, n) have a column for
each row of the data. V (K + D, n) is K~ above Y~.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.linalg import solve_triangular
from scipy.linalg.lapack import dpotrf, dtrtri

from sgpmic_cli._typing import Array

EPS = float(np.finfo(np.float64).eps)
LOST = 1e-6  # accepted relative error of the bound, as `_is_rough` estimates it (far too high)
IDLE = 1e-30  # a component with less weight than this has no effect on the bound
JITTERS = (0.0, *10.0 ** np.arange(-10, -3))  # on a diagonal, relative to its mean


@dataclass(frozen=True)
class Totals:
    """Sums over the rows of a component, which are constant while the responsibilities are."""

    weight: float  # sum_n s_n
    energy: float  # sum_n s_n |y_n|^2
    n_outputs: int  # P


@dataclass(frozen=True)
class Factors:
    """The posterior of a component: q(f) has the mean K_fu W and the variances |L_a^-1 k_n|^2."""

    value: float  # L
    L_u: Array  # (K, K)  chol(K_uu)
    L_a: Array  # (K, K)  chol(A)
    L_a_inverse: Array  # (K, K)
    W: Array  # (K, D)
    misfit: float
    n_outputs: int  # P
    jitter: float  # added to the diagonal of K_uu
    rough: bool  # whether the factors come from the QR factorisation

    @cached_property
    def gradient_by_A(self) -> Array:
        """H = dL/dA, (K, K)."""
        H = self.L_a_inverse.T @ self.L_a_inverse
        H *= self.n_outputs
        H += self.W @ self.W.T
        H *= -0.5
        return H

    def whiten(self, K: Array) -> Array:
        """Return chol(A)^-1 k_n for every column k_n of K (K, n)."""
        if self.rough:  # the inverse has too few digits
            return np.asarray(solve_triangular(self.L_a, K, lower=True, check_finite=False))
        return self.L_a_inverse @ K


def factorise(
    K_uu: Array, KK: Array, KY: Array, beta: float, totals: Totals, blocks: Iterable[Array]
) -> Factors:
    """Return the factors of a component from K~ K~', K~ Y~' and the blocks of V."""
    k, P = len(K_uu), totals.n_outputs
    L_u, jitter = jittered_cholesky(K_uu)
    L_a = cholesky(K_uu + beta * KK)
    if L_a is not None:
        L_a_inverse, E = inverse_factor(L_a), beta * KY
        W = L_a_inverse.T @ (L_a_inverse @ E)
        misfit = beta * totals.energy - float(np.vdot(E, W))
        value = _value(totals, beta, L_u, L_a, misfit)
        terms = beta * totals.energy + k * P
        if totals.weight <= IDLE or (jitter == 0.0 and not _is_rough(L_a, terms, value)):
            return Factors(value, L_u, L_a, L_a_inverse, W, misfit, P, jitter, rough=False)
    L_a, W, misfit = _factorise_by_qr(L_u, beta, blocks)
    value = _value(totals, beta, L_u, L_a, misfit)
    return Factors(value, L_u, L_a, inverse_factor(L_a), W, misfit, P, jitter, rough=True)


def gram_gradient(f: Factors, K_uu: Array, weight: float) -> tuple[Array, float]:
    """Return dL/dK_uu (K, K) and dL/dlog beta, given the sum of the weights."""
    D = inverse(f.L_u)
    D *= 0.5 * f.n_outputs
    D += f.gradient_by_A
    return D, 0.5 * (f.n_outputs * weight - f.misfit) - float(np.vdot(D, K_uu))


def cross_gradient(f: Factors, V: Array, beta: float, out: Array) -> None:
    """Set `out` (K, n) to dL/dK~ = beta (2 H K~ + W Y~) for some columns of V."""
    if not f.rough:
        np.matmul(beta * np.hstack([2.0 * f.gradient_by_A, f.W]), V, out=out)
        return
    # Take residuals before products and solve with the factor of A, to keep the digits.
    K, Y = np.vsplit(V, [len(out)])
    solved = solve_triangular(f.L_a, f.whiten(K), lower=True, trans=1, check_finite=False)
    out[:] = beta * (f.W @ (Y - f.W.T @ K) - f.n_outputs * solved)


def _value(totals: Totals, beta: float, L_u: Array, L_a: Array, misfit: float) -> float:
    log_ratio = log_determinant(L_a) - log_determinant(L_u)
    log_noise = totals.weight * np.log(beta / (2.0 * np.pi))
    return float(0.5 * (totals.n_outputs * (log_noise - log_ratio) - misfit))


def _is_rough(L_a: Array, terms: float, value: float) -> bool:
    """Return whether rounding errors of A may change the bound, a sum of such `terms`, too much.

    The relative error of A^-1 is about eps cond(A), and cond(A) is estimated by the diagonal.
    """
    diagonal = L_a.diagonal()
    ratio = diagonal.min() / diagonal.max()
    return bool(not EPS * terms <= LOST * abs(value) * ratio * ratio)


def _factorise_by_qr(
    L_u: Array, beta: float, blocks: Iterable[Array]
) -> tuple[Array, Array, float]:
    """Return chol(A), W and the misfit by a QR factorisation (see above)."""
    k, weighted = len(L_u), [np.sqrt(beta) * V.T for V in blocks]
    prior = np.zeros((k, weighted[0].shape[1]))
    prior[:, :k] = L_u.T
    R = np.asarray(np.linalg.qr(np.vstack([*weighted, prior]), mode="r"))
    R[:k] *= np.where(R.diagonal()[:k] < 0.0, -1.0, 1.0)[:, None]
    W = solve_triangular(R[:k, :k], R[:k, k:], check_finite=False)
    return np.asfortranarray(R[:k, :k].T), W, float(np.sum(R[k:, k:] ** 2))


def cholesky(matrix: Array) -> Array | None:
    """Return the lower factor L of a symmetric matrix L L', or None if it has no finite factor."""
    factor, info = dpotrf(matrix.T, lower=True, clean=True)
    return factor if info == 0 and np.isfinite(factor[-1, -1]) else None


def jittered_cholesky(matrix: Array) -> tuple[Array, float]:
    """Return the lower factor and the jitter that was added to the diagonal, usually 0."""
    scale = float(np.mean(np.diagonal(matrix)))
    for relative in JITTERS:
        jitter = relative * scale
        factor = cholesky(matrix + jitter * np.eye(len(matrix)) if relative else matrix)
        if factor is not None:
            return factor, jitter
    raise np.linalg.LinAlgError("The covariance matrix of a component is not positive definite.")


def log_determinant(factor: Array) -> float:
    """Return log |L L'|."""
    return 2.0 * float(np.log(factor.diagonal()).sum())


def inverse_factor(factor: Array) -> Array:
    """Return L^-1."""
    return np.asarray(dtrtri(factor, lower=True)[0])


def inverse(factor: Array) -> Array:
    """Return (L L')^-1."""
    half = inverse_factor(factor)
    return half.T @ half
