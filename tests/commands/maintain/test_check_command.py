import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from sgpmic_cli.commands import app
from sgpmic_cli.experiments.plan import methods

ROOT = Path(__file__).parents[3]
SUBSET = ["--dataset", "iris", "--methods", "pca-fcm,ppca-fcm", "--n-jobs", "1"]


def _check(*arguments):
    return CliRunner().invoke(app, ["check", *SUBSET, *arguments])


@pytest.fixture(scope="module")
def reference(tmp_path_factory):
    path = tmp_path_factory.mktemp("reference") / "reference.json"
    assert _check("--reference", str(path), "--update", "--repeats", "3").exit_code == 0
    return path


def _edited(reference, folder, change):
    content = json.loads(reference.read_text())
    change(content["cells"][0])
    path = folder / "edited.json"
    path.write_text(json.dumps(content))
    return path


def test_unchanged_numbers_pass(reference):
    result = _check("--reference", str(reference))
    assert result.exit_code == 0
    assert re.fullmatch(r"nothing is worse than .* allows; \d+ s\n", result.stderr)
    assert result.stdout == "12 numbers: 12 same\n"


def test_a_number_that_fell_is_shown_and_fails(reference, tmp_path):
    path = _edited(reference, tmp_path, lambda cell: cell.update(acc=[99.0, 99.0, 99.0]))
    result = _check("--reference", str(path))
    assert result.exit_code == 1
    assert "differs down" in result.stdout
    assert "-7.67" in result.stdout
    assert "1 of 12" in result.stderr
    assert result.stderr.count("\n") == 1


def test_a_number_that_rose_is_shown_and_passes(reference, tmp_path):
    path = _edited(reference, tmp_path, lambda cell: cell.update(acc=[80.0, 80.0, 80.0]))
    result = _check("--reference", str(path), "--json")
    assert result.exit_code == 0
    document = json.loads(result.stdout)
    assert document["counts"] == {"same": 11, "differs up": 1}
    (moved,) = [change for change in document["changes"] if change["state"] == "differs up"]
    assert (moved["metric"], round(moved["difference"], 2)) == ("acc", 11.33)


def test_a_missing_cell_fails(reference, tmp_path):
    path = _edited(reference, tmp_path, lambda cell: cell.update(variance=42))
    result = _check("--reference", str(path))
    assert result.exit_code == 1
    assert "missing" in result.stdout


@pytest.mark.parametrize("arguments", [["--dataset", "cmc"], ["--methods", "sdc"]])
def test_comparing_nothing_fails(reference, arguments):
    result = _check("--reference", str(reference), *arguments)
    assert result.exit_code == 1
    assert "nothing was compared" in result.stderr


def test_no_reference_fails_and_says_how_to_make_one(tmp_path):
    result = _check("--reference", str(tmp_path / "none.json"))
    assert result.exit_code == 1
    assert "make one with --update" in result.stderr


def test_an_update_prints_the_difference_and_mends_the_file(reference, tmp_path):
    path = _edited(reference, tmp_path, lambda cell: cell.update(acc=[80.0, 80.0, 80.0]))
    result = _check("--reference", str(path), "--update")
    assert result.exit_code == 0
    assert "+11.33" in result.stdout
    assert path.read_text() == reference.read_text()


@pytest.mark.slow
def test_an_update_with_failed_runs_names_the_cells_and_ends_with_their_code(
    reference, tmp_path, monkeypatch
):
    path = tmp_path / "reference.json"
    shutil.copy(reference, path)
    monkeypatch.syspath_prepend(ROOT / "tests" / "experiments")
    monkeypatch.setattr(methods, "_BUILT_IN", (methods.Method("pca-fcm", "toy_methods:Broken"),))
    result = _check("--reference", str(path), "--update", "--methods", "pca-fcm")
    assert result.exit_code == 3
    assert "failed: ValueError: no luck" in " ".join(result.stdout.split())
    assert (
        "9 of 9 runs failed: pca-fcm on iris 50 (all runs: any old values stay), pca-fcm on iris 95"
        in result.stderr
    )
    assert path.read_text() == reference.read_text()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--dataset", "iris,wien"], "did you mean 'wine'?"),
        (["--dataset", "wien"], "unknown data set 'wien'"),
        (["--methods", "pca-fcm,pppca"], "unknown method 'pppca'"),
        (["--update", "--repeats", "0"], "--repeats 0"),
    ],
)
def test_wrong_arguments_are_one_sentence(reference, arguments, sentence):
    result = _check("--reference", str(reference), *arguments)
    assert result.exit_code == 2
    assert sentence in result.stderr
    assert result.stderr.count("\n") == 1


@pytest.mark.slow
def test_a_method_broken_on_purpose_fails(reference, tmp_path):
    copy = tmp_path / "a copy"
    for folder in ("sgpmic_cli", "datasets"):
        shutil.copytree(ROOT / folder, copy / folder, ignore=shutil.ignore_patterns("__pycache__"))
    (copy / "results").mkdir()
    shutil.copy(reference, copy / "results" / "reference.json")
    command = [sys.executable, "-m", "sgpmic_cli", "check", *SUBSET]
    environment = {**os.environ, "PYTHONPATH": str(copy)}

    def run():
        return subprocess.run(command, cwd=copy, env=environment, capture_output=True, text=True)

    whole = run()
    assert (whole.returncode, whole.stdout) == (0, "12 numbers: 12 same\n")
    module = copy / "sgpmic_cli" / "embeddings" / "pca.py"
    shuffle = "def pca(Y, q, **more):\n    return _sound(Y, q, **more)[[7 * n % len(Y) for n in range(len(Y))]]\n"
    module.write_text(f"{module.read_text()}\n\n_sound = pca\n\n\n{shuffle}")
    broken = run()
    assert broken.returncode == 1
    assert "differs down" in broken.stdout
    assert "numbers differ down, failed or are missing" in broken.stderr


def test_the_committed_reference_holds_for_cheap_cells():
    arguments = [
        "check",
        "--dataset",
        "iris,wine,wdbc",
        "--methods",
        "pca-fcm,isomap-fcm,ppca-fcm,aml,dec",
    ]
    result = CliRunner().invoke(app, [*arguments, "--n-jobs", "1"])
    assert result.exit_code == 0, result.output
