import numpy as np
import pytest
from small_studies import SUITE, small_frame

from sgpmic_cli.benchmark.run import RunOptions, Store, run_study
from sgpmic_cli.errors import SgpmicError


@pytest.mark.parametrize(
    ("method", "reason"),
    [
        ("Short", "ValueError: fit_predict gave labels of shape (149,) for 150 rows."),
        ("Unnumbered", "ValueError: fit_predict gave labels that are not numbers."),
        ("Leaving", "SystemExit: 7"),
        ("Broken", "ValueError: no luck"),
        ("Writes", "ValueError: assignment destination is read-only"),
    ],
)
def test_an_error_is_a_failed_run_with_its_reason(tmp_path, method, reason):
    (row,) = small_frame([f"toy_methods:{method}"], tmp_path)
    assert (row["status"], row["reason"]) == ("failed", reason)
    assert np.isnan(row["acc"])


def test_what_a_method_prints_is_not_on_stdout(tmp_path, capsys):
    (row,) = small_frame(["toy_methods:Prints"], tmp_path)
    assert row["status"] == "ok"
    assert capsys.readouterr().out == ""


def test_warnings_of_a_fit_are_kept_in_its_row(tmp_path):
    (row,) = small_frame(["ppca-fcm"], tmp_path, ["cmc"], [99])
    assert row["status"] == "ok"
    assert any("coincident centres" in text for text in row["warnings"])


@pytest.mark.slow
def test_workers_give_the_same_scores_as_this_process(tmp_path):
    methods = ["pca-fcm", "isomap-fcm", "toy_methods:Flaky", "toy_methods:Threads"]
    here = small_frame(methods, tmp_path / "here", repeats=3)
    there = small_frame(methods, tmp_path / "there", repeats=3, n_jobs=2)
    assert len(here) == len(there) == 12
    for one, other in zip(here, there, strict=True):
        for name in ("key", "reason", "acc", "nmi", "ari"):
            assert one[name] == other[name] or np.isnan(one[name])
    assert {row["reason"] for row in here if row["method"] == "toy_methods:Threads"} == {""}
    assert Store(tmp_path / "there").read().keys() == {row["key"] for row in there}


@pytest.mark.slow
def test_a_method_that_kills_its_worker_ends_with_one_sentence(tmp_path):
    study = SUITE.study(["iris"], ["pca-fcm", "toy_methods:Killed"], repeats=2)
    with pytest.raises(SgpmicError, match="a worker process died"):
        run_study(study, RunOptions(tmp_path, 2))


def test_the_store_keeps_whole_lines_and_the_last_run_of_a_key(tmp_path):
    (row,) = small_frame(["pca-fcm"], tmp_path)
    store = Store(tmp_path)
    line = store.path.read_bytes().strip()
    for damage in (b"\xff", b"null", b'{"key": 1}', b"[" * 100, line[:100]):
        with store.path.open("ab") as file:
            file.write(b"\n" + damage)
    with store.path.open("ab") as file:
        file.write(b"\n" + line[:50])  # of a killed process
    assert store.read().keys() == {row["key"]}
    (again,) = small_frame(["pca-fcm"], tmp_path, force=True)
    assert store.read()[row["key"]]["seconds"] == again["seconds"] != row["seconds"]
