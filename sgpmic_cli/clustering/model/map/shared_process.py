"""The bound of one sparse Gaussian process from an uncertain latent space to all columns.

Row n has the latent distribution q(x_n) = N(mu_n, diag(s_n)). The process has the kernel

    k(a, b) = v exp(-1/2 sum_q g_q (a_q - b_q)^2) + l a.b

and K inducing inputs Z. With noise variance 1/beta, expectations < > under q(x), and

    Psi_nk = <k(x_n, z_k)>     Phi = sum_n <k(x_n, Z)' k(x_n, Z)>     c = sum_n <k(x_n, x_n)>
    A = K_uu + beta Phi        W = beta A^-1 Psi' Y

the collapsed bound on the log likelihood (Titsias 2009; Titsias and Lawrence 2010) is

    L = N P/2 log(beta / 2 pi) - P/2 (log|A| - log|K_uu|) - beta/2 (|Y|^2 - tr(W' Psi' Y))
        - beta P/2 (c - tr(K_uu^-1 Phi)).

Expectations use the cubature rule of third degree: the mean over the 2 Q points
mu_n +- sqrt(Q s_nq) along the axes. It is exact for cubic functions, and it reduces the uncertain
inputs to weighted points, so that no array of size N K^2 is needed.

Gradients, with G_A = -1/2 (P A^-1 + W W') and w = 1 / 2Q the weight of a point:

    dL/dPhi  = beta (G_A + P/2 K_uu^-1)
    dL/dK_uu = G_A + P/2 K_uu^-1 - beta P/2 K_uu^-1 Phi K_uu^-1
    dL/dk(x) = w (2 dL/dPhi k(x) + beta W y)    at every point x of a row y.

Covariances have a row for each inducing input and a column for each point, so that the long axis is
the inner one.
"""

from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import gen_batches

from sgpmic_cli.clustering.model.map.backend import Backend
from sgpmic_cli.gp import rbf, rbf_gradients
from sgpmic_cli.row_blocks import Workers

KERNEL_JITTER = 1e-4  # added to the diagonal of K_uu, relative to v + l
WIDE = 9.0  # variance of the normal prior on the logs of kernel parameters and noise


class MapParameters(NamedTuple):
    """Latent means and log variances (N, Q), inducing inputs (K, Q), logs of v, g, l and 1/beta."""

    mu: Any
    log_s: Any
    Z: Any
    log_v: Any  # (1,)
    log_g: Any  # (Q,)
    log_l: Any  # (1,)
    log_noise: Any  # (1,)

    def pack(self, xp: Any) -> Any:
        """Return all parameters as one vector."""
        return xp.concatenate([part.reshape(-1) for part in self])

    def unpack(self, vector: Any) -> "MapParameters":
        """Return parameters of the same shapes with the values of a vector."""
        parts, begin = [], 0
        for part in self:
            size = int(np.prod(part.shape))
            parts.append(vector[begin : begin + size].reshape(part.shape))
            begin += size
        return MapParameters(*parts)


class Statistics(NamedTuple):
    """Sums over rows: Psi' Y (K, P), Phi (K, K) and c."""

    PsiY: Any
    Phi: Any
    c: Any


class Posterior(NamedTuple):
    """K_uu^-1 (K, K), A^-1 (K, K), W (K, P), and the bound."""

    Kuu_inv: Any
    A_inv: Any
    W: Any
    bound: float


def cubature_points(xp: Any, mu: Any, s: Any) -> Any:
    """Return the 2 Q points of every row, (Q, 2 Q, n); two are on each axis."""
    q = mu.shape[1]
    step = xp.sqrt(q * s)
    points = xp.stack([mu.T] * (2 * q), 1)
    for axis in range(q):
        points[axis, 2 * axis] += step[:, axis]
        points[axis, 2 * axis + 1] -= step[:, axis]
    return points


def kernel(xp: Any, p: MapParameters, X: Any) -> Any:
    """Return the kernel between the inducing inputs and points X (Q, n), (K, n)."""
    K = rbf(xp, p.Z, X, xp.exp(p.log_g)[:, None], p.log_v)
    K += p.Z @ (xp.exp(p.log_l) * X)
    return K


