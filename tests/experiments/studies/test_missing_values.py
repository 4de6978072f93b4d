"""The study of missing values: the same holes for everybody, and findings that follow from the numbers."""

import numpy as np
import pytest

from sgpmic_cli.experiments.run.run_options import RunOptions
from sgpmic_cli.experiments.studies import missing_values
from sgpmic_cli.peers.hidden_entries import SHARE, WAYS, HiddenEntriesSGPMIC, hidden


def test_a_share_is_hidden_and_no_row_is_empty():
    Y = np.arange(4000.0).reshape(2000, 2)
    rows = hidden(Y, 0)
    assert np.isnan(rows).any(axis=1).mean() > SHARE
    assert not np.isnan(rows).all(axis=1).any()
    assert np.array_equal(rows, hidden(Y, 0), equal_nan=True)
    assert not np.array_equal(rows, hidden(Y, 1), equal_nan=True)
    assert np.array_equal(rows[~np.isnan(rows)], Y[~np.isnan(rows)])


def test_an_unknown_way_is_refused():
    with pytest.raises(ValueError, match="way must be one of full, model"):
        HiddenEntriesSGPMIC(2, way="mode").fit(np.eye(4))


@pytest.mark.slow
def test_the_study_runs_and_resumes_and_counts_who_is_ahead(tmp_path, monkeypatch):
    monkeypatch.setattr(missing_values, "TABLES", ("iris",))
    study = missing_values.missing_study(1, 0)
    first = missing_values.missing_values(study, RunOptions(n_jobs=1), out=tmp_path)
    assert {(way, pattern) for _, way, pattern, _ in first.rows()} == {(way, 0) for way in WAYS}
    means = first.means()["iris"]
    assert means["full"] > means["model"] > 100 / 3
    ahead = int(means["model"] > means["median"])
    assert f"cost {means['full'] - means['model']:.1f} points" in first.findings()
    assert f"medians on {ahead} of 1 sets" in first.findings()
    assert first.findings() in (tmp_path / "missing.md").read_text()
    again = missing_values.missing_values(study, RunOptions(n_jobs=1), out=tmp_path)
    assert (again.runs.computed, again.means()) == (0, first.means())
