"""The bound of one weighted component in decimal arithmetic with sixty digits."""

from decimal import Decimal, localcontext

DIGITS = 60
PI = Decimal("3.14159265358979323846264338327950288419716939937510582097494")


def decimals(array):
    """Return floats, one- or two-dimensional, as exact decimals."""
    return [decimals(row) if getattr(row, "ndim", 0) else Decimal(float(row)) for row in array]


def component_bound(kind, theta, beta, Z, X, Y, s):
    """Return L of `dtc.py` by its definition, from decimals and lists of them."""
    with localcontext() as context:
        context.prec = DIGITS
        variance, bias, white = theta[0], theta[-2], theta[-1]

        def k(a, b):
            if kind == "linear":
                return variance * sum(x * y for x, y in zip(a, b, strict=True)) + bias
            return (
                variance
                * (-theta[1] / 2 * sum((x - y) ** 2 for x, y in zip(a, b, strict=True))).exp()
                + bias
            )

        weights = [beta * w for w in s]
        K_uf = [[k(z, x) for x in X] for z in Z]
        K_uu = [
            [k(a, b) + (white if i == j else 0) for j, b in enumerate(Z)] for i, a in enumerate(Z)
        ]
        A = [
            [K_uu[i][j] + _dot(K_uf[i], K_uf[j], weights) for j in range(len(Z))]
            for i in range(len(Z))
        ]
        L_u, L_a = _cholesky(K_uu), _cholesky(A)
        columns = list(zip(*Y, strict=True))
        explained = sum(
            _squares(_solved(L_a, [_dot(row, y, weights) for row in K_uf])) for y in columns
        )
        misfit = sum(_dot(y, y, weights) for y in columns) - explained
        log_ratio = 2 * sum((L_a[i][i] / L_u[i][i]).ln() for i in range(len(Z)))
        return (len(columns) * (sum(s) * (beta / (2 * PI)).ln() - log_ratio) - misfit) / 2


def _dot(a, b, weights):
    return sum(x * y * w for x, y, w in zip(a, b, weights, strict=True))


def _squares(values):
    return sum(x * x for x in values)


def _cholesky(matrix):
    L = [[Decimal(0)] * len(matrix) for _ in matrix]
    for i, row in enumerate(matrix):
        for j in range(i + 1):
            rest = row[j] - sum(L[i][k] * L[j][k] for k in range(j))
            L[i][j] = rest.sqrt() if i == j else rest / L[j][j]
    return L


def _solved(L, right):
    solution = []
    for row, value in zip(L, right, strict=True):
        rest = value - sum(a * b for a, b in zip(row, solution, strict=False))
        solution.append(rest / row[len(solution)])
    return solution
