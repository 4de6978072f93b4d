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

from typing import Any, NamedTuple

import numpy as np

from sgpmic_cli._typing import Array
from sgpmic_cli.clustering.map.backend import Workspace, inner
from sgpmic_cli.clustering.map.features import Features, MapParameters
from sgpmic_cli.clustering.map.latent_mixture import LatentPrior

KERNEL_JITTER = 1e-4  # added to the diagonal of K_uu, relative to v + l
WIDE = 9.0  # variance of the normal prior on the logs of kernel parameters and noise


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
    """The cubature points of all rows, with their features, block by block in a workspace."""

    def __init__(self, space: Workspace, p: MapParameters):
        self.space, self.p, self.features = space, p, Features(p, space.backend)
        self.q = p.mu.shape[1]

    def compute(self, rows: slice) -> Any:
        """Return the features of the points of some rows, (K + Q, 2 Q n)."""
        points, k = self.array(rows), self.features.k
        inputs = self.of_rows(points[k : k + self.q])
        step = self.space.backend.xp.exp(0.5 * self.p.log_s[rows])
        step *= self.q**0.5
        cubature_points(self.p.mu[rows], step, out=inputs)
        return self.features.compute(points)

    def array(self, rows: slice) -> Any:
        """Return the array of some rows, which `compute` has filled."""
        columns = 2 * self.q * (rows.stop - rows.start)
        return self.space.array(rows.start, self.features.rows, columns)

    def of_rows(self, columns: Any) -> Any:
        """Split the columns of points (., 2 Q n) by points and rows, (., 2 Q, n)."""
        return columns.reshape(len(columns), 2 * self.q, -1)


def cubature_points(mu: Any, step: Any, out: Any) -> None:
    """Set `out` (Q, 2 Q, n) to the points mu + step and then mu - step (n, Q), one on each axis."""
    out[:] = mu.T[:, None]
    added, subtracted = on_axes(out)
    added += step.T
    subtracted -= step.T


def on_axes(values: Any) -> tuple[Any, Any]:
    """Return the entries (Q, n) of `values` (Q, 2 Q, n) along the axis of each point, + and -."""
    q = len(values)
    flat = values.reshape(2 * q * q, -1)
    return flat[:: 2 * q + 1], flat[q :: 2 * q + 1]


def sufficient_statistics(points: CubaturePoints, Y: Any, p: MapParameters) -> Statistics:
    """Return the sums over all rows (N, P)."""
    backend, features, count = points.space.backend, points.features, 2 * points.q

    def of_block(rows: slice) -> tuple[Array, Array]:
        f = points.compute(rows)
        # Rows of an array are long, so this product needs no mean over the points.
        fY = inner(backend.xp, f.reshape(len(f) * count, -1), Y[rows].T)
        fY = backend.to_numpy(fY).reshape(len(f), count, -1)
        return fY.sum(axis=1), backend.to_numpy(inner(backend.xp, f, f))

    fY, ff = (sum(parts) / count for parts in zip(*points.space.map(of_block, len(Y)), strict=True))
    squares = np.trace(ff[features.k :, features.k :])  # of x, summed over rows and dimensions
    c = float(len(Y) * np.exp(p.log_v[0]) + features.linear[0] * squares)
    return Statistics(fY, ff, c, features.B @ fY, features.B @ ff @ features.B.T)


def posterior(sums: Statistics, p: MapParameters, squares: float, n: int) -> Posterior:
    """Return the distribution of the process at the inducing inputs, and the bound.

    `squares` is the sum of <y^2> over all n rows and all columns.
    """
    beta, columns = np.exp(-p.log_noise[0]), sums.PsiY.shape[1]
    Kuu = _inducing_kernel(p)
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


