import json
import re
from pathlib import Path

import pytest
from command_line import sgpmic

EXPERIMENTS = Path(__file__).parents[1] / "experiments"


def test_clusters_are_swept_and_the_table_is_on_stdout(here):
    result = sgpmic(
        "sweep-clusters --dataset iris --methods pca-fcm,ppca-fcm --values 1,2 --repeats 2 "
        "--n-jobs 1"
    )
    assert result.exit_code == 0
    assert "ACC on iris, 95 % of the variance" in result.stdout
    assert "88.67±0.00" in result.stdout
    assert re.search(r"\b8 .*computed.*\b0 reused.*sgpmic-out/sweep-clusters", result.stderr)
    written = {path.name for path in (here / "sgpmic-out" / "sweep-clusters").glob("[!.]*")}
    assert written == {"sweep.csv", "sweep.md", "sweep.json", "manifest.json", "runs"}


@pytest.mark.slow
def test_the_terminal_shows_failed_runs(here, monkeypatch):
    monkeypatch.syspath_prepend(EXPERIMENTS)
    study = "--dataset iris --methods toy_methods:Flaky --values 1 --repeats 6"
    result = sgpmic(f"sweep-clusters {study} --n-jobs 1")
    assert result.exit_code == 3
    printed = " ".join(result.stdout.split())
    failed = (
        r"Flaky on iris at n_clusters = 3: [1-5] of 6 runs failed: FloatingPointError: the bound"
    )
    assert re.search(failed, printed)


def test_inducing_points_are_swept_as_json(here):
    result = sgpmic(
        "sweep-inducing --dataset iris --values 1,3 --repeats 1 --json --quiet --n-jobs 1"
    )
    assert (result.exit_code, result.stderr) == (0, "")
    points = json.loads(result.stdout)["points"]
    assert [point["n_inducing"] for point in points] == [1, 3]
    assert all(point.keys() >= {"acc", "nmi", "seconds", "failed"} for point in points)


def test_a_dry_run_shows_the_parameter_and_writes_nothing(here):
    result = sgpmic("sweep-clusters --dataset iris --methods pca-fcm --dry-run")
    assert result.exit_code == 0
    assert "n_clusters" in result.stdout
    assert "149" in result.stdout
    assert "50 runs to compute, 0 stored" in result.stderr
    assert list(here.iterdir()) == []
