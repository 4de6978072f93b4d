"""Out-of-sample rows: gradients, local maxima, and agreement with the training rows."""

import numpy as np
import pytest
from central_differences import central_differences

from sgpmic_cli.data import load
from sgpmic_cli.paper.model.estimator import SGPMIC

SETTINGS = {"n_inducing": 15, "max_iter": 4, "random_state": 0}


@pytest.fixture(scope="module")
def iris():
    Y = load("iris").Y
    return SGPMIC(3, 2, max_iter=10, random_state=0).fit(Y), Y


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_gradient_equals_central_differences(kernel):
    model = SGPMIC(3, 2, kernel=kernel, covariance_type="full", **SETTINGS)
    model.fit(load("iris").Y[::2])
    assigner = model._assigner
    rng = np.random.RandomState(2)
    Y, X = assigner.Y[:12] + 0.3 * rng.randn(12, 4), model.embedding_[:12] + 0.2 * rng.randn(12, 2)
    S = rng.dirichlet(np.ones(3), size=12)
    found, curvature = assigner._derivatives(Y, X, S)
    assert np.linalg.eigvalsh(curvature).min() > 0.0
    numeric = central_differences(lambda: np.sum(S * assigner._log_parts(Y, X)), X, 1e-6)
    np.testing.assert_allclose(found, numeric, rtol=1e-5, atol=1e-5 * np.abs(found).max())


@pytest.mark.parametrize("factor", [1.0, 1.0 + 1e-12])
def test_training_rows_keep_their_results_up_to_rounding(iris, factor):
    model, Y = iris
    assert np.array_equal(model.predict(factor * Y), model.labels_)
    # Duplicate rows have the same latent point up to the tolerance.
    np.testing.assert_allclose(model.transform(factor * Y), model.embedding_, atol=1e-9)
    distinct = [n for n in range(len(Y)) if (Y[n] == Y).all(axis=1).sum() == 1]
    found = model.predict_proba(factor * Y)
    np.testing.assert_array_equal(found[distinct], model.responsibilities_[distinct])


@pytest.mark.parametrize("name", ["wine", "wdbc"])
def test_rows_beside_the_training_rows_get_their_labels(name):
    """Also on raw columns, where A is badly conditioned."""
    data = load(name)
    own = {"scale": "none", "center": False, "n_inducing": 30, "max_iter": 8}
    model = SGPMIC(data.n_classes, 2, random_state=0, **own).fit(data.Y)
    beside = data.Y * (1.0 + 1e-6 * np.random.RandomState(0).randn(*data.Y.shape))
    assert np.mean(model.predict(beside) == model.labels_) >= 0.9
