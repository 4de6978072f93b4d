"""The steps of a round in PyTorch: what grows with the rows is computed on a device, in blocks of rows.

The device finds the sums over rows that a component is made of (`component.Sums`). They are small and go to the host,
where the algebra of `component.py` turns them into the bound and its slopes by these sums; from there autograd finds
the gradients by q(x), inducing inputs and kernels, block by block.
"""

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from sgpmic_cli._typing import Array
from sgpmic_cli.model.component import Posterior, Sums, posterior_of, value_and_adjoints
from sgpmic_cli.model.device.lbfgs import minimise
from sgpmic_cli.model.device.products import folded, row_blocks, spread
from sgpmic_cli.model.em import ACTIVE, ALIVE, Data, Free, State, kernel_prior, precision
from sgpmic_cli.model.features import Kernel, pairs
from sgpmic_cli.model.latent_prior import LOG_2PI, from_moments, log_density

FTOL, GTOL = 2.220446049250313e-09, 1e-5  # those of SciPy's L-BFGS-B, which the fit with NumPy uses


class DeviceKernel(NamedTuple):
    """One component's inducing inputs (K, Q), log variance and log inverse squared widths (Q,) on the device."""

    Z: Tensor
    log_v: Tensor
    log_g: Tensor


class Features(NamedTuple):
    """Expected features of a block of rows, as in `features.py`."""

    mu: Tensor  # (n, Q)
    centre: Tensor  # (n, Q) mu / d
    pull: Tensor  # (n, Q) g s / d
    rbf: Tensor  # (n, K)
    squares: Tensor  # (n, pairs)

    @property
    def first_moments(self) -> Tensor:
        """<phi(x_n)>, (n, J)."""
        return torch.cat([self.rbf, self.mu, torch.ones_like(self.mu[:, :1])], dim=1)


