"""The bound of one weighted component in decimal arithmetic with sixty digits."""

from decimal import Decimal, localcontext

import numpy as np

DIGITS = 60
PI = Decimal("3.14159265358979323846264338327950288419716939937510582097494")

decimals = np.vectorize(lambda number: Decimal(float(number)), otypes=[object])
exponential = np.vectorize(Decimal.exp, otypes=[object])


def component_bound(kind, theta, beta, Z, X, Y, s):
    """Return L of `dtc.py` by its definition, from arrays of decimals."""
    with localcontext() as context:
        context.prec = DIGITS
        variance, bias, white = theta[0], theta[-2], theta[-1]

        def kernel(A, B):
            if kind == "linear":
                return variance * (A @ B.T) + bias
            squares = np.sum((A[:, None] - B) ** 2, axis=2)
            return variance * exponential(-theta[1] / 2 * squares) + bias

        K_uf = kernel(Z, X)
        K_uu = kernel(Z, Z) + white * np.eye(len(Z), dtype=int)
        weighted = beta * s * K_uf
        L_u, L_a = _cholesky(K_uu), _cholesky(K_uu + weighted @ K_uf.T)
        misfit = np.sum(beta * s[:, None] * Y**2) - np.sum(_solved(L_a, weighted @ Y) ** 2)
        log_ratio = 2 * sum((a / u).ln() for a, u in zip(np.diag(L_a), np.diag(L_u), strict=True))
        return (Y.shape[1] * (np.sum(s) * (beta / (2 * PI)).ln() - log_ratio) - misfit) / 2


def _cholesky(matrix):
    L = np.full(matrix.shape, Decimal(0), dtype=object)
    for i, row in enumerate(matrix):
        for j in range(i + 1):
            rest = row[j] - L[i, :j] @ L[j, :j]
            L[i, j] = rest.sqrt() if i == j else rest / L[j, j]
    return L


def _solved(L, right):
    solution = np.empty_like(right)
    for i, row in enumerate(L):
        solution[i] = (right[i] - row[:i] @ solution[:i]) / row[i]
    return solution
