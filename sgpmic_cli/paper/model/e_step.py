"""The E-step: responsibilities S_nm of the components for every row, proportional to exp(l_nm).

    l_nm = log pi_m + log N(x_n | xbar_m, C_m) - beta/2 (|y_n - F_nm|^2 + P v_nm)
    F_m = K_fu W_m                    mean of q(f_m)
    v_nm = |chol(A_m)^-1 k_n|^2       its variance (pure DTC)

All components are computed for all rows. Leaving out those with a small prior saves a tenth of the
time of a fit.
"""

import numpy as np
from sklearn.utils import gen_batches

from sgpmic_cli._typing import Array
from sgpmic_cli.paper.model.bound import Observed, Parameters
from sgpmic_cli.paper.model.dtc import Factors
from sgpmic_cli.paper.model.kernels import Kernel
from sgpmic_cli.paper.model.mixture import log_joint
from sgpmic_cli.row_blocks import ALONE, Workers

# Responsibilities below this fraction of the largest one of the row are set to zero. The bound
# ignores responsibilities below 1e-3, so the iterations need fewer digits than the final result.
NEGLIGIBLE_IN_ITERATIONS = 1e-4
NEGLIGIBLE_AT_THE_END = 1.5e-8
BLOCK = 2048  # rows


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
