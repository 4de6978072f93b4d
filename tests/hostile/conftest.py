"""What a hostile case must show: its exit code, one sentence, no traceback, nothing left behind, inputs untouched."""

import os
import signal
import subprocess
import sys
from contextlib import suppress

import pytest
from judging import ROOT, one_sentence, snapshot
from typer.testing import CliRunner

from sgpmic_cli.commands import app

collect_ignore = [
    "exits_at_import.py"
]  # doctests are looked for in every module, and this one ends whoever imports it


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty current folder with a small table in it, and no network, cache or own folder beyond it."""
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    for name in ("SGPMIC_DATA", "SGPMIC_MIRROR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("NO_PROXY", "*")
    lines = [f"{i % 2 * 10 + i % 5},{i % 3},{'xy'[i % 2]}" for i in range(30)]
    (here / "my.csv").write_text("a,b,kind\n" + "\n".join(lines) + "\n")
    return here


@pytest.fixture
def refused(folder):
    """Run the command in this process; it must refuse with the code and words given and leave everything as it was."""

    def run(arguments, code, words):
        before = snapshot(folder)
        result = CliRunner().invoke(app, [str(each) for each in arguments], prog_name="sgpmic")
        assert result.exit_code == code, result.output
        assert result.exception is None or isinstance(result.exception, SystemExit), (
            result.exception
        )
        assert result.stdout == ""
        sentence = one_sentence(result.stderr)
        assert words in sentence
        assert snapshot(folder) == before
        return sentence

    return run


@pytest.fixture
def shell(folder):
    """Run the command as a process of its own, and end whatever is left of it."""
    started = []

    def start(*arguments, **options):
        paths = os.pathsep.join(
            [str(ROOT), str(ROOT / "tests" / "experiments"), str(ROOT / "tests" / "hostile")]
        )
        environment = {
            **os.environ,
            "PYTHONPATH": paths,
            "PYTHONSAFEPATH": "1",
            **options.pop("env", {}),
        }
        streams = {
            "stdout": subprocess.PIPE,
            "stderr": subprocess.PIPE,
            "stdin": subprocess.DEVNULL,
        } | options
        command = [sys.executable, "-m", "sgpmic_cli", *map(os.fspath, arguments)]
        process = subprocess.Popen(
            command, cwd=folder, env=environment, text=True, start_new_session=True, **streams
        )
        started.append(process)
        return process

    yield start
    for process in started:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
