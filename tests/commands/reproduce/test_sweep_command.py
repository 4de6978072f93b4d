import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from sgpmic_cli.commands import app


@pytest.fixture
def run(tmp_path, monkeypatch):
    """A command in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    return lambda *arguments: CliRunner().invoke(app, [*arguments, "--n-jobs", "1"])


def test_clusters_are_swept_and_the_table_is_on_stdout(run, tmp_path):
    result = run(
        "sweep-clusters",
        "--dataset",
        "iris",
        "--methods",
        "pca-fcm,ppca-fcm",
        "--values",
        "1,2",
        "--repeats",
        "2",
    )
    assert result.exit_code == 0
    assert "ACC on iris, 95 % of the variance" in result.stdout
    assert "88.67±0.00" in result.stdout
    assert re.search(r"\b8 .*computed.*\b0 reused.*sgpmic-out/sweep-clusters", result.stderr)
    written = {path.name for path in (tmp_path / "sgpmic-out" / "sweep-clusters").iterdir()}
    assert written == {"sweep.csv", "sweep.md", "sweep.json", "manifest.json", "runs"}


@pytest.mark.slow
def test_the_terminal_says_what_the_labels_chose_and_how_many_runs_failed(run, monkeypatch):
    monkeypatch.syspath_prepend(Path(__file__).parents[2] / "experiments")
    methods = "aml-tuned,toy_methods:Flaky"
    result = run(
        "sweep-clusters",
        "--dataset",
        "iris",
        "--methods",
        methods,
        "--values",
        "1",
        "--repeats",
        "6",
    )
    assert result.exit_code == 3
    said = " ".join(result.stdout.split())
    assert "aml-tuned on iris at n_clusters = 3: The labels chose lam = " in said
    assert re.search(
        r"Flaky on iris at n_clusters = 3: [1-5] of 6 runs failed: FloatingPointError: the bound",
        said,
    )


def test_inducing_points_are_swept_as_json(run):
    result = run(
        "sweep-inducing",
        "--dataset",
        "iris",
        "--values",
        "1,3",
        "--repeats",
        "1",
        "--json",
        "--quiet",
    )
    assert (result.exit_code, result.stderr) == (0, "")
    points = json.loads(result.stdout)["points"]
    assert [point["n_inducing"] for point in points] == [1, 3]
    assert all(point.keys() >= {"acc", "nmi", "seconds", "failed"} for point in points)


def test_a_dry_run_shows_what_is_varied_and_writes_nothing(run, tmp_path):
    result = run("sweep-clusters", "--dataset", "iris", "--methods", "pca-fcm", "--dry-run")
    assert result.exit_code == 0
    assert "n_clusters" in result.stdout
    assert "149" in result.stdout
    assert "50 runs to compute, 0 at hand" in result.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--values", "two"], "cannot try 'two'"),
        (["--variance", "90"], "valid: 50, 95, 99"),
        (["--methods", "pca"], "did you mean 'pca-fcm'?"),
        (["--backend", "dask"], "add --scheduler"),
        (["--n-jobs", "0"], "--n-jobs 0"),
    ],
)
def test_bad_input_is_one_sentence(tmp_path, monkeypatch, arguments, sentence):
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(app, ["sweep-clusters", "--dataset", "iris", *arguments])
    assert result.exit_code == 2
    assert sentence in result.stderr
    assert result.stderr.count("\n") == 1
    assert list(tmp_path.rglob("*.json")) == []
