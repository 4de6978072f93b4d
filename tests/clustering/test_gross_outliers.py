"""A few rows that are far beyond all others change nothing but are unusual."""

import numpy as np
import pytest
from raw_tables import clouds
from sklearn.metrics import adjusted_rand_score

from sgpmic_cli import GroupMap

Y = clouds(20, 29, size=60, columns=3)


def fit(X):
    return GroupMap(max_iter=2, n_resamples=2, random_state=0).fit(X)


@pytest.fixture(scope="module")
def alone():
    return fit(Y)


@pytest.mark.parametrize(
    "row",
    [[1e9, 20.0, 20.0], [20.0, -999.0, 20.0], Y.sum(axis=0)],
    ids=["1e9", "-999", "totals"],
)
def test_a_far_row_changes_no_number_and_no_clusters_and_is_unusual(alone, row):
    model = fit(np.r_[[row], Y])
    assert model.n_clusters_ == alone.n_clusters_ == 2
    assert adjusted_rand_score(model.labels_[1:], alone.labels_) == 1.0
    np.testing.assert_array_equal(model.scale_, alone.scale_)
    assert model.labels_[0] in (0, 1)
    assert model.training_results.unusual[0]
    assert model.training_results.unusual[1:].mean() < 0.1
    np.testing.assert_array_equal(model.predict(np.r_[[row], Y]), model.labels_)
