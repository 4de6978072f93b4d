"""Out-of-sample rows: probabilities, latent points and densities from the nearest training rows.

The latent point of a new row is not known. It is distributed like those of its ten nearest training
rows, the row itself left out, with equal weights:

    p(m | y) = mean_j S_jm      x, var x = mean and variance of x_j
    h(y) = log mean_j sum_m exp l_m(x_j)

with the l_m of `em.py`. The E-step alone would give nearly every row the probability 1. A row that
equals a training row up to rounding keeps its cluster and its latent point.
"""

import numpy as np
from scipy.special import logsumexp
from sklearn.neighbors import KDTree

from sgpmic_cli._typing import Array
from sgpmic_cli.paper.model.bound import Parameters
from sgpmic_cli.paper.model.dtc import Factors
from sgpmic_cli.paper.model.em import log_parts
from sgpmic_cli.paper.model.kernels import Kernel

NEIGHBORS = 10
ROUNDING = 1e-9  # of the largest absolute value of a column: smaller differences are rounding


class RowAssigner:
    """A fitted model with its scaled training rows Y (N, P) and responsibilities S (N, M)."""

    def __init__(self, kernel: Kernel, p: Parameters, factors: list[Factors], Y: Array, S: Array):
        self.kernel, self.p, self.factors, self.Y, self.S = kernel, p, factors, Y, S
        self.tree = KDTree(Y)  # exact differences: a training row has distance zero to itself
        self.rounding = ROUNDING * np.abs(Y).max(axis=0)  # (P,)

    def assign(self, Y: Array) -> tuple[Array, ...]:
        """Return points and variances (n, Q), probabilities (n, M) and log densities (n,)."""
        k, P = min(NEIGHBORS, len(self.Y) - 1), Y.shape[1]
        nearest = self.tree.query(Y, k + 1, return_distance=False)
        same = (np.abs(self.Y[nearest[:, 0]] - Y) <= self.rounding).all(axis=1)
        equal = nearest[same, 0]
        nearest = np.where(same[:, None], nearest[:, 1:], nearest[:, :-1])
        points, S = self.p.X[nearest], self.S[nearest].mean(axis=1)  # (n, k, Q), (n, M)
        X, variances = points.mean(axis=1), points.var(axis=1)
        X[same], variances[same] = self.p.X[equal], 0.0
        labels = self.S[equal].argmax(axis=1)
        S[same, labels] = np.maximum(S[same, labels], S[same].max(axis=1) + ROUNDING)
        S /= S.sum(axis=1, keepdims=True)
        repeated = np.repeat(Y, k, axis=0)
        points = points.reshape(len(repeated), -1)
        parts = log_parts(self.kernel, self.p, self.factors, points, repeated, P)
        log_score = logsumexp(parts.reshape(len(Y), -1), axis=1) - np.log(k)
        return X, variances, S, log_score + 0.5 * P * np.log(self.p.beta / (2.0 * np.pi))
