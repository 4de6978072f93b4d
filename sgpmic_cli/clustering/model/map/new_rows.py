"""Find the latent distribution of new rows under a fitted map.

The objective of a row y with cluster probabilities r is its part of the bound,

    -beta/2 < |y - W' k(x)|^2 + P (k(x, x) + k(x)' (A^-1 - K_uu^-1) k(x)) >
        + sum_m r_m <log N(x | xbar_m, C_m)> + const,

with the expectations of `shared_process.py`. A row starts at the latent distribution of the nearest
training row and keeps its variance. Its mean takes damped Gauss-Newton steps until one gains less
than `LEAST_GAIN`. A training row, up to rounding, keeps the distribution that the fit gave it.
"""

import numpy as np
from sklearn.neighbors import NearestNeighbors
from sklearn.utils import gen_batches

from sgpmic_cli._typing import Array, BoolArray, Indices
from sgpmic_cli.clustering.model.map.backend import NUMPY
from sgpmic_cli.clustering.model.map.latent_mixture import expected_log, latent_prior
from sgpmic_cli.clustering.model.map.shared_process import cubature_points, expected_rows, kernel
from sgpmic_cli.clustering.model.map.training import FittedMap
from sgpmic_cli.gp import CLOSE, LOG_2PI, climb
from sgpmic_cli.row_blocks import ALONE

LABEL_NEIGHBOURS = 10  # of a row, which decide its label
# In nats. With 1e-6 half of the rows end at most 0.0004 of the width of the map from here, and rows
# of 20 columns take 1.4 times as long.
LEAST_GAIN = 1e-3
SAME_ROW = 1e-8  # distance relative to the length of a row below which two rows are equal
TREE_COLUMNS = 15  # scikit-learn searches more columns without a tree
ROWS_AT_ONCE = 256  # compared with all training rows; more need memory and are not faster


class TrainingRows:
    """The rows that a model was fitted to, searchable by distance."""

    def __init__(self, rows: Array):
        self.rows = rows
        self.search = NearestNeighbors().fit(rows)
        squares = np.einsum("np,np->n", rows, rows)
        self._largest_square = squares.max()
        with np.errstate(over="ignore"):  # then no decision is made in single precision
            self._single = np.r_[rows.T, -0.5 * squares[None]].astype(np.float32)

    def nearest(self, Y: Array, count: int = LABEL_NEIGHBOURS) -> tuple[Array, Indices]:
        """Return distances and indices of the nearest training rows, (n, count) each."""
        distances, indices = self.search.kneighbors(Y, min(count, len(self.rows)))
        return np.asarray(distances), np.asarray(indices)

    def closest(self, Y: Array) -> Indices:
        """Return the index of the nearest training row of each row, (n,).

        The nearest row t of y has the largest y't - |t|^2 / 2. Single precision decides unless
        another row is as near up to rounding. This takes 0.4 of the time of scikit-learn's search
        with 10,000 training rows of 20 columns.
        """
        if Y.shape[1] <= TREE_COLUMNS:
            return self.nearest(Y, 1)[1][:, 0]
        rounding = 2.0 * Y.shape[1] * np.finfo(np.float32).eps
        found, doubtful = np.empty(len(Y), dtype=np.intp), np.empty(len(Y), dtype=bool)
        for block in gen_batches(len(Y), ROWS_AT_ONCE):
            y, each = Y[block], np.arange(len(Y[block]))
            with np.errstate(over="ignore", invalid="ignore"):
                scores = np.c_[y, np.ones(len(y))].astype(np.float32) @ self._single
                found[block] = best = scores.argmax(axis=1)
                highest = scores[each, best]
                scores[each, best] = -np.inf
                lead = highest - scores.max(axis=1)
                allowed = rounding * (np.sum(y**2, axis=1) + self._largest_square)
                doubtful[block] = ~(lead > allowed)
        if doubtful.any():
            found[doubtful] = self.nearest(Y[doubtful], 1)[1][:, 0]
        return found

    def equal(self, Y: Array, nearest: Indices) -> BoolArray:
        """Return whether each row equals its nearest training row up to rounding, (n,)."""
        difference = np.linalg.norm(Y - self.rows[nearest], axis=1)
        return np.asarray(difference <= SAME_ROW * (1.0 + np.linalg.norm(Y, axis=1)))


