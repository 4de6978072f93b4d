import pandas as pd
import pytest
from small_studies import small_benchmark

from sgpmic_cli.benchmark.compare import distinct, summary, wins
from sgpmic_cli.benchmark.tables import methods_table

METHODS = ["pca-fcm", "ppca-fcm", "aml", "dec", "toy_methods:Broken"]


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    folder = tmp_path_factory.mktemp("summary")
    return small_benchmark(["iris"], ["all"], METHODS, out=folder, repeats=2)[1]


def test_every_printed_cell_is_counted_once(results):
    content = summary(results)
    # Four methods of the paper, three rows, two metrics. DEC has no number at Q = 1.
    assert content["compared"] == sum(content["verdicts"].values()) == 4 * 3 * 2 - 2
    for key in ("by_method", "by_dataset"):
        assert sum(sum(counts.values()) for counts in content[key].values()) == content["compared"]
    assert content["by_method"]["pca-fcm"] == {"exact": 6}
    assert content["within_one_point"] >= content["verdicts"]["exact"]
    ways = [content["verdicts"].get(f"differs {way}", 0) for way in ("up", "down")]
    assert content["differ"] == sum(ways)
    assert content["fitted_to_print"] == ["aml", "dec"]


def test_ties_count_as_wins_for_each_method():
    means = {"a": 79.411, "b": 79.409, "c": 79.0, "failed": None}
    row = {"metric": "acc", "dataset": "d", "data": "", "explained_variance": 95, "q": 2}
    table = pd.DataFrame({**row, "n_clusters": 3, "method": m, "mean": x} for m, x in means.items())
    assert wins(table, "acc") == {"a": 1, "b": 1, "c": 0, "failed": 0}


def test_rows_of_equal_data_and_equal_q_count_once(tmp_path):
    _, table = small_benchmark(
        ["wdbc", "iris"], ["all"], ["pca-fcm", "ppca-fcm"], out=tmp_path, repeats=1
    )
    acc = table[(table["method"] == "pca-fcm") & (table["metric"] == "acc")]
    assert acc["q"].tolist() == [1, 1, 2, 1, 2, 3]
    content = summary(table)
    assert (content["compared"], content["distinct"], content["rows"]) == (24, 20, 5)
    kept = distinct(acc)[["dataset", "explained_variance"]].to_numpy().tolist()
    assert ["wdbc", 50] in kept
    assert ["wdbc", 95] not in kept
    assert sum(wins(table, "acc").values()) >= 5


def test_methods_are_ranked_by_their_mean_over_all_rows():
    means = {"a": [60.0, 55.0, 80.0], "b": [70.0, 90.0, 80.0], "c": [50.0, None, 40.0]}
    how = {"metric": "ari", "explained_variance": 95}
    table = pd.DataFrame(
        {**how, "dataset": f"d{i}", "method": name, "mean": mean, "verdict": verdict}
        for name, numbers in means.items()
        for i, (mean, verdict) in enumerate(zip(numbers, ("tied", "best", "best"), strict=True))
    )
    head, rows = methods_table(table)
    assert head == ["method", "mean ARI", "best", "tied", "lower"]
    assert rows == [["b", "80.00", "2", "1", "0"], ["a", "65.00", "2", "1", "0"]]
