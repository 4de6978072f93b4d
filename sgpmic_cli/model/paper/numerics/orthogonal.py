"""A component's factors where its normal equations have lost too many digits.

A = K_uu + beta K_uf S K_fu squares the spread between what the data say and what the prior says: where the second term
dwarfs the first in some directions, K_uu drowns in its rounding in the others. But A = C'C and E = C'B for the stacks

    C = [ sqrt(beta S) K_fu ; chol(K_uu)' ]        B = [ sqrt(beta S) Y ; 0 ]

so chol(A)' is the triangle of a QR of C. It is found by Cholesky factors alone, at the speed of matrix products: the
columns of C L^-T, with L the factor that rounding has spoilt, are close to orthonormal; the factor of their Gram matrix
mends L, and again until they are orthonormal. Then W = L^-T Q'B, and the misfit beta sum_n s_n |y_n|^2 - tr(E' W) is
|B - C W|^2, a sum of squares and no difference.
"""

from collections.abc import Callable, Iterable

import numpy as np
from scipy.linalg.blas import dtrmm

from sgpmic_cli._typing import Array
from sgpmic_cli.model.paper.numerics.cholesky import jittered_cholesky
from sgpmic_cli.model.paper.numerics.unlocked_blas import dgemm, dsyrk, dtrsm

Blocks = Callable[[], Iterable[tuple[Array, Array]]]

EPS = float(np.finfo(np.float64).eps)
LOST = 1e-6  # digits that `is_rough` may fear for: its estimate is some hundred times too high as a rule
PASSES = 5
ORTHONORMAL = (
    0.1  # columns within this of orthonormal are made so to the last digit by one more factor
)


def is_rough(factor: Array, terms: float, value: float) -> bool:
    """Whether a Cholesky factor shows that its matrix was too badly conditioned for a value made of such large terms.

    Rounding moves A^-1 by eps cond(A), and the value by that share of what is summed and subtracted on the way to it.
    """
    entries = factor.diagonal()
    ratio = np.minimum.reduce(entries) / np.maximum.reduce(entries)
    return bool(not EPS * terms <= LOST * abs(value) * ratio * ratio)


def factorise(L_u: Array, L_a: Array, n_outputs: int, blocks: Blocks) -> tuple[Array, Array, float]:
    """chol(A), W = A^-1 E and the misfit, from chol(K_uu), a first chol(A), and the rows of C and B block by block.

    `blocks` gives pairs sqrt(beta s_n) k_n (K, n), which may be overwritten, and sqrt(beta s_n) y_n (n, D).
    """
    for _ in range(PASSES):
        gram = dsyrk(1.0, dtrsm(1.0, L_a, L_u, lower=True), lower=True)
        QB = np.zeros((len(L_u), n_outputs), order="F")
        for K, Y in blocks():
            Q = dtrsm(1.0, L_a, K, lower=True, overwrite_b=True)
            dsyrk(1.0, Q, beta=1.0, c=gram, overwrite_c=True, lower=True)
            dgemm(1.0, Q, Y, beta=1.0, c=QB, overwrite_c=True)
        step, _ = jittered_cholesky(gram)
        L_a = dtrmm(1.0, step, L_a, side=True, lower=True)
        if np.abs(step - np.eye(len(step))).max() < ORTHONORMAL:
            break
    W = dtrsm(1.0, L_a, dtrsm(1.0, step, QB, lower=True), lower=True, trans_a=True)
    misfit = np.sum((L_u.T @ W) ** 2) + sum(np.sum((Y - K.T @ W) ** 2) for K, Y in blocks())
    return L_a, W, float(misfit)


def slope(L_a: Array, W: Array, beta: float, p: int, K: Array, Y: Array) -> Array:
    """beta (W (Y - K'W)' - P A^-1 K) for a block K (K, n) of sqrt(s_n) k_n, overwritten, and Y (n, D) of sqrt(s_n) y_n.

    The residual is taken before it is multiplied, A^-1 by its factor: nothing large is subtracted from its like.
    """
    residual = Y - K.T @ W
    solved = dtrsm(-beta * p, L_a, K, lower=True, overwrite_b=True)
    solved = dtrsm(1.0, L_a, solved, lower=True, trans_a=True, overwrite_b=True)
    return dgemm(beta, W, residual.T, beta=1.0, c=solved, overwrite_c=True)
