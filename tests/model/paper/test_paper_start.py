"""Starting a fit of many rows: landmarks and samples take over, and it is said."""

import numpy as np
import pytest

from sgpmic_cli.model.paper import start
from sgpmic_cli.model.paper.estimator import PaperSGPMIC


def groups(n):
    rng = np.random.RandomState(0)
    return 6.0 * rng.randn(3, 4)[np.arange(n) % 3] + rng.randn(n, 4)


def test_many_rows_start_from_landmarks_and_say_so(monkeypatch):
    monkeypatch.setattr(start, "EXACT_ROWS", 150)
    monkeypatch.setattr(start, "FCM_ROWS", 100)
    Y = groups(300)
    with pytest.warns(UserWarning, match="300 rows are too many for exact ISOMAP"):
        model = PaperSGPMIC(3, 2, n_inducing=15, max_iter=3, random_state=0).fit(Y)
    assert model.embedding_.shape == (300, 2)
    assert all(len(set(model.labels_[i::3])) == 1 for i in range(3))
    with pytest.warns(UserWarning, match="ISOMAP"):
        again = PaperSGPMIC(3, 2, n_inducing=15, max_iter=3, random_state=0).fit(Y)
    np.testing.assert_array_equal(model.labels_, again.labels_)