def bound_and_gradient(
    space: Workspace, Y: Any, squares: float, p: MapParameters, prior: LatentPrior
) -> tuple[float, Any]:
    """Return the bound with all priors and its gradient, packed.

    Constants of the entropy are left out.
    """
    points = CubaturePoints(space, p)
    xp, features, (n, columns), q = space.backend.xp, points.features, Y.shape, points.q
    B, v, linear, beta = features.B, np.exp(p.log_v), features.linear, np.exp(-p.log_noise)
    sums = sufficient_statistics(points, Y, p)
    found = posterior(sums, p, squares, n)

    G_A = -0.5 * (columns * found.A_inv + found.W @ found.W.T)
    dPhi = beta * (G_A + 0.5 * columns * found.Kuu_inv)
    dKuu = (
        G_A
        + 0.5 * columns * found.Kuu_inv
        - 0.5 * beta * columns * (found.Kuu_inv @ sums.Phi @ found.Kuu_inv)
    )
    by_f = space.backend.asarray(B.T @ dPhi @ B / q)
    by_y = space.backend.asarray((beta / (2 * q)) * B.T @ found.W)
    slope = float((beta * columns * linear)[0])  # -dL/d<|x|^2>, twice
    size, small = n * q, len(p.small)
    gradient = space.backend.empty(2 * size + small)
    dmu, dlog_s = gradient[: 2 * size].reshape(2, n, q)

    def backward(rows: slice) -> tuple[float, Array]:
        own = points.array(rows)
        f = own[: len(by_f)]
        df = xp.matmul(by_f, f, out=space.scratch(*f.shape))
        points.of_rows(df)[:] += (by_y @ Y[rows].T)[:, None]
        dX = points.of_rows(features.by_points(own, df))
        added, subtracted = on_axes(dX)
        mu, log_s = p.mu[rows], p.log_s[rows]
        s = xp.exp(log_s)
        values, prior_dmu, prior_ds = prior.of_rows(rows).value_and_gradient(xp, mu, s)
        dmu[rows] = dX.sum(1).T - slope * mu + prior_dmu
        dstep = (added - subtracted).T
        dlog_s[rows] = 0.5 * dstep * xp.sqrt(q * s) + (prior_ds - 0.5 * slope) * s + 0.5
        return float(values.sum() + 0.5 * log_s.sum()), features.by_A(own, df)

    values, parts = zip(*space.map(backward, n), strict=True)
    dA = sum(parts)
    half = 0.5 * beta * columns  # -dL/dc
    at_inducing = Features(p)
    inducing, df = at_inducing.of(p.Z.T), B.T @ dKuu
    dB = 2.0 * dPhi @ B @ sums.ff + beta * found.W @ sums.fY.T + dKuu @ inducing[: len(df)].T
    by_inducing = at_inducing.by_points(inducing, df).T
    dA = dA + at_inducing.by_A(inducing, df)
    dZ, dlog_v, dlog_g, dlog_l = features.by_parameters(dA, dB)
    trace = KERNEL_JITTER * np.trace(dKuu)
    dbeta = (
        0.5 * n * columns / beta
        + np.vdot(G_A, sums.Phi)
        - 0.5 * squares
        + np.vdot(found.W, sums.PsiY)
        - 0.5 * columns * (sums.c - np.vdot(found.Kuu_inv, sums.Phi))
    )
    by_small = p._replace(
        Z=dZ + by_inducing,
        log_v=dlog_v + trace * v - half * n * v - p.log_v / WIDE,
        log_g=dlog_g - p.log_g / WIDE,
        log_l=dlog_l + trace * linear - half * (sums.c - n * v) - p.log_l / WIDE,
        log_noise=-dbeta * beta - p.log_noise / WIDE,
    )
    gradient[2 * size :] = space.backend.asarray(by_small.small)
    return found.bound + log_prior(p) + sum(values), gradient


def log_prior(p: MapParameters) -> float:
    """Return the log density of the kernel parameters under their wide prior, up to a constant."""
    logs = np.concatenate([p.log_v, p.log_g, p.log_l, p.log_noise])
    return -0.5 * float(logs @ logs) / WIDE


def expected_rows(space: Workspace, p: MapParameters, found: Posterior) -> Any:
    """Return the expectation of every row under its latent distribution, (N, P)."""
    points = CubaturePoints(space, p)
    BW = space.backend.asarray(points.features.B.T @ found.W)
    blocks = space.map(lambda rows: points.of_rows(points.compute(rows)).mean(1).T @ BW, len(p.mu))
    return space.backend.xp.concatenate(blocks)


def _inducing_kernel(p: MapParameters) -> Array:
    Kuu = Features(p).kernel(p.Z.T)
    Kuu = 0.5 * (Kuu + Kuu.T)
    np.einsum("kk->k", Kuu)[:] += KERNEL_JITTER * (np.exp(p.log_v) + np.exp(p.log_l))
    return Kuu


def _inverse(matrix: Array) -> tuple[Array, float]:
    """Return the inverse and the log determinant of a positive definite matrix."""
    factor = np.linalg.cholesky(matrix)
    return np.asarray(np.linalg.inv(matrix)), 2.0 * float(np.log(np.diagonal(factor)).sum())
