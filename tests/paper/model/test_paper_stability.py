"""Badly conditioned covariances against decimal arithmetic with sixty digits."""

from decimal import Decimal, localcontext

import numpy as np
import pytest
from random_problem import KERNELS

from sgpmic_cli.paper.model.bound import Bound, Parameters, observe
from sgpmic_cli.paper.model.mixture import mixture

DIGITS = 60
PI = Decimal("3.14159265358979323846264338327950288419716939937510582097494")

decimals = np.vectorize(lambda number: Decimal(float(number)), otypes=[object])
exponential = np.vectorize(Decimal.exp, otypes=[object])
# Kernel parameters and precisions for which K_uf B K_fu exceeds K_uu by far in some directions.
NASTY = {"rbf": ([3e6, 0.1, 0.1, 1e-3], 4e2), "linear": ([7e5, 0.3, 0.12], 10.0)}
# The same with condition numbers of A of 1e20 and more.
HOPELESS = {
    "rbf hopeless": ([1e9, 0.3, 0.3, 1e-3], 1e4),
    "linear hopeless": ([1e8, 0.3, 1e-2], 1e5),
}


def component_bound(kind, theta, beta, Z, X, Y, s):
    """Return L of `dtc.py` by its definition, from arrays of decimals with sixty digits."""
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


def one_component(kind, theta, beta, Z, X, Y, s):
    """The bound of a single component with weights s, and an almost flat prior."""
    prior = mixture(np.ones(1), np.zeros((1, 2)), 1e30 * np.eye(2)[None])
    bound = Bound(KERNELS[kind], observe(Y), s[:, None], active=0.0)
    return bound, Parameters(X, Z, np.log([theta]), float(np.log(beta)), prior)


def nasty(name):
    """Return kernel name, bound, parameters, outputs and weights of a component."""
    rng = np.random.RandomState(5)
    X, Z = 0.5 * rng.randn(14, 2), 0.5 * rng.randn(6, 2)
    theta, beta = {**NASTY, **HOPELESS}[name]
    Y = 30.0 * np.column_stack([np.sin(X[:, 0]), np.cos(X[:, 1]), X.sum(axis=1)])
    Y += rng.randn(14, 3) / np.sqrt(beta)
    kind, s = name.split()[0], rng.uniform(0.01, 1.0, 14)
    return kind, *one_component(kind, theta, beta, Z, X, Y, s), Y, s


def exactly(kind, p, Y, s, moved=None, step=Decimal(0)):
    """Return the bound to sixty digits, with one entry of log theta, Z, X or log beta moved."""
    parts = {"theta": p.natural[0], "Z": p.Z, "X": p.X, "beta": [p.beta]}
    parts = {name: decimals(part) for name, part in parts.items()}
    if moved is not None:
        name, index = moved
        size = parts[name][index] if name in ("theta", "beta") else 1
        parts[name][index] += size * step
    beta = parts.pop("beta")[0]
    outputs, weights = decimals(Y), decimals(np.sqrt(s) ** 2)
    return component_bound(kind, beta=beta, Y=outputs, s=weights, **parts)


def slope(moved, *problem):
    with localcontext() as context:
        context.prec = DIGITS
        step = Decimal("1e-20")
        above, below = exactly(*problem, moved, step), exactly(*problem, moved, -step)
        return float((above - below) / (2 * step))


@pytest.mark.parametrize("name", [*NASTY, *HOPELESS])
def test_the_bound_keeps_its_digits(name):
    kind, bound, p, Y, s = nasty(name)
    truth = float(exactly(kind, p, Y, s))
    (factors,) = bound.value(p)[1]
    assert factors.rough
    assert factors.jitter == 0.0
    assert factors.value == pytest.approx(truth, rel=1e-7 if name in HOPELESS else 1e-9)


@pytest.mark.parametrize("name", NASTY)
def test_gradients_keep_their_digits(name):
    kind, bound, p, Y, s = nasty(name)
    _, dX, _, dtheta, dbeta = bound.value_and_gradient(p)
    problem = kind, p, Y, s
    for index in [(0, 0), (9, 1)]:
        assert dX[index] == pytest.approx(
            slope(("X", index), *problem), rel=1e-7, abs=1e-9 * np.abs(dX).max()
        )
    for index in range(dtheta.shape[1]):
        assert dtheta[0, index] == pytest.approx(
            slope(("theta", index), *problem), rel=1e-5, abs=1e-6
        )
    assert dbeta == pytest.approx(slope(("beta", 0), *problem), rel=1e-7)


@pytest.mark.parametrize("kind", NASTY)
def test_both_factorisations_agree_on_well_conditioned_problems(kind, monkeypatch):
    rng = np.random.RandomState(1)
    theta = [1.3, 0.8, 0.2, 0.1] if kind == "rbf" else [1.3, 0.2, 0.1]
    given = theta, 2.0, rng.randn(8, 2), rng.randn(40, 2), rng.randn(40, 5), rng.uniform(size=40)
    bound, p = one_component(kind, *given)
    (plain,) = bound.value(p)[1]
    plain_slopes = bound.value_and_gradient(p)
    monkeypatch.setattr("sgpmic_cli.paper.model.dtc._is_rough", lambda *_: True)
    bound, p = one_component(kind, *given)
    (mended,) = bound.value(p)[1]
    assert (plain.rough, mended.rough) == (False, True)
    assert mended.value == pytest.approx(plain.value, rel=1e-12)
    np.testing.assert_allclose(mended.W, plain.W, rtol=1e-8)
    for a, b in zip(bound.value_and_gradient(p), plain_slopes, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-8, atol=1e-10 * np.abs(b).max())
