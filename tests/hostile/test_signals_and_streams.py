"""Processes that are killed or interrupted, and streams that are closed or full."""

import os
import resource
import signal
import time
from pathlib import Path

import pytest
from command_checks import processes_of
from command_line import one_sentence

SLOW = (
    "benchmark --dataset iris --methods toy_methods:Slow --repeats 400 --n-jobs 1 --out out --quiet"
)
LONG = "fit iris --iterations 100000 --out out/deep --quiet"
BUILT_IN = "benchmark --dataset segment --methods sgp-mic --n-jobs 2 --out out --quiet"
CHECK = "check --update --reference ref.json --dataset my.csv --label kind --quiet"
CHECK += " --methods toy_methods:Slow --repeats 400"
HOOK = """
import sys
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            exec({text!r})
sys.meta_path.insert(0, Finder())
"""
STORED = "finished runs are stored, and the same command resumes the work"
NOTHING = "nothing was written"


def _until(condition, process):
    while not condition() and process.poll() is None:
        time.sleep(0.01)


@pytest.mark.parametrize(
    ("command", "sign", "words", "number", "code"),
    [
        (SLOW, "here/out/runs/*.json", STORED, signal.SIGINT, 130),
        (LONG, "here/out/deep/.sgpmic-*.unfinished", NOTHING, signal.SIGTERM, 143),
        pytest.param(
            *(CHECK, "cache/.sgpmic-check/[!.]*.json", STORED, signal.SIGTERM, 143),
            marks=pytest.mark.slow,
        ),
        pytest.param(
            *(BUILT_IN, "here/out/runs/*.json", STORED, signal.SIGTERM, 143), marks=pytest.mark.slow
        ),
    ],
)
def test_interrupted_command_reports_it_and_leaves_no_process(
    folder, shell, command, sign, words, number, code
):
    process = shell(*command.split())
    _until(lambda: list(folder.parent.glob(sign)), process)
    time.sleep(0.2)
    process.send_signal(number)  # to the command only, which ends its workers
    stdout, stderr = process.communicate(timeout=60)
    assert (process.returncode, stdout) == (code, "")
    assert words in one_sentence(stderr)
    time.sleep(0.3)
    assert processes_of(process.pid) == []
    assert not list(folder.rglob(".sgpmic-*"))
    assert bool(list(folder.parent.glob(sign))) == (words == STORED)
    allowed = {"my.csv", "out"} if words == STORED else {"my.csv"}
    assert {path.name for path in folder.iterdir()} <= allowed


@pytest.mark.parametrize(
    ("module", "number"),
    [("typer", 2), ("sgpmic_cli.commands", 15), ("numpy", 15), ("sklearn", 2)],
)
def test_a_signal_during_an_import_is_reported(folder, shell, module, number):
    # The import of the module sends the signal and waits, as a slow import would.
    text = f"import os, time\nos.kill(os.getpid(), {int(number)})\ntime.sleep(60)\n"
    (folder.parent / "site").mkdir()
    (folder.parent / "site" / "sitecustomize.py").write_text(HOOK.format(module=module, text=text))
    process = shell("fit", "my.csv", "--out", "out")
    stdout, stderr = process.communicate(timeout=60)
    assert (process.returncode, stdout) == (128 + number, "")
    assert stderr == "sgpmic: interrupted.\n"
    assert not (folder / "out").exists()


@pytest.mark.slow
def test_workers_ignore_ctrl_c_from_their_start_and_end_with_the_command(folder, shell):
    process = shell(*BUILT_IN.split())
    _until(lambda: len(processes_of(process.pid)) > 3, process)
    for worker in set(processes_of(process.pid)) - {process.pid}:
        lines = Path(f"/proc/{worker}/status").read_text().splitlines()
        masks = dict(line.split(":\t") for line in lines if line.startswith("Sig"))
        protected = int(masks["SigBlk"], 16) | int(masks["SigIgn"], 16)
        assert protected & 1 << signal.SIGINT - 1
    process.kill()
    process.wait()
    limit = time.monotonic() + 30
    while processes_of(process.pid) and time.monotonic() < limit:
        time.sleep(0.1)
    assert processes_of(process.pid) == []


@pytest.mark.parametrize(
    ("line", "stream", "target", "code", "words"),
    [
        pytest.param(
            *("datasets list", 1, "/dev/full", 1, "No space left on device"), marks=pytest.mark.slow
        ),
        ("fit --help", 1, "/dev/full", 1, "No space left on device"),
        ("--version", 1, "closed", 1, "Bad file descriptor"),
        ("--help", 1, "pipe", 1, ""),
        ("nonsense", 2, "/dev/full", 2, ""),
        ("nonsense", 2, "closed", 2, ""),
    ],
)
def test_unwritable_standard_streams(shell, line, stream, target, code, words):
    def redirect():  # in the new process
        if target == "closed":
            os.close(stream)
        else:  # a pipe loses its reader when the program starts
            os.dup2(os.pipe()[1] if target == "pipe" else os.open(target, os.O_WRONLY), stream)

    process = shell(*line.split(), preexec_fn=redirect)
    stdout, stderr = process.communicate(timeout=60)
    assert process.returncode == code
    assert not stdout
    if words:
        assert words in one_sentence(stderr)
    else:
        assert not stderr


@pytest.mark.parametrize(
    "line", ["fit --help", pytest.param("plot figure1 --out out", marks=pytest.mark.slow)]
)
def test_odd_environments_are_ignored(shell, monkeypatch, line):
    for name in ("TERMINAL_WIDTH", "MPLBACKEND", "SOURCE_DATE_EPOCH"):
        monkeypatch.setenv(name, "nonsense")
    monkeypatch.setenv("COLUMNS", "999999999")
    process = shell(*line.split())
    assert process.communicate(timeout=60)[0]
    assert process.returncode == 0


def test_too_little_memory_is_refused(shell):
    limit = (300 << 20, 300 << 20)  # loading OpenBLAS would not end
    process = shell("--help", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, limit))
    words = "the memory limit of this process is 300 MB, and 1 GB is needed: raise it with"
    assert words in one_sentence(process.communicate()[1])
    assert process.returncode == 1