def sufficient_statistics(
    backend: Backend, Y: Any, p: MapParameters, workers: Workers
) -> tuple[Statistics, list[tuple[Any, Any]]]:
    """Return the sums over all rows, and for every block of rows the kernel and its points."""
    xp = backend.xp
    s, v, linear = xp.exp(p.log_s), xp.exp(p.log_v), xp.exp(p.log_l)

    def of_block(rows: slice) -> tuple[Any, Any, tuple[Any, Any]]:
        K, X = _block_kernel(xp, rows, p, s)
        Psi = _of_rows(K, p).mean(1)
        return Psi @ Y[rows], (K @ K.T) / (2 * p.mu.shape[1]), (K, X)

    found = workers.map(of_block, gen_batches(len(Y), backend.block_rows), len(Y))
    c = len(Y) * v + linear * ((p.mu**2).sum() + s.sum())
    sums = Statistics(sum(one[0] for one in found), sum(one[1] for one in found), c)
    return sums, [one[2] for one in found]


def posterior(
    backend: Backend, sums: Statistics, p: MapParameters, squares: float, n: int
) -> Posterior:
    """Return the distribution of the process at the inducing inputs, and the bound.

    `squares` is the sum of <y^2> over all n rows and all columns.
    """
    xp = backend.xp
    beta, columns = xp.exp(-p.log_noise), sums.PsiY.shape[1]
    Kuu = _inducing_kernel(xp, p)
    A = Kuu + beta * sums.Phi
    Kuu_inv, log_det_Kuu = _inverse(xp, Kuu)
    A_inv, log_det_A = _inverse(xp, A)
    W = beta * (A_inv @ sums.PsiY)
    bound = (
        0.5 * n * columns * (-p.log_noise - np.log(2.0 * np.pi))
        - 0.5 * columns * (log_det_A - log_det_Kuu)
        - 0.5 * beta * (squares - (W * sums.PsiY).sum())
        - 0.5 * beta * columns * (sums.c - (Kuu_inv * sums.Phi).sum())
    )
    return Posterior(Kuu_inv, A_inv, W, float(bound[0]))


def bound_and_gradient(
    backend: Backend, Y: Any, squares: float, p: MapParameters, workers: Workers
) -> tuple[float, MapParameters]:
    """Return the bound with the log prior of the kernel parameters, and its gradient."""
    xp = backend.xp
    (n, columns), q = Y.shape, p.mu.shape[1]
    s, v, linear = xp.exp(p.log_s), xp.exp(p.log_v), xp.exp(p.log_l)
    beta = xp.exp(-p.log_noise)
    sums, kernels = sufficient_statistics(backend, Y, p, workers)
    found = posterior(backend, sums, p, squares, n)

    G_A = -0.5 * (columns * found.A_inv + found.W @ found.W.T)
    dPhi = beta * (G_A + 0.5 * columns * found.Kuu_inv)
    dKuu = (
        G_A
        + 0.5 * columns * found.Kuu_inv
        - 0.5 * beta * columns * (found.Kuu_inv @ sums.Phi @ found.Kuu_inv)
    )

    def backward(block: tuple[slice, tuple[Any, Any]]) -> tuple[Any, Any, _KernelGradient]:
        rows, (K, X) = block
        dK = (dPhi / q) @ K
        _of_rows(dK, p)[:] += ((beta / (2 * q)) * found.W @ Y[rows].T)[:, None]
        gradient = _kernel_gradient(xp, p, X, K, dK)
        dX = _of_rows(gradient.X, p)
        along = [dX[axis, 2 * axis] - dX[axis, 2 * axis + 1] for axis in range(q)]
        return dX.sum(1).T, xp.stack(along, 1) * xp.sqrt(q * s[rows]), gradient

    blocks = gen_batches(n, backend.block_rows)
    slopes = workers.map(backward, zip(blocks, kernels, strict=True), n)
    dmu = xp.concatenate([one[0] for one in slopes])
    along = xp.concatenate([one[1] for one in slopes])  # by the distance of the points from mu
    half = 0.5 * beta * columns  # -dL/dc

    inducing = _kernel_gradient(xp, p, p.Z.T, kernel(xp, p, p.Z.T), dKuu)
    trace = KERNEL_JITTER * xp.diagonal(dKuu).sum()
    dbeta = (
        0.5 * n * columns / beta
        + (G_A * sums.Phi).sum()
        - 0.5 * squares
        + (found.W * sums.PsiY).sum()
        - 0.5 * columns * (sums.c - (found.Kuu_inv * sums.Phi).sum())
    )
    gradients = [one[2] for one in slopes] + [inducing]
    gradient = MapParameters(
        dmu - 2.0 * half * linear * p.mu,
        0.5 * along - half * linear * s,
        sum(one.Z for one in gradients) + inducing.X.T,
        sum(one.log_v for one in gradients) + trace * v - half * n * v - p.log_v / WIDE,
        sum(one.log_g for one in gradients) - p.log_g / WIDE,
        sum(one.log_l for one in gradients)
        + trace * linear
        - half * (sums.c - n * v)
        - p.log_l / WIDE,
        -dbeta * beta - p.log_noise / WIDE,
    )
    return found.bound + log_prior(p), gradient


