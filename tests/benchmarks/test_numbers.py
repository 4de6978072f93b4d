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


def test_the_lead_is_that_over_the_best_other_method_of_the_row(results, monkeypatch):
    monkeypatch.setattr(numbers, "COMPARED", {"tables": ("study", ("tables",))})
    ari = {
        "GroupMap": (0.9, 0.5),
        "k-means": (0.5, 0.5),
        "Ward": (1.0, 0.1),
        "paper's model": (1, 1),
    }
    rows = [("clouds/c", "GroupMap", 0, 0.0)] + [
        (f"tables/{name}", method, 0, scores[number])
        for method, scores in ari.items()
        for number, name in enumerate("ab")
    ]
    (results / "study").mkdir()
    frame = pd.DataFrame(rows, columns=["set", "method", "seed", "ari"])
    frame.to_csv(results / "study/scores.csv", index=False)
    (line,) = numbers.comparison().splitlines()[2:]
    # Ward has the largest mean of the others, 0.55. The differences are -0.1 and 0.4.
    assert line.startswith("| tables | 2 | 0.70 |  | 0.50 |  |  | 0.55 |")
    assert line.endswith("| +0.15 (0.25) |")
    # The best of each table is Ward (1.0), then k-means (0.5).
    assert numbers.beside_best() == (
        "0.05 below on average (standard error 0.05), lower by more than 0.02 on 1 of 2 tables "
        "and higher on 0"
    )


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
