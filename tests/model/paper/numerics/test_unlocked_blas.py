"""Products without Python's lock are SciPy's, to the last bit."""

import numpy as np
import pytest
from scipy.linalg import blas

from sgpmic_cli.model.paper.numerics import unlocked_blas

K, N, P = 30, 400, 7


@pytest.fixture(autouse=True)
def everything_is_large(monkeypatch):
    monkeypatch.setattr(unlocked_blas, "LARGE", 0)


@pytest.fixture
def rng():
    return np.random.RandomState(0)


def matrix(rng, *shape, order="F"):
    return np.asarray(rng.standard_normal(shape), order=order)


@pytest.mark.parametrize("order", ["F", "C"])
@pytest.mark.parametrize(("trans_a", "trans_b"), [(False, False), (True, False), (False, True)])
def test_dgemm(rng, order, trans_a, trans_b):
    a = matrix(rng, *((N, K) if trans_a else (K, N)), order=order)
    b = matrix(rng, *((P, N) if trans_b else (N, P)), order=order)
    flags = {"trans_a": trans_a, "trans_b": trans_b}
    assert np.array_equal(unlocked_blas.dgemm(1.5, a, b, **flags), blas.dgemm(1.5, a, b, **flags))
    c = matrix(rng, K, P)
    expected = blas.dgemm(0.5, a, b, beta=2.0, c=c, **flags)
    assert unlocked_blas.dgemm(0.5, a, b, beta=2.0, c=c, overwrite_c=True, **flags) is c
    assert np.array_equal(c, expected)


@pytest.mark.parametrize("lower", [True, False])
def test_dsyrk_and_dsymm(rng, lower):
    a, c, s, b = matrix(rng, K, N), matrix(rng, K, K), matrix(rng, K, K), matrix(rng, K, N)
    expected = blas.dsyrk(0.3, a, beta=1.0, c=c, lower=lower)
    unlocked_blas.dsyrk(0.3, a, beta=1.0, c=c, lower=lower, overwrite_c=True)
    assert np.array_equal(c, expected)
    out = matrix(rng, K, N)
    unlocked_blas.dsymm(2.0, s, b, beta=0.0, c=out, lower=lower, overwrite_c=True)
    assert np.array_equal(out, blas.dsymm(2.0, s, b, lower=lower))


@pytest.mark.parametrize("trans_a", [True, False])
@pytest.mark.parametrize("name", ["dtrmm", "dtrsm"])
def test_triangles(rng, name, trans_a):
    ours, theirs = getattr(unlocked_blas, name), getattr(blas, name)
    a, b = np.asfortranarray(np.tril(matrix(rng, K, K)) + 9.0 * np.eye(K)), matrix(rng, K, N)
    expected, before = theirs(-2.0, a, b, lower=True, trans_a=trans_a), b.copy()
    assert np.array_equal(ours(-2.0, a, b, lower=True, trans_a=trans_a), expected)
    assert np.array_equal(b, before)
    assert ours(-2.0, a, b, lower=True, trans_a=trans_a, overwrite_b=True) is b
    assert np.array_equal(b, expected)


def test_a_result_that_could_not_be_written_is_refused(rng):
    a, b = matrix(rng, K, N), matrix(rng, N, K)
    with pytest.raises(ValueError, match="Fortran order"):
        unlocked_blas.dgemm(1.0, a, b, c=matrix(rng, K, K, order="C"), overwrite_c=True)
