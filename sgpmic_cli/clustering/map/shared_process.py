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

With f(x) the features of a point and k(x, Z) = B f(x) (`features.py`), sums over rows are those of
features:

    Psi' Y = B sum_n <f(x_n)> y_n'    Phi = B sum_n <f(x_n) f(x_n)'> B'

Gradients, with G_A = -1/2 (P A^-1 + W W') and w = 1 / 2Q the weight of a point:

    dL/dPhi  = beta (G_A + P/2 K_uu^-1)
    dL/dK_uu = G_A + P/2 K_uu^-1 - beta P/2 K_uu^-1 Phi K_uu^-1
    dL/dB    = 2 dL/dPhi B sum_n <f f'> + beta W (sum_n <f> y_n')'
    dL/df(x) = w B' (2 dL/dPhi B f(x) + beta W y)    at every point x of a row y
    dL/df(z) = B' dL/dK_uu                           at the inducing inputs.

The latent distributions have a prior (`latent_mixture.py`) and an entropy. Both belong to single
rows and are added in the same pass over the blocks of rows.
"""

from collections.abc import Callable
from typing import NamedTuple, TypeVar

import numpy as np
from sklearn.utils import gen_batches

from sgpmic_cli._typing import Array
from sgpmic_cli.clustering.map.features import Features, MapParameters, cubature_points, on_axes
from sgpmic_cli.clustering.map.latent_mixture import LatentPrior
from sgpmic_cli.row_blocks import ALONE, Workers

KERNEL_JITTER = 1e-4  # added to the diagonal of K_uu, relative to v + l
WIDE = 9.0  # variance of the normal prior on the logs of kernel parameters and noise
# Blocks have a fixed size, so that sums do not depend on the number of threads. With 2048 rows, an
# iteration with two threads takes 1.1 times as long.
BLOCK = 4096
Result = TypeVar("Result")


class Statistics(NamedTuple):
    """Sums over rows: <f> y' (K + Q, P) and <f f'> (K + Q, K + Q) of features, and c.

    `PsiY` (K, P) and `Phi` (K, K) follow from them.
    """

    fY: Array
    ff: Array
    c: float
    PsiY: Array
    Phi: Array


class Posterior(NamedTuple):
    """K_uu^-1 (K, K), A^-1 (K, K), W (K, P), and the bound."""

    Kuu_inv: Array
    A_inv: Array
    W: Array
    bound: float


class CubaturePoints:
    """The cubature points of all rows with their features, in blocks of rows."""

    def __init__(self, p: MapParameters, workers: Workers = ALONE):
        self.p, self.workers, self.features = p, workers, Features(p)
        self.blocks = list(gen_batches(len(p.mu), BLOCK))
        self.arrays = self.map(
            lambda _, rows: self.features.of(cubature_points(p.mu[rows], np.exp(p.log_s[rows])))
        )

    def map(self, work: Callable[[int, slice], Result]) -> list[Result]:
        """Return the results of all blocks, which have a number and rows, in order."""
        return self.workers.map(lambda block: work(*block), enumerate(self.blocks), len(self.p.mu))

    def f(self, block: int) -> Array:
        """Return the features of the points of a block, (K + Q, 2 Q n)."""
        return self.arrays[block][: self.features.k + self.features.q]

    def by_rows(self, columns: Array) -> Array:
        """Split the columns of points (., 2 Q n) by points and rows, (., 2 Q, n)."""
        return columns.reshape(len(columns), 2 * self.features.q, -1)


def sufficient_statistics(points: CubaturePoints, Y: Array) -> Statistics:
    """Return the sums over all rows (N, P)."""
    features, p, count = points.features, points.p, 2 * points.features.q

    def of_block(block: int, rows: slice) -> tuple[Array, Array]:
        f = points.f(block)
        # `@` keeps the interpreter lock if the result is small, `dot` does not. Rows of an array
        # are long, so this product needs no mean over the points.
        fY = np.dot(f.reshape(len(f) * count, -1), Y[rows])
        return fY.reshape(len(f), count, -1).sum(axis=1), np.dot(f, f.T)

    fY, ff = (sum(parts) / count for parts in zip(*points.map(of_block), strict=True))
    squares = np.trace(ff[features.k :, features.k :])  # of x, summed over rows and dimensions
    c = float(len(Y) * np.exp(p.log_v[0]) + features.linear[0] * squares)
    return Statistics(fY, ff, c, features.B @ fY, features.B @ ff @ features.B.T)


def posterior(sums: Statistics, features: Features, p: MapParameters, squares: float) -> Posterior:
    """Return the distribution of the process at the inducing inputs, and the bound.

    `squares` is the sum of <y^2> over all n rows and all columns.
    """
    n, columns, beta = len(p.mu), sums.PsiY.shape[1], np.exp(-p.log_noise[0])
    Kuu = features.kernel(p.Z.T)
    Kuu = 0.5 * (Kuu + Kuu.T)
    np.einsum("kk->k", Kuu)[:] += KERNEL_JITTER * (np.exp(p.log_v) + features.linear)
    A = Kuu + beta * sums.Phi
    Kuu_inv, log_det_Kuu = _inverse(Kuu)
    A_inv, log_det_A = _inverse(A)
    W = beta * (A_inv @ sums.PsiY)
    bound = (
        0.5 * n * columns * (-p.log_noise[0] - np.log(2.0 * np.pi))
        - 0.5 * columns * (log_det_A - log_det_Kuu)
        - 0.5 * beta * (squares - np.vdot(W, sums.PsiY))
        - 0.5 * beta * columns * (sums.c - np.vdot(Kuu_inv, sums.Phi))
    )
    return Posterior(Kuu_inv, A_inv, W, float(bound))


def process_of(Y: Array, squares: float, p: MapParameters, workers: Workers) -> Posterior:
    """Return the distribution of the process at the inducing inputs, given rows Y (N, P)."""
    points = CubaturePoints(p, workers)
    return posterior(sufficient_statistics(points, Y), points.features, p, squares)


def bound_and_gradient(
    Y: Array, squares: float, p: MapParameters, prior: LatentPrior, workers: Workers = ALONE
) -> tuple[float, MapParameters]:
    """Return the bound with all priors and its gradient. Constants of the entropy are left out."""
    points = CubaturePoints(p, workers)
    features, (n, columns), q = points.features, Y.shape, p.mu.shape[1]
    B, v, linear, beta = features.B, np.exp(p.log_v), features.linear, np.exp(-p.log_noise)
    sums = sufficient_statistics(points, Y)
    found = posterior(sums, features, p, squares)

    G_A = -0.5 * (columns * found.A_inv + found.W @ found.W.T)
    dPhi = beta * (G_A + 0.5 * columns * found.Kuu_inv)
    dKuu = (
        G_A
        + 0.5 * columns * found.Kuu_inv
        - 0.5 * beta * columns * (found.Kuu_inv @ sums.Phi @ found.Kuu_inv)
    )
    by_f, by_y = B.T @ dPhi @ B / q, (beta / (2 * q)) * B.T @ found.W
    slope = float((beta * columns * linear)[0])  # -dL/d<|x|^2>, twice
    dmu, dlog_s = np.empty_like(p.mu), np.empty_like(p.log_s)

    def backward(block: int, rows: slice) -> tuple[float, Array]:
        own = points.arrays[block]
        df = by_f @ points.f(block)
        points.by_rows(df)[:] += np.dot(by_y, Y[rows].T)[:, None]
        dX = points.by_rows(features.by_points(own, df))
        added, subtracted = on_axes(dX)
        mu, s = p.mu[rows], np.exp(p.log_s[rows])
        values, prior_dmu, prior_ds = prior.of_rows(rows).value_and_gradient(mu, s)
        dmu[rows] = dX.sum(1).T - slope * mu + prior_dmu
        dstep = (added - subtracted).T
        dlog_s[rows] = 0.5 * dstep * np.sqrt(q * s) + (prior_ds - 0.5 * slope) * s + 0.5
        return float(values.sum() + 0.5 * p.log_s[rows].sum()), features.by_A(own, df)

    values, parts = zip(*points.map(backward), strict=True)
    half = 0.5 * beta * columns  # -dL/dc
    inducing, df = features.of(p.Z.T), B.T @ dKuu
    dB = 2.0 * dPhi @ B @ sums.ff + beta * found.W @ sums.fY.T + dKuu @ inducing[: len(df)].T
    by_inducing = features.by_points(inducing, df).T
    dA = sum(parts) + features.by_A(inducing, df)
    dZ, dlog_v, dlog_g, dlog_l = features.by_parameters(dA, dB)
    trace = KERNEL_JITTER * np.trace(dKuu)
    dbeta = (
        0.5 * n * columns / beta
        + np.vdot(G_A, sums.Phi)
        - 0.5 * squares
        + np.vdot(found.W, sums.PsiY)
        - 0.5 * columns * (sums.c - np.vdot(found.Kuu_inv, sums.Phi))
    )
    gradient = MapParameters(
        dmu,
        dlog_s,
        Z=dZ + by_inducing,
        log_v=dlog_v + trace * v - half * n * v - p.log_v / WIDE,
        log_g=dlog_g - p.log_g / WIDE,
        log_l=dlog_l + trace * linear - half * (sums.c - n * v) - p.log_l / WIDE,
        log_noise=-dbeta * beta - p.log_noise / WIDE,
    )
    return found.bound + log_prior(p) + sum(values), gradient


def log_prior(p: MapParameters) -> float:
    """Return the log density of the kernel parameters under their wide prior, up to a constant."""
    logs = np.concatenate([p.log_v, p.log_g, p.log_l, p.log_noise])
    return -0.5 * float(logs @ logs) / WIDE


def expected_rows(p: MapParameters, found: Posterior, workers: Workers = ALONE) -> Array:
    """Return the expectation of every row under its latent distribution, (N, P)."""
    points = CubaturePoints(p, workers)
    BW = points.features.B.T @ found.W
    blocks = points.map(lambda block, _: points.by_rows(points.f(block)).mean(1).T @ BW)
    return np.concatenate(blocks)


def _inverse(matrix: Array) -> tuple[Array, float]:
    """Return the inverse and the log determinant of a positive definite matrix."""
    factor = np.linalg.cholesky(matrix)
    return np.asarray(np.linalg.inv(matrix)), 2.0 * float(np.log(np.diagonal(factor)).sum())
