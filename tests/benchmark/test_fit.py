import os

import pytest
from small_studies import planned_runs

from sgpmic_cli.benchmark.fit import Limits, compute
from sgpmic_cli.benchmark.run import RunOptions, Store, execute


def _row(method, dataset="iris", variance=95, **limits):
    runs = planned_runs([method], 1, [dataset], [variance])
    return next(compute(runs, limits=Limits(**limits)))


@pytest.mark.parametrize(
    ("method", "reason"),
    [
        ("Short", "ValueError: fit_predict gave labels of shape (149,) for 150 rows."),
        ("Unnumbered", "ValueError: fit_predict gave labels that are not numbers."),
        ("Leaving", "SystemExit: 7"),
        ("Broken", "ValueError: no luck"),
    ],
)
def test_an_error_is_a_failed_row_with_its_reason(method, reason):
    row = _row(f"toy_methods:{method}")
    assert (row["status"], row["reason"], row["scores"]) == ("failed", reason, {})
    assert row["traceback"].startswith("Traceback (most recent call last):\n")
    assert row["traceback"].strip().endswith(reason)
    assert 'File "fit.py", line ' in row["traceback"]
    assert os.sep not in row["traceback"]  # files are named without their folders


def test_after_a_run_that_ends_its_process_the_others_are_computed():
    runs = planned_runs(["toy_methods:Deadly"], 4)
    rows = list(compute(runs))
    assert [row["seed"] for row in rows] == [run.seed for run in runs]
    assert [row["status"] == "ok" for row in rows] == [run.seed % 2 == 0 for run in runs]
    failed = {row["reason"] for row in rows if row["status"] == "failed"}
    assert failed == {"its process ended with exit code 1"}


def test_a_limit_of_time_or_memory_is_a_failure_of_the_run():
    assert _row("toy_methods:Slow", seconds=0.001)["reason"] == (
        "it took longer than the limit of 0.001 s"
    )
    assert _row("pca-fcm", seconds=60)["scores"] == _row("pca-fcm")["scores"]
    if os.path.exists("/proc/self/statm"):
        assert "MemoryError" in _row("toy_methods:Hungry", bytes=1 << 24)["reason"]


def test_warnings_of_a_fit_are_kept_in_its_row():
    row = _row("ppca-fcm", "cmc", 99)
    assert row["status"] == "ok"
    assert any("coincident centres" in text for text in row["warnings"])


def test_bounds_of_a_fit_are_kept_in_its_row():
    assert _row("pca-fcm")["trace"] == {}
    assert _row("toy_methods:Chatty")["trace"] == {"bound": [1.0, 2.0]}


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
