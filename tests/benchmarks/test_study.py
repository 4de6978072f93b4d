"""The study of labels: its data, its scores and its tables."""

import numpy as np
import pandas as pd
import pytest

from benchmarks import study
from benchmarks.shared import sha256

FAST = ("GroupMap", "k-means", "Gaussian mixture")


@pytest.fixture
def folder(tmp_path):
    """Return a suite of one set with two labelings; the second one has noise."""
    random = np.random.RandomState(0)
    battery = tmp_path / "suite" / "toy"
    battery.mkdir(parents=True)
    two, four = np.repeat([1, 2], 40), np.repeat([1, 2, 3, 4], 20)
    rows = random.randn(80, 2) + 9.0 * np.array([[0, 0], [0, 1], [4, 0], [4, 1]])[four - 1]
    four[0] = 0
    np.savetxt(battery / "pairs.data.gz", rows)
    np.savetxt(battery / "pairs.labels0.gz", two, fmt="%d")
    np.savetxt(battery / "pairs.labels1.gz", four, fmt="%d")
    return battery.parent


@pytest.fixture
def fast(monkeypatch):
    monkeypatch.setattr(study, "METHODS", {name: study.METHODS[name] for name in FAST})


def test_a_suite_is_scored_and_resumed(folder, tmp_path, fast, monkeypatch):
    out = tmp_path / "out"
    run = [str(folder), "--out", str(out), "--n-jobs", "1", "--seeds", "1"]
    study.main(run)
    text = (out / "findings.md").read_text(encoding="utf-8")
    assert "1 sets" in text
    rows = {line.split(" | ")[0].strip("| "): line for line in text.splitlines() if "|" in line}
    assert rows["toy/pairs"].count("1.000") == 3
    scores = pd.read_csv(out / "scores.csv")
    assert (scores["sha256"] == sha256(folder / "toy/pairs.data.gz")).all()
    monkeypatch.setattr(study, "METHODS", dict.fromkeys(FAST))  # would fail if called
    study.main(run)
    pd.testing.assert_frame_equal(pd.read_csv(out / "scores.csv"), scores)
    np.savetxt(folder / "toy" / "pairs.data.gz", np.eye(80))
    with pytest.raises(TypeError):
        study.main(run)  # scores of other rows do not count


def test_the_default_model_gets_the_table_itself_and_the_others_numbers(tmp_path):
    kind = np.repeat(["a", "b", "c"], 20)
    rows = np.random.RandomState(0).randn(60) + 9.0 * (kind == "b")
    table = pd.DataFrame({"text": kind, "x": rows, "y": kind})
    table.loc[3, "x"] = np.nan
    table.loc[4, ["x", "text"]] = np.nan  # no value at all
    table.to_csv(tmp_path / "one.csv", index=False)
    [labelled] = study.tables(tmp_path)
    assert labelled.sha256 == sha256(tmp_path / "one.csv")
    assert list(labelled.table) == ["text", "x"]
    assert labelled.table.isna().any(axis=None)
    assert not np.isnan(labelled.rows).any()


def test_noise_is_not_scored(folder):
    [labelled] = study.suite(folder)
    labels = labelled.labelings[1].copy()
    labels[labels == 0] = 4
    assert study.best(labelled._replace(labelings=labelled.labelings[1:]), {4: labels}) == 1.0
