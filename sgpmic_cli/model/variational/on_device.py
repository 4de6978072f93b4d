"""The steps of a round in PyTorch: what grows with the rows is computed on a device, in blocks of rows.

The device finds the sums over rows that a component is made of (`component.Sums`). They are small and go to the host,
where the algebra of `component.py` turns them into the bound and its slopes by these sums; from there autograd finds
the gradients by q(x), inducing inputs and kernels, block by block.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import NamedTuple

import numpy as np
import torch
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
    spread,
    to_device,
)
from sgpmic_cli.model.variational.component import Posterior, Sums, posterior_of, value_and_adjoints
from sgpmic_cli.model.variational.em import (
    ACTIVE,
    ALIVE,
    Data,
    Free,
    State,
    kernel_prior,
    precision,
)
from sgpmic_cli.model.variational.features import Kernel, pairs
from sgpmic_cli.model.variational.latent_prior import LOG_2PI, from_moments, log_density

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
        self.Y, self.squares, self.held = (
            near(data.Y, device),
            self.tensor(data.squares),
            self.tensor(data.held),
        )
        self.holes = None
        if (
            data.holes is not None
        ):  # what was not seen is filled in every round, which needs all of it at once
            self.Y, self.holes = self.tensor(data.Y), torch.from_numpy(data.holes).to(device)
        free = state.free
        self.block = block_rows(len(pairs(free.Z.shape[1]).first), device)
        self.mu, self.log_s, self.S = (
            self.tensor(free.mu),
            self.tensor(free.log_s),
            self.tensor(state.S),
        )
        self.small = replace(
            free, mu=np.empty((0, free.mu.shape[1])), log_s=np.empty((0, free.mu.shape[1]))
        )

    def tensor(self, array: Array) -> Tensor:
        """An array on the device."""
        return to_device(array, self.device)

    def outputs(self, rows: Tensor | slice) -> Tensor:
        """Rows of Y on the device."""
        return rows_of(self.Y, rows, self.device)

    def responsibilities(self) -> Array:
        """S (N, M) as NumPy has it."""
        return self.S.cpu().numpy()

    def given_back(self) -> tuple[Data, State]:
        """Data and state as NumPy has them."""
        free = replace(self.small, mu=self.mu.cpu().numpy(), log_s=self.log_s.cpu().numpy())
        data = self.data
        if self.holes is not None:
            data = replace(data, Y=self.Y.cpu().numpy(), squares=self.squares.cpu().numpy())
        return data, State(free, self.prior, self.responsibilities())

    def m_step(self, steps: int) -> None:
        """Raise the bound at fixed responsibilities."""
        bound = DeviceBound(self)

        def objective(vector: Tensor) -> tuple[float, Tensor]:
            with np.errstate(all="ignore"):
                try:
                    value, gradient = bound.value_and_gradient(vector)
                except (
                    np.linalg.LinAlgError
                ):  # a step to kernels without digits; the line search turns back
                    return np.inf, torch.zeros_like(vector)
            if not (np.isfinite(value) and bool(gradient.isfinite().all())):
                return np.inf, torch.zeros_like(vector)
            return -value, -gradient

        found = minimise(
            objective, self.vector(), steps, ftol=FTOL, gtol=GTOL, evaluations=3 * steps
        )
        if np.isfinite(found.value):
            self.mu, self.log_s, self.small = self.parted(found.x)
        s = self.log_s.exp()
        sums = (
            folded(self.S, torch.cat([self.mu, self.mu**2 + s, torch.ones_like(s[:, :1])], dim=1))
            .cpu()
            .numpy()
        )
        q = s.shape[1]
        self.prior = from_moments(sums[:, -1], sums[:, :q], sums[:, q:-1], len(s))

    def vector(self) -> Tensor:
        """All that is free, in the order of `Free.pack`."""
        return torch.cat([self.mu.ravel(), self.log_s.ravel(), self.tensor(self.small.pack())])

    def parted(self, vector: Tensor) -> tuple[Tensor, Tensor, Free]:
        """mu and log s (N, Q), and the rest, which is small and on the host."""
        n, shape = self.mu.numel(), self.mu.shape
        return (
            vector[:n].view(shape),
            vector[n : 2 * n].view(shape),
            self.small.unpack(vector[2 * n :].cpu().numpy()),
        )

    def evaluate(self) -> tuple[list[Posterior | None], float]:
        """What is known of every component (None for a dead one), and the bound."""
        s = self.log_s.exp()
        with torch.no_grad():
            found = DeviceBound(self).sums(self.kernels(self.small), self.mu, s)
        posteriors = [
            posterior_of(sums, self.small.kernel(m), precision(self.data, self.small.log_noise[m]))
            if sums
            else None
            for m, sums in enumerate(found())
        ]
        value = sum(known.value for known in posteriors if known is not None)
        value += float(
            (
                self.S * (self._expected_log(s) + self.held) - torch.special.xlogy(self.S, self.S)
            ).sum()
        )
        value += 0.5 * float((self.log_s + (1.0 + LOG_2PI)).sum())
        return posteriors, value + log_density(self.prior) + kernel_prior(self.small)[0]

    def e_step(self, posteriors: list[Posterior | None], negligible: float) -> None:
        """Responsibilities, zero where negligible, and what was not seen, under what is known; as in `em.py`."""
        s = self.log_s.exp()
        log_s, kernels = self._expected_log(s) + self.held, self.kernels(self.small)
        for m, known in enumerate(posteriors):
            if known is None:
                log_s[:, m] = -torch.inf
                continue
            beta = precision(self.data, self.small.log_noise[m])
            for rows in self.blocks(len(s)):
                seen = _features(kernels[m], self.mu[rows], s[rows])
                error = self._expected_error(self.small.kernel(m), known, seen, s[rows], rows)
                log_s[rows, m] += 0.5 * (self._columns(rows) * np.log(beta) - beta * error)
        log_s -= log_s.amax(1, keepdim=True)
        self.S = torch.softmax(log_s.masked_fill_(log_s < np.log(negligible), -torch.inf), dim=1)
        if self.holes is not None:
            self._fill(posteriors, kernels, s)

    def kernels(self, free: Free) -> list[DeviceKernel]:
        """Kernels and inducing inputs of all components on the device."""
        parts = self.tensor(free.Z), self.tensor(free.log_v), self.tensor(free.log_g)
        return [DeviceKernel(*own) for own in zip(*parts, strict=True)]

    def blocks(self, n: int) -> list[slice]:
        """n rows in blocks."""
        return blocks(n, self.block)

    def _expected_log(self, s: Tensor) -> Tensor:
        prior = self.prior
        inverse = 1.0 / prior.variances
        constant = np.log(prior.weights) - 0.5 * np.sum(np.log(prior.variances) + LOG_2PI, axis=1)
        constant -= 0.5 * np.sum(prior.means**2 * inverse, axis=1)
        square = (self.mu**2 + s) @ self.tensor(inverse.T)
        return (
            self.tensor(constant) - 0.5 * square + self.mu @ self.tensor((prior.means * inverse).T)
        )

    def _columns(self, rows: slice) -> int | Tensor:
        """How many columns were seen of rows."""
        p = self.data.n_outputs
        return p if self.holes is None else p - self.holes[rows].sum(1)

    def _expected_error(
        self, kernel: Kernel, known: Posterior, seen: Features, s: Tensor, rows: slice
    ) -> Tensor:
        """Square error of the mean over what was seen of rows, and the spread around it (n,), as in `process.py`."""
        B, Z, k = known.B, kernel.Z, len(kernel.Z)
        pair, across, linear = pairs(k), B[:k, k:-1], B[k:-1, k:-1]
        error = seen.squares @ self.tensor(pair.twice * B[pair.first, pair.second])
        error += (seen.mu @ self.tensor(linear) * seen.mu).sum(1) + s @ self.tensor(np.diag(linear))
        drawn = (
            seen.centre @ self.tensor(across.T)
            + seen.pull @ self.tensor((Z * across).T)
            + self.tensor(B[:k, -1])
        )
        error += 2.0 * ((seen.rbf * drawn).sum(1) + seen.mu @ self.tensor(B[k:-1, -1])) + float(
            B[-1, -1]
        )
        fitted = seen.first_moments @ self.tensor(known.W)
        gap = self.outputs(rows) - fitted
        if self.holes is not None:
            gap = torch.where(self.holes[rows], 0.0, gap)
        return (
            error
            + self.data.n_outputs * kernel.variance
            - fitted.square().sum(1)
            + gap.square().sum(1)
        )

    def _fill(
        self, posteriors: list[Posterior | None], kernels: list[DeviceKernel], s: Tensor
    ) -> None:
        """What was not seen takes its expectation under the mixture, and its variance goes into <|y_n|^2>."""
        assert self.holes is not None
        expected, variance = torch.zeros_like(self.Y), torch.zeros_like(self.squares)
        for m, known in enumerate(posteriors):
            if known is not None:
                W = self.tensor(known.W)
                for rows in self.blocks(len(s)):
                    seen = _features(kernels[m], self.mu[rows], s[rows])
                    expected[rows] += self.S[rows, m : m + 1] * (seen.first_moments @ W)
                variance += self.S[:, m] / precision(self.data, self.small.log_noise[m])
        self.Y = torch.where(self.holes, expected, self.Y)
        self.squares = self.Y.square().sum(1) + self.holes.sum(1, dtype=s.dtype) * variance


class Own(NamedTuple):
    """The rows of one component: their places, weights (n, 1), and the sums that do not depend on what is free."""

    places: Tensor
    w: Tensor
    Y: Tensor | None  # (n, D), where it fits twice
    total: float
    energy: float


class DeviceBound:
    """The part of the bound that depends on what is free, while the responsibilities and the latent prior stay.

    All that the device can do without the host is asked of it before its answer is waited for, so that it works on
    while the host does the algebra of one component after another.
    """

    def __init__(self, on: OnDevice):
        self.on = on
        fits = len(on.S.T) * on.Y.nbytes <= ROWS_SHARE * free_bytes(on.device)
        self.own = [self._active(weights, fits) for weights in on.S.T]
        self.graphs: dict[
            int, Graph
        ] = {}  # of components with a single block, between the two passes of an evaluation
        inverse = 1.0 / on.prior.variances
        self.precision = on.S @ on.tensor(inverse)
        self.linear = on.S @ on.tensor(on.prior.means * inverse)
        norms = np.log(on.prior.weights) - 0.5 * np.sum(
            np.log(on.prior.variances) + LOG_2PI, axis=1
        )
        norms -= 0.5 * np.sum(on.prior.means**2 * inverse, axis=1)
        self.constant = float(on.S.sum(0).cpu().numpy() @ norms)

    def value_and_gradient(self, vector: Tensor) -> tuple[float, Tensor]:
        """Value and gradient by one vector of all that is free."""
        mu, log_s, free = self.on.parted(vector)
        s = log_s.exp()
        latent = (self.linear * mu - 0.5 * self.precision * (mu**2 + s) + 0.5 * log_s).sum()
        into = self.linear - self.precision * mu, -0.5 * self.precision
        kernels = self.on.kernels(free)
        for part in (part for kernel in kernels for part in kernel):
            part.requires_grad_()
        sums = self.sums(kernels, mu, s)
        value, (dlog_v, dlog_g, dlog_a, dlog_noise) = kernel_prior(free)
        dZ, slopes = np.zeros_like(free.Z), {}
        for m, own in enumerate(sums()):
            if own is None:
                continue
            noise = np.exp(free.log_noise[m])
            beta = 1.0 / (self.on.data.rounding + noise)
            part, to = value_and_adjoints(own, free.kernel(m), beta)
            slopes[m] = self._back(
                m, kernels[m], mu, s, self.on.tensor(np.hstack([to.by_Phi2, to.by_E])), into
            )
            value += part
            dZ[m] += to.Z
            dlog_v[m] += to.log_v
            dlog_g[m] += to.g * np.exp(free.log_g[m])
            dlog_a[m] += to.log_a
            dlog_noise[m] -= to.log_beta * beta * noise
        for m, found in zip(slopes, torch.stack(list(slopes.values())).cpu().numpy(), strict=True):
            dZ[m] += found[: dZ[m].size].reshape(dZ[m].shape)
            dlog_v[m] += found[dZ[m].size]
            dlog_g[m] += found[dZ[m].size + 1 :]
        small = Free(free.mu, free.log_s, dZ, dlog_v, dlog_g, dlog_a, dlog_noise)
        dmu, ds = into
        gradient = torch.cat([dmu.ravel(), (0.5 + ds * s).ravel(), self.on.tensor(small.pack())])
        return value + self.constant + float(latent), gradient

    def sums(
        self, kernels: list[DeviceKernel], mu: Tensor, s: Tensor
    ) -> Callable[[], list[Sums | None]]:
        """What gives the sums over the rows of every component (None for a dead one) when the device has found them."""
        self.graphs.clear()
        totals: dict[int, Tensor] = {}
        for m, own in enumerate(self.own):
            if own is None:
                continue
            parts = self.on.blocks(len(own.places))
            whole = len(parts) == 1
            for block in parts:
                with torch.set_grad_enabled(whole and torch.is_grad_enabled()):
                    graph = self._moments(own, kernels[m], mu, s, block)
                found = graph.moments.detach()
                totals[m] = totals[m] + found if m in totals else found
            if whole:
                self.graphs[m] = graph

        def answer() -> list[Sums | None]:
            arrays = dict(
                zip(totals, torch.stack(list(totals.values())).cpu().numpy(), strict=True)
            )
            return [own and self._split(arrays[m], own) for m, own in enumerate(self.own)]

        return answer

    def _split(self, found: Array, own: Own) -> Sums:
        j = len(found)
        return Sums(
            found[:, :j].copy(), found[:, j:].copy(), own.total, own.energy, self.on.data.n_outputs
        )

    def _active(self, weights: Tensor, fits: bool) -> Own | None:
        places = torch.nonzero(weights >= ACTIVE)[:, 0]
        if float(weights.sum()) < ALIVE or not len(places):
            return None
        w = weights[places]
        total, energy = torch.stack([w.sum(), w @ self.on.squares[places]]).tolist()
        return Own(places, w[:, None], self.on.outputs(places) if fits else None, total, energy)

    def _moments(
        self, own: Own, kernel: DeviceKernel, mu: Tensor, s: Tensor, block: slice
    ) -> "Graph":
        """Phi2 and E of a block of rows."""
        places, w = own.places[block], own.w[block]
        own_mu, own_s = picked(mu, places).requires_grad_(), picked(s, places).requires_grad_()
        Y = self.on.outputs(places) if own.Y is None else own.Y[block]
        k, q = kernel.Z.shape
        seen = _features(kernel, own_mu, own_s)
        right = w * torch.cat([Y, seen.centre, seen.pull, own_mu, torch.ones_like(w)], dim=1)
        E, centre, pull, linear, ones = folded(seen.first_moments, right).split(
            [Y.shape[1], q, q, q, 1], dim=1
        )
        across = centre[:k] + kernel.Z * pull[:k]
        inner = folded(seen.squares, w)[_indices(k, w.device).places, 0]
        linear = linear[k:-1] + torch.diag((w * own_s).sum(0))
        upper = torch.cat([inner, across, ones[:k]], dim=1)
        middle = torch.cat([across.T, linear, ones[k:-1]], dim=1)
        return Graph(torch.cat([torch.cat([upper, middle, ones.T]), E], dim=1), own_mu, own_s)

    def _back(
        self,
        m: int,
        kernel: DeviceKernel,
        mu: Tensor,
        s: Tensor,
        slopes: Tensor,
        into: tuple[Tensor, Tensor],
    ) -> Tensor:
        """From the slopes by the sums to those by Z, log v and log g, in one vector; those by q(x) go into `into`."""
        own = self.own[m]
        assert own is not None
        totals = torch.zeros(sum(part.numel() for part in kernel), dtype=mu.dtype, device=mu.device)
        for block in self.on.blocks(len(own.places)):
            graph = self.graphs.pop(m, None) or self._moments(own, kernel, mu, s, block)
            found = torch.autograd.grad(graph.moments, (graph.mu, graph.s, *kernel), slopes)
            for whole, part in zip(into, found[:2], strict=True):
                whole.index_add_(
                    0, own.places[block], part
                )  # every row at most once: the order of sums is fixed
            totals += torch.cat([part.ravel() for part in found[2:]])
        return totals


class Graph(NamedTuple):
    """[Phi2, E] (J, J+D) of a block of rows, and the leaves mu and s (n, Q) that they hang on."""

    moments: Tensor
    mu: Tensor
    s: Tensor


class Indices(NamedTuple):
    """The pairs of inducing inputs on a device: who they are, and which pair each entry of a symmetric matrix is."""

    first: Tensor
    second: Tensor
    places: Tensor


@cache
def _indices(k: int, device: torch.device) -> Indices:
    pair, places = pairs(k), np.empty((k, k), dtype=np.intp)
    places[pair.first, pair.second] = places[pair.second, pair.first] = np.arange(len(pair.first))
    return Indices(
        *(torch.from_numpy(part).to(device) for part in (pair.first, pair.second, places))
    )


def _features(kernel: DeviceKernel, mu: Tensor, s: Tensor) -> Features:
    """The expected features of rows at q(x_n) = N(mu_n, diag s_n)."""
    Z, g, pair = kernel.Z, kernel.log_g.exp(), _indices(len(kernel.Z), kernel.Z.device)
    d, e = 1.0 + g * s, 1.0 + 2.0 * g * s
    first, second = Z[pair.first], Z[pair.second]
    middle, gap = 0.5 * (first + second), first - second
    rbf = spread(_row_side(mu, d, g / d, 0.5), _point_side(Z, kernel.log_v.expand(len(Z))))
    squares = spread(
        _row_side(mu, e, g / e, 1.0), _point_side(middle, 2.0 * kernel.log_v - 0.25 * (gap**2 @ g))
    )
    return Features(mu, mu / d, g * s / d, rbf.exp(), squares.exp())


def _row_side(mu: Tensor, divisor: Tensor, a: Tensor, half: float) -> Tensor:
    first = -half * (a * mu**2).sum(1) - 0.5 * divisor.log().sum(1)
    return torch.cat(
        [first[:, None], 2.0 * half * a * mu, -half * a, torch.ones_like(mu[:, :1])], dim=1
    )


def _point_side(Z: Tensor, constant: Tensor) -> Tensor:
    return torch.cat([torch.ones_like(Z[:, :1]).T, Z.T, (Z**2).T, constant[None]])
