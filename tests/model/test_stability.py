"""Covariances that leave double precision hardly a digit, held against sixty digits."""

from decimal import Decimal, localcontext

import exact
import numpy as np
import pytest

from sgpmic_cli.model import orthogonal
from sgpmic_cli.model.dtc import components, weigh
from sgpmic_cli.model.kernels import RBF, Linear

KERNELS = {"rbf": RBF(), "linear": Linear()}
# Natural kernel parameters and a precision under which K_uf B K_fu dwarfs K_uu in some directions and not in others.
NASTY = {"rbf": ([3e6, 0.1, 0.1, 1e-3], 4e2), "linear": ([7e5, 0.3, 0.12], 10.0)}
# The same with condition numbers of A of 1e20 and more: A itself has no Cholesky factor in double precision.
HOPELESS = {"rbf hopeless": ([1e9, 0.3, 0.3, 1e-3], 1e4), "linear hopeless": ([1e8, 0.3, 1e-2], 1e5)}


def nasty(name):
    """A component with three smooth outputs: kernel name, component, its arguments and the outputs."""
    rng = np.random.RandomState(5)
    X, Z = 0.5 * rng.randn(14, 2), 0.5 * rng.randn(6, 2)
    theta, beta = {**NASTY, **HOPELESS}[name]
    Y = 30.0 * np.column_stack([np.sin(X[:, 0]), np.cos(X[:, 1]), X.sum(axis=1)]) + rng.randn(14, 3) / np.sqrt(beta)
    kind = name.split()[0]
    (component,) = components(KERNELS[kind], [weigh(Y, rng.uniform(0.01, 1.0, 14), slice(None), 3)], len(Z))
    return kind, component, (np.array(theta), beta, Z, X), Y


def exactly(kind, component, arguments, Y, moved=None, step=Decimal(0)):
    """The bound to sixty digits, with one entry of theta (by its log), Z, X or beta (by its log) moved."""
    theta, beta, Z, X = (exact.decimals(np.atleast_1d(part)) for part in arguments)
    parts = {"theta": theta, "beta": beta, "Z": Z, "X": X}
    if moved is not None:
        name, index = moved
        if name in ("theta", "beta"):
            parts[name][index] *= 1 + step
        else:
            parts[name][index[0]][index[1]] += step
    s = exact.decimals(component.data.root_s**2)
    return exact.component_bound(kind, theta, beta[0], Z, X, exact.decimals(Y), s)


def slope(moved, *problem):
    with localcontext() as context:
        context.prec = exact.DIGITS
        step = Decimal("1e-20")
        above, below = exactly(*problem, moved, step), exactly(*problem, moved, -step)
        return float((above - below) / (2 * step))


@pytest.mark.parametrize("name", [*NASTY, *HOPELESS])
def test_the_bound_keeps_its_digits(name, monkeypatch):
    kind, component, arguments, Y = nasty(name)
    truth = float(exactly(kind, component, arguments, Y))
    factors = component.value(*arguments)
    assert factors.rough
    assert factors.jitter == 0.0
    assert factors.value == pytest.approx(truth, rel=1e-8 if name in HOPELESS else 1e-10)
    # The normal equations alone would not do: this is what the test is for.
    monkeypatch.setattr("sgpmic_cli.model.dtc.is_rough", lambda factor: False)
    monkeypatch.setattr("sgpmic_cli.model.dtc.factorise", None)
    try:
        spoilt = component.value(*arguments).value
    except TypeError:  # not even a Cholesky factor without help
        return
    assert abs(spoilt - truth) > 1e-8 * abs(truth)


@pytest.mark.parametrize("name", NASTY)
def test_gradients_keep_their_digits(name):
    problem = nasty(name)
    _, component, arguments, _ = problem
    factors = component.value(*arguments)
    dX, _, dtheta, dbeta = component.gradient(factors, *arguments)
    for index in [(0, 0), (9, 1)]:
        assert dX[index] == pytest.approx(slope(("X", index), *problem), rel=1e-7, abs=1e-9 * np.abs(dX).max())
    for index in range(len(dtheta)):
        assert dtheta[index] == pytest.approx(slope(("theta", index), *problem), rel=1e-5, abs=1e-6)
    assert dbeta == pytest.approx(slope(("beta", 0), *problem), rel=1e-7)


@pytest.mark.parametrize("kind", KERNELS)
def test_both_paths_agree_where_neither_is_needed(kind, monkeypatch):
    rng = np.random.RandomState(1)
    X, Z = np.asfortranarray(rng.randn(40, 2)), rng.randn(8, 2)
    (component,) = components(KERNELS[kind], [weigh(rng.randn(40, 5), rng.uniform(size=40), slice(None), 5)], len(Z))
    theta = np.array([1.3, 0.8, 0.2, 0.1] if kind == "rbf" else [1.3, 0.2, 0.1])
    plain = component.value(theta, 2.0, Z, X)
    plain_slopes = component.gradient(plain, theta, 2.0, Z, X)
    monkeypatch.setattr("sgpmic_cli.model.dtc.is_rough", lambda factor: True)
    mended = component.value(theta, 2.0, Z, X)
    assert (plain.rough, mended.rough) == (False, True)
    assert mended.value == pytest.approx(plain.value, rel=1e-12)
    np.testing.assert_allclose(mended.W, plain.W, rtol=1e-8)
    for a, b in zip(component.gradient(mended, theta, 2.0, Z, X), plain_slopes, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-8, atol=1e-10 * np.abs(b).max())


def test_a_first_factor_that_is_far_off_is_mended():
    """The factor of A + 1e-3 |A| I instead of A's own: several passes, and the digits of A's own in the end."""
    rng = np.random.RandomState(2)
    C = rng.randn(50, 7) * 10.0 ** -np.arange(7)
    L_u, B = np.eye(7) * 1e-7, rng.randn(50, 2)
    A = C.T @ C + L_u @ L_u.T
    spoilt = np.linalg.cholesky(A + 1e-3 * np.abs(A).max() * np.eye(7))
    blocks = lambda: [(C[i : i + 20].T.copy(order="F"), B[i : i + 20]) for i in (0, 20, 40)]  # noqa: E731
    L_a, W, misfit = orthogonal.factorise(np.asfortranarray(L_u), np.asfortranarray(spoilt), 2, blocks)
    stack, right = np.vstack([C, L_u]), np.vstack([B, np.zeros((7, 2))])
    triangle = np.linalg.qr(stack, mode="r")
    np.testing.assert_allclose(L_a.T, triangle * np.sign(triangle.diagonal())[:, None], rtol=1e-8, atol=1e-14)
    solution, squares = np.linalg.lstsq(stack, right, rcond=None)[:2]
    np.testing.assert_allclose(W, solution, rtol=1e-7)
    assert misfit == pytest.approx(squares.sum(), rel=1e-12)
