"""Fixtures that run commands and check their exit code, message and files."""

import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from command_line import assert_one_sentence, sgpmic

ROOT = Path(__file__).parents[2]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Change to a new folder with a small table."""
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    lines = [f"{i % 2 * 10 + i % 5},{i % 3},{'xy'[i % 2]}" for i in range(30)]
    (here / "my.csv").write_text("a,b,kind\n" + "\n".join(lines) + "\n")
    return here


@pytest.fixture
def refused(folder):
    """Run a command in this process that must fail with a code and words and change no file."""

    def snapshot():
        files = (path for path in folder.rglob("*") if path.is_file())
        return {path: path.read_bytes() for path in files}

    def run(arguments, code, words):
        before = snapshot()
        assert_one_sentence(sgpmic("", *arguments, code=code), words)
        assert snapshot() == before

    return run


@pytest.fixture
def shell(folder):
    """Start a command as a process, and kill what is left of it after the test."""
    started = []

    def start(*arguments, **options):
        paths = [ROOT, ROOT / "tests" / "benchmark", folder.parent / "site"]
        python = {"PYTHONPATH": os.pathsep.join(map(str, paths)), "PYTHONSAFEPATH": "1"}
        pipe, null = subprocess.PIPE, subprocess.DEVNULL
        process = subprocess.Popen(
            [sys.executable, "-m", "sgpmic_cli", *map(os.fspath, arguments)],
            cwd=folder,
            env={**os.environ, **python},
            text=True,
            start_new_session=True,
            **({"stdout": pipe, "stderr": pipe, "stdin": null} | options),
        )
        started.append(process)
        return process

    yield start
    for process in started:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
