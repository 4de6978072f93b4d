"""Processes that are killed or interrupted, and streams that are closed or full."""

import os
import signal
import time
from pathlib import Path

import pytest
from command_checks import processes_of
from command_line import one_sentence

SLOW = "benchmark --dataset iris --methods toy_methods:Slow --repeats 400 --out out --quiet"
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
PRINTING = ("datasets list", "--help", "fit --help", "--version")


def _until(condition, process):
    while not condition() and process.poll() is None:
        time.sleep(0.01)


@pytest.mark.parametrize(
    ("command", "sign", "words", "number", "code"),
    [
        (SLOW, "here/out/runs/*.json", STORED, signal.SIGINT, 130),
        (LONG, "here/out/deep/.sgpmic-unfinished-*", NOTHING, signal.SIGTERM, 143),
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


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("module", ["typer", "sgpmic_cli.commands", "numpy", "sklearn"])
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
def test_every_worker_is_protected_from_ctrl_c_from_its_start(shell):
    process = shell(*BUILT_IN.split())
    _until(lambda: len(processes_of(process.pid)) > 3, process)
    for worker in set(processes_of(process.pid)) - {process.pid}:
        lines = Path(f"/proc/{worker}/status").read_text().splitlines()
        masks = dict(line.split(":\t") for line in lines if line.startswith("Sig"))
        protected = int(masks["SigBlk"], 16) | int(masks["SigIgn"], 16)
        assert protected & 1 << signal.SIGINT - 1


@pytest.mark.slow
def test_workers_of_a_killed_command_end(folder, shell):
    process = shell(*BUILT_IN.split())
    _until(lambda: len(processes_of(process.pid)) > 3, process)
    process.kill()
    process.wait()
    limit = time.monotonic() + 30
    while processes_of(process.pid) and time.monotonic() < limit:
        time.sleep(0.1)
    assert processes_of(process.pid) == []


@pytest.mark.parametrize(
    ("line", "stream", "target", "code", "words"),
    [
        *((line, "stdout", "/dev/full", 1, "No space left on device") for line in PRINTING),
        *((line, "stdout", "closed", 1, "Bad file descriptor") for line in PRINTING),
        *((line, "stdout", "pipe", 1, "") for line in PRINTING),
        ("nonsense", "stderr", "/dev/full", 2, ""),
        ("nonsense", "stderr", "closed", 2, ""),
    ],
)
def test_unwritable_standard_streams(shell, line, stream, target, code, words):
    arguments = line.split()
    number = {"stdout": 1, "stderr": 2}[stream]
    if target == "closed":
        process = shell(*arguments, preexec_fn=lambda: os.close(number))
    elif target == "pipe":
        reader, writer = os.pipe()
        os.close(reader)
        process = shell(*arguments, **{stream: writer})
        os.close(writer)
    else:
        with open(target, "w") as file:
            process = shell(*arguments, **{stream: file})
    stdout, stderr = process.communicate(timeout=60)
    assert process.returncode == code
    assert not stdout
    if words:
        assert words in one_sentence(stderr)
    else:
        assert not stderr


def test_an_invalid_width_of_the_terminal_is_ignored(shell, monkeypatch):
    monkeypatch.setenv("TERMINAL_WIDTH", "x")
    stdout, stderr = shell("fit", "--help").communicate(timeout=60)
    assert "--clusters" in stdout
    assert stderr == ""
