"""Threads change nothing: results are the same to the last bit for any number of threads."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from joblib import cpu_count
from scipy.spatial.distance import cdist
from scipy.special import softmax

from sgpmic_cli import SGPMIC
from sgpmic_cli.model.paper.bound import Bound, Parameters, expectation, observe
from sgpmic_cli.model.paper.estimator import PaperSGPMIC
from sgpmic_cli.model.paper.kernels import RBF, start_parameters
from sgpmic_cli.model.paper.mixture import mixture
from sgpmic_cli.model.parallel import ALONE, Scratch, cut, workers
from sgpmic_cli.model.start.partition import start
from sgpmic_cli.model.variational import em
from sgpmic_cli.model.variational.latent_prior import Pull

JOBS = (1, 2, 3)


@pytest.fixture
def pieces(monkeypatch):
    """Small data in many pieces, shared out as large data are."""
    monkeypatch.setattr("sgpmic_cli.model.paper.dtc.BLOCK_BYTES", 8 * 20 * 70)
    monkeypatch.setattr("sgpmic_cli.model.paper.dtc.PIECE", 140)
    monkeypatch.setattr("sgpmic_cli.model.paper.bound.E_STEP_BYTES", 8 * 20 * 5 * 90)
    monkeypatch.setattr("sgpmic_cli.model.variational.component.PIECE", 140)
    monkeypatch.setattr("sgpmic_cli.model.variational.em.PIECE", 90)
    monkeypatch.setattr("sgpmic_cli.model.variational.placement.BLOCK", 64)
    monkeypatch.setattr("sgpmic_cli.model.paper.placement.BLOCK", 64)
    monkeypatch.setattr("sgpmic_cli.model.parallel.WORTHWHILE", 1)


def of_rows(n, k):
    """Five groups in the plane and smooth functions of them, with k inducing inputs."""
    rng = np.random.RandomState(1)
    angles = 2.0 * np.pi * np.arange(5) / 5
    means = 1.5 * np.column_stack([np.cos(angles), np.sin(angles)])
    X = means[rng.randint(5, size=n)] + 0.5 * rng.randn(n, 2)
    Y = np.sin(X @ rng.randn(2, 10)) + 0.3 * rng.randn(n, 10)
    prior = mixture(np.full(5, 0.2), means, np.tile(0.25 * np.eye(2), (5, 1, 1)))
    parameters = Parameters(X, X[:k].copy(), start_parameters(RBF(), 5, 2), 1.0, prior)
    S = softmax(-2.0 * cdist(X, means, "sqeuclidean"), axis=1)
    return SimpleNamespace(data=observe(Y), parameters=parameters, S=S)


def paper_results(n_jobs):
    problem = of_rows(1000, 20)
    p = problem.parameters
    with workers(n_jobs) as crew:
        bound = Bound(RBF(), problem.data, problem.S, 20, workers=crew)
        found = bound.value_and_gradient(p)
        return [*found, expectation(RBF(), problem.data, p, bound.value(p)[1], crew)]


def default_results(n_jobs):
    problem = of_rows(1000, 20)
    Y, shares = problem.data.Y, problem.S
    data = em.observe((Y - Y.mean(axis=0)) / Y.std(axis=0), 0.0, np.zeros_like(shares))
    state = start(problem.parameters.X, shares, 6, np.random.RandomState(0))
    state = replace(state, S=shares)
    with workers(n_jobs) as crew:
        rows, pull = em.active_rows(data, state.S), Pull(state.S, state.prior)
        known, bound = em.evaluate(data, state, crew)
        S = em.responsibilities(data, state, known, crew)
        return [*em.value_and_gradient(data, state.free, rows, pull, crew), bound, S]


@pytest.mark.parametrize("results", [paper_results, default_results])
def test_an_evaluation_is_the_same_to_the_last_bit(pieces, results):
    alone, *others = (results(n_jobs) for n_jobs in JOBS)
    for found in others:
        for ours, theirs in zip(found, alone, strict=True):
            np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("results", [paper_results, default_results])
def test_pieces_add_up_to_the_whole(results, request):
    whole = results(1)
    request.getfixturevalue("pieces")
    for ours, theirs in zip(results(2), whole, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-8, atol=1e-8 * np.abs(theirs).max())


@pytest.mark.parametrize("make", [PaperSGPMIC, SGPMIC])
def test_a_fit_and_its_predictions_are_the_same_to_the_last_bit(pieces, make):
    Y = of_rows(600, 20).data.Y
    new = Y[:200] + 0.01
    alone, *others = (
        make(5, 2, n_inducing=8, max_iter=2, random_state=0, n_jobs=n).fit(Y) for n in JOBS
    )
    for model in others:
        np.testing.assert_array_equal(model.responsibilities_, alone.responsibilities_)
        np.testing.assert_array_equal(model.lower_bounds_, alone.lower_bounds_)
        np.testing.assert_array_equal(model.predict_proba(new), alone.predict_proba(new))


@pytest.mark.parametrize("make", [PaperSGPMIC, SGPMIC])
@pytest.mark.parametrize("n_jobs", [0, 1.5, "all", True])
def test_numbers_of_threads_that_make_no_sense_are_refused(make, n_jobs):
    with pytest.raises(ValueError, match="n_jobs must be None, a whole number"):
        make(2, n_jobs=n_jobs).fit(np.random.RandomState(0).rand(20, 3))


def test_as_many_threads_as_scikit_learn_understands():
    def threads(n_jobs):
        with workers(n_jobs) as crew:
            return 1 if crew is ALONE else crew.pool._max_workers

    assert [threads(n_jobs) for n_jobs in (None, 1, 3)] == [1, 1, 3]
    assert threads(-1) == cpu_count()


def test_results_come_in_the_order_of_the_pieces():
    with workers(3) as crew:
        assert crew.map(lambda piece: piece.start, cut(10_000, 10), 10_000) == list(
            range(0, 10_000, 10)
        )
    assert cut(5, 2) == [slice(0, 2), slice(2, 4), slice(4, 5)]


def test_a_failure_in_a_piece_is_that_of_the_whole():
    def work(piece):
        raise np.linalg.LinAlgError(f"row {piece.start}")

    with workers(2) as crew, pytest.raises(np.linalg.LinAlgError, match="row 0"):
        crew.map(work, cut(10_000, 100), 10_000)


def test_every_thread_has_its_own_scratch():
    scratch = Scratch()
    mine = scratch.columns("R", 3, 4)
    assert mine.flags.f_contiguous
    assert np.shares_memory(mine, scratch.columns("R", 2, 5))  # taken again
    assert not np.shares_memory(mine, scratch.columns("U", 3, 4))
    with workers(2) as crew:
        for theirs in crew.map(lambda _: scratch.columns("R", 3, 4), [0, 1], 10_000):
            assert not np.shares_memory(mine, theirs)
