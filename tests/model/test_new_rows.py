"""New rows on a fitted map, and training rows that come again."""

import numpy as np
import pytest
from central_differences import central_differences

from sgpmic_cli.model.latent import new_rows
from sgpmic_cli.model.latent.new_rows import _RowObjective


@pytest.fixture
def new(iris):
    """Return rows that are near those of iris, and one that is far."""
    rows = iris[::7] + 0.2 * np.random.RandomState(0).randn(len(iris[::7]), 4)
    rows[0] += 20.0
    return rows


def test_the_gradient_of_a_row_is_that_of_central_differences(iris_model, new):
    fitted = iris_model._fitted.map
    Y, n = (new - iris_model.offset_) / iris_model.scale_, np.arange(len(new))
    r = np.random.RandomState(1).dirichlet(np.ones(3), len(new))
    objective = _RowObjective(fitted, Y, r)
    mu = fitted.parameters.mu[::7] + 0.1
    s = np.exp(fitted.parameters.log_s[::7])
    gradient, curvature = objective.gradient_and_curvature(n, mu, s)
    numeric = central_differences(lambda: objective.value(n, mu, s).sum(), mu)
    np.testing.assert_allclose(gradient, numeric, rtol=1e-4, atol=1e-4)
    assert np.linalg.eigvalsh(curvature).min() > 0.0


@pytest.mark.parametrize("gaps", [False, True])
def test_a_row_ends_at_least_as_high_as_its_nearest_training_row(iris_model, new, gaps):
    fitted, Y = iris_model._fitted, (new - iris_model.offset_) / iris_model.scale_
    mask = np.zeros(Y.shape, dtype=bool)
    mask[1::2, 0] = gaps
    _, nearest = fitted.rows.nearest(Y)
    r = fitted.probabilities(Y)
    (start, _, before), (_, _, after) = (
        new_rows.locate(fitted.map, Y, r, nearest[:, 0], np.full(len(Y), fixed), mask)
        for fixed in (True, False)
    )
    assert (after >= before).all()
    assert np.mean(after - before) > 0.1
    np.testing.assert_array_equal(start, fitted.map.parameters.mu[nearest[:, 0]])


@pytest.mark.parametrize(("model", "table"), [("iris_model", "iris"), ("gaps_model", "iris_gaps")])
def test_training_rows_get_their_own_results_also_after_rounding(model, table, request):
    model, Y = request.getfixturevalue(model), request.getfixturevalue(table)
    rounded = Y * (1.0 + 1e-12)
    for call, own in ((model.transform, "embedding_"), (model.predict_proba, "responsibilities_")):
        np.testing.assert_allclose(call(Y), getattr(model, own), atol=1e-9)
        np.testing.assert_allclose(call(rounded), call(Y), atol=1e-9)
    np.testing.assert_array_equal(model.predict(Y), model.labels_)


def test_a_row_does_not_depend_on_the_other_rows(iris_model, new):
    together = iris_model.transform(new), iris_model.predict_proba(new)
    alone = [(iris_model.transform([row])[0], iris_model.predict_proba([row])[0]) for row in new]
    for found, one in zip(together, zip(*alone, strict=True), strict=True):
        np.testing.assert_allclose(found, one, rtol=1e-9, atol=1e-9)


def test_a_far_row_is_improbable_and_a_typical_row_is_not(iris_model, iris, new):
    scores = iris_model.score_samples(new)
    assert scores[0] < scores[1:].min() - 10.0
    assert iris_model.score(iris) == pytest.approx(iris_model.score_samples(iris).mean())


def test_missing_values_of_new_rows_are_left_to_the_model(iris_model, gaps_model, iris):
    rows = iris.copy()
    rows[::2, 1] = np.nan
    for model in (iris_model, gaps_model):
        assert np.mean(model.predict(rows) == model.predict(iris)) > 0.85
        assert np.isfinite(model.transform(rows)).all()
