import pytest
from small_studies import planned_runs

from sgpmic_cli.benchmark.run import runner
from sgpmic_cli.benchmark.run.records import Store


def test_workers_give_the_same_scores_as_this_process(tmp_path):
    runs = planned_runs(["pca-fcm", "isomap-fcm", "toy_methods:Flaky"], 3)
    here = runner.execute(runs, Store(tmp_path / "here"), n_jobs=1)
    there = runner.execute(runs, Store(tmp_path / "there"), n_jobs=2)
    assert len(here) == len(there) == 9
    for run in runs:
        assert here[run.key].scores == there[run.key].scores
        assert here[run.key].reason == there[run.key].reason
        assert Store(tmp_path / "there").read(run.key) == there[run.key]


@pytest.mark.slow
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_linear_algebra_has_one_thread(tmp_path, n_jobs):
    runs = planned_runs(["toy_methods:Threads"], 2)
    records = runner.execute(runs, Store(tmp_path), n_jobs=n_jobs)
    assert [record.reason for record in records.values()] == [""] * 2
