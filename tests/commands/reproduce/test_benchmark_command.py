import io
import json
import os
import re
import resource
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from rich.console import Console
from small_studies import prepared, small_benchmark
from typer.testing import CliRunner

from sgpmic_cli.baselines.sdc import SDC
from sgpmic_cli.commands import app
from sgpmic_cli.commands.terminal.tables.benchmark_table import render
from sgpmic_cli.data import load

ROOT = Path(__file__).parents[3]
TOY = ROOT / "tests" / "experiments"
QUICK = ["--methods", "pca-fcm,ppca-fcm", "--repeats", "2", "--n-jobs", "1"]


@pytest.fixture
def run(tmp_path, monkeypatch):
    """The command in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(TOY)

    def call(*arguments):
        return CliRunner().invoke(app, ["benchmark", *arguments])

    return call


def test_json_is_one_document_of_the_promised_shape(run):
    result = run("--dataset", "iris", "--variance", "50,95", *QUICK, "--json")
    assert result.exit_code == 0
    document = json.loads(result.stdout)
    assert document["protocol"] == "as-run"
    assert len(document["cells"]) == 4
    for cell in document["cells"]:
        assert cell.keys() >= {
            "dataset",
            "variance",
            "q",
            "method",
            "repeats",
            "failed",
            "acc",
            "nmi",
            "ari",
        }
        assert cell.keys() >= {"acc_hungarian", "paper", "verdict", "seconds", "note"}
        for statistic in (
            cell["acc"],
            cell["nmi"],
            cell["ari"],
            cell["acc_hungarian"],
            *cell["paper"].values(),
        ):
            assert statistic.keys() == {"mean", "std"}
        assert cell["paper"].keys() == cell["verdict"].keys() == {"acc", "nmi"}
        assert (cell["repeats"], cell["failed"]) == (2, 0)
        assert cell["seconds"] > 0


def test_the_table_is_on_stdout_and_the_rest_on_stderr(run, tmp_path):
    result = run("--dataset", "iris", *QUICK)
    assert result.exit_code == 0
    assert "88.67±0.00" in result.stdout
    assert "exact: the two means are within 0.01" in result.stdout
    assert "\x1b" not in result.output
    assert re.search(r"\b4 .*computed.*\b0 reused.*sgpmic-out/benchmark", result.stderr)
    written = {path.name for path in (tmp_path / "sgpmic-out" / "benchmark").iterdir()}
    assert written == {
        "table.csv",
        "table.md",
        "table.tex",
        "table2.md",
        "table2.tex",
        "ari.md",
    } | {
        "summary.json",
        "summary.md",
        "benchmark.json",
        "manifest.json",
        "runs",
    }
    assert run("--dataset", "iris", *QUICK, "--quiet").stderr == ""


@pytest.mark.parametrize(
    ("arguments", "exit_code", "sentence"),
    [
        (["--dataset", "irs"], 2, "did you mean 'iris'?"),
        (["--dataset", "iris", "--methods", "pca"], 2, "did you mean 'pca-fcm'?"),
        (["--dataset", "iris", "--variance", "90"], 2, "valid: 50, 95, 99, all"),
        (["--dataset", "iris", "--protocol", "as-ran"], 2, "did you mean 'as-run'?"),
        (["--dataset", "iris", "--repeats", "0"], 2, "--repeats 0"),
        (["--dataset", "iris", "--n-jobs", "0"], 2, "--n-jobs 0"),
        (["--dataset", ","], 2, "no data set was named"),
        (["--dataset", "iris", "--methods", ","], 2, "no method was named"),
        (["--dataset", "iris", "--label", "y"], 2, "no CSV file is among"),
        (["--dataset", "none.csv"], 2, "none.csv"),
        (["--dataset", "plain.csv"], 2, "--label"),
        (["--dataset", "plain.csv", "--label", "bb"], 2, "did you mean 'b'?"),
        (["--dataset", "iris", "--out", "plain.csv"], 1, "cannot write into --out"),
        (["--dataset", "iris", "--store", "plain.csv"], 1, "cannot write into --store"),
        (
            ["--dataset", "yale", "--variance", "50", "--offline", "--data-dir", "none"],
            4,
            "yale is unavailable",
        ),
    ],
)
def test_bad_input_is_one_sentence_with_its_exit_code(
    run, tmp_path, monkeypatch, arguments, exit_code, sentence
):
    monkeypatch.delenv("SGPMIC_MIRROR", raising=False)
    (tmp_path / "plain.csv").write_text("a,b,c\n1,2,0\n2,3,1\n5,1,1\n")
    quick = [] if "--methods" in arguments else ["--methods", "pca-fcm"]
    result = run(*arguments, *quick)
    assert result.exit_code == exit_code
    assert result.stderr.startswith("sgpmic: ")
    assert sentence in result.stderr
    assert result.stderr.count("\n") == 1
    assert result.stdout == ""
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["plain.csv"]


def test_failures_end_with_3_after_the_table(run):
    result = run(
        "--dataset",
        "iris",
        "--methods",
        "toy_methods:Broken,pca-fcm",
        "--repeats",
        "2",
        "--n-jobs",
        "1",
    )
    assert result.exit_code == 3
    assert "88.67±0.00" in result.stdout
    assert "no luck" in result.stdout
    assert result.stderr.endswith(
        "sgpmic: 2 of 4 runs failed; the notes say why, and --retry-failed runs them again.\n"
    )


def test_unavailable_data_beside_others_is_no_failure(run, monkeypatch):
    monkeypatch.delenv("SGPMIC_MIRROR", raising=False)
    result = run(
        "--dataset", "iris,yale", "--variance", "50", *QUICK, "--offline", "--data-dir", "none"
    )
    assert result.exit_code == 0
    assert "unavailable" in result.stdout


def test_dry_run_counts_and_writes_nothing(run, tmp_path):
    result = run("--dataset", "wdbc", "--variance", "all", *QUICK, "--dry-run")
    assert result.exit_code == 0
    assert (
        "8 runs to compute, 0 at hand" in result.stderr
    )  # Q = 1, 1, 2: two experiments of two methods
    assert list(tmp_path.iterdir()) == []
    run("--dataset", "wdbc", *QUICK)
    document = json.loads(
        run("--dataset", "wdbc", "--variance", "all", *QUICK, "--dry-run", "--json").stdout
    )
    assert (document["to_run"], document["at_hand"]) == (4, 4)


@pytest.mark.skipif(os.name != "posix", reason="limits of POSIX")
@pytest.mark.slow
def test_a_disk_that_fills_up_is_one_sentence_and_leaves_nothing_half_written(tmp_path):
    def no_room():
        resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64))

    command = [
        sys.executable,
        "-m",
        "sgpmic_cli",
        "benchmark",
        "--dataset",
        "iris",
        *QUICK,
        "--out",
        str(tmp_path),
    ]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, preexec_fn=no_room)
    assert done.returncode == 1
    assert done.stderr.startswith("sgpmic: cannot write")
    assert done.stderr.count("\n") == 1
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == []


@pytest.mark.parametrize("datasets", [["iris"], ["iris", "wine"]], ids=["one", "two"])
@pytest.mark.slow
def test_tables_fit_the_terminal(tmp_path, datasets, monkeypatch):
    monkeypatch.syspath_prepend(TOY)
    methods = [
        "pca-fcm",
        "ppca-fcm",
        "isomap-fcm",
        "dec",
        "toy_methods:Broken",
        "toy_methods:Flaky",
    ]
    finished = small_benchmark(datasets, [95], methods, out=tmp_path, repeats=3)
    for width in (80, 100, 140):
        console = Console(width=width, record=True, file=io.StringIO())
        for part in render(finished.results, console):
            console.print(part)
        text = console.export_text()
        assert max(len(line.rstrip()) for line in text.splitlines()) <= width
        for result in finished.results:
            if result.ours["acc"].mean is not None:
                assert f"{result.ours['acc'].mean:.2f}±" in text
        assert "…" not in text


def test_best_of_the_row_is_bold_and_verdicts_are_coloured(tmp_path):
    finished = small_benchmark(["iris"], [95], ["pca-fcm", "ppca-fcm"], out=tmp_path, repeats=1)
    console = Console(
        width=140, force_terminal=True, record=True, file=io.StringIO(), color_system="standard"
    )
    for part in render(finished.results, console):
        console.print(part)
    text = console.export_text(styles=True)
    assert "\x1b[1m88.67±0.00\x1b[0m" in text
    assert "\x1b[1m76.00±0.00\x1b[0m" not in text
    assert "\x1b[1;32mexact\x1b[0m" in text


def test_a_table_at_hand_is_drawn_without_importing_its_methods(tmp_path):
    arguments = ["benchmark", "--dataset", "iris", *QUICK, "--out", str(tmp_path), "--quiet"]
    imports = (
        "import sys\nfrom typer.testing import CliRunner\nfrom sgpmic_cli.commands import app\n"
    )
    heavy = ("sklearn", "joblib", "scipy.stats")
    code = f"{imports}CliRunner().invoke(app, {arguments})\nprint(*(name in sys.modules for name in {heavy}))"
    loaded = [
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True
        ).stdout
        for _ in range(2)
    ]
    assert loaded == ["True True True\n", "False False False\n"]


def test_trace_writes_the_curves_of_every_run_also_of_those_that_are_reused(run, tmp_path):
    arguments = [
        "--dataset",
        "iris",
        "--methods",
        "sdc,pca-fcm",
        "--repeats",
        "2",
        "--n-jobs",
        "1",
        "--trace",
    ]
    assert run(*arguments).exit_code == 0
    path = tmp_path / "sgpmic-out" / "benchmark" / "trace.csv"
    first = path.read_bytes()
    trace = pd.read_csv(path)
    assert trace["method"].unique().tolist() == ["sdc"]  # fuzzy c-means after PCA watches nothing
    assert sorted(trace["repeat"].unique()) == [0, 1]
    data = load("iris")
    run_of_zero = next(
        run for run in prepared(["iris"], [95], ["sdc"], store=tmp_path).runs if run.repeat == 0
    )
    model = SDC(**run_of_zero.arguments()).fit(data.Y)
    own = trace[trace["repeat"] == 0]
    assert own["value"].tolist() == model.loss_curve_
    assert own["step"].tolist() == list(range(1, len(model.loss_curve_) + 1))
    path.unlink()
    assert "0 runs computed, 4 reused" in run(*arguments).stderr
    assert path.read_bytes() == first
