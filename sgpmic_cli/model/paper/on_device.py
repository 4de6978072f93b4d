"""The steps of a round in PyTorch: what grows with the rows is computed on a device, in blocks of rows.

K x K matrices go to the host, where the functions of `dtc.py` turn them into the bound and the slopes that lead back to
the rows: they are small, and no digit differs. With P = sqrt(S) v R (n, K), one row for each point of a component,

    there: P'P and P'Y~,    here: A, W, H,    there: U = dL/dP = 2 beta P H + Y~ [beta W, 2 beta bias H 1]'

and from dL/dP autograd finds the gradients by latent points, inducing inputs and kernel parameters: the exponent of P
is a product of a side of the points and a side of the inducing inputs.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import torch
from scipy.linalg.blas import dtrmm, dtrsm
from torch import Tensor

from sgpmic_cli._typing import Array
from sgpmic_cli.model.device.lbfgs import minimise
from sgpmic_cli.model.device.products import folded, free_bytes, row_blocks
from sgpmic_cli.model.paper.bound import ACTIVE, MIN_ACTIVE, Observed, Parameters
from sgpmic_cli.model.paper.cholesky import NotPositiveDefinite, jittered_cholesky
from sgpmic_cli.model.paper.dtc import IDLE, Factors, add_gram_slope, adjoints, solve
from sgpmic_cli.model.paper.em import Schedule
from sgpmic_cli.model.paper.kernels import LOG_LIMIT, RBF, Kernel
from sgpmic_cli.model.paper.mixture import EMPTY, Mixture, Moments, from_moments
from sgpmic_cli.model.paper.optimizers import lbfgs, scg
from sgpmic_cli.model.paper.orthogonal import ORTHONORMAL, PASSES

OPTIMIZERS = {"scg": scg, "lbfgs": partial(lbfgs, minimise=minimise)}
KEPT_SHARE = 0.4  # of the free memory may hold P between the two passes of an evaluation
ROWS_SHARE = 0.3  # of the free memory may hold the data; more of them stay on the host and come block by block


@dataclass(frozen=True)
class Placed:
    """Parameters with the latent points X (N, Q) on the device; the rest is small and on the host."""

    X: Tensor
    Z: Array
    theta: Array
    log_beta: float
    prior: Mixture

    beta = Parameters.beta
    natural = Parameters.natural


class Points(NamedTuple):
    """The points of one component: their rows and sqrt(s_n) on the device, and the sums that the algebra needs."""

    rows: Tensor  # (n,)
    root_s: Tensor  # (n,)
    total: float
    sum_y: Array
    energy: float
    n_outputs: int
    turn: None = None  # columns are as the data have them


class OnDevice:
    """The steps of a round on a device."""

    def __init__(self, device: torch.device, kernel: Kernel, data: Observed):
        self.device, self.kernel, self.n_outputs = device, kernel, data.n_outputs
        fits = data.Y.nbytes <= ROWS_SHARE * free_bytes(device)
        self.Y = torch.from_numpy(data.Y).to(device if fits else "cpu")
        self.squares = self.tensor(data.squares)

    def tensor(self, array: Array) -> Tensor:
        """An array on the device."""
        return torch.tensor(array, dtype=torch.float64, device=self.device)

    def outputs(self, rows: Tensor | slice) -> Tensor:
        """Rows of Y on the device."""
        return self.Y[rows if isinstance(rows, slice) else rows.to(self.Y.device)].to(self.device)

    def taken(self, p: Parameters, S: Array) -> tuple[Placed, Tensor]:
        """Parameters and responsibilities with what is large on the device."""
        return Placed(self.tensor(p.X), p.Z, p.theta, p.log_beta, p.prior), self.tensor(S)

    def given_back(self, p: Placed, S: Tensor) -> tuple[Parameters, Array]:
        """Parameters and responsibilities as NumPy has them."""
        return Parameters(p.X.cpu().numpy(), p.Z, p.theta, p.log_beta, p.prior), S.cpu().numpy()

    def bound(self, S: Tensor, n_inducing: int, *, active: float = ACTIVE) -> "DeviceBound":
        """The bound at fixed responsibilities."""
        return DeviceBound(self, S, n_inducing, active)

    def expectation(self, p: Placed, factors: list[Factors]) -> Tensor:
        """The E-step of `bound.expectation`; an idle component is computed like any other."""
        log_s = _log_joint(self, p)
        Z = self.tensor(p.Z)
        for rows in row_blocks(len(p.X), len(p.Z), self.device):
            Y, X = self.outputs(rows), p.X[rows]
            ones = torch.ones(len(X), dtype=X.dtype, device=self.device)
            for m, (f, theta) in enumerate(zip(factors, p.natural, strict=True)):
                left, right = _sides(self.kernel, self.tensor(theta), Z, X, ones)
                K = _cross(self.kernel, left, right).add_(float(theta[-2]))
                gap = K @ self.tensor(f.W) - Y
                half = torch.linalg.solve_triangular(self.tensor(f.L_a).T, K, upper=True, left=False)
                error = (gap * gap).sum(1) + self.n_outputs * half.square_().sum(1)
                log_s[rows, m] -= 0.5 * p.beta * error
        return torch.softmax(log_s, dim=1)

    def m_step(self, bound: "DeviceBound", p: Placed, schedule: Schedule) -> tuple[Placed, float]:
        """Raise the bound at fixed responsibilities, never lower it; also the bound at the start."""
        values: list[float] = []

        def objective(vector: Tensor) -> tuple[float, Tensor]:
            try:
                with np.errstate(over="ignore", invalid="ignore", divide="ignore", under="ignore"):
                    value, dX, small = bound.value_and_gradient(_unpack(vector, p, schedule.learn_noise))
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
        prior = from_moments(found, len(p.X), schedule.covariance_type, schedule.covariance_floor, p.prior)
        prior = prior if schedule.learn_weights else prior._replace(weights=p.prior.weights)
        return replace(p, prior=prior), values[0]


class DeviceBound:
    """The bound as a function of the parameters while the responsibilities S (N, M) stay fixed."""

    def __init__(self, on: OnDevice, S: Tensor, n_inducing: int, active: float):
        self.on, self.kernel, self.S, self.k = on, on.kernel, S, n_inducing
        self.points = [self._active(s, active) for s in S.T]
        self.entropy = -float(torch.special.xlogy(S, S).sum())
        self.kept: dict[tuple[int, int], Tensor] = {}  # P of blocks between the two passes of an evaluation
        self.budget = 0.0  # bytes that may still be kept

    def value(self, p: Placed) -> tuple[float, list[Factors]]:
        """L_KL and the factors of every component."""
        self._forget(0.0)
        factors = [self._factors(m, p, gram) for m, gram in enumerate(self.kernel.grams(p.natural, p.Z))]
        return sum(f.value for f in factors) + self._pull(p)[0] + self.entropy, factors

    def value_and_gradient(self, p: Placed) -> tuple[float, Tensor, Array]:
        """L_KL and its gradients by X (N, Q), and by Z, theta and log beta in one vector, the prior held fixed."""
        self._forget(KEPT_SHARE * free_bytes(self.on.device))
        natural, beta = p.natural, p.beta
        grams = self.kernel.grams(natural, p.Z)
        factors = [self._factors(m, p, gram) for m, gram in enumerate(grams)]
        prior, dX = self._pull(p)
        dZ, dtheta, by_beta = np.zeros_like(p.Z), np.zeros_like(p.theta), 0.0
        D = np.zeros_like(grams)
        for m, (f, points) in enumerate(zip(factors, self.points, strict=True)):
            if f.idle:
                continue
            right, by_bias, rest = adjoints(points, f, natural[m], beta, D[m].T)
            of_Z, of_theta = self._back(m, p, f, D[m].T, right, dX)
            add_gram_slope(D[m].T, f, points.n_outputs)
            dZ += of_Z
            dtheta[m] += of_theta
            dtheta[m, -2] += by_bias
            by_beta += rest
        dZ_u, dtheta_u = self.kernel.gram_gradients(natural, p.Z, grams, D)
        dtheta += dtheta_u
        dtheta[np.abs(p.theta) >= LOG_LIMIT] = 0.0  # held by the limits there
        # tr(dL/dK_uu K_uu) comes for free: K_uu is linear in variance, bias and white.
        by_beta = 0.0 if abs(p.log_beta) >= LOG_LIMIT else by_beta - float(dtheta_u[:, [0, -2, -1]].sum())
        value = sum(f.value for f in factors) + prior + self.entropy
        return value, dX, np.concatenate([(dZ + dZ_u).ravel(), dtheta.ravel(), [by_beta]])

    def _active(self, s: Tensor, threshold: float) -> Points:
        rows = torch.nonzero(s >= threshold)[:, 0]
        if threshold > 0.0 and len(rows) < min(MIN_ACTIVE, len(s)):
            rows = torch.argsort(-s, stable=True)[:MIN_ACTIVE].sort().values
        weights = s[rows].clamp_min(torch.finfo(s.dtype).tiny)
        root_s = weights.sqrt()
        sum_y = sum(weights[block] @ self.on.outputs(rows[block]) for block in self._blocks(len(rows)))
        energy = float(weights @ self.on.squares[rows])
        return Points(rows, root_s, float(weights.sum()), sum_y.cpu().numpy(), energy, self.on.n_outputs)  # type: ignore[union-attr]

    def _forget(self, budget: float) -> None:
        self.kept.clear()
        self.budget = budget

    def _blocks(self, n: int) -> list[slice]:
        return row_blocks(n, self.k, self.on.device)

    def _factors(self, m: int, p: Placed, gram: Array) -> Factors:
        points, theta, beta, K_uu = self.points[m], p.natural[m], p.beta, gram.T
        if points.total <= IDLE:
            L_u, jitter = jittered_cholesky(K_uu)
            W, r = np.zeros((self.k, len(points.sum_y)), order="F"), np.zeros(self.k)
            return Factors(0.0, L_u, L_u, W, None, r, 0.0, jitter, rough=False, idle=True)
        sums: Any = 0.0
        for block, P, Y1 in self._passed(m, p):
            if P.nbytes <= self.budget:
                self.budget -= P.nbytes
                self.kept[m, block.start] = P
            sums = sums + torch.cat([folded(P, P), folded(P, Y1)], dim=1)
        found = sums.cpu().numpy()
        A = np.asfortranarray(K_uu + beta * found[:, : self.k])
        RY = np.asfortranarray(found[:, self.k :] / theta[0])
        return solve(points, theta, beta, K_uu, A, RY, lambda L_u, L_a: self._orthogonal(m, p, L_u, L_a))

    def _passed(self, m: int, p: Placed) -> Iterator[tuple[slice, Tensor, Tensor]]:
        """Block by block P (n, K) and Y~ (n, D+1), as far as they were not kept computed again."""
        points, Z, theta = self.points[m], self.on.tensor(p.Z), self.on.tensor(p.natural[m])
        for block in self._blocks(len(points.rows)):
            rows, root_s = points.rows[block], points.root_s[block]
            P = self.kept.pop((m, block.start), None)
            if P is None:
                P = _cross(self.kernel, *_sides(self.kernel, theta, Z, p.X[rows], root_s))
            Y = self.on.outputs(rows)
            yield block, P, torch.cat([root_s[:, None] * Y, root_s[:, None]], dim=1)

    def _back(self, m: int, p: Placed, f: Factors, H: Array, right: Array, dX: Tensor) -> tuple[Array, Array]:
        """From dL/dA to the gradients by Z (K, Q) and by the logs of theta (T,); those by latent points go into dX."""
        points, tensor, bias = self.points[m], self.on.tensor, float(p.natural[m, -2])
        Z, theta = tensor(p.Z).requires_grad_(), tensor(p.natural[m]).requires_grad_()
        whole_H, by_outputs = tensor(2.0 * p.beta * (np.tril(H) + np.tril(H, -1).T)), tensor(right.T)
        W, L_a = tensor(f.W_turned), tensor(f.L_a)
        total: Any = 0.0
        for block, P, Y1 in self._passed(m, p):
            rows, root_s = points.rows[block], points.root_s[block]
            X = p.X[rows].requires_grad_()
            left_side, right_side = _sides(self.kernel, theta, Z, X, root_s)
            if f.rough:
                U = _rough_slope(L_a, W, p.beta, points.n_outputs, P + bias * root_s[:, None], Y1[:, :-1])
            else:
                U = torch.addmm(Y1 @ by_outputs, P, whole_H)
            T = U.mul_(P) if isinstance(self.kernel, RBF) else U
            sides = (left_side, right_side)
            slopes = (folded(right_side.detach(), T), T @ left_side.detach().T)
            by_Z, by_theta, by_X = torch.autograd.grad(sides, (Z, theta, X), slopes)
            dX.index_add_(0, rows, by_X)  # every row at most once, so that the order of sums is fixed
            total = total + torch.cat([by_Z.ravel(), by_theta * theta.detach()])
        found = total.cpu().numpy()
        return found[: Z.numel()].reshape(p.Z.shape), found[Z.numel() :]

    def _orthogonal(self, m: int, p: Placed, L_u: Array, L_a: Array) -> tuple[Array, Array, float]:
        """What `orthogonal.factorise` does, with the passes over the rows on the device."""
        bias, root_beta = float(p.natural[m, -2]), float(np.sqrt(p.beta))
        for _ in range(PASSES):
            inner = dtrsm(1.0, L_a, L_u, lower=True)
            factor, sums = self.on.tensor(L_a), 0.0
            for _, P, Y1 in self._passed(m, p):
                K = root_beta * (P + bias * Y1[:, -1:])
                Q = torch.linalg.solve_triangular(factor.T, K, upper=True, left=False)
                sums = sums + torch.cat([folded(Q, Q), root_beta * folded(Q, Y1[:, :-1])], dim=1)
            found = sums.cpu().numpy()  # type: ignore[attr-defined]
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

    def _pull(self, p: Placed) -> tuple[float, Tensor]:
        """sum_nm S_nm log_joint_nm and its gradient by X (N, Q)."""
        joint = 0.0
        gradient = torch.zeros_like(p.X)
        for m, (mean, precision) in enumerate(zip(p.prior.means, p.prior.precisions, strict=True)):
            centred = p.X - self.on.tensor(mean)
            drawn = self.S[:, m : m + 1] * (centred @ self.on.tensor(precision))
            gradient -= drawn
            joint -= 0.5 * float((drawn * centred).sum())
        constants = p.prior.log_norms + np.log(p.prior.weights)
        return joint + float(self.S.sum(0).cpu().numpy() @ constants), gradient


def _sides(kernel: Kernel, theta: Tensor, Z: Tensor, X: Tensor, root_s: Tensor) -> tuple[Tensor, Tensor]:
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


def _rough_slope(L_a: Tensor, W: Tensor, beta: float, p: int, K: Tensor, Y: Tensor) -> Tensor:
    """`orthogonal.slope` with points in rows."""
    residual = Y - K @ W
    solved = torch.linalg.solve_triangular(L_a.T, K, upper=True, left=False)
    solved = torch.linalg.solve_triangular(L_a, solved, upper=False, left=False)
    return beta * (residual @ W.T - p * solved)


def _log_joint(on: OnDevice, p: Placed) -> Tensor:
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


def _unpack(vector: Tensor, p: Placed, learn_noise: bool) -> Placed:
    x = p.X.numel()
    small = vector[x:].cpu().numpy()
    return replace(
        p,
        X=vector[:x].reshape(p.X.shape),
        Z=small[: p.Z.size].reshape(p.Z.shape),
        theta=small[p.Z.size : p.Z.size + p.theta.size].reshape(p.theta.shape),
        log_beta=float(small[-1]) if learn_noise else p.log_beta,
    )
