"""The E-step: responsibilities of the components for every row.

    log S_nm = log pi_m + log N(x_n | xbar_m, C_m) - beta/2 (|y_n - F_nm|^2 + P v_nm) + const
    F_m = K_fu W_m                    mean of q(f_m)
    v_nm = |chol(A_m)^-1 k_n|^2       its variance (pure DTC)

Each term only lowers log S_nm, and the first one is cheap. Therefore the errors are computed only
where the prior, and the variances only where prior and error together, are not far below the
largest log S of the row.
"""

from collections.abc import Callable

import numpy as np
from sklearn.utils import gen_batches

from sgpmic_cli._typing import Array, Indices
from sgpmic_cli.estimator_base.parallel import ALONE, Workers
from sgpmic_cli.paper.model.bound import Observed, Parameters
from sgpmic_cli.paper.model.dtc import Factors
from sgpmic_cli.paper.model.kernels import Kernel
from sgpmic_cli.paper.model.mixture import log_joint

# Responsibilities below this fraction of the largest one of the row are set to zero. The bound
# ignores responsibilities below 1e-3, so the iterations need fewer digits than the final result.
NEGLIGIBLE_IN_ITERATIONS = 1e-4
NEGLIGIBLE_AT_THE_END = 1.5e-8
BLOCK = 2048  # rows

LogS = Callable[[int, Indices, Array], Array]


def expectation(
    kernel: Kernel,
    data: Observed,
    p: Parameters,
    factors: list[Factors],
    workers: Workers = ALONE,
    negligible: float = NEGLIGIBLE_AT_THE_END,
) -> Array:
    """Return the responsibilities (N, M) under the q(f) that the factors describe."""
    theta, half_beta = p.natural, 0.5 * p.beta

    def of_rows(rows: slice) -> Array:
        X, Y = p.X[rows], data.Y[rows]
        prior = log_joint(X, p.prior)

        def log_s(m: int, near: Indices, least: Array) -> Array:
            K = kernel.cross(theta[m], X[near], p.Z)
            residual = Y[near] - K @ factors[m].W
            found = prior[near, m] - half_beta * np.einsum("np,np->n", residual, residual)
            close = found >= least
            half = factors[m].whiten(K[close])
            found[close] -= half_beta * data.n_outputs * np.einsum("nk,nk->n", half, half)
            return found

        return responsibilities(prior, log_s, negligible)

    blocks = gen_batches(len(p.X), BLOCK)
    return np.concatenate(workers.map(of_rows, blocks, len(p.X) * len(factors)))


def responsibilities(limit: Array, log_s: LogS, negligible: float) -> Array:
    """Return S (n, M) with row sums of one, and zeros below a fraction of the largest S of the row.

    `limit` (n, M) holds upper limits of the unnormalised log S. `log_s(m, rows, least)` returns
    log S of component m for some rows. Where it is below `least`, any lower value is allowed.
    """
    margin = -np.log(negligible)
    found = np.full(limit.shape, -np.inf)
    first = limit.argmax(axis=1)
    for m in range(limit.shape[1]):  # one component of each row is computed without a limit
        if len(rows := np.flatnonzero(first == m)):
            found[rows, m] = log_s(m, rows, np.full(len(rows), -np.inf))
    best = found.max(axis=1)
    for m in range(limit.shape[1]):
        if len(rows := np.flatnonzero((limit[:, m] >= best - margin) & (first != m))):
            found[rows, m] = log_s(m, rows, best[rows] - margin)
            best = np.maximum(best, found[:, m])
    found -= best[:, None]
    # Set all values below the limit to zero, so that S does not depend on which were computed.
    S = np.where(found < -margin, 0.0, np.exp(found))
    return S / S.sum(axis=1, keepdims=True)
