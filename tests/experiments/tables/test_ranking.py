from dataclasses import replace

import pytest
from small_studies import small_benchmark

from sgpmic_cli.experiments.compare.paper import Stat
from sgpmic_cli.experiments.tables.result_tables import ranking


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    out = tmp_path_factory.mktemp("ranked")
    columns = ["pca-fcm", "k-means", "ward"]
    return small_benchmark(["iris", "wine"], [95], columns, out=out, repeats=1).results


def with_scores(results, scores):
    return [
        replace(
            result, ours={**result.ours, "ari": Stat(scores[result.dataset][result.method], 0.0)}
        )
        for result in results
    ]


def test_means_and_ranks_are_computed_over_data_sets(results):
    made_up = {
        "iris": {"pca-fcm": 50.0, "k-means": 70.0, "ward": 70.0},
        "wine": {"pca-fcm": 90.0, "k-means": 20.0, "ward": 10.0},
    }
    _, rows, verdict = ranking(with_scores(results, made_up))
    assert rows[-2] == ["mean", "70.00", "45.00", "40.00"]
    assert rows[-1] == ["mean rank", "2.00", "1.75", "2.25"]
    assert "over 2 data sets" in verdict


def test_a_method_without_a_number_has_no_mean(results):
    made_up = {
        "iris": {"pca-fcm": 50.0, "k-means": 70.0, "ward": None},
        "wine": {"pca-fcm": 90.0, "k-means": 20.0, "ward": 10.0},
    }
    _, rows, _ = ranking(with_scores(results, made_up))
    assert rows[-2] == ["mean", "70.00", "45.00", "–"]
    assert rows[-1] == ["mean rank", "1.50", "1.50", "–"]