class OnDevice:
    """Data and state of a fit on a device, and the steps of its rounds."""

    def __init__(self, device: torch.device, data: Data, state: State):
        self.device, self.data, self.prior = device, data, state.prior
        self.Y, self.squares, self.held = self.tensor(data.Y), self.tensor(data.squares), self.tensor(data.held)
        self.holes = None if data.holes is None else torch.from_numpy(data.holes).to(device)
        free = state.free
        self.mu, self.log_s, self.S = self.tensor(free.mu), self.tensor(free.log_s), self.tensor(state.S)
        self.small = replace(free, mu=np.empty((0, free.mu.shape[1])), log_s=np.empty((0, free.mu.shape[1])))

    def tensor(self, array: Array) -> Tensor:
        """An array on the device."""
        return torch.tensor(array, dtype=torch.float64, device=self.device)

    def given_back(self) -> tuple[Data, State]:
        """Data and state as NumPy has them."""
        free = replace(self.small, mu=self.mu.cpu().numpy(), log_s=self.log_s.cpu().numpy())
        data = self.data
        if self.holes is not None:
            data = replace(data, Y=self.Y.cpu().numpy(), squares=self.squares.cpu().numpy())
        return data, State(free, self.prior, self.S.cpu().numpy())

    def m_step(self, steps: int) -> None:
        """Raise the bound at fixed responsibilities."""
        bound = DeviceBound(self)

        def objective(vector: Tensor) -> tuple[float, Tensor]:
            with np.errstate(all="ignore"):
                try:
                    value, gradient = bound.value_and_gradient(vector)
                except np.linalg.LinAlgError:  # a step to kernels without digits; the line search turns back
                    return np.inf, torch.zeros_like(vector)
            if not (np.isfinite(value) and bool(gradient.isfinite().all())):
                return np.inf, torch.zeros_like(vector)
            return -value, -gradient

        found = minimise(objective, self.vector(), steps, ftol=FTOL, gtol=GTOL, evaluations=3 * steps)
        if np.isfinite(found.value):
            self.mu, self.log_s, self.small = self.parted(found.x)
        s = self.log_s.exp()
        sums = folded(self.S, torch.cat([self.mu, self.mu**2 + s, torch.ones_like(s[:, :1])], dim=1)).cpu().numpy()
        q = s.shape[1]
        self.prior = from_moments(sums[:, -1], sums[:, :q], sums[:, q:-1], len(s))

    def vector(self) -> Tensor:
        """All that is free, in the order of `Free.pack`."""
        return torch.cat([self.mu.ravel(), self.log_s.ravel(), self.tensor(self.small.pack())])

    def parted(self, vector: Tensor) -> tuple[Tensor, Tensor, Free]:
        """mu and log s (N, Q), and the rest, which is small and on the host."""
        n, shape = self.mu.numel(), self.mu.shape
        return vector[:n].view(shape), vector[n : 2 * n].view(shape), self.small.unpack(vector[2 * n :].cpu().numpy())

    def evaluate(self) -> tuple[list[Posterior | None], float]:
        """What is known of every component (None for a dead one), and the bound."""
        bound, s = DeviceBound(self), self.log_s.exp()
        posteriors: list[Posterior | None] = []
        for m, rows in enumerate(bound.rows):
            if rows is None:
                posteriors.append(None)
                continue
            with torch.no_grad():
                sums, _ = bound.sums(m, self.kernel(self.small, m), self.mu, s)
            posteriors.append(posterior_of(sums, self.small.kernel(m), precision(self.data, self.small.log_noise[m])))
        value = sum(known.value for known in posteriors if known is not None)
        value += float((self.S * (self._expected_log(s) + self.held) - torch.special.xlogy(self.S, self.S)).sum())
        value += 0.5 * float((self.log_s + (1.0 + LOG_2PI)).sum())
        return posteriors, value + log_density(self.prior) + kernel_prior(self.small)[0]

    def e_step(self, posteriors: list[Posterior | None]) -> None:
        """Responsibilities, and what was not seen, under what is known; formulas as in `em.py`."""
        s = self.log_s.exp()
        log_s = self._expected_log(s) + self.held
        n_pairs = len(pairs(self.small.Z.shape[1]).first)
        for rows in row_blocks(len(s), n_pairs, self.device):
            for m, known in enumerate(posteriors):
                if known is None:
                    log_s[rows, m] = -torch.inf
                    continue
                beta = precision(self.data, self.small.log_noise[m])
                seen = _features(self.kernel(self.small, m), self.mu[rows], s[rows])
                error, fitted = self._expected_error(self.small.kernel(m), known, seen, s[rows], rows)
                log_s[rows, m] += 0.5 * (self.data.n_outputs * np.log(beta) - beta * error)
                if self.holes is not None:  # what was not seen speaks for no component
                    log_s[rows, m] -= 0.5 * self._unseen(fitted, beta, rows)
        self.S = torch.softmax(log_s, dim=1)
        if self.holes is not None:
            self._fill(posteriors, s)

    def kernel(self, free: Free, m: int) -> DeviceKernel:
        """Kernel and inducing inputs of component m on the device."""
        return DeviceKernel(self.tensor(free.Z[m]), self.tensor(free.log_v[m]), self.tensor(free.log_g[m]))

    def _expected_log(self, s: Tensor) -> Tensor:
        prior = self.prior
        inverse = 1.0 / prior.variances
        constant = np.log(prior.weights) - 0.5 * np.sum(np.log(prior.variances) + LOG_2PI, axis=1)
        constant -= 0.5 * np.sum(prior.means**2 * inverse, axis=1)
        square = (self.mu**2 + s) @ self.tensor(inverse.T)
        return self.tensor(constant) - 0.5 * square + self.mu @ self.tensor((prior.means * inverse).T)

    def _expected_error(
        self, kernel: Kernel, known: Posterior, seen: Features, s: Tensor, rows: slice
    ) -> tuple[Tensor, Tensor]:
        """<|y_n - f_n|^2> of rows under a component (n,), and what it expects of them (n, D)."""
        B, Z, k = known.B, kernel.Z, len(kernel.Z)
        pair, across, linear = pairs(k), B[:k, k:-1], B[k:-1, k:-1]
        error = seen.squares @ self.tensor(pair.twice * B[pair.first, pair.second])
        error += (seen.mu @ self.tensor(linear) * seen.mu).sum(1) + s @ self.tensor(np.diag(linear))
        drawn = seen.centre @ self.tensor(across.T) + seen.pull @ self.tensor((Z * across).T) + self.tensor(B[:k, -1])
        error += 2.0 * ((seen.rbf * drawn).sum(1) + seen.mu @ self.tensor(B[k:-1, -1])) + float(B[-1, -1])
        fitted = seen.first_moments @ self.tensor(known.W)
        error += self.squares[rows] + self.data.n_outputs * kernel.variance - 2.0 * (fitted * self.Y[rows]).sum(1)
        return error, fitted

    def _unseen(self, fitted: Tensor, beta: float, rows: slice) -> Tensor:
        """Twice what the holes have wrongly added to the log likelihood of each row under a component (n,)."""
        assert self.holes is not None
        holes, Y = self.holes[rows], self.Y[rows]
        gap = torch.where(holes, Y - fitted, 0.0).square().sum(1)
        extra = self.squares[rows] - Y.square().sum(1)
        return holes.sum(1, dtype=Y.dtype) * np.log(beta) - beta * (gap + extra)

    def _fill(self, posteriors: list[Posterior | None], s: Tensor) -> None:
        """What was not seen takes its expectation under the mixture, and its variance goes into <|y_n|^2>."""
        assert self.holes is not None
        expected, variance = torch.zeros_like(self.Y), torch.zeros_like(self.squares)
        for m, known in enumerate(posteriors):
            if known is not None:
                seen = _features(self.kernel(self.small, m), self.mu, s)
                expected += self.S[:, m : m + 1] * (seen.first_moments @ self.tensor(known.W))
                variance += self.S[:, m] / precision(self.data, self.small.log_noise[m])
        self.Y = torch.where(self.holes, expected, self.Y)
        self.squares = self.Y.square().sum(1) + self.holes.sum(1, dtype=s.dtype) * variance


