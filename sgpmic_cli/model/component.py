"""One component: a Gaussian process of every column over uncertain latent points, with a weight for every row.

With weights w_n, precision beta of the noise, features phi of `features.py` with prior precision G, and

    Phi2 = sum_n w_n <phi_n phi_n'>      E = sum_n w_n <phi_n> y_n'      A = G + beta Phi2      W = beta A^-1 E

the bound on the weighted log likelihood of all P columns, weights of the features integrated out, is

    L = P/2 sum_n w_n log(beta / 2 pi) - P/2 (log|A| - log|G|) - beta/2 sum_n w_n |y_n|^2 + beta/2 tr(E'W)
        - beta P/2 (v sum_n w_n - tr(K_uu^-1 Phi2_uu))

The last line is what the inducing inputs do not explain of the RBF part; the linear part and the constant are exact.
The square error that a row expects under the component, which is what its E-step needs, is

    <|y_n - f_n|^2> = |y_n|^2 - 2 y_n.(W'<phi_n>) + <phi_n' B phi_n> + P v
    B = W W' + P (A^-1 - blockdiag(K_uu^-1, 0))
"""

from typing import NamedTuple

import numpy as np
from scipy.linalg import cho_solve, cholesky

from sgpmic_cli._typing import Array, Indices
from sgpmic_cli.model.features import Expectations, Kernel, expectations, gram_gradients, prior_gram

CONSTANT = 1.0  # prior variance c of the constant; columns are standardised, so their means within clusters are below
JITTER = 1e-6  # share added to the diagonal of K_uu, so that inducing inputs may meet
LOG_2PI = float(np.log(2.0 * np.pi))


class Rows(NamedTuple):
    """The rows that count for a component: their places, Y (n, D), <|y|^2> and weights (n,), and P.

    D < P when Y is a factor of Y Y'. Of entries that were not seen, Y holds the expectation and <|y|^2> the variance
    too.
    """

    places: Indices
    Y: Array
    squares: Array
    w: Array
    n_outputs: int


class Posterior(NamedTuple):
    """What is known of a component after its rows: W (J, D), B (J, J) and the bound L."""

    W: Array
    B: Array
    value: float


class Slopes(NamedTuple):
    """Gradients of L by mu, s (n, Q), Z (K, Q), and by the logs of v, g (Q,), a and beta."""

    mu: Array
    s: Array
    Z: Array
    log_v: float
    log_g: Array
    log_a: float
    log_beta: float


class Solved(NamedTuple):
    """The linear algebra of a component."""

    gram: Array
    gram_inverse: Array
    A_inverse: Array
    Phi2: Array
    E: Array
    W: Array
    value: float


def posterior(rows: Rows, kernel: Kernel, beta: float, mu: Array, s: Array) -> Posterior:
    """The component after its rows, at q(x_n) = N(mu_n, diag s_n) of these rows."""
    solved = _solve(rows, kernel, beta, expectations(kernel, mu, s))
    B = solved.W @ solved.W.T + rows.n_outputs * solved.A_inverse
    k = len(kernel.Z)
    B[:k, :k] -= rows.n_outputs * solved.gram_inverse
    return Posterior(solved.W, B, solved.value)


def value_and_slopes(rows: Rows, kernel: Kernel, beta: float, mu: Array, s: Array) -> tuple[float, Slopes]:
    """L and its gradients."""
    seen = expectations(kernel, mu, s)
    solved = _solve(rows, kernel, beta, seen)
    k, p, w = len(kernel.Z), rows.n_outputs, rows.w
    by_A = -0.5 * (p * solved.A_inverse + solved.W @ solved.W.T)
    by_second = beta * by_A
    by_second[:k, :k] += 0.5 * beta * p * solved.gram_inverse
    by_first = beta * (w[:, None] * rows.Y) @ solved.W.T
    slopes = seen.gradients(w, by_first, by_second)
    unexplained = kernel.variance * w.sum() - float(np.sum(solved.gram_inverse * solved.Phi2[:k, :k]))
    shrunk = solved.gram_inverse @ solved.Phi2[:k, :k] @ solved.gram_inverse
    by_gram = by_A[:k, :k] + 0.5 * p * solved.gram_inverse - 0.5 * beta * p * shrunk
    dZ, dlog_v, dg = gram_gradients(kernel, by_gram, solved.gram)
    dlog_v += slopes.log_v - 0.5 * beta * p * kernel.variance * w.sum()
    q = mu.shape[1]
    dlog_a = -float(np.trace(by_A[k:-1, k:-1])) / kernel.linear - 0.5 * p * q
    by_beta = 0.5 * p * w.sum() / beta - 0.5 * float(w @ rows.squares) + float(np.sum(solved.E * solved.W))
    by_beta += float(np.sum(by_A * solved.Phi2)) - 0.5 * p * unexplained
    return solved.value, Slopes(
        slopes.mu, slopes.s, slopes.Z + dZ, dlog_v, (slopes.g + dg) * kernel.widths, dlog_a, by_beta * beta
    )


def expected_error(kernel: Kernel, known: Posterior, Y: Array, n_outputs: int, seen: Expectations) -> Array:
    """<|y_n - f_n|^2> - |y_n|^2 of rows under a component, (n,)."""
    fitted = np.einsum("np,np->n", seen.first_moments @ known.W, Y)
    return np.asarray(seen.contract(known.B) - 2.0 * fitted + n_outputs * kernel.variance)


def _solve(rows: Rows, kernel: Kernel, beta: float, seen: Expectations) -> Solved:
    p, w, (k, q) = rows.n_outputs, rows.w, kernel.Z.shape
    gram = prior_gram(kernel, JITTER)
    L_u = cholesky(gram, lower=True, check_finite=False)
    gram_inverse = cho_solve((L_u, True), np.eye(k), check_finite=False)
    Phi2 = seen.second_moment(w)
    A = beta * Phi2
    A[:k, :k] += gram
    A[range(k, k + q), range(k, k + q)] += 1.0 / kernel.linear
    A[-1, -1] += 1.0 / CONSTANT
    L_a = cholesky(A, lower=True, check_finite=False)
    A_inverse = cho_solve((L_a, True), np.eye(len(A)), check_finite=False)
    E = seen.first_moments.T @ (w[:, None] * rows.Y)
    W = beta * (A_inverse @ E)
    log_A = 2.0 * np.sum(np.log(np.diag(L_a)))
    log_G = 2.0 * np.sum(np.log(np.diag(L_u))) - q * np.log(kernel.linear) - np.log(CONSTANT)
    unexplained = kernel.variance * w.sum() - np.sum(gram_inverse * Phi2[:k, :k])
    value = 0.5 * p * (w.sum() * (np.log(beta) - LOG_2PI) - (log_A - log_G) - beta * unexplained)
    value += 0.5 * beta * (np.sum(E * W) - w @ rows.squares)
    return Solved(gram, gram_inverse, A_inverse, Phi2, E, W, float(value))
