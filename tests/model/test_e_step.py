"""Responsibilities are those of the exact exponents, whether a ceiling spared some of them or not."""

import numpy as np
import pytest
from scipy.special import softmax

from sgpmic_cli.model.e_step import AT_THE_END, IN_ROUNDS, responsibilities


@pytest.mark.parametrize("first", [None, np.arange(200) % 6], ids=["highest", "told"])
@pytest.mark.parametrize("negligible", [IN_ROUNDS, AT_THE_END])
def test_what_a_ceiling_spares_was_nothing(negligible, first):
    r = np.random.RandomState(0)
    ceiling = 60.0 * r.rand(6, 200)
    exact = ceiling - 20.0 * r.rand(6, 200)
    asked = np.zeros(exact.shape, dtype=int)

    def of(m, rows, least):
        asked[m, rows] += 1
        return np.where(exact[m, rows] < least, -np.inf, exact[m, rows])

    S = responsibilities(ceiling, of, negligible, first)
    large = np.where(exact < exact.max(axis=0) + np.log(negligible), -np.inf, exact)
    np.testing.assert_allclose(S, softmax(large, axis=0).T, atol=1e-15)
    np.testing.assert_allclose(S, softmax(exact, axis=0).T, atol=5 * negligible)
    np.testing.assert_allclose(S.sum(axis=1), 1.0, rtol=1e-15)
    assert asked.max() == 1
    assert 0.2 < asked.mean() < 0.9  # some were spared, and not all
    assert (S[asked.T == 0] == 0.0).all()
    np.testing.assert_array_equal(S == 0.0, (exact < exact.max(axis=0) + np.log(negligible)).T)


def test_the_best_component_need_not_have_the_highest_ceiling():
    S = responsibilities(
        np.array([[5.0], [4.0]]), lambda m, rows, _: np.full(len(rows), (-100.0, 3.0)[m]), 1e-4
    )
    np.testing.assert_array_equal(S, [[0.0, 1.0]])


def test_a_dead_component_gets_nothing_and_is_not_asked():
    def alive(m, rows, _):
        assert m == 1
        return np.array([0.0, -np.inf])[rows]

    with np.errstate(invalid="ignore"):
        responsibilities(np.array([[-np.inf, -np.inf], [1.0, -900.0]]), alive, 1e-4)
    S = responsibilities(
        np.array([[-np.inf, -np.inf], [1.0, -900.0]]), lambda m, rows, _: np.zeros(len(rows)), 1e-4
    )
    np.testing.assert_array_equal(S, [[0.0, 1.0], [0.0, 1.0]])
