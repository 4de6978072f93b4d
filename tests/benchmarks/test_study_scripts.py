import numpy as np
import pandas as pd
import pytest

from benchmarks import missing_values, verdicts


def test_thirty_percent_of_the_entries_are_hidden_and_no_row_is_empty():
    Y = np.arange(40_000.0).reshape(2000, 20)
    rows = missing_values.hide(Y, 0)
    assert np.isnan(rows).mean() == pytest.approx(missing_values.HIDDEN, abs=0.02)
    assert not np.isnan(missing_values.hide(Y[:, :1], 0)).any()
    assert np.array_equal(rows, missing_values.hide(Y, 0), equal_nan=True)
    assert not np.array_equal(rows, missing_values.hide(Y, 1), equal_nan=True)
    assert np.array_equal(rows[~np.isnan(rows)], Y[~np.isnan(rows)])


def test_verdicts_are_counted_on_clouds_and_on_groups(tmp_path, monkeypatch):
    monkeypatch.setattr(verdicts, "CLOUDS", {"Gaussian": verdicts.CLOUDS["Gaussian"]})
    monkeypatch.setattr(verdicts, "SEPARATED", [(200, 2, 8.0, 0.5)])
    verdicts.main(["--out", str(tmp_path), "--draws", "2", "--n-jobs", "1"])
    written = pd.read_csv(tmp_path / "verdicts.csv")
    assert list(written["judged"].unique()) == ["k-means", "clusters", "islands"]
    counts = written.groupby("table", sort=False)["with a group"].agg(list).tolist()
    assert counts == [[0, 0, 0], [2, 2, 2]]
