"""Ctrl-C, full disks and closed pipes end a command with one sentence and without a traceback."""

import os
import signal
import time

import pytest
from command_line import one_sentence

BENCHMARK = (
    "benchmark --dataset iris --methods toy_methods:Slow --repeats 400 --n-jobs 1 --out out --quiet"
)
FIT = "fit segment --method sgp-mic --out out/deep --quiet"


@pytest.mark.parametrize(
    ("command", "sign", "kept"),
    [
        pytest.param(BENCHMARK, "out/runs/runs.jsonl", True, marks=pytest.mark.slow),
        pytest.param(FIT, "out/deep/.sgpmic-tmp-*", False, marks=pytest.mark.slow),
    ],
)
def test_ctrl_c_keeps_finished_runs_and_removes_temporary_folders(
    folder, shell, command, sign, kept
):
    process = shell(*command.split())
    while not list(folder.glob(sign)) and process.poll() is None:
        time.sleep(0.01)
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=60)
    assert (process.returncode, stdout) == (130, "")
    assert "interrupted" in one_sentence(stderr)
    assert not list(folder.rglob(".sgpmic-tmp-*"))
    assert bool(list(folder.glob(sign))) == kept


@pytest.mark.parametrize(
    ("line", "stream", "target", "code", "words"),
    [
        ("fit --help", 1, "/dev/full", 1, "No space left on device"),
        ("--help", 1, "pipe", 1, ""),
        ("nonsense", 2, "/dev/full", 2, ""),
    ],
)
def test_unwritable_standard_streams(shell, line, stream, target, code, words):
    def redirect():  # in the new process; a pipe loses its reader when the program starts
        os.dup2(os.pipe()[1] if target == "pipe" else os.open(target, os.O_WRONLY), stream)

    process = shell(*line.split(), preexec_fn=redirect)
    stdout, stderr = process.communicate(timeout=60)
    assert (process.returncode, stdout) == (code, "")
    assert words in one_sentence(stderr) if words else not stderr
