"""The steps of a round in PyTorch: what grows with the rows is computed on a device, in blocks of rows.

K x K matrices go to the host, where the functions of `dtc.py` turn them into the bound and the slopes that lead back to
the rows: they are small, and no digit differs. With P = sqrt(S) v R (n, K), one row for each point of a component,

    there: P'P and P'Y~,    here: A, W, H,    there: U = dL/dP = 2 beta P H + Y~ [beta W, 2 beta bias H 1]'

and from dL/dP autograd finds the gradients by latent points, inducing inputs and kernel parameters: the exponent of P
is a product of a side of the points and a side of the inducing inputs.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np
import torch
from scipy.linalg.blas import dtrmm, dtrsm
from scipy.linalg.lapack import dtrtri
from torch import Tensor

from sgpmic_cli._typing import Array
from sgpmic_cli.model.device.lbfgs import minimise
from sgpmic_cli.model.device.products import (
    ROWS_SHARE,
    block_rows,
    blocks,
    folded,
    free_bytes,
    near,
    picked,
    rows_of,
    to_device,
)
from sgpmic_cli.model.paper.bound import ACTIVE, MIN_ACTIVE, Observed, Parameters
from sgpmic_cli.model.paper.dtc import IDLE, Factors, add_gram_slope, adjoints, solve
from sgpmic_cli.model.paper.em import Schedule
from sgpmic_cli.model.paper.kernels import LOG_LIMIT, RBF, Kernel
from sgpmic_cli.model.paper.mixture import EMPTY, Mixture, Moments, from_moments
from sgpmic_cli.model.paper.numerics.cholesky import NotPositiveDefinite, jittered_cholesky
from sgpmic_cli.model.paper.numerics.optimizers import lbfgs, scg
from sgpmic_cli.model.paper.numerics.orthogonal import ORTHONORMAL, PASSES

OPTIMIZERS: dict[str, Callable[..., tuple[Tensor, float]]] = {
    "scg": scg,
    "lbfgs": partial(lbfgs, minimise=minimise),
}
KEPT_SHARE = 0.4  # of the free memory may hold P between the two passes of an evaluation


class Points(NamedTuple):
    """The points of one component: their rows and sqrt(s_n) on the device, and the sums that the algebra needs."""

    rows: Tensor  # (n,)
    root_s: Tensor  # (n,)
    Y1: Tensor | None  # (n, D+1)  Y~ = sqrt(s_n) [y_n, 1], where it fits
    total: float
    sum_y: Array
    energy: float
    n_outputs: int
    turn: None = None  # columns are as the data have them


class OnDevice:
    """The steps of a round on a device."""

    def __init__(self, device: torch.device, kernel: Kernel, data: Observed):
        self.device, self.kernel, self.n_outputs = device, kernel, data.n_outputs
        self.Y, self.squares = near(data.Y, device), self.tensor(data.squares)

    def tensor(self, array: Array) -> Tensor:
        """An array on the device."""
        return to_device(array, self.device)

    def outputs(self, rows: Tensor | slice) -> Tensor:
        """Rows of Y on the device."""
        return rows_of(self.Y, rows, self.device)

    def taken(self, p: Parameters, S: Array) -> tuple[Parameters, Tensor]:
        """Parameters with their latent points on the device, where all functions here expect them, and S."""
        return replace(p, X=self.tensor(p.X)), self.tensor(S)

    def responsibilities(self, S: Tensor) -> Array:
        """S (N, M) as NumPy has it."""
        return S.cpu().numpy()

    def given_back(self, p: Parameters, S: Tensor) -> tuple[Parameters, Array]:
        """Parameters and responsibilities as NumPy has them."""
        return replace(p, X=torch.as_tensor(p.X).cpu().numpy()), self.responsibilities(S)

    def bound(self, S: Tensor, n_inducing: int, *, active: float = ACTIVE) -> "DeviceBound":
        """The bound at fixed responsibilities."""
        return DeviceBound(self, S, n_inducing, active)

    def expectation(self, p: Parameters, factors: list[Factors], negligible: float) -> Tensor:
        """The E-step of `bound.expectation`; an idle component is computed like any other."""
        log_s = _log_joint(self, p)
        Z, natural = self.tensor(p.Z), self.tensor(p.natural)
        W = [self.tensor(f.W) for f in factors]
        halves = [self.tensor(_half(f)) for f in factors]
        for rows in blocks(len(p.X), block_rows(len(p.Z), self.device)):
            Y, X = self.outputs(rows), p.X[rows]
            ones = torch.ones(len(X), dtype=X.dtype, device=self.device)
            for m, theta in enumerate(natural):
                K = _cross(self.kernel, *_sides(self.kernel, theta, Z, X, ones)).add_(theta[-2])
                gap, half = K @ W[m] - Y, K @ halves[m]
                error = gap.square_().sum(1) + self.n_outputs * half.square_().sum(1)
                log_s[rows, m] -= 0.5 * p.beta * error
        log_s[log_s < log_s.amax(dim=1, keepdim=True) + np.log(negligible)] = -torch.inf
        return torch.softmax(log_s, dim=1)

    def m_step(
        self, bound: "DeviceBound", p: Parameters, schedule: Schedule
    ) -> tuple[Parameters, float]:
        """Raise the bound at fixed responsibilities, never lower it; also the bound at the start."""
        values: list[float] = []

        def objective(vector: Tensor) -> tuple[float, Tensor]:
            try:
                with np.errstate(over="ignore", invalid="ignore", divide="ignore", under="ignore"):
                    value, dX, small = bound.value_and_gradient(
                        _unpack(vector, p, schedule.learn_noise)
                    )
            except NotPositiveDefinite:
                values.append(-np.inf)
                return np.inf, torch.zeros_like(vector)
            values.append(value)
            gradient = torch.cat([dX.ravel(), self.tensor(small[: len(vector) - dX.numel()])])
            if not (np.isfinite(value) and bool(gradient.isfinite().all())):
                return np.inf, torch.zeros_like(vector)
            return -value, -gradient

        small = np.concatenate([p.Z.ravel(), p.theta.ravel(), [p.log_beta] * schedule.learn_noise])
        start = torch.cat([p.X.ravel(), self.tensor(small)])
        vector, _ = OPTIMIZERS[schedule.optimizer](objective, start, schedule.steps)
        p = _unpack(vector, p, schedule.learn_noise)
        found = _moments(p.X, bound.S, p.prior)
        prior = from_moments(
            found, len(p.X), schedule.covariance_type, schedule.covariance_floor, p.prior
        )
        prior = prior if schedule.learn_weights else prior._replace(weights=p.prior.weights)
        return replace(p, prior=prior), values[0]


class DeviceBound:
    """The bound as a function of the parameters while the responsibilities S (N, M) stay fixed.

    All that the device can do without the host is asked of it before its answer is waited for, so that it works on
    while the host does the algebra of one component after another.
    """

    def __init__(self, on: OnDevice, S: Tensor, n_inducing: int, active: float):
        self.on, self.kernel, self.S, self.k = on, on.kernel, S, n_inducing
        self.block = block_rows(n_inducing, on.device)
        self.counts = S.sum(0).cpu().numpy()
        self.budget = ROWS_SHARE * free_bytes(
            on.device
        )  # bytes that may still be kept: Y~ first ...
        self.points = [self._active(s, active) for s in S.T]
        self.entropy = -float(torch.special.xlogy(S, S).sum())
        self.kept: dict[
            tuple[int, int], Tensor
        ] = {}  # ... then P of blocks between the passes of an evaluation
        self.Z = self.theta = torch.empty(
            0
        )  # inducing inputs and natural parameters of an evaluation, on the device

    def value(self, p: Parameters) -> tuple[float, list[Factors]]:
        """L_KL and the factors of every component."""
        prior, _ = self._pull(p)
        sums, grams = self._sums(p, 0.0), self.kernel.grams(p.natural, p.Z)
        factors = [
            self._factors(m, p, gram, own)
            for m, (gram, own) in enumerate(zip(grams, sums(), strict=True))
        ]
        return sum(f.value for f in factors) + float(prior) + self.entropy, factors

    def value_and_gradient(self, p: Parameters) -> tuple[float, Tensor, Array]:
        """L_KL and its gradients by X (N, Q), and by Z, theta and log beta in one vector, the prior held fixed."""
        natural, beta, size = p.natural, p.beta, p.Z.size
        prior, dX = self._pull(p)
        sums, grams = (
            self._sums(p, KEPT_SHARE * free_bytes(self.on.device)),
            self.kernel.grams(natural, p.Z),
        )
        dtheta, by_beta, value = np.zeros_like(p.theta), 0.0, self.entropy
        D, slopes = np.zeros_like(grams), []
        for m, (points, own) in enumerate(zip(self.points, sums(), strict=True)):
            f = self._factors(m, p, grams[m], own)
            value += f.value
            if f.idle:
                slopes.append(
                    torch.zeros(size + p.theta.shape[1], dtype=dX.dtype, device=dX.device)
                )
                continue
            right, dtheta[m, -2], rest = adjoints(points, f, natural[m], beta, D[m].T)
            slopes.append(self._back(m, p, f, D[m].T, right, dX))
            add_gram_slope(D[m].T, f, points.n_outputs)
            by_beta += rest
        dZ_u, dtheta_u = self.kernel.gram_gradients(natural, p.Z, grams, D)
        found = torch.stack(slopes).cpu().numpy()
        dZ = dZ_u + found[:, :size].sum(axis=0).reshape(p.Z.shape)
        dtheta += found[:, size:] + dtheta_u
        # tr(dL/dK_uu K_uu) comes for free: K_uu is linear in variance, bias and white.
        by_beta = (
            0.0 if abs(p.log_beta) >= LOG_LIMIT else by_beta - float(dtheta_u[:, [0, -2, -1]].sum())
        )
        return (
            value + float(prior),
            dX,
            np.concatenate([dZ.ravel(), p.by_logs(dtheta).ravel(), [by_beta]]),
        )

    def _active(self, s: Tensor, threshold: float) -> Points:
        rows = torch.nonzero(s >= threshold)[:, 0]
        if threshold > 0.0 and len(rows) < min(MIN_ACTIVE, len(s)):
            rows = torch.argsort(-s, stable=True)[:MIN_ACTIVE].sort().values
        weights = s[rows].clamp_min(torch.finfo(s.dtype).tiny)
        root_s, width = weights.sqrt(), self.on.Y.shape[1]
        fits = 8 * (width + 1) * len(rows) <= self.budget
        kept, sum_y = [], torch.zeros(width, dtype=s.dtype, device=s.device)
        for block in self._blocks(len(rows)):
            Y1 = self._outputs(rows[block], root_s[block])
            sum_y += folded(root_s[block, None], Y1)[0, :-1]
            if fits:
                kept.append(Y1)
                self.budget -= Y1.nbytes
        energy = float(weights @ self.on.squares[rows])
        Y1 = torch.cat(kept) if fits else None
        return Points(
            rows, root_s, Y1, float(weights.sum()), sum_y.cpu().numpy(), energy, self.on.n_outputs
        )

    def _outputs(self, rows: Tensor, root_s: Tensor) -> Tensor:
        """Y~ (n, D+1) of rows with these roots of their weights."""
        return root_s[:, None] * torch.cat(
            [self.on.outputs(rows), torch.ones_like(root_s)[:, None]], dim=1
        )

    def _blocks(self, n: int) -> list[slice]:
        return blocks(n, self.block)

    def _sums(self, p: Parameters, budget: float) -> Callable[[], Array]:
        """What gives [P'P, P'Y~] of every component (M, K, K+D+1) when the device has found them."""
        self.kept.clear()
        self.Z, self.theta = self.on.tensor(p.Z), self.on.tensor(p.natural)
        totals = torch.zeros(
            len(self.points),
            self.k,
            self.k + self.on.Y.shape[1] + 1,
            dtype=p.X.dtype,
            device=p.X.device,
        )
        for m, points in enumerate(self.points):
            if points.total <= IDLE:
                continue
            for block, P, Y1 in self._passed(m, p):
                totals[m] += torch.cat([folded(P, P), folded(P, Y1)], dim=1)
                if P.nbytes <= budget:
                    budget -= P.nbytes
                    self.kept[m, block.start] = P
        return lambda: totals.cpu().numpy()

    def _factors(self, m: int, p: Parameters, gram: Array, sums: Array) -> Factors:
        points, theta, beta, K_uu = self.points[m], p.natural[m], p.beta, gram.T
        if points.total <= IDLE:
            L_u, jitter = jittered_cholesky(K_uu)
            W, r = np.zeros((self.k, len(points.sum_y)), order="F"), np.zeros(self.k)
            return Factors(0.0, L_u, L_u, W, None, r, 0.0, jitter, rough=False, idle=True)
        A = np.asfortranarray(K_uu + beta * sums[:, : self.k])
        RY = np.asfortranarray(sums[:, self.k :] / theta[0])
        return solve(
            points, theta, beta, K_uu, A, RY, lambda L_u, L_a: self._orthogonal(m, p, L_u, L_a)
        )

    def _passed(self, m: int, p: Parameters) -> Iterator[tuple[slice, Tensor, Tensor]]:
        """Block by block P (n, K) and Y~ (n, D+1), computed again as far as they were not kept."""
        points = self.points[m]
        for block in self._blocks(len(points.rows)):
            rows, root_s = points.rows[block], points.root_s[block]
            P = self.kept.get((m, block.start))
            if P is None:
                P = _cross(
                    self.kernel,
                    *_sides(self.kernel, self.theta[m], self.Z, picked(p.X, rows), root_s),
                )
            yield block, P, self._outputs(rows, root_s) if points.Y1 is None else points.Y1[block]

    def _back(
        self, m: int, p: Parameters, f: Factors, H: Array, right: Array, dX: Tensor
    ) -> Tensor:
        """From dL/dA to the gradients by Z and by the logs of theta, in one vector; those by X go into dX."""
        points, tensor, bias = self.points[m], self.on.tensor, float(p.natural[m, -2])
        Z, theta = self.Z.detach().requires_grad_(), self.theta[m].detach().requires_grad_()
        both = tensor(np.vstack([2.0 * p.beta * (np.tril(H) + np.tril(H, -1).T), right.T]))
        whole_H, by_outputs = both[: self.k], both[self.k :]
        total = torch.zeros(Z.numel() + theta.numel(), dtype=dX.dtype, device=dX.device)
        for block, P, Y1 in self._passed(m, p):
            rows, root_s = points.rows[block], points.root_s[block]
            X = picked(p.X, rows).requires_grad_()
            sides = _sides(self.kernel, theta, Z, X, root_s)
            if f.rough:
                K = P + bias * root_s[:, None]
                U = _rough_slope(
                    tensor(_half(f)), tensor(f.W_turned), p.beta, points.n_outputs, K, Y1[:, :-1]
                )
            else:
                U = (Y1 @ by_outputs).addmm_(P, whole_H)
            T = U.mul_(P) if isinstance(self.kernel, RBF) else U
            slopes = (folded(sides[1].detach(), T), T @ sides[0].detach().T)
            by_Z, by_theta, by_X = torch.autograd.grad(sides, (Z, theta, X), slopes)
            dX.index_add_(
                0, rows, by_X
            )  # every row at most once, so that the order of sums is fixed
            total += torch.cat([by_Z.ravel(), by_theta * theta.detach()])
        return total

    def _orthogonal(
        self, m: int, p: Parameters, L_u: Array, L_a: Array
    ) -> tuple[Array, Array, float]:
        """What `orthogonal.factorise` does, with the passes over the rows on the device."""
        bias, root_beta = float(p.natural[m, -2]), float(np.sqrt(p.beta))
        for _ in range(PASSES):
            inner = dtrsm(1.0, L_a, L_u, lower=True)
            factor, sums = self.on.tensor(L_a), torch.zeros((), dtype=p.X.dtype, device=p.X.device)
            for _, P, Y1 in self._passed(m, p):
                K = root_beta * (P + bias * Y1[:, -1:])
                Q = torch.linalg.solve_triangular(factor.T, K, upper=True, left=False)
                sums = sums + torch.cat([folded(Q, Q), root_beta * folded(Q, Y1[:, :-1])], dim=1)
            found = sums.cpu().numpy()
            step, _ = jittered_cholesky(np.asfortranarray(inner @ inner.T + found[:, : self.k]))
            L_a = dtrmm(1.0, step, L_a, side=True, lower=True)
            if np.abs(step - np.eye(self.k)).max() < ORTHONORMAL:
                break
        QB = np.asfortranarray(found[:, self.k :])
        W = dtrsm(1.0, L_a, dtrsm(1.0, step, QB, lower=True), lower=True, trans_a=True)
        misfit, on_device = float(np.sum((L_u.T @ W) ** 2)), self.on.tensor(W)
        for _, P, Y1 in self._passed(m, p):
            gap = Y1[:, :-1] - (P + bias * Y1[:, -1:]) @ on_device
            misfit += p.beta * float((gap * gap).sum())
        return L_a, W, misfit

    def _pull(self, p: Parameters) -> tuple[Tensor, Tensor]:
        """sum_nm S_nm log_joint_nm and its gradient by X (N, Q)."""
        constants = p.prior.log_norms + np.log(p.prior.weights)
        value, gradient = self.on.tensor(np.asarray(self.counts @ constants)), torch.zeros_like(p.X)
        means, precisions = self.on.tensor(p.prior.means), self.on.tensor(p.prior.precisions)
        for s, mean, precision in zip(self.S.T, means, precisions, strict=True):
            centred = p.X - mean
            drawn = s[:, None] * (centred @ precision)
            gradient -= drawn
            value = value - 0.5 * (drawn * centred).sum()
        return value, gradient


def _sides(
    kernel: Kernel, theta: Tensor, Z: Tensor, X: Tensor, root_s: Tensor
) -> tuple[Tensor, Tensor]:
    """The inducing side (S, K) and the latent side (n, S) of P, as in `kernels.py`; theta is in natural units."""
    if not isinstance(kernel, RBF):
        return theta[0] * Z.T, X * root_s[:, None]
    gamma, one = theta[1:-2], torch.ones_like(X[:, :1])
    norms = theta[0].log() - 0.5 * (gamma * Z * Z).sum(1)
    left = torch.cat([(gamma * Z).T, norms[None], torch.ones_like(norms)[None]])
    return left, torch.cat([X, one, (root_s.log() - 0.5 * (gamma * X * X).sum(1))[:, None]], dim=1)


def _cross(kernel: Kernel, left: Tensor, right: Tensor) -> Tensor:
    """P (n, K) from its sides."""
    product = right @ left
    return product.exp_() if isinstance(kernel, RBF) else product


def _half(f: Factors) -> Array:
    """chol(A)^-T: a device multiplies many times faster than it solves."""
    return np.asarray(dtrtri(f.L_a, lower=True)[0].T)


def _rough_slope(half: Tensor, W: Tensor, beta: float, p: int, K: Tensor, Y: Tensor) -> Tensor:
    """`orthogonal.slope` with points in rows, from `half` = chol(A)^-T."""
    residual = Y - K @ W
    return beta * (residual @ W.T - p * (K @ half @ half.T))


def _log_joint(on: OnDevice, p: Parameters) -> Tensor:
    """log pi_m + log N(x_n | xbar_m, C_m), (N, M)."""
    columns = []
    for mean, precision in zip(p.prior.means, p.prior.precisions, strict=True):
        centred = p.X - on.tensor(mean)
        columns.append(-0.5 * (centred @ on.tensor(precision) * centred).sum(1))
    return torch.stack(columns, dim=1) + on.tensor(p.prior.log_norms + np.log(p.prior.weights))


def _moments(X: Tensor, S: Tensor, previous: Mixture) -> Moments:
    """`mixture.moments` on the device."""
    counts = S.sum(0).cpu().numpy()
    means, scatter = previous.means.copy(), previous.covariances * counts[:, None, None]
    for m in np.flatnonzero(counts > EMPTY):
        s = S[:, m : m + 1]
        mean = folded(s, X)[0] / counts[m]
        centred = X - mean
        means[m], scatter[m] = mean.cpu().numpy(), folded(s * centred, centred).cpu().numpy()
    return Moments(counts, means, scatter)


def _unpack(vector: Tensor, p: Parameters, learn_noise: bool) -> Parameters:
    x = math.prod(p.X.shape)
    small = vector[x:].cpu().numpy()
    return replace(
        p,
        X=vector[:x].reshape(p.X.shape),
        Z=small[: p.Z.size].reshape(p.Z.shape),
        theta=small[p.Z.size : p.Z.size + p.theta.size].reshape(p.theta.shape),
        log_beta=float(small[-1]) if learn_noise else p.log_beta,
    )
