"""Out-of-sample rows: gradients, local maxima, and agreement with the training rows."""

import numpy as np
import pytest
from scipy.special import logsumexp

from sgpmic_cli.data import load
from sgpmic_cli.model.paper.bound import observe
from sgpmic_cli.model.paper.e_step import expectation
from sgpmic_cli.model.paper.estimator import PaperSGPMIC

SETTINGS = {"n_inducing": 15, "max_iter": 4, "random_state": 0}


@pytest.fixture(scope="module")
def iris():
    Y = load("iris").Y
    return PaperSGPMIC(3, 2, max_iter=10, random_state=0).fit(Y), Y


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
@pytest.mark.parametrize("ard", [False, True])
def test_gradient_equals_central_differences(kernel, ard):
    model = PaperSGPMIC(3, 2, kernel=kernel, ard=ard, covariance_type="full", **SETTINGS)
    model.fit(load("iris").Y[::2])
    assigner = model._assigner
    rng = np.random.RandomState(2)
    Y, X = assigner.Y[:12] + 0.3 * rng.randn(12, 4), model.embedding_[:12] + 0.2 * rng.randn(12, 2)
    S = rng.dirichlet(np.ones(3), size=12)
    gradient = assigner._terms(Y, X, S).gradient
    step = 1e-6
    for q in range(2):
        nudge = step * np.eye(2)[q]
        rise = assigner._terms(Y, X + nudge, S).value - assigner._terms(Y, X - nudge, S).value
        np.testing.assert_allclose(
            gradient[:, q], rise / (2 * step), rtol=1e-5, atol=1e-5 * np.abs(gradient).max()
        )


@pytest.mark.parametrize("factor", [1.0, 1.0 + 1e-12])
def test_training_rows_keep_their_results_up_to_rounding(iris, factor):
    model, Y = iris
    assert np.array_equal(model.predict(factor * Y), model.labels_)
    # Duplicate rows have the same latent point up to the tolerance.
    np.testing.assert_allclose(model.transform(factor * Y), model.embedding_, atol=1e-9)
    distinct = [n for n in range(len(Y)) if (Y[n] == Y).all(axis=1).sum() == 1]
    found = model.predict_proba(factor * Y)
    np.testing.assert_array_equal(found[distinct], model.responsibilities_[distinct])


def test_the_latent_point_of_a_new_row_is_a_local_maximum(iris):
    model, Y = iris
    assigner = model._assigner
    rows = (Y[::7] * 1.01 - model.offset_) / model.scale_
    assigned = assigner.assign(rows)
    nearest = assigner.tree.query(rows, return_distance=False)[:, 0]
    log_parts = assigner._log_parts(rows, model.embedding_[nearest])
    S = np.exp(log_parts - logsumexp(log_parts, axis=1, keepdims=True))
    best = assigner._terms(rows, assigned.points, S).value
    rng = np.random.RandomState(0)
    for _ in range(20):
        nudged = assigned.points + 1e-3 * rng.randn(*assigned.points.shape)
        assert (assigner._terms(rows, nudged, S).value <= best + 1e-4 * (1 + np.abs(best))).all()


def test_a_result_does_not_depend_on_the_other_rows(iris):
    model, Y = iris
    rows = Y + 0.05 * np.random.RandomState(0).randn(*Y.shape)
    together = model.predict_proba(rows)
    for n in range(0, len(rows), 15):
        np.testing.assert_allclose(
            model.predict_proba(rows[n : n + 1]), together[n : n + 1], atol=1e-6
        )
    shuffled = np.random.RandomState(1).permutation(len(rows))
    np.testing.assert_allclose(model.predict_proba(rows[shuffled]), together[shuffled], atol=1e-6)


@pytest.mark.parametrize("name", ["wine", "wdbc"])
def test_prediction_and_training_agree_on_responsibilities(name):
    """Also on raw columns, where A is badly conditioned."""
    data = load(name)
    model = PaperSGPMIC(
        data.n_classes, 2, scale="none", center=False, n_inducing=30, max_iter=8, random_state=0
    ).fit(data.Y)
    assigner = model._assigner
    log_parts = assigner._log_parts(assigner.Y, model.embedding_)
    S = np.exp(log_parts - logsumexp(log_parts, axis=1, keepdims=True))
    np.testing.assert_allclose(
        S,
        expectation(assigner.kernel, observe(assigner.Y), assigner.p, assigner.factors),
        atol=1e-3,
    )
    beside = data.Y * (1.0 + 1e-6 * np.random.RandomState(0).randn(*data.Y.shape))
    assert np.mean(model.predict(beside) == model.labels_) >= 0.9
