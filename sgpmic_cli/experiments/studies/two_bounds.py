"""Does the KL-corrected bound converge faster? The same EM from the same start, its M-step on either bound.

Under the standard bound q(u) of the inducing outputs is an argument of its own: the E-step brings it to its optimum,
and the M-step then moves X, Z and theta with q(u) held. Under the KL-corrected bound q(u) is integrated out, so the
M-step takes it along. With q(u) at its optimum the two bounds are equal, and there the two runs are compared, at equal
numbers of optimiser steps. Kernel RBF; weights and noise are held, as in the table.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.spatial.distance import cdist
from sklearn.utils import check_random_state

from sgpmic_cli._typing import Array, PathLike
from sgpmic_cli.experiments.plan.cells import Run
from sgpmic_cli.model.paper.bound import Bound, Observed, Parameters, observe
from sgpmic_cli.model.paper.e_step import expectation
from sgpmic_cli.model.paper.em import Schedule, m_step
from sgpmic_cli.model.paper.kernels import RBF
from sgpmic_cli.model.paper.mixture import latent_prior_gradient, maximise
from sgpmic_cli.model.paper.optimizers import lbfgs
from sgpmic_cli.model.paper.start import latent_start, start
from sgpmic_cli.model.scaling import offset_and_scale


@dataclass(frozen=True)
class Posterior:
    """q(u) of one component: N(mean, covariance) for every output."""

    mean: Array  # (K, P)
    covariance: Array  # (K, K)


def posterior(data: Observed, p: Parameters, s: Array, theta: Array) -> Posterior:
    """The optimal q(u) given the responsibilities s (N,) of a component and its kernel parameters."""
    cross, gram = _kernels(p.X, p.Z, theta)
    # The covariance is K_uu A^-1 K_uu with A = K_uu + beta K_uf S K_fu, the mean K_uu A^-1 beta K_uf S Y.
    inner = cho_factor(gram + p.beta * (cross.T * s) @ cross)
    return Posterior(
        gram @ cho_solve(inner, p.beta * (cross.T * s) @ data.Y), gram @ cho_solve(inner, gram)
    )


def standard_value(
    data: Observed, p: Parameters, S: Array, q: list[Posterior]
) -> tuple[float, Array, Array, Array]:
    """The standard bound with q(u) held, less its entropy of S, and its gradients by X, Z and theta (logarithms)."""
    value, dX = latent_prior_gradient(p.X, S, p.prior)
    dZ, dtheta = np.zeros_like(p.Z), np.zeros_like(p.theta)
    for m, (held, theta) in enumerate(zip(q, p.natural, strict=True)):
        part, by_X, by_Z, by_theta = _component(data, p, S[:, m], held, theta)
        value += part
        dX += by_X
        dZ += by_Z
        dtheta[m] = by_theta
    return value, dX, dZ, dtheta


def standard_m_step(data: Observed, p: Parameters, S: Array, schedule: Schedule) -> Parameters:
    """Raise the standard bound with q(u) held by a few steps, then bring the prior to its maximum."""
    q = [posterior(data, p, s, theta) for s, theta in zip(S.T, p.natural, strict=True)]
    x, z = p.X.size, p.X.size + p.Z.size

    def unpacked(vector: Array) -> Parameters:
        X, Z = vector[:x].reshape(p.X.shape), vector[x:z].reshape(p.Z.shape)
        return replace(p, X=X, Z=Z, theta=vector[z:].reshape(p.theta.shape))

    def objective(vector: Array) -> tuple[float, Array]:
        try:
            with np.errstate(over="ignore", invalid="ignore"):
                value, *slopes = standard_value(data, unpacked(vector), S, q)
        except (np.linalg.LinAlgError, ValueError):
            return np.inf, np.zeros_like(vector)
        gradient = np.concatenate([slope.ravel() for slope in slopes])
        if not (np.isfinite(value) and np.isfinite(gradient).all()):
            return np.inf, np.zeros_like(vector)
        return -value, -gradient

    moved = unpacked(
        lbfgs(
            objective, np.concatenate([p.X.ravel(), p.Z.ravel(), p.theta.ravel()]), schedule.steps
        )[0]
    )
    prior = maximise(moved.X, S, schedule.covariance_type, schedule.covariance_floor, p.prior)
    return replace(moved, prior=prior._replace(weights=p.prior.weights))


def start_of(
    run: Run, memory: PathLike | None = None
) -> tuple[Observed, Parameters, Array, Schedule]:
    """Data, parameters, responsibilities and schedule that a run of SGP-MIC starts with."""
    assert run.cell.data is not None
    assert run.q is not None
    Y, settings = run.cell.data.Y, run.settings
    random_state = check_random_state(run.seed)
    offset, scale = offset_and_scale(Y, settings["scale"], center=settings["center"])
    seen = (Y - offset) / scale
    X = latent_start(Y, run.q, settings["isomap_components"], memory, random_state)
    log_beta = float(np.log(4.0 / np.var(seen, axis=0, ddof=1).mean()))
    form = {name: settings[name] for name in ("covariance_type", "covariance_floor")}
    parameters, S = start(
        RBF(),
        X,
        run.cell.n_clusters,
        settings["n_inducing"],
        log_beta,
        **form,
        kernel_start=settings["kernel_start"],
        start_sharpness=settings["start_sharpness"],
        random_state=check_random_state(random_state.randint(np.iinfo(np.int32).max)),
    )
    steps = settings["optimizer_steps"]
    schedule = Schedule(
        settings["max_iter"],
        steps,
        "lbfgs",
        **form,
        learn_weights=False,
        learn_noise=False,
        tol=0.0,
    )
    return observe(seen), parameters, S, schedule


def bounds_by_round(
    data: Observed, start: Parameters, S: Array, schedule: Schedule, *, rounds: int
) -> dict[str, list[float]]:
    """The bound after every M-step, q(u) brought up to date, for both ways of making it."""
    schedule = replace(schedule, iterations=rounds)

    def corrected(bound: Bound, p: Parameters) -> Parameters:
        return m_step(bound, p, schedule)[0]

    def standard(bound: Bound, p: Parameters) -> Parameters:
        return standard_m_step(data, p, bound.S, schedule)

    return {
        "KL-corrected": _train(data, start, S, schedule, corrected),
        "standard": _train(data, start, S, schedule, standard),
    }


def _train(
    data: Observed,
    p: Parameters,
    S: Array,
    schedule: Schedule,
    step: Callable[[Bound, Parameters], Parameters],
) -> list[float]:
    kernel = RBF()
    found = []
    value, factors = Bound(kernel, data, S, active=0.0).value(p)
    for _ in range(schedule.iterations):
        S = expectation(kernel, data, p, factors)
        bound = Bound(kernel, data, S, active=0.0)
        p = step(bound, p)
        value, factors = bound.value(p)
        found.append(value)
    return found


def _component(
    data: Observed, p: Parameters, s: Array, q: Posterior, theta: Array
) -> tuple[float, Array, Array, Array]:
    """sum_n s_n <log N(y_n | f_n, 1/beta)> - KL(q(u) | p(u)), and its gradients, for one component."""
    P, beta = data.n_outputs, p.beta
    cross, gram = _kernels(p.X, p.Z, theta)
    k = len(gram)
    factor = cho_factor(gram)
    inverse = cho_solve(factor, np.eye(k))
    W = inverse @ q.mean  # (K, P)
    G = inverse @ q.covariance @ inverse
    residual = data.Y - cross @ W
    spread = np.einsum("nk,nk->n", cross @ G, cross)
    error = np.einsum("np,np->n", residual, residual) + P * spread
    log_ratio = 2.0 * np.log(np.diag(factor[0])).sum() - np.linalg.slogdet(q.covariance)[1]
    divergence = P * (np.sum(inverse * q.covariance) - k + log_ratio) + np.sum(q.mean * W)
    value = (
        0.5 * P * s.sum() * np.log(beta / (2.0 * np.pi)) - 0.5 * beta * s @ error - 0.5 * divergence
    )
    by_cross = beta * s[:, None] * (residual @ W.T - P * cross @ G)
    by_W, by_G = beta * (cross.T * s) @ residual, -0.5 * beta * P * (cross.T * s) @ cross
    by_inverse = by_W @ q.mean.T + by_G @ inverse @ q.covariance + q.covariance @ inverse @ by_G
    by_inverse -= 0.5 * (P * (q.covariance - gram) + q.mean @ q.mean.T)
    by_gram = -inverse @ by_inverse @ inverse
    return float(value), *_chain(
        p.X, p.Z, theta, cross, gram, by_cross, 0.5 * (by_gram + by_gram.T)
    )


def _kernels(X: Array, Z: Array, theta: Array) -> tuple[Array, Array]:
    """K_fu (N, K) and K_uu (K, K) of the RBF with bias and, on the diagonal of K_uu, white."""
    variance, gamma, bias, white = theta
    cross = variance * np.exp(-0.5 * gamma * cdist(X, Z, "sqeuclidean")) + bias
    gram = (
        variance * np.exp(-0.5 * gamma * cdist(Z, Z, "sqeuclidean")) + bias + white * np.eye(len(Z))
    )
    return cross, gram


def _chain(
    X: Array, Z: Array, theta: Array, cross: Array, gram: Array, by_cross: Array, by_gram: Array
) -> tuple[Array, Array, Array]:
    """Slopes of the two kernel matrices as slopes of X, Z and the logarithms of theta."""
    _, gamma, bias, white = theta
    D, E = by_cross * (cross - bias), by_gram * (gram - bias - white * np.eye(len(Z)))
    dX = -gamma * (D.sum(axis=1)[:, None] * X - D @ Z)
    dZ = -gamma * (D.sum(axis=0)[:, None] * Z - D.T @ X) - 2.0 * gamma * (
        E.sum(axis=1)[:, None] * Z - E @ Z
    )
    distances = np.sum(D * cdist(X, Z, "sqeuclidean")) + np.sum(E * cdist(Z, Z, "sqeuclidean"))
    by_theta = [
        D.sum() + E.sum(),
        -0.5 * gamma * distances,
        bias * (by_cross.sum() + by_gram.sum()),
    ]
    return dX, dZ, np.array([*by_theta, white * np.trace(by_gram)])
