"""Threads change nothing: blocks, sums and results are equal to the last bit for any number."""

import numpy as np
import pytest

from sgpmic_cli import SGPMIC, GroupMap

JOBS = (1, 2)


@pytest.fixture
def small_blocks(monkeypatch):
    """Cut small data into many blocks, and share them among threads."""
    monkeypatch.setattr("sgpmic_cli.row_blocks.WORTHWHILE", 0)
    monkeypatch.setattr("sgpmic_cli.paper.model.bound.BLOCK", 70)
    monkeypatch.setattr("sgpmic_cli.paper.model.em.BLOCK", 90)
    for make in (GroupMap, SGPMIC):
        monkeypatch.setattr(make, "_rows_at_once", 64)
    monkeypatch.setattr("sgpmic_cli.clustering.map.shared_process.BLOCK", 70)


@pytest.mark.filterwarnings("ignore:cluster")
@pytest.mark.parametrize(("make", "n_clusters"), [(SGPMIC, 4), (GroupMap, (3, 4))])
def test_a_fit_and_its_predictions_are_the_same_to_the_last_bit(small_blocks, make, n_clusters):
    rng = np.random.RandomState(0)
    Y = rng.randn(400, 3) @ rng.randn(3, 6) + 3.0 * rng.randn(4, 6)[np.arange(400) % 4]
    alone, together = (
        make(n_clusters, 2, n_inducing=8, max_iter=2, random_state=0, n_jobs=n).fit(Y) for n in JOBS
    )
    for name in ("responsibilities_", "embedding_", "lower_bounds_"):
        np.testing.assert_array_equal(getattr(together, name), getattr(alone, name))
    new = Y[:200] + 0.01
    np.testing.assert_array_equal(together.predict_proba(new), alone.predict_proba(new))
