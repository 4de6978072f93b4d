"""The start of a fit: landmarks for many rows, and the starting covariances."""

import numpy as np
import pytest

from sgpmic_cli.paper.model import start
from sgpmic_cli.paper.model.estimator import PaperSGPMIC
from sgpmic_cli.paper.model.kernels import RBF


def test_many_rows_start_from_landmarks_with_a_warning(monkeypatch):
    monkeypatch.setattr(start, "EXACT_ROWS", 150)
    monkeypatch.setattr(start, "FCM_ROWS", 100)
    rng = np.random.RandomState(0)
    Y = 6.0 * rng.randn(3, 4)[np.arange(300) % 3] + rng.randn(300, 4)
    with pytest.warns(UserWarning, match="300 rows are too many for exact ISOMAP"):
        model = PaperSGPMIC(3, 2, n_inducing=15, max_iter=3, random_state=0).fit(Y)
    assert model.embedding_.shape == (300, 2)
    assert all(len(set(model.labels_[i::3])) == 1 for i in range(3))


def test_sharper_memberships_start_narrower_clusters():
    X, model = np.random.RandomState(1).randn(200, 2), PaperSGPMIC(3, covariance_floor=1e-6)
    (soft, S), (sharp, S_of_sharp) = (
        start.start(
            model.set_params(start_sharpness=power), RBF(), X, 0.0, np.random.RandomState(0)
        )
        for power in (1, 2)
    )
    assert (sharp.prior.covariances[:, 0, 0] < 0.8 * soft.prior.covariances[:, 0, 0]).all()
    # The covariances of the squared memberships, normalised to a sum of one.
    weights = S**2 / np.sum(S**2, axis=1, keepdims=True)
    for m, covariance in enumerate(sharp.prior.covariances):
        mean = weights[:, m] @ X / weights[:, m].sum()
        expected = weights[:, m] @ np.sum((X - mean) ** 2, axis=1) / weights[:, m].sum() / 2
        np.testing.assert_allclose(covariance, expected * np.eye(2))
    np.testing.assert_array_equal(S, S_of_sharp)
    np.testing.assert_array_equal(soft.Z, sharp.Z)
    np.testing.assert_array_equal(soft.prior.means, sharp.prior.means)
