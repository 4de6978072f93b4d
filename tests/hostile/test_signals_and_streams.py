"""Real processes: killed, interrupted, terminated, and with standard streams that are closed or full."""

import os
import random
import signal
import time

import pytest
from judging import one_sentence, processes_of, snapshot

SLOW = [
    "benchmark",
    "--dataset",
    "iris",
    "--methods",
    "toy_methods:Slow",
    "--repeats",
    "400",
    "--out",
    "out",
    "--quiet",
]
LONG = ["fit", "iris", "--iterations", "100000", "--out", "out/deep", "--quiet"]
BUILT_IN = [
    "benchmark",
    "--dataset",
    "segment",
    "--methods",
    "sgp-mic",
    "--n-jobs",
    "2",
    "--out",
    "out",
    "--quiet",
]


def _until(condition, process):
    while not condition() and process.poll() is None:
        time.sleep(0.01)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
@pytest.mark.parametrize(
    ("command", "started", "words"),
    [
        (
            SLOW,
            lambda folder: len(list(folder.glob("out/runs/*.json"))) > 1,
            "finished runs are kept",
        ),
        (
            LONG,
            lambda folder: list(folder.glob("out/deep/.sgpmic-unfinished-*")),
            "nothing was written",
        ),
        (BUILT_IN, lambda folder: (folder / "out" / "runs").exists(), "finished runs are kept"),
    ],
)
@pytest.mark.slow
def test_interrupted_or_terminated_it_says_so_and_leaves_nothing_running(
    folder, shell, command, started, words, number, code
):
    process = shell(*command)
    _until(lambda: started(folder), process)
    time.sleep(0.2)
    process.send_signal(number)  # to the command alone: its workers are its own to end
    printed, said = process.communicate(timeout=60)
    assert (process.returncode, printed) == (code, "")
    assert words in one_sentence(said)
    time.sleep(0.3)
    assert processes_of(process.pid) == []
    assert not list(folder.rglob(".sgpmic-*"))


@pytest.mark.slow
def test_a_check_that_is_terminated_keeps_what_it_says_it_keeps(folder, shell):
    reference = ["--reference", "ref.json", "--dataset", "my.csv", "--label", "kind"]
    process = shell(
        "check",
        "--update",
        *reference,
        "--methods",
        "toy_methods:Slow",
        "--repeats",
        "400",
        "--quiet",
    )

    def records():
        return list((folder.parent / "cache").glob("**/check/**/*.json"))

    _until(records, process)
    process.terminate()
    _, said = process.communicate(timeout=60)
    assert process.returncode == 143
    assert "finished runs are kept" in one_sentence(said)
    assert records()
    assert not (folder / "ref.json").exists()


@pytest.mark.slow
def test_workers_end_with_a_command_that_is_killed(folder, shell):
    process = shell(*BUILT_IN)
    _until(lambda: len(processes_of(process.pid)) > 3, process)
    process.kill()
    process.wait()
    limit = time.monotonic() + 30
    while processes_of(process.pid) and time.monotonic() < limit:
        time.sleep(0.1)
    assert processes_of(process.pid) == []


@pytest.mark.parametrize("command", ["fit", "plot"])
@pytest.mark.slow
def test_killed_at_a_random_moment_the_same_command_ends_as_if_nothing_had_been(
    folder, shell, command
):
    quick = ["--clusters", "2", "--iterations", "2", "--inducing", "5"]
    arguments = {
        "fit": ["fit", "my.csv", "--label", "kind", *quick, "--out", "out", "--quiet", "--force"],
        "plot": ["plot", "figure1", "--out", "out", "--quiet"],
    }[command]
    process = shell(*arguments)
    process.communicate(timeout=120)
    assert process.returncode == 0
    expected = snapshot(folder / "out")
    rng = random.Random()
    process = shell(*arguments)
    _until(lambda: list((folder / "out").glob(".sgpmic-*")), process)
    time.sleep(rng.uniform(0, 0.2))
    process.kill()
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    process = shell(*arguments)
    process.communicate(timeout=120)
    assert process.returncode == 0
    found = snapshot(folder / "out")
    for document in (expected, found):
        document.pop("manifest.json", None)  # it has the time in it
        document.pop("model.npz", None)  # and a zip file has it, too
    assert found == expected


@pytest.mark.parametrize(
    ("stream", "target", "code", "words"),
    [
        ("stdout", "/dev/full", 1, "No space left on device"),
        ("stdout", "closed", 1, "Bad file descriptor"),
        ("stderr", "/dev/full", 2, ""),
        ("stderr", "closed", 2, ""),
        ("stdout", "pipe", 1, ""),
    ],
)
def test_a_stream_that_takes_nothing(shell, stream, target, code, words):
    arguments = ["datasets", "list"] if stream == "stdout" else ["nonsense"]
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
    printed, said = process.communicate(timeout=60)
    assert process.returncode == code
    assert not printed
    if words:
        assert words in one_sentence(said)
    else:
        assert not said
