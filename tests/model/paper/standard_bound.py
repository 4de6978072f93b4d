"""The standard variational bound, term by term, as the reference of the KL-corrected one."""

import numpy as np
from scipy.special import xlogy

from sgpmic_cli.model.paper.bound import Bound
from sgpmic_cli.model.paper.cholesky import log_determinant
from sgpmic_cli.model.paper.mixture import log_joint


def standard_bound(kernel, data, p, S, S_of_f):
    """Return the standard bound at S if q(f) was last updated with S_of_f.

    It equals L_KL if S and S_of_f are equal:

    sum_nm S_nm <log N(y_n | f_nm, 1/beta)> - sum_m P KL(q(u_m) | p(u_m)) + the prior terms, with
    q(u) = N(K_uu W, K_uu A^-1 K_uu).
    """
    P, beta = data.n_outputs, p.beta
    _, factors = Bound(kernel, data, S_of_f, active=0.0).value(p)
    total = float(np.sum(S * log_joint(p.X, p.prior))) - float(np.sum(xlogy(S, S)))
    for m, (f, theta) in enumerate(zip(factors, p.natural, strict=True)):
        K = kernel.cross(theta, p.X, p.Z)
        errors = np.sum((data.Y - K @ f.W) ** 2, axis=1) + P * np.sum(f.whiten(K) ** 2, axis=1)
        total += 0.5 * P * S[:, m].sum() * np.log(beta / (2.0 * np.pi))
        total -= 0.5 * beta * float(S[:, m] @ errors)
        half = np.linalg.solve(f.L_a, f.L_u)  # tr(A^-1 K_uu) = |L_a^-1 L_u|^2
        spread = np.sum(half**2) - len(p.Z) - log_determinant(f.L_u) + log_determinant(f.L_a)
        total -= 0.5 * (P * float(spread) + float(np.sum((f.L_u.T @ f.W) ** 2)))
    return total
