"""Out-of-sample rows: agreement with the training rows, and probabilities of rows left out."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from sgpmic_cli.data import load
from sgpmic_cli.paper.model.estimator import SGPMIC
from sgpmic_cli.scores import purity


@pytest.fixture(scope="module")
def iris():
    Y = load("iris").Y
    return SGPMIC(3, 2, max_iter=10, random_state=0).fit(Y), Y


@pytest.mark.parametrize("factor", [1.0, 1.0 + 1e-12])
def test_training_rows_keep_their_results_up_to_rounding(iris, factor):
    model, Y = iris
    assert np.array_equal(model.predict(factor * Y), model.labels_)
    # Duplicate rows have the same latent point up to the tolerance.
    np.testing.assert_allclose(model.transform(factor * Y), model.embedding_, atol=1e-9)
    found = model.row_results(factor * Y)
    assert not found.variances.any()
    # The tenth and the eleventh neighbour of a row of Iris may be equally far.
    np.testing.assert_allclose(found.log_density, model.training_results.log_density, atol=0.05)


def test_probabilities_of_new_rows_are_those_of_the_nearest_rows_and_calibrated():
    data = load("wine")
    half = np.arange(len(data.Y)) % 2 == 0
    model = SGPMIC(3, 2, random_state=0).fit(data.Y[half])
    scaled = (data.Y - model.offset_) / model.scale_
    nearest = np.argsort(cdist(scaled[~half], scaled[half]), axis=1)[:, :10]
    found = model.row_results(data.Y[~half])
    expected = model.responsibilities_[nearest].mean(axis=1)
    np.testing.assert_allclose(found.probabilities, expected, atol=1e-12)
    np.testing.assert_allclose(found.variances, model.embedding_[nearest].var(axis=1), atol=1e-12)
    right = purity(data.labels[~half], found.labels) / 100
    assert right > 0.9
    assert abs(found.probabilities.max(axis=1).mean() - right) < 0.1


@pytest.mark.parametrize("name", ["wine", "wdbc"])
def test_rows_beside_the_training_rows_get_their_labels(name):
    """Also on raw columns, where A is badly conditioned."""
    data = load(name)
    own = {"scale": "none", "center": False, "n_inducing": 30, "max_iter": 8}
    model = SGPMIC(data.n_classes, 2, random_state=0, **own).fit(data.Y)
    beside = data.Y * (1.0 + 1e-6 * np.random.RandomState(0).randn(*data.Y.shape))
    assert np.mean(model.predict(beside) == model.labels_) >= 0.9
