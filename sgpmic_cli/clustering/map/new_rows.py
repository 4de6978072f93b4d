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
from sgpmic_cli.clustering.map.features import Features, cubature_points
from sgpmic_cli.clustering.map.latent_mixture import latent_prior
from sgpmic_cli.clustering.map.shared_process import expected_rows
from sgpmic_cli.clustering.map.training import FittedMap
from sgpmic_cli.gp import CLOSE, LOG_2PI, climb

LABEL_NEIGHBOURS = 10  # of a row, which decide its label
# In nats. With 1e-6 half of the rows end at most 0.0004 of the width of the map from here, and rows
# of 20 columns take 1.4 times as long.
LEAST_GAIN = 1e-3
SAME_ROW = 1e-8  # distance relative to the length of a row below which two rows are equal
TREE_COLUMNS = 15  # scikit-learn searches more columns without a tree
ROWS_AT_ONCE = 64  # compared with the training rows together; their scores stay in the cache


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
        another row is as near up to rounding. This takes 0.3 of the time of scikit-learn's search
        with 10,000 training rows of 20 columns.
        """
        if Y.shape[1] <= TREE_COLUMNS:
            return self.nearest(Y, 1)[1][:, 0]
        rounding = 2.0 * Y.shape[1] * np.finfo(np.float32).eps
        found, doubtful = np.empty(len(Y), dtype=np.intp), np.empty(len(Y), dtype=bool)
        for rows in gen_batches(len(Y), ROWS_AT_ONCE):
            each = np.arange(len(Y[rows]))
            with np.errstate(over="ignore", invalid="ignore"):
                y = np.c_[Y[rows], np.ones(len(each))].astype(np.float32)
                scores = y @ self._single
                found[rows] = best = scores.argmax(axis=1)
                highest = scores[each, best]
                scores[each, best] = -np.inf
                lead = highest - scores.max(axis=1)
                allowed = rounding * (np.sum(Y[rows] ** 2, axis=1) + self._largest_square)
                doubtful[rows] = ~(lead > allowed)
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
        expected = expected_rows(start, fitted.process)
        Y = Y.copy()
        Y[partial] = np.where(mask[partial], expected, Y[partial])
    objective, unit = _RowObjective(fitted, Y, r, s), LEAST_GAIN / CLOSE
    mu, value = climb(  # Its steps do not depend on the unit of the values, only their number does.
        mu,
        np.flatnonzero(~fixed),
        lambda rows, points: objective.values(rows, points) / unit,
        objective.derivatives,
    )
    return mu, s, value * unit


def rows_at(fitted: FittedMap, X: Array) -> Array:
    """Return the rows that the process expects at latent points (n, Q)."""
    return np.asarray(Features(fitted.parameters).kernel(X.T).T @ fitted.process.W)


class _RowObjective:
    """The objective above as a function of the latent means of rows with latent variances s (n, Q).

    With the features f of a point, k(x)' (W W' + P (A^-1 - K_uu^-1)) k(x) + P l |x|^2 = f' F f.
    """

    def __init__(self, fitted: FittedMap, Y: Array, r: Array, s: Array):
        p, process, columns = fitted.parameters, fitted.process, Y.shape[1]
        self.features, self.s, self.beta = Features(p), s, float(np.exp(-p.log_noise[0]))
        B, (k, q) = self.features.B, p.Z.shape
        self.WW = process.W @ process.W.T
        self.F = B.T @ (self.WW + columns * (process.A_inv - process.Kuu_inv)) @ B
        self.F[k:, k:] += columns * self.features.linear * np.eye(q)
        self.fY = B.T @ process.W @ Y.T  # (K + Q, n)
        self.prior = latent_prior(r, fitted.mixture)
        error = np.einsum("np,np->n", Y, Y) + columns * np.exp(p.log_v)
        self.constants = (
            0.5 * columns * (np.log(self.beta) - LOG_2PI)
            - 0.5 * self.beta * error
            + 0.5 * np.sum(np.log(s) + 1.0 + LOG_2PI, axis=1)
        )

    def values(self, rows: Indices, mu: Array) -> Array:
        """Return the values (n,) of rows at latent means (n, Q)."""
        _, f, df = self._at_points(rows, mu)
        half = 0.5 * self.fY[:, rows][:, None] / self.features.q
        error = -np.einsum("fjn,fjn->n", f, df + half)
        prior, _, _ = self.prior.of_rows(rows).value_and_gradient(mu, self.s[rows])
        return np.asarray(self.constants[rows] - 0.5 * self.beta * error + prior)

    def derivatives(self, rows: Indices, mu: Array) -> tuple[Array, Array]:
        """Return the gradients (n, Q), and the Gauss-Newton approximation of the curvatures."""
        points, f, df = self._at_points(rows, mu)
        dX = self.features.by_points(points, df.reshape(len(df), -1))
        _, dmu, _ = self.prior.of_rows(rows).value_and_gradient(mu, self.s[rows])
        gradient = self.beta * dX.reshape(-1, *f.shape[1:]).sum(axis=1).T + dmu
        return gradient, self._curvature(mu, rows)

    def _at_points(self, rows: Indices, mu: Array) -> tuple[Array, Array, Array]:
        """Return the array of the points, and their f and dL/df over beta, (K + Q, 2 Q, n)."""
        points, count = self.features.of(cubature_points(mu, self.s[rows])), 2 * self.features.q
        f = points[: len(self.F)]
        shape = (len(f), count, len(rows))
        df = (self.fY[:, rows][:, None] - (self.F @ f).reshape(shape)) / count
        return points, f.reshape(shape), df

    def _curvature(self, mu: Array, rows: Indices) -> Array:
        """Return beta J'J with J = W' dk/dx at the means, plus the precisions, (n, Q, Q)."""
        features, Z = self.features, self.features.Z
        r, straight = features.of(mu.T)[: features.k], features.linear * Z
        J = np.stack(
            [
                r * (features.g[a] * (Z[:, a, None] - mu[:, a])) + straight[:, a, None]
                for a in range(features.q)
            ]
        )
        curvature = self.beta * np.einsum("akn,bkn->nab", J, self.WW @ J)
        return curvature + self.prior.precisions[:, :, rows].transpose(2, 0, 1)
