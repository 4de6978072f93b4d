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
from sgpmic_cli.errors import UsageError
from sgpmic_cli.estimators import report_iteration
from sgpmic_cli.gp import Objective, ascend, lbfgs
from sgpmic_cli.paper.fcm import fuzzy_c_means
from sgpmic_cli.paper.model.bound import Bound, Observed, Parameters
from sgpmic_cli.paper.model.dtc import Factors
from sgpmic_cli.paper.model.kernels import LOG_LIMIT, Kernel
from sgpmic_cli.paper.model.mixture import (
    Mixture,
    log_joint,
    maximise,
    mixture,
    prior_gradients,
)
from sgpmic_cli.row_blocks import ALONE, Workers

MIN_EIGENVALUE = 1e-8  # of the covariances that gradient steps may reach
# Responsibilities below this fraction of the largest one of the row are set to zero. The bound
# ignores responsibilities below 1e-3, so the iterations need fewer digits than the final result.
NEGLIGIBLE_IN_ITERATIONS = 1e-4
NEGLIGIBLE_AT_THE_END = 1.5e-8
BLOCK = 2048  # rows of an E-step
PROBE = 1e-4  # length of the finite step with which scaled conjugate gradients measure curvature
SCALE_RANGE = (1e-15, 1e100)  # of the same


class Fit(NamedTuple):
    """A trained model; `bounds` holds the bound after every E-step and M-step."""

    parameters: Parameters
    S: Array
    bounds: list[float]
    converged: bool
    jitter: float


def start(
    model: Any, kernel: Kernel, X: Array, scaled: Array, random_state: np.random.RandomState
) -> tuple[Parameters, Array]:
    """Return the parameters and responsibilities before the first E-step.

    The parameters of `model`, a SGPMIC, are the settings.
    Weights are equal, means are the centres of fuzzy c-means. Covariances are those of its
    memberships to the power `start_sharpness`. Kernel parameters have the paper's values; variance,
    bias and white, which have the unit of Y^2, are multiplied by `kernel_start`. The paper's noise
    precision is 4 / mean variance of the scaled columns.
    """
    log_beta = float(np.log(4.0 / np.mean(np.var(scaled, axis=0, ddof=1))))
    if abs(log_beta) > LOG_LIMIT:
        raise UsageError(
            f"The mean variance of the columns, {4.0 * np.exp(-log_beta):.1e}, is out of the "
            "model's range; fit with scale='global' or scale='standard'."
        )
    m, q = model.n_clusters, X.shape[1]
    centers, S = fuzzy_c_means(X, m, random_state)
    Z = X[random_state.permutation(len(X))[: model.n_inducing]].copy()
    prior = mixture(np.full(m, 1.0 / m), centers, np.tile(np.eye(q), (m, 1, 1)))
    sharp = S**model.start_sharpness
    sharp /= sharp.sum(axis=1, keepdims=True)
    spread = maximise(X, sharp, model.covariance_type, model.covariance_floor, prior).covariances
    prior = mixture(prior.weights, prior.means, spread)
    theta = np.tile(kernel.start(q), (m, 1))
    theta[:, [0, -2, -1]] += np.log(model.kernel_start)
    return Parameters(X, Z, theta, log_beta, prior, model.white_everywhere), S


def train(
    model: Any, kernel: Kernel, data: Observed, p: Parameters, S: Array, workers: Workers = ALONE
) -> Fit:
    """Run EM from the given start. The parameters of `model`, a SGPMIC, are the settings."""
    bounds: list[float] = []
    converged = False
    _, factors = Bound(kernel, data, S, workers=workers).value(p)

    def e_step(negligible: float) -> Array:
        used = factors if model._experts else []
        return expectation(kernel, data, p, used, workers, negligible)

    for iteration in range(1, model.max_iter + 1):
        S = e_step(model._negligible)
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
    S = e_step(min(model._negligible, NEGLIGIBLE_AT_THE_END))
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
    """Return the responsibilities (N, M) under the q(f) that the factors describe.

    Without factors they follow from the latent prior alone.
    """

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
    for m, (f, theta) in enumerate(zip(factors, p.natural, strict=False)):
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
    first = [p.X, p.Z, p.theta]
    if model.learn_noise:
        first.append(np.array([p.log_beta]))
    if model.prior_by_gradient:
        first += [p.prior.means, p.prior.covariances]

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
            gradients += prior_gradients(at.X, bound.S, at.prior)[2:]
        return value, gradients

    optimizer = scg if model.optimizer == "scg" else lbfgs
    arrays, before, _ = ascend(value_and_gradients, first, optimizer, model.optimizer_steps)
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


def scg(objective: Objective, x: Array, steps: int, *, tol: float = 1e-4) -> tuple[Array, float]:
    """Minimise `objective` from x with at most `steps` scaled conjugate gradient steps.

    They need no line search (Moller 1993). One more gradient, a small step along the conjugate
    direction, gives the curvature. A scale makes the curvature positive. The scale adapts to the
    ratio of the actual to the predicted decrease.
    """
    value, gradient = objective(x)
    direction = -gradient
    success, successes, scale = True, 0, 1.0
    slope = length = curvature = 0.0
    for _ in range(steps):
        if success:
            slope = float(direction @ gradient)
            if slope >= 0.0:
                direction = -gradient
                slope = float(direction @ gradient)
            length = float(direction @ direction)
            if length < np.finfo(float).eps:
                break
            sigma = PROBE / np.sqrt(length)
            probe_value, probe_gradient = objective(x + sigma * direction)
            known = np.isfinite(probe_value)
            curvature = float(direction @ (probe_gradient - gradient)) / sigma if known else 0.0
        damped = curvature + scale * length
        if damped <= 0.0:
            damped = scale * length
            scale -= curvature / length
        step = -slope / damped
        trial = x + step * direction
        new_value, new_gradient = objective(trial)
        # Ratio of the actual to the predicted decrease.
        gain = 2.0 * (new_value - value) / (step * slope) if np.isfinite(new_value) else -np.inf
        success = gain >= 0.0
        if success:
            moved, decrease = step * float(abs(direction).max()), abs(new_value - value)
            x, value, previous, gradient = trial, new_value, gradient, new_gradient
            successes += 1
            if (moved < tol and decrease < tol) or not gradient.any():
                break
        if gain < 0.25:
            scale = min(4.0 * scale, SCALE_RANGE[1])
        elif gain > 0.75:
            scale = max(0.5 * scale, SCALE_RANGE[0])
        if successes == len(x):
            direction, successes = -gradient, 0
        elif success:
            direction = float((previous - gradient) @ gradient) / slope * direction - gradient
    return x, value
