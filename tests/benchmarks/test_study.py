"""The study of labels: its data, its scores and its tables."""

import secrets

import numpy as np
import pandas as pd
import pytest

from benchmarks import study
from benchmarks.numbers import RESULTS
from benchmarks.shared import BUNDLED, sha256
from sgpmic_cli.data.registry import bundled_folder

FAST = ("GroupMap", "GroupMap, told", "k-means")


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


def test_a_suite_is_scored_and_resumed(folder, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(study, "METHODS", {name: study.METHODS[name] for name in FAST})
    out = tmp_path / "out"
    run = [str(folder), "--out", str(out), "--n-jobs", "1"]
    study.main(run)
    scores = pd.read_csv(out / "scores.csv")
    assert scores["ari"].tolist() == [1.0, 1.0, 1.0]
    files = [folder / f"toy/pairs.{part}.gz" for part in ("data", "labels0", "labels1")]
    assert (scores["sha256"] == sha256(*files)).all()
    assert "| k-means | 1.000 | 1.000 | 0.000 |" in capsys.readouterr().out
    monkeypatch.setattr(study, "METHODS", dict.fromkeys(FAST))  # would fail if called
    study.main(run)
    pd.testing.assert_frame_equal(pd.read_csv(out / "scores.csv"), scores)
    np.savetxt(files[2], np.repeat([1, 2, 3, 4], 20), fmt="%d")
    with pytest.raises(TypeError):
        study.main(run)  # scores of other labels do not count


def test_rivals_get_two_complete_encodings_of_texts_and_one_of_numbers(tmp_path):
    kind = np.repeat(["a", "b", "c"], 20)
    rows = np.random.RandomState(0).randn(60) + 9.0 * (kind == "b")
    table = pd.DataFrame({"text": kind, "x": rows, "y": kind})
    table.loc[3, "x"] = np.nan
    table.loc[4, ["x", "text"]] = np.nan  # no value at all
    table.to_csv(tmp_path / "one.csv", index=False)
    [labelled] = study.tables(tmp_path)
    assert labelled.sha256 == sha256(tmp_path / "one.csv")
    assert list(labelled.table) == ["text", "x"]
    found = study.encodings(labelled.table)
    assert all(np.isfinite(each).all() and each.shape == (60, 4) for each in found.values())
    assert set(np.unique(found["indicators"][:, 1:])) == {0.0, 1.0}
    # A text of three levels has the variance of one number over all of its levels.
    assert found["ours"].var(axis=0, ddof=1).sum() == pytest.approx(2.0)
    assert list(study.encodings(labelled.table[["x"]])) == ["indicators"]


def test_noise_of_a_labeling_is_not_scored_and_an_open_number_is_found_once(folder, monkeypatch):
    [labelled] = study.suite(folder)
    labels = labelled.labelings[1].copy()
    labels[labels == 0] = 4
    asked = []
    found = {"mixture by BIC": lambda _, k: asked.append(k) or labels, "k-means": lambda *_: labels}
    monkeypatch.setattr(study, "METHODS", found)
    for method in found:
        [(*_, ari)] = study.score(labelled, method)
        assert ari == 1.0
    assert asked == [0]


def test_noise_of_hdbscan_joins_the_nearest_cluster():
    random = np.random.RandomState(0)
    rows = np.vstack([random.randn(50, 2), random.randn(50, 2) + 20.0, [[7.0, 7.0]]])
    labels = study._hdbscan(rows, 100)
    assert labels.min() == 0
    assert labels[-1] == labels[0]


def test_sources_count_once_and_methods_have_their_better_encoding():
    scores = pd.DataFrame(
        [
            ("a/heart", "GroupMap", "ours", 0.5),
            ("b/heart_disease", "GroupMap", "ours", 0.7),
            ("b/other", "GroupMap", "ours", 0.4),
            ("a/heart", "HDBSCAN", "indicators", 0.9),
            ("b/heart_disease", "HDBSCAN", "indicators", 0.1),
            ("b/heart_disease", "HDBSCAN", "ours", 0.2),
            ("b/other", "HDBSCAN", "indicators", 0.41),
        ],
        columns=["set", "method", "encoding", "ari"],
    )
    table = study.by_source(scores)
    assert list(table) == [("GroupMap", "ours"), ("HDBSCAN", "ours")]
    assert list(table.index) == ["heart", "other"]
    found = study.compared(table).loc["HDBSCAN"]
    assert found["mean"] == pytest.approx((0.55 + 0.41) / 2)
    assert found["lead"] == pytest.approx((0.05 - 0.01) / 2)
    assert found["standard error"] == pytest.approx(0.03)
    assert found[["better", "equal", "worse"]].tolist() == [1, 1, 0]


@pytest.mark.parametrize("name", BUNDLED)
def test_committed_scores_are_those_of_the_bundled_files(name):
    scores = pd.read_csv(RESULTS / "study/scores.csv").set_index("set").loc[f"datasets/{name}"]
    assert set(scores["sha256"]) == {sha256(bundled_folder() / f"{name}.csv")}
    assert set(scores["method"]) == set(study.METHODS)


@pytest.mark.slow
def test_scores_of_a_random_bundled_table_are_the_committed_ones():
    name = secrets.choice(BUNDLED)
    [labelled] = study.tables(bundled_folder(), [name])
    scores = pd.read_csv(RESULTS / "study/scores.csv").set_index(["set", "method", "encoding"])
    for method in ("GroupMap", "GroupMap, told", "k-means by silhouette", "mixture", "Ward"):
        for place, _, *how, ari in study.score(labelled, method):
            assert scores.loc[(place, *how), "ari"] == pytest.approx(ari, abs=1e-4), name
