"""One component: a sparse Gaussian process (DTC) whose points carry weights.

With weights s_n and precision beta, K = variance R + bias and everything below in terms of

    R~ = R sqrt(S)  (K, n)        Y~ = sqrt(S) [Y, 1]  (n, P+1)

the matrices of the bound follow from two products of R~, one symmetric and one narrow:

    K_uf S K_fu = v^2 R~R~' + v bias (r 1' + 1 r') + bias^2 (sum s) 1 1',       r = R s
    A = K_uu + beta K_uf S K_fu,        E = beta K_uf S Y,        W = A^-1 E

    L = P/2 sum_n s_n log(beta / 2 pi) - P/2 (log|A| - log|K_uu|) - 1/2 (beta sum_n s_n |y_n|^2 - tr(E' W))

This is the cancelled form of the paper's Gaussian term plus its correction: it stays finite when a weight goes to zero.
Rows are taken in blocks that fit the cache; R~ is kept between the two passes while it is small and computed again
when it is not, so memory never grows with N x K.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.blas import dgemm, dsyrk, dtrsm
from scipy.linalg.lapack import dpotrs

from sgpmic_cli.model.cholesky import inverse, jittered_cholesky, log_determinant
from sgpmic_cli.model.kernels import Kernel, diagonal

Array = NDArray[np.float64]

BLOCK_BYTES = 512 * 1024  # one block of R~: half of a common second-level cache
KEPT_BYTES = 64 * 1024 * 1024  # R~ of one component is kept between the passes up to this size


class Weighted(NamedTuple):
    """The points of one component as the bound needs them; fixed while S is."""

    rows: NDArray[np.intp] | slice  # which rows of X and Y take part
    root_s: Array  # (n,)   sqrt(s_n)
    Y1: Array  # (n, P+1)   sqrt(s_n) [y_n, 1]
    total: float  # sum_n s_n
    sum_y: Array  # (P,)    sum_n s_n y_n
    energy: float  # sum_n s_n |y_n|^2
    n_outputs: int  # P of the data; Y may hold fewer columns that span the same inner products


class Factors(NamedTuple):
    """What the K x K algebra of a component leaves behind."""

    value: float
    L_u: Array  # (K, K)  chol(K_uu)
    L_a: Array  # (K, K)  chol(A)
    W: Array  # (K, P)    A^-1 E
    K_uu: Array
    KSK: Array  # (K, K)  K_uf S K_fu, lower triangle
    r: Array  # (K,)      R s
    fit: float  # tr(E' W)
    jitter: float


def weigh(Y: Array, s: Array, rows: NDArray[np.intp] | slice, n_outputs: int) -> Weighted:
    """Bring the rows of Y with their weights s (both already cut to `rows`) into the form of the bound."""
    root_s = np.sqrt(s)
    Y1 = np.empty((Y.shape[0], Y.shape[1] + 1))
    np.multiply(Y, root_s[:, None], out=Y1[:, :-1])
    Y1[:, -1] = root_s
    sum_y = root_s @ Y1[:, :-1]
    energy = float(np.einsum("np,np->", Y1[:, :-1], Y1[:, :-1]))
    return Weighted(rows, root_s, Y1, float(s.sum()), sum_y, energy, n_outputs)


class Component:
    """The bound of one component and its gradient, with work arrays that live as long as the weights do."""

    def __init__(self, kernel: Kernel, data: Weighted, n_inducing: int):
        self.kernel = kernel
        self.data = data
        n = data.root_s.shape[0]
        block = max(64, BLOCK_BYTES // (8 * n_inducing))
        self.blocks = [slice(i, min(i + block, n)) for i in range(0, n, block)]
        self.keep = n * n_inducing * 8 <= KEPT_BYTES
        width = n if self.keep else min(block, n)
        self.R = np.empty((n_inducing, width), order="F")
        self.U = np.empty((n_inducing, min(block, n)), order="F")

    def value(self, theta: Array, beta: float, Z: Array, X: Array) -> Factors:
        """The bound and its factors; `X` holds the rows of this component, `theta` its natural kernel parameters."""
        v, bias = theta[0], theta[-2]
        data, p = self.data, self.data.Y1.shape[1] - 1
        RR = np.zeros((len(Z), len(Z)), order="F")
        RY = np.zeros((len(Z), p + 1), order="F")
        for rows in self.blocks:
            R = self._cross(theta, Z, X, rows)
            dsyrk(1.0, R, beta=1.0, c=RR, overwrite_c=True, lower=True)
            dgemm(1.0, R, data.Y1[rows].T, trans_b=True, beta=1.0, c=RY, overwrite_c=True)
        r = RY[:, -1]
        KSK = v * v * RR
        KSK += (v * bias) * (r[:, None] + r)  # the upper triangle stays meaningless until it is mirrored
        KSK += bias * bias * data.total
        E = beta * (v * RY[:, :-1] + bias * data.sum_y)
        K_uu = self.kernel.gram(theta, Z)
        L_u, jitter_u = jittered_cholesky(K_uu)
        L_a, jitter_a = jittered_cholesky(K_uu + beta * KSK)
        W, _ = dpotrs(L_a, np.asfortranarray(E), lower=True)
        fit = float(np.sum(E * W))
        entropy = data.total * np.log(beta / (2.0 * np.pi)) - log_determinant(L_a) + log_determinant(L_u)
        value = 0.5 * data.n_outputs * entropy - 0.5 * (beta * data.energy - fit)
        return Factors(value, L_u, L_a, W, K_uu, KSK, r, fit, max(jitter_u, jitter_a))

    def gradient(self, f: Factors, theta: Array, beta: float, Z: Array, X: Array) -> tuple[Array, Array, Array, float]:
        """dL by X (n, Q), Z, theta and log beta, from the factors that `value` left."""
        v, bias = theta[0], theta[-2]
        data, p = self.data, self.data.n_outputs
        # G = P A^-1 + W W' = -2 dL/dA;  dL/dK_uu = P/2 K_uu^-1 - G/2;  dL/dK_uf = beta (-G K_uf + W Y') S
        G = p * inverse(f.L_a) + f.W @ f.W.T
        g = G.sum(axis=1)
        left = np.asfortranarray(-beta * v * G)
        right = np.empty((len(Z), f.W.shape[1] + 1), order="F")
        right[:, :-1] = beta * f.W
        right[:, -1] = -beta * bias * g
        TX = np.zeros((len(Z), Z.shape[1] + 1))
        ZT = np.empty((Z.shape[1] + 1, X.shape[0]))
        Z1 = np.ones((len(Z), Z.shape[1] + 1))
        Z1[:, :-1] = Z
        X1 = self.kernel.latent_side(X, data.root_s)
        for rows in self.blocks:
            R = self.R[:, rows] if self.keep else self._cross(theta, Z, X, rows)
            U = self.U[:, : R.shape[1]]
            dgemm(1.0, left, R, beta=0.0, c=U, overwrite_c=True)
            dgemm(1.0, right, data.Y1[rows].T, beta=1.0, c=U, overwrite_c=True)
            T = self.kernel.fold(U, R)
            TX += T @ X1[rows]
            ZT[:, rows] = Z1.T @ T
        dX, dZ, dtheta = self.kernel.cross_gradient(theta, Z, X, data.root_s, TX, ZT)
        dtheta[-2] += bias * beta * (f.W.sum(axis=0) @ data.sum_y - g @ (v * f.r + bias * data.total))
        dZ_u, dtheta_u = self.kernel.gram_gradient(theta, Z, f.K_uu, 0.5 * (p * inverse(f.L_u) - G))
        trace = 2.0 * float(np.sum(np.tril(G) * f.KSK)) - float(diagonal(G) @ diagonal(f.KSK))  # tr(G K_uf S K_fu)
        dbeta = 0.5 * p * data.total - 0.5 * beta * (trace + data.energy) + f.fit
        return dX, dZ + dZ_u, dtheta + dtheta_u, dbeta

    def _cross(self, theta: Array, Z: Array, X: Array, rows: slice) -> Array:
        out = self.R[:, rows] if self.keep else self.R[:, : rows.stop - rows.start]
        return self.kernel.cross(theta, Z, X[rows], self.data.root_s[rows], out)


def predict(kernel: Kernel, f: Factors, theta: Array, Z: Array, X: Array) -> tuple[Array, Array]:
    """Mean (n, P) and variance (n,) of q(f) at latent points X: K_fu W and k' A^-1 k, as pure DTC has them."""
    v, bias = theta[0], theta[-2]
    mean = np.empty((X.shape[0], f.W.shape[1]))
    variance = np.empty(X.shape[0])
    block = max(64, BLOCK_BYTES // (8 * len(Z)))
    buffer = np.empty((len(Z), min(block, X.shape[0])), order="F")
    for start in range(0, X.shape[0], block):
        rows = slice(start, min(start + block, X.shape[0]))
        K = kernel.cross(theta, Z, X[rows], np.ones(rows.stop - start), buffer[:, : rows.stop - start])
        K *= v
        K += bias
        np.matmul(K.T, f.W, out=mean[rows])
        half = dtrsm(1.0, f.L_a, K, lower=True, overwrite_b=True)
        variance[rows] = np.einsum("kn,kn->n", half, half)
    return mean, variance