def locate(
    fitted: FittedMap, Y: Array, r: Array, nearest: Indices, fixed: BoolArray, mask: BoolArray
) -> tuple[Array, Array, Array]:
    """Return latent means and variances (n, Q) and lower bounds on the log densities (n,).

    The rows Y (n, P) have the cluster probabilities r (n, M). Rows start at the training rows
    `nearest` and stay there if `fixed`. Entries of Y under `mask` are missing and take part through
    their expectation only.
    """
    p = fitted.parameters
    mu, s = p.mu[nearest], np.exp(p.log_s[nearest])
    if mask.any():
        partial = np.flatnonzero(mask.any(axis=1))
        start = p._replace(mu=mu[partial], log_s=p.log_s[nearest[partial]])
        expected = expected_rows(NUMPY, start, fitted.process, ALONE)
        Y = Y.copy()
        Y[partial] = np.where(mask[partial], expected, Y[partial])
    objective, unit = _RowObjective(fitted, Y, r), LEAST_GAIN / CLOSE
    mu, value = climb(  # Its steps do not depend on the unit of the values, only their number does.
        mu,
        np.flatnonzero(~fixed),
        lambda rows, points: objective.value(rows, points, s[rows]) / unit,
        lambda rows, points: objective.gradient_and_curvature(rows, points, s[rows]),
    )
    return mu, s, value * unit


def rows_at(fitted: FittedMap, X: Array) -> Array:
    """Return the rows that the process expects at latent points (n, Q)."""
    return np.asarray(kernel(np, fitted.parameters, X.T).T @ fitted.process.W)


class _RowObjective:
    """The objective above as a function of the latent means of some rows."""

    def __init__(self, fitted: FittedMap, Y: Array, r: Array):
        self.fitted = fitted
        self.beta = float(np.exp(-fitted.parameters.log_noise[0]))
        self.columns = Y.shape[1]
        self.WY = Y @ fitted.process.W.T  # (n, K)
        self.squares = np.einsum("np,np->n", Y, Y)
        self.r = r
        W, process = fitted.process.W, fitted.process
        self.WW = W @ W.T
        # |W'k|^2 + P k'(A^-1 - K_uu^-1)k is one quadratic form in k.
        self.form = self.WW + self.columns * (process.A_inv - process.Kuu_inv)

    def value(self, rows: Indices, mu: Array, s: Array) -> Array:
        K, points = self._kernel(mu, s)
        p = self.fitted.parameters
        own = np.exp(p.log_v) + np.exp(p.log_l) * np.sum(points**2, axis=2)
        error = np.einsum("jnk,jnk->jn", K @ self.form, K) - 2.0 * np.einsum(
            "jnk,nk->jn", K, self.WY[rows]
        )
        error = self.squares[rows] + np.mean(error + self.columns * own, axis=0)
        prior = np.sum(self.r[rows] * expected_log(np, mu, s, self.fitted.mixture), axis=1)
        entropy = 0.5 * np.sum(np.log(s) + 1.0 + LOG_2PI, axis=1)
        likelihood = 0.5 * self.columns * (np.log(self.beta) - LOG_2PI) - 0.5 * self.beta * error
        return np.asarray(likelihood + prior + entropy)

    def gradient_and_curvature(self, rows: Indices, mu: Array, s: Array) -> tuple[Array, Array]:
        """Return the gradient (n, Q) and the Gauss-Newton approximation of the curvature."""
        p = self.fitted.parameters
        K, points = self._kernel(mu, s)
        linear, g = float(np.exp(p.log_l[0])), np.exp(p.log_g)
        curved = K - linear * (points @ p.Z.T)
        dK = self.beta * (self.WY[rows] - K @ self.form)
        weighted = dK * curved
        slope = (weighted @ p.Z - weighted.sum(axis=2)[:, :, None] * points) * g
        slope += linear * (dK @ p.Z) - self.beta * self.columns * linear * points
        prior = latent_prior(self.r[rows], self.fitted.mixture)
        _, dmu, _ = prior.value_and_gradient(np, mu, s)
        # dk/dx_q at the mean, (Q, n, K), and J'J with J = W' dk/dx.
        at_mean = kernel(np, p, mu.T).T - linear * (mu @ p.Z.T)
        J = np.stack(
            [
                at_mean * g[q] * (p.Z[:, q] - mu[:, q : q + 1]) + linear * p.Z[:, q]
                for q in range(mu.shape[1])
            ]
        )
        products = np.einsum("ank,bnk->nab", J @ self.WW, J)
        return slope.mean(axis=0) + dmu, self.beta * products + prior.precisions

    def _kernel(self, mu: Array, s: Array) -> tuple[Array, Array]:
        """Return the kernel (2 Q, n, K) at the cubature points, and the points (2 Q, n, Q)."""
        points = cubature_points(np, mu, s)  # (Q, 2 Q, n)
        q, count, n = points.shape
        K = kernel(np, self.fitted.parameters, points.reshape(q, -1))
        return np.ascontiguousarray(K.T).reshape(count, n, -1), points.transpose(1, 2, 0)
