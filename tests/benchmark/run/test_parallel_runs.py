import pytest
from small_studies import planned_runs

from sgpmic_cli.benchmark.run.running import RunOptions, execute
from sgpmic_cli.benchmark.run.store import Store


def test_workers_give_the_same_scores_as_this_process(tmp_path):
    runs = planned_runs(["pca-fcm", "isomap-fcm", "toy_methods:Flaky"], 3)
    here = execute(runs, Store(tmp_path / "here"), RunOptions(n_jobs=1))
    there = execute(runs, Store(tmp_path / "there"), RunOptions(n_jobs=2))
    assert len(here) == len(there) == 9
    for run in runs:
        for name in ("scores", "reason"):
            assert here[run.key][name] == there[run.key][name]
        assert Store(tmp_path / "there").read(run.key) == there[run.key]


@pytest.mark.slow
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_linear_algebra_has_one_thread(tmp_path, n_jobs):
    runs = planned_runs(["toy_methods:Threads"], 2)
    rows = execute(runs, Store(tmp_path), RunOptions(n_jobs=n_jobs))
    assert [row["reason"] for row in rows.values()] == [""] * 2
