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

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotrs

from sgpmic_cli._typing import Array, Indices
from sgpmic_cli.model.parallel import ALONE, PIECE, Workers, cut
from sgpmic_cli.model.variational.features import (
    Expectations,
    Gradients,
    Kernel,
    expectations,
    gram_gradients,
    prior_gram,
)

CONSTANT = 1.0  # prior variance c of the constant; columns are standardised, so their means within clusters are below
JITTER = 1e-6  # share added to the diagonal of K_uu, so that inducing inputs may meet
LOG_2PI = float(np.log(2.0 * np.pi))


class Rows(NamedTuple):
    """The rows that count for a component: their places, w_n y_n (n, D), <|y|^2> and weights w (n,), and P.

    D < P when Y is a factor of Y Y'. Of entries that were not seen, Y holds the expectation and <|y|^2> the variance
    too.
    """

    places: Indices
    weighted_Y: Array
    squares: Array
    w: Array
    n_outputs: int

    def piece(self, part: slice) -> "Rows":
        """Some of them."""
        return Rows(
            self.places[part],
            self.weighted_Y[part],
            self.squares[part],
            self.w[part],
            self.n_outputs,
        )


class Task(NamedTuple):
    """A component to be evaluated: its rows, its kernel and its beta, and q(x_n) = N(mu_n, diag s_n) of all rows."""

    rows: Rows
    kernel: Kernel
    beta: float
    mu: Array
    s: Array


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


class Sums(NamedTuple):
    """What the rows are to a component: Phi2 (J, J), E (J, D), sum_n w_n, sum_n w_n <|y_n|^2>, and P."""

    Phi2: Array
    E: Array
    total: float
    energy: float
    n_outputs: int


class Solved(NamedTuple):
    """The linear algebra of a component."""

    gram: Array
    gram_inverse: Array
    A_inverse: Array
    W: Array
    value: float


class Adjoints(NamedTuple):
    """Gradients of L by Phi2 (J, J) and E (J, D), and what Z, log v, g, log a and log beta move without them."""

    by_Phi2: Array
    by_E: Array
    Z: Array
    log_v: float
    g: Array
    log_a: float
    log_beta: float


def posteriors(tasks: Sequence[Task], workers: Workers = ALONE) -> list[Posterior]:
    """All components after their rows."""
    pieces = _pieces(tasks)
    sums = workers.map(lambda piece: _sums(*_seen(tasks, *piece)), pieces, _size(tasks))
    return [
        posterior_of(own, task.kernel, task.beta)
        for own, task in zip(_added(pieces, sums), tasks, strict=True)
    ]


def posterior_of(sums: Sums, kernel: Kernel, beta: float) -> Posterior:
    """The component after rows with these sums."""
    solved = solve(sums, kernel, beta)
    B = solved.W @ solved.W.T + sums.n_outputs * solved.A_inverse
    k = len(kernel.Z)
    B[:k, :k] -= sums.n_outputs * solved.gram_inverse
    return Posterior(solved.W, B, solved.value)


def values_and_slopes(
    tasks: Sequence[Task], workers: Workers = ALONE
) -> list[tuple[float, Slopes]]:
    """L and its gradients of all components."""
    pieces, size = _pieces(tasks), _size(tasks)
    seen = workers.map(lambda piece: _seen(tasks, *piece), pieces, size)
    sums = workers.map(lambda own: _sums(*own), seen, size)
    found = [
        value_and_adjoints(own, t.kernel, t.beta)
        for own, t in zip(_added(pieces, sums), tasks, strict=True)
    ]

    def back(place: int) -> Gradients:
        (m, _), (rows, expected) = pieces[place], seen[place]
        to = found[m][1]
        return expected.gradients(rows.w, rows.weighted_Y @ to.by_E.T, to.by_Phi2)

    through = workers.map(back, range(len(pieces)), size)
    return [
        (
            value,
            _slopes(
                to,
                [own for own, (of, _) in zip(through, pieces, strict=True) if of == m],
                task.kernel,
            ),
        )
        for m, ((value, to), task) in enumerate(zip(found, tasks, strict=True))
    ]


def _slopes(to: Adjoints, through: Sequence[Gradients], kernel: Kernel) -> Slopes:
    """The gradients of a component from those of its pieces."""
    mu, s = (
        (through[0].mu, through[0].s)
        if len(through) == 1
        else (
            np.concatenate([own.mu for own in through]),
            np.concatenate([own.s for own in through]),
        )
    )
    Z, log_v, g = through[0].Z, through[0].log_v, through[0].g
    for own in through[1:]:
        Z, log_v, g = Z + own.Z, log_v + own.log_v, g + own.g
    return Slopes(
        mu, s, to.Z + Z, to.log_v + log_v, (to.g + g) * kernel.widths, to.log_a, to.log_beta
    )


