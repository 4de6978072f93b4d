"""The measures of the studies have known values on tiny data."""

import numpy as np
import pandas as pd
import pytest

from benchmarks import map_study, missing_values, new_rows, verdicts

CONFIDENCE = np.array([0.95, 0.95, 0.55, 0.55, 1.0])
RIGHT = np.array([True, True, True, False, True])


def test_calibration_error_and_area_have_their_definitions():
    bins = map_study.reliability(RIGHT, CONFIDENCE)
    assert bins[9].tolist() == pytest.approx([3, 2.9, 3])
    assert bins[5].tolist() == pytest.approx([2, 1.1, 1])
    assert bins.sum(axis=0).tolist() == pytest.approx([5, CONFIDENCE.sum(), 4])
    assert map_study.calibration_error(bins) == pytest.approx((0.1 + 0.1) / 5)
    assert map_study.area(RIGHT, CONFIDENCE) == pytest.approx(3.5 / 4)
    assert np.isnan(map_study.area(np.ones(5, dtype=bool), CONFIDENCE))


def test_thirty_percent_of_the_entries_are_hidden_and_no_row_is_empty():
    Y = np.arange(40_000.0).reshape(2000, 20)
    rows = missing_values.hide(Y, 0)
    assert np.isnan(rows).mean() == pytest.approx(missing_values.HIDDEN, abs=0.02)
    assert not np.isnan(missing_values.hide(Y[:, :1], 0)).any()
    assert np.array_equal(rows, missing_values.hide(Y, 0), equal_nan=True)
    assert not np.array_equal(rows, missing_values.hide(Y, 1), equal_nan=True)
    assert np.array_equal(rows[~np.isnan(rows)], Y[~np.isnan(rows)])


@pytest.mark.slow
def test_verdicts_are_counted_on_clouds_and_on_groups(tmp_path, monkeypatch):
    monkeypatch.setattr(verdicts, "CLOUDS", {"Gaussian": verdicts.CLOUDS["Gaussian"]})
    monkeypatch.setattr(verdicts, "SEPARATED", [(100, 2, 8.0, 0.5)])
    monkeypatch.setattr(verdicts, "ROWS", (100,))
    verdicts.main(["--out", str(tmp_path), "--draws", "2", "--n-jobs", "1"])
    written = pd.read_csv(tmp_path / "verdicts.csv", index_col="table")
    assert list(written) == ["number open", "number given"]
    assert written.to_numpy().tolist() == [[0, 0], [1, 1]]


def test_clusters_are_matched_and_large_errors_of_new_rows_are_counted():
    assert new_rows.matched(np.array([0, 0, 1, 2]), np.array([2, 2, 0, 1])).tolist() == [2, 0, 1]
    rows = pd.DataFrame({"method": "a", "error": [0.1, 0.3], "right": [0.5, 1.0], "class": 1.0})
    found = new_rows.summary(rows.assign(probability=1.0))
    assert found.loc["a", ["right", "error", "above 0.1"]].tolist() == [0.75, 0.2, 1]
