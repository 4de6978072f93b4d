import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from sgpmic_cli._version import __version__
from sgpmic_cli.commands import app
from sgpmic_cli.commands.reproduce import benchmark
from sgpmic_cli.errors import Terminated

HEAVY = ("numpy", "scipy", "sklearn", "pandas", "matplotlib", "joblib")
ROOT = Path(__file__).parents[2]


def _python(code):
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True
    )
    return done.stdout.strip()


def _sgpmic(*arguments, **environment):
    return subprocess.run(
        [sys.executable, "-m", "sgpmic_cli", *arguments],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, **environment},
    )


@pytest.mark.parametrize(
    "work",
    [
        "import sgpmic_cli.commands",
        "from sgpmic_cli.commands.terminal.options.completion import datasets, methods; datasets('i'); methods('p')",
        "from typer.testing import CliRunner; from sgpmic_cli.commands import app\n"
        "assert CliRunner().invoke(app, ['benchmark', '--help']).exit_code == 0",
    ],
)
def test_no_heavy_import_before_there_is_work(work):
    loaded = _python(
        f"{work}\nimport sys\nprint([name for name in {HEAVY} if name in sys.modules])"
    )
    assert loaded == "[]"


def test_version():
    result = CliRunner().invoke(app, ["--version"])
    assert (result.exit_code, result.stdout) == (0, f"sgpmic {__version__}\n")


COMMANDS = [
    "benchmark",
    "check",
    "datasets",
    "fit",
    "info",
    "plot",
    "predict",
    "report",
    "sweep-clusters",
    "sweep-inducing",
    "table1",
]


def test_every_command_is_there_and_listed_with_what_it_does():
    commands = typer.main.get_command(app).commands
    assert sorted(commands) == COMMANDS
    listed = CliRunner().invoke(app, ["--help"], env={"COLUMNS": "200"}).stdout
    for name, command in commands.items():
        row = next(line for line in listed.splitlines() if re.search(rf"^\W*{name} ", line))
        assert command.get_short_help_str(30)[:20].rstrip(" .") in row


@pytest.mark.parametrize(
    ("raised", "exit_code", "sentence"),
    [
        (KeyboardInterrupt(), 130, "sgpmic: interrupted."),
        (Terminated(), 143, "sgpmic: interrupted."),
        (MemoryError(), 1, "sgpmic: there is not enough memory for this"),
        (
            PermissionError(13, "Permission denied", "/x/y"),
            1,
            "sgpmic: the system refused access to '/x/y': Permission",
        ),
        (
            OSError(28, "No space left on device"),
            1,
            "sgpmic: cannot write: No space left on device.",
        ),
    ],
)
def test_what_the_system_refuses_is_one_sentence(monkeypatch, raised, exit_code, sentence):
    def refuse(*arguments, **options):
        raise raised

    monkeypatch.setattr(benchmark, "Output", refuse)
    result = CliRunner().invoke(app, ["benchmark", "--dataset", "iris"])
    assert result.exit_code == exit_code
    assert result.stderr.startswith(sentence)
    assert result.stderr.count("\n") == 1
    assert result.stdout == ""


def test_completion_goes_on_inside_a_list():
    words = {
        "COMP_WORDS": "sgpmic benchmark --dataset iris,w",
        "COMP_CWORD": "3",
        "_SGPMIC_COMPLETE": "complete_bash",
    }
    code = "from sgpmic_cli.commands import app; app(prog_name='sgpmic')"
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, **words},
    )
    assert sorted(done.stdout.split()) == ["iris,wdbc", "iris,wine"]


def test_a_reader_that_leaves_is_no_error():
    code = f"{shlex.quote(sys.executable)} -m sgpmic_cli info | head -c 10"
    done = subprocess.run(["sh", "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert len(done.stdout) == 10
    assert "Traceback" not in done.stderr


def test_info_names_versions_paths_data_and_methods():
    result = CliRunner().invoke(app, ["info", "--json"])
    import json

    content = json.loads(result.stdout)
    assert content["versions"].keys() >= {"sgpmic", "python", "numpy"}
    assert content["paths"].keys() >= {"package", "bundled data", "downloaded data"}
    assert content["datasets"]["iris"] == "bundled"
    assert "pca-fcm" in content["methods"]
    assert content["blas"]
    human = CliRunner().invoke(app, ["info"]).stdout
    assert "numpy" in human
    assert "pca-fcm" in human


def test_info_says_which_downloads_are_missing(tmp_path):
    result = CliRunner().invoke(app, ["info", "--data-dir", str(tmp_path)])
    assert result.exit_code == 0
    assert "not downloaded (sgpmic datasets fetch yale)" in result.stdout