def log_prior(p: MapParameters) -> float:
    """Return the log density of the kernel parameters under their wide prior, up to a constant."""
    logs = (p.log_v, p.log_g, p.log_l, p.log_noise)
    return -0.5 * float(sum((part**2).sum() for part in logs)) / WIDE


def expected_rows(backend: Backend, p: MapParameters, found: Posterior, workers: Workers) -> Any:
    """Return the expectation of every row under its latent distribution, (N, P)."""
    xp, s = backend.xp, backend.xp.exp(p.log_s)
    blocks = workers.map(
        lambda rows: _of_rows(_block_kernel(xp, rows, p, s)[0], p).mean(1).T @ found.W,
        gen_batches(len(s), backend.block_rows),
        len(s),
    )
    return xp.concatenate(blocks)


class _KernelGradient(NamedTuple):
    """Gradients of a kernel matrix by its points, the inducing inputs and the parameters."""

    X: Any
    Z: Any
    log_v: Any
    log_g: Any
    log_l: Any


def _kernel_gradient(xp: Any, p: MapParameters, X: Any, K: Any, dK: Any) -> _KernelGradient:
    """Apply the chain rule to dL/dK (K, n) for the kernel between Z and X (Q, n); overwrite K."""
    linear = xp.exp(p.log_l)
    K -= p.Z @ (linear * X)
    K *= dK
    dZ, dX, dlog_g, dlog_v = rbf_gradients(xp, K, p.Z, X, xp.exp(p.log_g)[:, None])
    ZH = p.Z.T @ dK
    dX, dZ = dX + linear * ZH, dZ + linear * (dK @ X.T)
    return _KernelGradient(dX, dZ, dlog_v.sum(), dlog_g.sum(1), linear * (X * ZH).sum())


def _block_kernel(xp: Any, rows: slice, p: MapParameters, s: Any) -> tuple[Any, Any]:
    """Return the kernel at the cubature points of some rows, (K, 2 Q n), and the points."""
    X = cubature_points(xp, p.mu[rows], s[rows]).reshape(p.mu.shape[1], -1)
    return kernel(xp, p, X), X


def _of_rows(columns: Any, p: MapParameters) -> Any:
    """Split the columns of cubature points (., 2 Q n) by points and rows, (., 2 Q, n)."""
    return columns.reshape(len(columns), 2 * p.mu.shape[1], -1)


def _inducing_kernel(xp: Any, p: MapParameters) -> Any:
    Kuu = kernel(xp, p, p.Z.T)
    diagonal = xp.diagonal(Kuu)
    diagonal = diagonal + KERNEL_JITTER * (xp.exp(p.log_v) + xp.exp(p.log_l))
    Kuu = 0.5 * (Kuu + Kuu.T)
    index = range(len(Kuu))
    Kuu[index, index] = diagonal
    return Kuu


def _inverse(xp: Any, matrix: Any) -> tuple[Any, Any]:
    """Return the inverse and the log determinant of a positive definite matrix."""
    factor = xp.linalg.cholesky(matrix)
    return xp.linalg.inv(matrix), 2.0 * xp.log(xp.diagonal(factor)).sum()
