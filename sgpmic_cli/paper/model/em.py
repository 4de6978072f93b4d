"""The EM algorithm: an E-step, then an M-step, for a fixed number of iterations.

The E-step comes first, as in the paper's Algorithm 1, because the starting responsibilities do not
depend on Y. The responsibilities S_nm of the components are proportional to exp(l_nm):

    l_nm = log pi_m + log N(x_n | xbar_m, C_m) - beta/2 (|y_n - F_nm|^2 + P v_nm)
    F_m = K_fu W_m                    mean of q(f_m)
    v_nm = |chol(A_m)^-1 k_n|^2       its variance (pure DTC)

The M-step moves X, Z, theta (and beta, if it is learned) by a few steps of a gradient optimiser.
Then it sets the latent prior to its maximum in closed form, or moves the means and covariances by
the same gradient steps, as in the paper. The steps are few: if the latent points move too far
before the responsibilities settle, clusters merge.
"""

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import gen_batches

from sgpmic_cli._typing import Array
from sgpmic_cli.estimators import report_iteration
from sgpmic_cli.gp import ascend, lbfgs
from sgpmic_cli.paper.model.bound import Bound, Observed, Parameters
from sgpmic_cli.paper.model.dtc import Factors
from sgpmic_cli.paper.model.kernels import Kernel
from sgpmic_cli.paper.model.mixture import (
    Mixture,
    log_joint,
    maximise,
    mixture,
    prior_parameter_gradients,
)
from sgpmic_cli.paper.model.optimizers import scg
from sgpmic_cli.row_blocks import ALONE, Workers

OPTIMIZERS = {"scg": scg, "lbfgs": lbfgs}
MIN_EIGENVALUE = 1e-8  # of the covariances that gradient steps may reach
# Responsibilities below this fraction of the largest one of the row are set to zero. The bound
# ignores responsibilities below 1e-3, so the iterations need fewer digits than the final result.
NEGLIGIBLE_IN_ITERATIONS = 1e-4
NEGLIGIBLE_AT_THE_END = 1.5e-8
BLOCK = 2048  # rows of an E-step


class Fit(NamedTuple):
    """A trained model; `bounds` holds the bound after every E-step and M-step."""

    parameters: Parameters
    S: Array
    bounds: list[float]
    converged: bool
    jitter: float


def train(
    model: Any, kernel: Kernel, data: Observed, p: Parameters, S: Array, workers: Workers = ALONE
) -> Fit:
    """Run EM from the given start. The parameters of `model`, a SGPMIC, are the settings."""
    bounds: list[float] = []
    converged = False
    _, factors = Bound(kernel, data, S, workers=workers).value(p)
    for iteration in range(1, model.max_iter + 1):
        S = expectation(kernel, data, p, factors, workers, model._negligible)
        bound = Bound(kernel, data, S, active=model._active, workers=workers)
        p, before = m_step(bound, p, model)
        after, factors = bound.value(p)
        bounds += [before, after]
        report_iteration(model, iteration, after, S.argmax(axis=1))
        converged = iteration > 1 and abs(after - bounds[-3]) <= model.tol * abs(after)
        if converged:
            break
    # A last E-step makes the labels agree with `predict`. The final bound includes every row, so
    # that it can be computed from the fitted attributes.
    negligible = min(model._negligible, NEGLIGIBLE_AT_THE_END)
    S = expectation(kernel, data, p, factors, workers, negligible)
    value, factors = Bound(kernel, data, S, active=0.0, workers=workers).value(p)
    bounds.append(value)
    return Fit(p, S, bounds, converged, max(f.jitter for f in factors))


