import numpy as np
import pandas as pd
import pytest

from benchmarks import study, suite


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


def test_a_suite_is_scored_and_resumed(folder, tmp_path, monkeypatch):
    published = tmp_path / "published" / "Other" / "toy"
    published.mkdir(parents=True)
    wrong = pd.DataFrame({"Other_a": np.tile([1, 2], 40)})
    wrong.to_csv(published / "pairs.result2.gz", index=False)
    out = tmp_path / "out"
    monkeypatch.setattr(study, "ON_TABLES", suite.METHODS)
    run = [str(folder), "--out", str(out), "--n-jobs", "1", "--seeds", "1"]
    study.main([*run, "--published", str(published.parents[1])])
    text = (out / "findings.md").read_text(encoding="utf-8")
    assert "1 sets" in text
    rows = {line.split(" | ")[0].strip("| "): line for line in text.splitlines() if "|" in line}
    assert rows["toy/pairs"].count("1.000") == 2
    assert rows["Other"] == "| Other | 1 | 0 |"
    scores = (out / "scores.csv").read_text(encoding="utf-8")
    assert scores.count("toy/pairs,Other,") == 1
    monkeypatch.setattr(study, "ON_TABLES", dict.fromkeys(suite.METHODS))  # would fail if called
    study.main([*run, "--published", str(published.parents[1])])
    assert (out / "scores.csv").read_text(encoding="utf-8") == scores


def test_a_folder_of_tables_is_scored(tmp_path, monkeypatch, capsys):
    folder = tmp_path / "tables"
    folder.mkdir()
    random = np.random.RandomState(0)
    for name in ("one", "two"):
        kind = np.repeat(["a", "b"], 30)
        table = pd.DataFrame({"x": random.randn(60) + 9.0 * (kind == "b"), "text": kind, "y": kind})
        table.loc[3, "x"] = np.nan
        table.loc[4, ["x", "text"]] = np.nan  # no value at all
        table.to_csv(folder / f"{name}.csv", index=False)
    monkeypatch.setattr(study, "ON_TABLES", suite.METHODS)
    study.main([str(folder), "--out", str(tmp_path / "out"), "--n-jobs", "1", "--seeds", "1"])
    assert "| GroupMap | 0.967 | 0.000 | 0.000 | 0.000 |" in capsys.readouterr().out


def test_the_default_model_gets_the_table_itself(tmp_path):
    source, out = tmp_path / "tables", tmp_path / "sets"
    source.mkdir()
    kind = np.repeat(["a", "b", "c"], 20)
    table = pd.DataFrame({"text": kind, "x": np.random.RandomState(0).randn(60), "y": kind})
    table.to_csv(source / "one.csv", index=False)
    [path] = study.write_tables(source, out)
    seen = []

    class Spy(study.NumberOpen):
        def fit(self, X, y=None):
            seen.append(getattr(X, "columns", None))
            self.labels_ = np.zeros(len(X))
            return self

    for name in (suite.DEFAULT, suite.OPEN, "k-means"):
        suite.score(path, name, Spy, 0)
    assert [columns is not None for columns in seen] == [True, True, False]
    assert list(seen[0]) == ["text", "x"]


def test_noise_is_not_scored(folder):
    path = folder / "toy" / "pairs.data.gz"
    labels = suite.labelings(path)[1].copy()
    labels[labels == 0] = 4
    assert suite._best(path, {4: labels}) == (1.0, 0)
    labels[0] = 5  # the noise is a cluster of its own
    assert suite._best(path, {4: labels}) == (1.0, 1)
