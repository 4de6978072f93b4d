import os

import pytest
from small_studies import planned_runs

from sgpmic_cli.benchmark.plan.methods import known
from sgpmic_cli.benchmark.run.one_run import Limits, compute


def _record(method, dataset="iris", variance=95, **limits):
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
def test_an_error_is_a_failed_record_with_its_reason(method, reason):
    record = _record(f"toy_methods:{method}")
    assert (record.status, record.reason, record.scores) == ("failed", reason, {})
    assert record.traceback.startswith("Traceback (most recent call last):\n")
    assert record.traceback.strip().endswith(reason)
    assert 'File "child_fit.py", line ' in record.traceback
    assert os.sep not in record.traceback  # files are named without their folders


def test_after_a_run_that_ends_its_process_the_others_are_computed():
    runs = planned_runs(["toy_methods:Deadly"], 4)
    records = list(compute(runs))
    assert [record.seed for record in records] == [run.seed for run in runs]
    assert [record.ok for record in records] == [run.seed % 2 == 0 for run in runs]
    failed = {record.reason for record in records if not record.ok}
    assert failed == {"its process ended with exit code 1"}


def test_a_limit_of_time_or_memory_is_a_failure_of_the_run():
    assert _record("toy_methods:Slow", seconds=0.001).reason == (
        "it took longer than the limit of 0.001 s"
    )
    assert _record("pca-fcm", seconds=60).scores == _record("pca-fcm").scores
    if os.path.exists("/proc/self/statm"):
        assert "MemoryError" in _record("isomap-fcm", "segment", bytes=1 << 24).reason


def test_warnings_of_a_fit_are_kept_in_its_record():
    record = _record("ppca-fcm", "cmc", 99)
    assert record.ok
    assert any("coincident centres" in text for text in record.warnings)


def test_losses_and_bounds_of_a_fit_are_kept_in_its_record():
    bound = _record("sgp-mic").trace["bound"]
    max_iter = known()["sgp-mic"].as_run["max_iter"]
    assert len(bound) == 2 * max_iter + 1  # an E and an M update per iteration, and the last E-step
    assert bound[-1] > bound[0]
    assert _record("pca-fcm").trace == {}
    assert _record("toy_methods:Chatty").trace == {"bound": [1.0, 2.0]}
