"""Values of the marks in the documents."""

import pandas as pd
import pytest

from benchmarks import numbers


@pytest.fixture
def results(tmp_path, monkeypatch):
    """Return an empty folder of results."""
    monkeypatch.setattr(numbers, "RESULTS", tmp_path)
    monkeypatch.setattr(numbers, "read", numbers.read.__wrapped__)
    return tmp_path


def test_the_conclusion_names_methods_beyond_two_standard_errors(results, monkeypatch):
    monkeypatch.setattr(numbers, "KINDS", {"numbers": ("study",)})
    ari = {
        "GroupMap": (0.9, 0.5, 0.7),
        "HDBSCAN": (0.5, 0.2, 0.3),
        "HDBSCAN on t-SNE": (0.9, 0.4, 0.9),
        "HDBSCAN on UMAP": (1.0, 0.6, 0.8),
        "GroupMap, told": (1.0, 1.0, 1.0),
        "Ward": (0.0, 0.0, 0.0),
    }
    rows = [("clouds/c", "GroupMap", "ours", 0.0)] + [
        (f"tables/{name}", method, "ours", scores[number])
        for method, scores in ari.items()
        for number, name in enumerate("abc")
    ]
    (results / "study").mkdir()
    frame = pd.DataFrame(rows, columns=["set", "method", "encoding", "ari"])
    frame.to_csv(results / "study/scores.csv", index=False)
    assert numbers.conclusion("numbers") == (
        "ahead of HDBSCAN; behind HDBSCAN on UMAP; not told apart from HDBSCAN on t-SNE"
    )
    assert numbers.study_sets("numbers") == "3 sets from 3 sources"
    assert "| Ward | +1.00 (0.00) 3/0/0 |" in numbers.study_table("differences")
    assert "| HDBSCAN | 0.33, 0.30 |" in numbers.study_table("scores")


def test_the_best_method_of_a_data_set_counts_and_lower_errors_are_better(results):
    (results / "study").mkdir()
    (results / "study/map.csv").write_text(
        "dataset,seed,measure,method,value\n"
        "iris,0,ece,GroupMap,0.1\niris,0,ece,Gaussian mixture,0.3\n"
        "wine,0,ece,GroupMap,0.2\nwine,0,ece,Gaussian mixture,0.2\n"
    )
    lines = numbers.value("map-means ece").split("\n")
    assert "| GroupMap | 0.15 (2) |" in lines
    assert "| Gaussian mixture | 0.25 (1) |" in lines