class DeviceBound:
    """The part of the bound that depends on what is free, while the responsibilities and the latent prior stay."""

    def __init__(self, on: OnDevice):
        self.on = on
        self.rows = [self._active(weights) for weights in on.S.T]
        inverse = 1.0 / on.prior.variances
        self.precision = on.S @ on.tensor(inverse)
        self.linear = on.S @ on.tensor(on.prior.means * inverse)
        norms = np.log(on.prior.weights) - 0.5 * np.sum(np.log(on.prior.variances) + LOG_2PI, axis=1)
        norms -= 0.5 * np.sum(on.prior.means**2 * inverse, axis=1)
        self.constant = float(on.S.sum(0).cpu().numpy() @ norms)

    def value_and_gradient(self, vector: Tensor) -> tuple[float, Tensor]:
        """Value and gradient by one vector of all that is free."""
        mu, log_s, free = self.on.parted(vector)
        s = log_s.exp()
        value = self.constant + float((self.linear * mu - 0.5 * self.precision * (mu**2 + s) + 0.5 * log_s).sum())
        dmu, ds = self.linear - self.precision * mu, -0.5 * self.precision
        prior_value, (dlog_v, dlog_g, dlog_a, dlog_noise) = kernel_prior(free)
        value += prior_value
        dZ = np.zeros_like(free.Z)
        for m, rows in enumerate(self.rows):
            if rows is None:
                continue
            noise = np.exp(free.log_noise[m])
            beta = 1.0 / (self.on.data.rounding + noise)
            leaves = DeviceKernel(*(part.requires_grad_() for part in self.on.kernel(free, m)))
            sums, graph = self.sums(m, leaves, mu, s)
            part, to = value_and_adjoints(sums, free.kernel(m), beta)
            value += part
            by_Z, by_v, by_g = self._back(m, leaves, mu, s, graph, to.by_Phi2, to.by_E, (dmu, ds))
            dZ[m] += to.Z + by_Z
            dlog_v[m] += to.log_v + by_v
            dlog_g[m] += to.g * np.exp(free.log_g[m]) + by_g
            dlog_a[m] += to.log_a
            dlog_noise[m] -= to.log_beta * beta * noise
        small = Free(free.mu, free.log_s, dZ, dlog_v, dlog_g, dlog_a, dlog_noise)
        return value, torch.cat([dmu.ravel(), (0.5 + ds * s).ravel(), self.on.tensor(small.pack())])

    def sums(self, m: int, kernel: DeviceKernel, mu: Tensor, s: Tensor) -> tuple[Sums, Any]:
        """The sums over the rows of component m, and the graph of the only block where there is just one."""
        rows, on = self.rows[m], self.on
        assert rows is not None
        blocks = self._blocks(rows)
        whole = len(blocks) == 1
        total: Any = 0.0
        for block in blocks:
            with torch.set_grad_enabled(whole and torch.is_grad_enabled()):
                graph = self._moments(m, kernel, mu, s, rows[block])
            total = total + torch.cat([part.detach() for part in graph[:2]], dim=1)
        found, j = total.cpu().numpy(), total.shape[0]
        w = on.S[rows, m]
        energy = float(w @ on.squares[rows])
        sums = Sums(found[:, :j].copy(), found[:, j:].copy(), float(w.sum()), energy, on.data.n_outputs)
        return sums, graph if whole else None

    def _active(self, weights: Tensor) -> Tensor | None:
        rows = torch.nonzero(weights >= ACTIVE)[:, 0]
        return rows if float(weights.sum()) >= ALIVE and len(rows) else None

    def _blocks(self, rows: Tensor) -> list[slice]:
        return row_blocks(len(rows), len(pairs(self.on.small.Z.shape[1]).first), self.on.device)

    def _moments(
        self, m: int, kernel: DeviceKernel, mu: Tensor, s: Tensor, rows: Tensor
    ) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Phi2 (J, J) and E (J, D) of rows of component m, and the leaves mu and s (n, Q) that they hang on."""
        own_mu, own_s = mu[rows].requires_grad_(), s[rows].requires_grad_()
        w, Y = self.on.S[rows, m][:, None], self.on.Y[rows]
        k, q = kernel.Z.shape
        seen = _features(kernel, own_mu, own_s)
        right = w * torch.cat([Y, seen.centre, seen.pull, own_mu, torch.ones_like(w)], dim=1)
        E, centre, pull, linear, ones = folded(seen.first_moments, right).split([Y.shape[1], q, q, q, 1], dim=1)
        across = centre[:k] + kernel.Z * pull[:k]
        inner = folded(seen.squares, w)[_places(k).to(w.device), 0]
        linear = linear[k:-1] + torch.diag((w * own_s).sum(0))
        upper = torch.cat([inner, across, ones[:k]], dim=1)
        middle = torch.cat([across.T, linear, ones[k:-1]], dim=1)
        return torch.cat([upper, middle, ones.T]), E, own_mu, own_s

    def _back(
        self,
        m: int,
        kernel: DeviceKernel,
        mu: Tensor,
        s: Tensor,
        graph: Any,
        by_Phi2: Array,
        by_E: Array,
        into: tuple[Tensor, Tensor],
    ) -> tuple[Array, Array, Array]:
        """From the slopes by the sums to those by Z, log v and log g; those by mu and s of the rows go into `into`."""
        rows, on = self.rows[m], self.on
        assert rows is not None
        slopes = on.tensor(by_Phi2), on.tensor(by_E)
        totals = [torch.zeros_like(part) for part in kernel]
        for block in self._blocks(rows):
            Phi2, E, own_mu, own_s = graph or self._moments(m, kernel, mu, s, rows[block])
            found = torch.autograd.grad((Phi2, E), (own_mu, own_s, *kernel), slopes)
            for whole, part in zip(into, found, strict=False):
                whole.index_add_(0, rows[block], part)  # every row at most once, so that the order of sums is fixed
            for total, part in zip(totals, found[2:], strict=True):
                total += part
        by_Z, by_v, by_g = (total.cpu().numpy() for total in totals)
        return by_Z, by_v, by_g


def _places(k: int) -> Tensor:
    """Which pair of inducing inputs each entry of a symmetric matrix (k, k) is."""
    pair, places = pairs(k), np.empty((k, k), dtype=np.int64)
    places[pair.first, pair.second] = places[pair.second, pair.first] = np.arange(len(pair.first))
    return torch.from_numpy(places)


def _features(kernel: DeviceKernel, mu: Tensor, s: Tensor) -> Features:
    """The expected features of rows at q(x_n) = N(mu_n, diag s_n)."""
    Z, g, pair = kernel.Z, kernel.log_g.exp(), pairs(len(kernel.Z))
    d, e = 1.0 + g * s, 1.0 + 2.0 * g * s
    first, second = (torch.from_numpy(places).to(Z.device) for places in (pair.first, pair.second))
    middle, gap = 0.5 * (Z[first] + Z[second]), Z[first] - Z[second]
    rbf = spread(_row_side(mu, d, g / d, 0.5), _point_side(Z, kernel.log_v.expand(len(Z))))
    squares = spread(_row_side(mu, e, g / e, 1.0), _point_side(middle, 2.0 * kernel.log_v - 0.25 * (gap**2 @ g)))
    return Features(mu, mu / d, g * s / d, rbf.exp(), squares.exp())


def _row_side(mu: Tensor, divisor: Tensor, a: Tensor, half: float) -> Tensor:
    first = -half * (a * mu**2).sum(1) - 0.5 * divisor.log().sum(1)
    return torch.cat([first[:, None], 2.0 * half * a * mu, -half * a, torch.ones_like(mu[:, :1])], dim=1)


def _point_side(Z: Tensor, constant: Tensor) -> Tensor:
    return torch.cat([torch.ones_like(Z[:, :1]).T, Z.T, (Z**2).T, constant[None]])
