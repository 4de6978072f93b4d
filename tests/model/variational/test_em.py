"""The variational EM: every update raises the bound, and the E-step is its maximiser."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import softmax
from sklearn.datasets import make_blobs

from sgpmic_cli.model.e_step import AT_THE_END, IN_ROUNDS
from sgpmic_cli.model.start.partition import principal_axes, start
from sgpmic_cli.model.variational.em import (
    OnHost,
    evaluate,
    m_step,
    observe,
    precision,
    responsibilities,
    train,
)
from sgpmic_cli.model.variational.features import expectations
from sgpmic_cli.model.variational.latent_prior import expected_log


@pytest.fixture
def begun():
    Y, y = make_blobs(80, 4, centers=3, cluster_std=2.5, random_state=2)
    Y = (Y - Y.mean(axis=0)) / Y.std(axis=0)
    r = np.random.RandomState(0)
    held = 0.3 * r.randn(80, 3)
    shares = np.eye(3)[np.where(r.rand(80) < 0.8, y, r.randint(3, size=80))]
    return observe(Y, 0.01, held), start(principal_axes(Y, 2), shares, 6, r)


@pytest.mark.parametrize("negligible", [IN_ROUNDS, AT_THE_END])
def test_every_update_raises_the_bound(begun, negligible):
    data, state = begun
    values = [evaluate(data, state)[1]]
    for _ in range(6):
        state = m_step(data, state, 5)
        posteriors, value = evaluate(data, state)
        values.append(value)
        state = replace(state, S=responsibilities(data, state, posteriors, negligible=negligible))
        values.append(evaluate(data, state)[1])
    # rows below the active threshold are left out of a component, which costs less than this
    assert np.diff(values).min() > -0.05
    assert values[-1] > values[0] + 10


def test_the_e_step_balances_the_slopes_of_the_bound(begun):
    """At its S, moving a little of a row from one cluster to another lowers the bound."""
    data, state = begun
    for _ in range(60):  # until q(f), which the E-step holds, and S agree
        posteriors, _ = evaluate(data, state)
        state = replace(state, S=responsibilities(data, state, posteriors))
    value = evaluate(data, state)[1]
    row = int(np.argmin(state.S.max(axis=1)))
    first, second = np.argsort(-state.S[row])[:2]
    for move in (0.01, -0.01):
        S = state.S.copy()
        S[row, first] += move
        S[row, second] -= move
        assert evaluate(data, replace(state, S=S))[1] <= value + 1e-6


@pytest.mark.slow
def test_many_rounds_stay_finite_and_converge(begun):
    data, state = begun
    fit = train(data, state, rounds=500, steps=8, tol=0.0)
    assert fit.converged
    assert fit.rounds > 50
    assert np.isfinite(fit.bounds).all()
    assert np.isfinite(fit.state.free.pack()).all()
    assert abs(fit.bounds[-1] - fit.bounds[-20]) < 1.0


def test_a_callback_costs_no_more_than_the_responsibilities(begun):
    """From a device all else would be copied for nothing."""
    given, heard = [], []

    class Watched(OnHost):
        def given_back(self):
            given.append(len(heard))
            return super().given_back()

    fit = train(
        *begun, 3, 4, -np.inf, lambda done, value, S: heard.append((done, value, S)), Watched
    )
    assert given == [3]
    assert [done for done, _, _ in heard] == [1, 2, 3]
    assert [value for _, value, _ in heard] == fit.bounds[:-1]
    np.testing.assert_array_equal(heard[-1][2], fit.state.S)


@pytest.mark.parametrize("tol", [-np.inf, np.inf], ids=["all rounds", "converged"])
def test_the_last_e_step_leaves_out_less_than_those_before(begun, tol):
    asked = []

    class Watched(OnHost):
        def e_step(self, posteriors, negligible):
            asked.append(negligible)
            super().e_step(posteriors, negligible)

    fit = train(*begun, 4, 3, tol, compute=Watched)
    assert asked == [IN_ROUNDS] * (fit.rounds - 1) + [AT_THE_END]
    assert fit.rounds == (2 if tol > 0 else 4)


def test_wide_data_enter_through_their_products():
    r = np.random.RandomState(0)
    Y = r.randn(20, 50)
    factor = observe(Y, 0.0, np.zeros((20, 1)))
    assert factor.Y.shape == (20, 20)
    np.testing.assert_allclose(factor.Y @ factor.Y.T, Y @ Y.T, atol=1e-9)
    whole = replace(factor, Y=Y)
    state = start(principal_axes(Y, 2), np.ones((20, 1)), 5, r)
    assert evaluate(factor, state)[1] == pytest.approx(evaluate(whole, state)[1], rel=1e-9)
    two = [replace(data, held=np.zeros((20, 2))) for data in (factor, whole)]
    mixed = r.uniform(0.4, 0.6, 20)
    state = start(principal_axes(Y, 2), np.column_stack([mixed, 1.0 - mixed]), 5, r)
    shares = [responsibilities(data, state, evaluate(data, state)[0]) for data in two]
    assert shares[1].min(axis=1).max() > 0.01
    np.testing.assert_allclose(*shares, atol=1e-9)


def test_shares_are_those_of_the_whole_formula(begun):
    """Written out row by row, with holes and with a component that has died."""
    data, state = begun
    holes = np.random.RandomState(1).rand(80, 4) < 0.2
    holes[holes.all(axis=1)] = False
    data = replace(data, holes=holes, squares=data.squares + 0.3 * holes.sum(axis=1))
    state = m_step(data, state, 5)
    posteriors = evaluate(data, state)[0]
    for known in (posteriors, [None, *posteriors[1:]]):
        log_s = expected_log(state.free.mu, state.free.s, state.prior) + data.held
        for m, posterior in enumerate(known):
            if posterior is None:
                log_s[:, m] = -np.inf
                continue
            seen = expectations(state.free.kernel(m), state.free.mu, state.free.s)
            beta = precision(data, state.free.log_noise[m])
            for n, row in enumerate(np.eye(80)):
                phi2 = seen.second_moment(row)
                f = phi2[-1] @ posterior.W
                spread = np.sum(posterior.B * phi2) + 4 * state.free.kernel(m).variance - f @ f
                there = ~holes[n]
                error = np.sum((data.Y[n] - f)[there] ** 2) + spread
                log_s[n, m] += 0.5 * (there.sum() * np.log(beta) - beta * error)
        np.testing.assert_allclose(
            responsibilities(data, state, known), softmax(log_s, axis=1), atol=1e-7
        )
        np.testing.assert_allclose(
            responsibilities(data, state, known, negligible=IN_ROUNDS),
            softmax(log_s, axis=1),
            atol=3 * IN_ROUNDS,
        )
