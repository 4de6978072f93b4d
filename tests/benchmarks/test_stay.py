"""The measurement of moves on the map."""

import numpy as np
import pandas as pd
import pytest

from benchmarks import stay


def test_an_alignment_undoes_motion_and_scale_and_a_move_is_a_fraction_of_the_width():
    random = np.random.RandomState(0)
    X = random.standard_normal((50, 2))
    rotation = np.linalg.qr(random.standard_normal((2, 2)))[0]
    moved = 3.0 * X @ rotation + 7.0
    np.testing.assert_allclose(stay.aligned(moved, X[:40]), X, atol=1e-12)
    step = 0.1 * np.ptp(X[:40], axis=0).max()
    found = stay.measured(X[:40], X + np.array([step, 0.0]), X)
    assert found["median_move"] == pytest.approx(0.1)
    assert found["trustworthiness"] == pytest.approx(1.0)


def test_only_the_update_leaves_rows_in_their_place(monkeypatch):
    monkeypatch.setattr(stay, "rivals", lambda seed: {})
    rows = np.random.RandomState(0).standard_normal((60, 3))
    monkeypatch.setattr(
        stay, "fitted", lambda Y, seed: stay.GroupMap(1, max_iter=2, random_state=0).fit(Y)
    )
    update, refit = stay.growth(rows, 0)
    assert (update["median_move"], update["changed_clusters"]) == (0.0, 0.0)
    assert refit["median_move"] > 0.0
    assert 0.0 <= stay.coverage(rows, 0) <= 1.0


def test_moves_and_coverage_of_each_table_are_written(tmp_path, monkeypatch):
    monkeypatch.setattr(stay, "tables", lambda folder: [("t", np.eye(4))])
    monkeypatch.setattr(stay, "growth", lambda Y, seed: [{"map": "m", "median_move": seed}])
    monkeypatch.setattr(stay, "coverage", lambda Y, seed: 0.5)
    stay.main(["--out", str(tmp_path), "--seeds", "0", "1"])
    table = pd.read_csv(tmp_path / "stay.csv")
    assert table["median_move"].dropna().tolist() == [0, 1]
    assert table["coverage"].dropna().tolist() == [0.5, 0.5]