def expectation(
    kernel: Kernel,
    data: Observed,
    p: Parameters,
    factors: list[Factors],
    workers: Workers = ALONE,
    negligible: float = NEGLIGIBLE_AT_THE_END,
) -> Array:
    """Return the responsibilities (N, M) under the q(f) that the factors describe."""

    def of_rows(rows: slice) -> Array:
        parts = log_parts(kernel, p, factors, p.X[rows], data.Y[rows], data.n_outputs)
        parts -= parts.max(axis=1, keepdims=True)
        S = np.where(parts < np.log(negligible), 0.0, np.exp(parts))
        return S / S.sum(axis=1, keepdims=True)

    blocks = gen_batches(len(p.X), BLOCK)
    return np.concatenate(workers.map(of_rows, blocks, len(p.X) * len(factors)))


def log_parts(
    kernel: Kernel, p: Parameters, factors: list[Factors], X: Array, Y: Array, n_outputs: int
) -> Array:
    """Return l_nm of rows Y (n, D) at X (n, Q), (n, M)."""
    parts = log_joint(X, p.prior)
    for m, (f, theta) in enumerate(zip(factors, p.natural, strict=True)):
        residual, half = errors(kernel, theta, f, X, p.Z, Y)
        parts[:, m] -= 0.5 * p.beta * np.einsum("np,np->n", residual, residual)
        parts[:, m] -= 0.5 * p.beta * n_outputs * np.einsum("kn,kn->n", half, half)
    return parts


def errors(
    kernel: Kernel, theta: Array, f: Factors, X: Array, Z: Array, Y: Array
) -> tuple[Array, Array]:
    """Return y_n - F_nm (n, D) and chol(A_m)^-1 k_n (K, n) of one component."""
    K = kernel.cross(theta[:, None], Z, X)
    return Y - K.T @ f.W, f.whiten(K)


def m_step(bound: Bound, p: Parameters, model: Any) -> tuple[Parameters, float]:
    """Raise the bound at fixed responsibilities, and return the bound at the start as well.

    The parameters of `model`, a SGPMIC, are the settings.
    """
    start = [p.X, p.Z, p.theta]
    if model.learn_noise:
        start.append(np.array([p.log_beta]))
    if model.prior_by_gradient:
        start += [p.prior.means, p.prior.covariances]

    def parameters(X: Array, Z: Array, theta: Array, *others: Array) -> Parameters:
        log_beta = float(others[0][0]) if model.learn_noise else p.log_beta
        prior = _moved(p.prior, *others[-2:]) if model.prior_by_gradient else p.prior
        return replace(p, X=X, Z=Z, theta=theta, log_beta=log_beta, prior=prior)

    def value_and_gradients(*arrays: Array) -> tuple[float, list[Array]]:
        at = parameters(*arrays)
        value, dX, dZ, dtheta, dbeta = bound.value_and_gradient(at)
        gradients = [dX, dZ, dtheta]
        if model.learn_noise:
            gradients.append(np.array([dbeta]))
        if model.prior_by_gradient:
            gradients += prior_parameter_gradients(at.X, bound.S, at.prior)
        return value, gradients

    optimizer = OPTIMIZERS[model.optimizer]
    arrays, before, _ = ascend(value_and_gradients, start, optimizer, model.optimizer_steps)
    end = parameters(*arrays)
    prior = end.prior
    if model.learn_weights or not model.prior_by_gradient:
        best = maximise(end.X, bound.S, model.covariance_type, model.covariance_floor, prior)
        moved = prior if model.prior_by_gradient else best
        prior = moved._replace(weights=best.weights if model.learn_weights else prior.weights)
    return replace(end, prior=prior), before


def _moved(prior: Mixture, means: Array, covariances: Array) -> Mixture:
    """Return the prior at the means and covariances of a gradient step.

    Raise LinAlgError if a covariance is not positive definite.
    """
    covariances = 0.5 * (covariances + covariances.transpose(0, 2, 1))
    if not np.isfinite(covariances).all() or (
        np.linalg.eigvalsh(covariances).min() <= MIN_EIGENVALUE
    ):
        raise np.linalg.LinAlgError
    return mixture(prior.weights, means, covariances)
