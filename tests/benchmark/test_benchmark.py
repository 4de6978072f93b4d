import json

import pytest
from small_studies import small_benchmark

from sgpmic_cli.benchmark.compare import METRICS
from sgpmic_cli.errors import DataUnavailable

# Cells that equal the printed ones to the second decimal, in ACC and NMI, by data set and method.
ALL = (50, 95, 99)
EXACT = {
    "iris": {"pca-fcm": ALL, "ppca-fcm": (50, 95)},
    "wine": {"pca-fcm": ALL, "isomap-fcm": ALL, "ppca-fcm": (50, 99)},
    "sonar": {"pca-fcm": ALL, "isomap-fcm": (50,), "ppca-fcm": (50,)},
    "wdbc": {"pca-fcm": ALL, "isomap-fcm": ALL, "ppca-fcm": ALL},
    "bc": {"pca-fcm": ALL, "isomap-fcm": (50, 95), "ppca-fcm": (50, 95)},
}
FLAKY = ["toy_methods:Flaky"]


def _acc(folder):
    """Return the row of ACC of each cell in the document."""
    rows = json.loads((folder / "benchmark.json").read_text())["numbers"]
    return [row for row in rows if row["metric"] == "acc"]


def _table(folder):
    return (folder / "table.csv").read_bytes()


def test_the_printed_numbers_are_reproduced_to_the_second_decimal(tmp_path):
    columns = ["pca-fcm", "isomap-fcm", "ppca-fcm"]
    _, table = small_benchmark(list(EXACT), ["all"], columns, out=tmp_path, repeats=3)
    expected = {
        (dataset, variance, method)
        for dataset, by_method in EXACT.items()
        for method, variances in by_method.items()
        for variance in variances
    }
    cells = table[table["metric"].isin(METRICS)].groupby(
        ["dataset", "explained_variance", "method"]
    )
    exact = {place for place, cell in cells if set(cell["verdict"]) == {"exact"}}
    assert expected <= exact


def test_a_second_call_computes_only_what_is_missing(tmp_path):
    first, _ = small_benchmark(["iris"], [50, 95], ["pca-fcm"], out=tmp_path, repeats=3)
    before = _table(tmp_path)
    second, _ = small_benchmark(["iris"], [50, 95], ["pca-fcm"], out=tmp_path, repeats=3)
    assert (first.computed, first.reused) == (6, 0)
    assert (second.computed, second.reused) == (0, 6)
    assert _table(tmp_path) == before
    store = tmp_path / "runs" / "runs.jsonl"
    store.write_bytes(store.read_bytes()[:-100])  # the last line is torn
    mended, _ = small_benchmark(["iris"], [50, 95], ["pca-fcm"], out=tmp_path, repeats=3)
    assert (mended.computed, _table(tmp_path)) == (1, before)
    more, _ = small_benchmark(["iris"], [95], ["pca-fcm", "ppca-fcm"], out=tmp_path, repeats=4)
    assert (more.computed, more.reused) == (5, 3)
    forced, _ = small_benchmark(["iris"], [95], ["pca-fcm"], out=tmp_path, repeats=3, force=True)
    assert forced.computed == 3


@pytest.mark.slow
def test_the_mean_is_over_the_successes_and_failures_are_retried_on_request(tmp_path, monkeypatch):
    first, _ = small_benchmark(["iris"], [95], FLAKY, out=tmp_path, repeats=12)
    (cell,) = _acc(tmp_path)
    failed = first.failed
    assert 0 < cell["failed"] == failed < cell["repeats"] == 12
    assert cell["mean"] > 33.3  # a failed run does not count as zero
    assert cell["verdict"] == "alone"
    reason = "FloatingPointError: the bound is not finite"
    assert f"{failed} of 12 runs failed: {reason}" in cell["note"]
    monkeypatch.setenv("TOY_MENDED", "1")
    assert small_benchmark(["iris"], [95], FLAKY, out=tmp_path, repeats=12)[0].failed == failed
    mended, _ = small_benchmark(["iris"], [95], FLAKY, out=tmp_path, repeats=12, retry_failed=True)
    assert (mended.failed, mended.computed) == (0, failed)


def test_unavailable_data_are_marked_and_the_rest_runs(tmp_path):
    where = {"out": tmp_path, "repeats": 1}
    small_benchmark(["iris", "yale"], [50], ["pca-fcm"], **where)
    iris, yale = _acc(tmp_path)
    assert iris["verdict"] == "exact"
    assert yale["verdict"] == "unavailable"
    assert (yale["q"], yale["repeats"]) == (3, 0)
    assert "yale is unavailable" in yale["note"]
    with pytest.raises(DataUnavailable, match="yale is unavailable"):
        small_benchmark(["yale"], [50], ["pca-fcm"], **where)


def test_the_manifest_describes_how_the_tables_were_computed(tmp_path):
    small_benchmark(["iris"], [95], ["pca-fcm"], out=tmp_path, repeats=1)
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    assert manifest["arguments"]["datasets"] == ["iris"]
    assert manifest.keys() >= {"versions", "blas", "cpu", "commit", "data"}
    assert manifest["runs"] == {"computed": 1, "reused": 0, "failed": 0}
    seconds = manifest["seconds_of_all_runs"]
    small_benchmark(["iris"], [95], ["pca-fcm"], out=tmp_path, repeats=1)
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    assert manifest["runs"] == {"computed": 0, "reused": 1, "failed": 0}
    assert manifest["seconds_of_all_runs"] == seconds