def _pieces(tasks: Sequence[Task]) -> list[tuple[int, slice]]:
    """Number of the component and rows of every piece."""
    return [(m, part) for m, task in enumerate(tasks) for part in cut(len(task.rows.places), PIECE)]


def _size(tasks: Sequence[Task]) -> int:
    return sum(len(task.rows.places) for task in tasks)


def _seen(tasks: Sequence[Task], m: int, part: slice) -> tuple[Rows, Expectations]:
    task = tasks[m]
    rows = task.rows.piece(part)
    return rows, expectations(
        task.kernel, task.mu.take(rows.places, axis=0), task.s.take(rows.places, axis=0)
    )


def _added(pieces: Sequence[tuple[int, slice]], sums: Sequence[Sums]) -> list[Sums]:
    """The sums of every component from those of its pieces, which stand together."""
    found: list[Sums] = []
    for (_, part), own in zip(pieces, sums, strict=True):
        if part.start == 0:
            found.append(own)
        else:
            old = found[-1]
            parts = (
                old.Phi2 + own.Phi2,
                old.E + own.E,
                old.total + own.total,
                old.energy + own.energy,
            )
            found[-1] = Sums(*parts, own.n_outputs)
    return found


def value_and_adjoints(sums: Sums, kernel: Kernel, beta: float) -> tuple[float, Adjoints]:
    """L and what leads from it back to the rows and the parameters."""
    solved = solve(sums, kernel, beta)
    (k, q), p = kernel.Z.shape, sums.n_outputs
    by_A = -0.5 * (p * solved.A_inverse + solved.W @ solved.W.T)
    by_Phi2 = beta * by_A
    by_Phi2[:k, :k] += 0.5 * beta * p * solved.gram_inverse
    unexplained = kernel.variance * sums.total - float(
        (solved.gram_inverse * sums.Phi2[:k, :k]).sum()
    )
    shrunk = solved.gram_inverse @ sums.Phi2[:k, :k] @ solved.gram_inverse
    by_gram = by_A[:k, :k] + 0.5 * p * solved.gram_inverse - 0.5 * beta * p * shrunk
    dZ, dlog_v, dg = gram_gradients(kernel, by_gram, solved.gram)
    dlog_v -= 0.5 * beta * p * kernel.variance * sums.total
    dlog_a = -float(by_A[k:-1, k:-1].trace()) / kernel.linear - 0.5 * p * q
    by_beta = 0.5 * p * sums.total / beta - 0.5 * sums.energy + float((sums.E * solved.W).sum())
    by_beta += float((by_A * sums.Phi2).sum()) - 0.5 * p * unexplained
    return solved.value, Adjoints(by_Phi2, beta * solved.W, dZ, dlog_v, dg, dlog_a, by_beta * beta)


def _sums(rows: Rows, seen: Expectations) -> Sums:
    w, Y = rows.w, rows.weighted_Y
    E = np.concatenate([seen.rbf.T.dot(Y), seen.mu.T.dot(Y), Y.sum(axis=0, keepdims=True)])
    return Sums(seen.second_moment(w), E, float(w.sum()), float(w @ rows.squares), rows.n_outputs)


def solve(sums: Sums, kernel: Kernel, beta: float) -> Solved:
    """The linear algebra of a component with these sums."""
    p, (k, q), Phi2, E = sums.n_outputs, kernel.Z.shape, sums.Phi2, sums.E
    gram = prior_gram(kernel, JITTER)
    L_u = _cholesky(gram)
    gram_inverse, _ = dpotrs(L_u, _identity(k), lower=True)
    A = beta * Phi2
    A[:k, :k] += gram
    diagonal = np.einsum("jj->j", A)
    diagonal[k:-1] += 1.0 / kernel.linear
    diagonal[-1] += 1.0 / CONSTANT
    L_a = _cholesky(A)
    A_inverse, _ = dpotrs(L_a, _identity(len(A)), lower=True)
    W = beta * dpotrs(L_a, E, lower=True)[0]
    log_A = 2.0 * np.log(L_a.diagonal()).sum()
    log_G = 2.0 * np.log(L_u.diagonal()).sum() - q * np.log(kernel.linear) - np.log(CONSTANT)
    unexplained = kernel.variance * sums.total - (gram_inverse * Phi2[:k, :k]).sum()
    value = 0.5 * p * (sums.total * (np.log(beta) - LOG_2PI) - (log_A - log_G) - beta * unexplained)
    value += 0.5 * beta * ((E * W).sum() - sums.energy)
    return Solved(gram, gram_inverse, A_inverse, W, float(value))


@cache
def _identity(size: int) -> Array:
    return np.eye(size)


def _cholesky(matrix: Array) -> Array:
    """The lower factor, by LAPACK itself: for a few clusters of ten rows its callers took longer than the algebra."""
    factor, failed = dpotrf(matrix, lower=True)
    if failed:
        raise np.linalg.LinAlgError("A component's matrix is not positive definite.")
    return np.asarray(factor)
