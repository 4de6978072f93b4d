"""Out-of-sample rows: optimise the latent point of each row, then compute its responsibilities.

A row y at the latent point x has the log score

    h(x) = log sum_m exp l_m(x)

with the l_m of `em.py`. The row goes through one EM iteration of its own. It starts at the
latent point of the nearest training row. An E-step gives responsibilities s_m. The M-step maximises
sum_m s_m l_m(x) over x by damped Gauss-Newton steps. A last E-step gives the result. h never
decreases.

A row that equals a training row up to rounding gets the result of the training row.

h has many modes. Choosing the best of several starts reaches higher values of h, but then rows next
to a training row often get another cluster than that row.
"""

import numpy as np
from scipy.linalg import solve_triangular
from scipy.special import logsumexp
from sklearn.neighbors import KDTree

from sgpmic_cli._typing import Array
from sgpmic_cli.gp import climb
from sgpmic_cli.paper.model.bound import Parameters
from sgpmic_cli.paper.model.dtc import Factors
from sgpmic_cli.paper.model.em import errors, log_parts
from sgpmic_cli.paper.model.kernels import Kernel

NEGLIGIBLE = 1e-12  # components with smaller responsibilities are ignored for a row
ROUNDING = 1e-9  # of the largest absolute value of a column: smaller differences are rounding


class RowAssigner:
    """A fitted model with its scaled training rows Y (N, P) and responsibilities S (N, M)."""

    def __init__(self, kernel: Kernel, p: Parameters, factors: list[Factors], Y: Array, S: Array):
        self.kernel, self.p, self.factors, self.Y, self.S = kernel, p, factors, Y, S
        self.tree = KDTree(Y)  # exact differences: a training row has distance zero to itself
        self.rounding = ROUNDING * np.abs(Y).max(axis=0)  # (P,)

    def assign(self, Y: Array) -> tuple[Array, ...]:
        """Return points and variances (n, Q), probabilities (n, M) and log densities (n,)."""
        nearest = self.tree.query(Y, return_distance=False)[:, 0]
        X = self.p.X[nearest]
        new = (np.abs(self.Y[nearest] - Y) > self.rounding).any(axis=1)
        if new.any():
            y = Y[new]
            S, _ = _normalise(self._log_parts(y, X[new]))
            X[new], _ = climb(  # to a local maximum over x of sum_m s_m l_m(x)
                X[new],
                np.arange(len(y)),
                lambda rows, x: np.sum(S[rows] * self._log_parts(y[rows], x), axis=1),
                lambda rows, x: self._derivatives(y[rows], x, S[rows]),
            )
        S, log_score = _normalise(self._log_parts(Y, X))
        S[~new] = self.S[nearest[~new]]
        constant = 0.5 * Y.shape[1] * np.log(self.p.beta / (2.0 * np.pi))
        return X, np.zeros_like(X), S, log_score + constant

    def _log_parts(self, Y: Array, X: Array) -> Array:
        """Return l_m(x_n), (n, M)."""
        return log_parts(self.kernel, self.p, self.factors, X, Y, Y.shape[1])

    def _derivatives(self, Y: Array, X: Array, S: Array) -> tuple[Array, Array]:
        """Return the gradient (n, Q) of sum_m s_m l_m(x), and its curvature (n, Q, Q).

        The curvature is the positive definite approximation of Gauss and Newton.
        """
        beta, prior, Z = self.p.beta, self.p.prior, self.p.Z
        gradients, curvatures = np.zeros(X.shape), np.zeros((*X.shape, X.shape[1]))
        for m, (f, theta) in enumerate(zip(self.factors, self.p.natural, strict=True)):
            rows = np.flatnonzero(S[:, m] > NEGLIGIBLE)
            if not len(rows):
                continue
            s, x = S[rows, m], X[rows]
            residual, half = errors(self.kernel, theta, f, x, Z, Y[rows])
            solved = solve_triangular(f.L_a, half, lower=True, trans=1)  # (K, n)  A^-1 k
            dk = self.kernel.input_derivatives(theta[:, None], Z, x)  # (Q, K, n)
            J = np.stack([own.T @ f.W for own in dk], axis=2)  # (n, P, Q)  dF/dx
            dv = 2.0 * np.einsum("kn,qkn->nq", solved, dk)
            gradient = beta * np.einsum("npq,np->nq", J, residual) - 0.5 * beta * Y.shape[1] * dv
            gradient -= (x - prior.means[m]) @ prior.precisions[m]
            gradients[rows] += s[:, None] * gradient
            curvature = beta * J.transpose(0, 2, 1) @ J + prior.precisions[m]
            curvatures[rows] += s[:, None, None] * curvature
        return gradients, curvatures


def _normalise(log_parts: Array) -> tuple[Array, Array]:
    """Return the responsibilities (n, M) and log scores h (n,) of rows."""
    log_score = logsumexp(log_parts, axis=1)
    return np.exp(log_parts - log_score[:, None]), log_score
