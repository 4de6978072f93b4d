import numpy as np
import pytest
from central_differences import central_differences
from scipy.stats import multivariate_normal

from sgpmic_cli.clustering.map import new_rows
from sgpmic_cli.clustering.map.new_rows import _RowObjective


@pytest.fixture
def new(iris):
    """Return rows that are near those of iris, and one that is far."""
    rows = iris[::7] + 0.2 * np.random.RandomState(0).randn(len(iris[::7]), 4)
    rows[0] += 20.0
    return rows


def test_the_gradient_of_a_row_is_that_of_central_differences(iris_model, new):
    fitted = iris_model._map
    Y, n = (new - iris_model.offset_) / iris_model.scale_, np.arange(len(new))
    r = np.random.RandomState(1).dirichlet(np.ones(3), len(new))
    mu = fitted.parameters.mu[::7] + 0.1
    objective = _RowObjective(fitted, Y, r, np.exp(fitted.parameters.log_s[::7]))
    gradient, curvature = objective.derivatives(n, mu)
    numeric = central_differences(lambda: objective.values(n, mu).sum(), mu)
    np.testing.assert_allclose(gradient, numeric, rtol=1e-4, atol=1e-4)
    assert np.linalg.eigvalsh(curvature).min() > 0.0
    some = n[3:9]
    np.testing.assert_allclose(objective.values(some, mu[some]), objective.values(n, mu)[some])
    for found, whole in zip(
        objective.derivatives(some, mu[some]), (gradient, curvature), strict=True
    ):
        np.testing.assert_allclose(found, whole[some])


def test_the_curvature_of_a_row_is_that_of_its_squared_residuals(iris_model):
    """Gauss-Newton: beta J'J with the Jacobian of the expected row, and the mean precision."""
    fitted, n = iris_model._map, np.arange(3)
    p, mixture = fitted.parameters, fitted.mixture
    r = np.random.RandomState(1).dirichlet(np.ones(3), 3)
    mu = p.mu[:3] + 0.1
    objective = _RowObjective(fitted, np.zeros((3, 4)), r, np.exp(p.log_s[:3]))
    _, curvature = objective.derivatives(n, mu)
    v, g, linear = np.exp(p.log_v), np.exp(p.log_g), np.exp(p.log_l)

    def expected(x):
        k = v * np.exp(-0.5 * ((x - p.Z) ** 2 @ g)) + linear * (p.Z @ x)
        return k @ fitted.process.W

    for row, x in enumerate(mu):
        steps = 1e-5 * np.eye(2)
        J = np.array([(expected(x + h) - expected(x - h)) / 2e-5 for h in steps])
        prior = np.einsum("m,mij->ij", r[row], np.linalg.inv(mixture.covariances))
        np.testing.assert_allclose(
            curvature[row], np.exp(-p.log_noise) * J @ J.T + prior, rtol=1e-6, atol=1e-6
        )


def test_the_value_of_a_row_is_its_part_of_the_bound(iris_model, new):
    """The expected log likelihood, less the divergence of q(x) from the Gaussians of the row."""
    fitted, Y = iris_model._map, (new - iris_model.offset_) / iris_model.scale_
    p, process, mixture = fitted.parameters, fitted.process, fitted.mixture
    r = np.random.RandomState(1).dirichlet(np.ones(3), len(new))
    mu, s = p.mu[::7] + 0.1, np.exp(p.log_s[::7])
    found = _RowObjective(fitted, Y, r, s).values(np.arange(len(new)), mu)
    v, g, linear, beta = np.exp(p.log_v), np.exp(p.log_g), np.exp(p.log_l), np.exp(-p.log_noise)
    for n in range(0, len(new), 5):
        steps = np.sqrt(2.0 * s[n]) * np.eye(2)
        expected = 0.0
        for x in mu[n] + np.vstack([steps, -steps]):
            k = v * np.exp(-0.5 * ((x - p.Z) ** 2 @ g)) + linear * (p.Z @ x)
            variance = v + linear * (x @ x) + k @ (process.A_inv - process.Kuu_inv) @ k
            error = np.sum((Y[n] - k @ process.W) ** 2) + Y.shape[1] * variance
            expected += 0.25 * (0.5 * Y.shape[1] * np.log(beta / (2 * np.pi)) - 0.5 * beta * error)
        q = multivariate_normal(mu[n], np.diag(s[n]))
        expected += q.entropy()
        for m, weight in enumerate(r[n]):
            gaussian = multivariate_normal(mixture.means[m], mixture.covariances[m])
            spread = np.trace(np.linalg.solve(mixture.covariances[m], np.diag(s[n])))
            expected += weight * (gaussian.logpdf(mu[n]) - 0.5 * spread)
        assert found[n] == pytest.approx(expected.item(), rel=1e-9)


@pytest.mark.parametrize("gaps", [False, True])
def test_a_row_ends_at_least_as_high_as_its_nearest_training_row(iris_model, new, gaps):
    fitted, Y = iris_model._map, (new - iris_model.offset_) / iris_model.scale_
    mask = np.zeros(Y.shape, dtype=bool)
    mask[1::2, 0] = gaps
    _, nearest = iris_model._training.nearest(Y)
    r = iris_model._probabilities(Y)
    (start, _, before), (_, _, after) = (
        new_rows.locate(fitted, Y, r, nearest[:, 0], np.full(len(Y), fixed), mask)
        for fixed in (True, False)
    )
    assert (after >= before).all()
    assert np.mean(after - before) > 0.1
    np.testing.assert_array_equal(start, fitted.parameters.mu[nearest[:, 0]])


@pytest.mark.parametrize("columns", [3, 40])
def test_the_closest_row_is_that_of_double_precision(columns):
    """Also next to an outlier, among rows that single precision cannot tell apart, and far away."""
    rng = np.random.RandomState(0)
    rows = rng.randn(300, columns)
    rows[0] *= 1e4
    rows[200:] = rows[100:200] + 1e-7 * rng.randn(100, columns)
    new = np.vstack([rows, rows + 0.1 * rng.randn(*rows.shape), 1e60 * rng.randn(3, columns)])
    training = new_rows.TrainingRows(rows)
    found = training.closest(new)
    apart = ((new[:600, None] - rows) ** 2).sum(axis=2)
    np.testing.assert_array_equal(found[:600], apart.argmin(axis=1))
    np.testing.assert_array_equal(
        training.closest(new[600:]), training.nearest(new[600:], 1)[1].T[0]
    )


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
