"""Kill commands at random moments: the same command again gives the files of a run without a kill.

Every second kill is at one of the renames that put the files into place. `make kill-test` kills
each command ten times.
"""

import json
import os
import random
import shutil
import signal
import time
import zipfile

import pytest
from command_checks import without_seconds

pytestmark = pytest.mark.slow
KILLS = int(os.environ.get("KILLS", "2"))
# The flaky method fails in some runs, so that the command ends with exit code 3.
METHODS = "pca-fcm,ppca-fcm,aml,toy_methods:Flaky"
BENCHMARK = f"benchmark --dataset iris,wine --methods {METHODS} --repeats 4 --n-jobs 2"
FIT = "fit iris --iterations 3 --inducing 10 --force"
PLOT = "plot figure1"
TIMES = ("finished", "seconds_of_this_call", "seconds_of_all_runs", "seconds", "runs", "checksum")
AT_A_RENAME = """
import os, signal
replace, left = os.replace, int(os.environ.get("KILL_AT_RENAME", "1000"))
def counted(*paths):
    global left
    if ".finished" in str(paths[0]):
        left -= 1
        if left < 0:
            os.kill(os.getpid(), signal.SIGKILL)
    replace(*paths)
os.replace = counted
"""


def _content(path):
    """Return the content of a file without times."""
    if path.suffix == ".json":
        return json.loads(path.read_text(), object_hook=_timeless)
    if path.suffix == ".npz":
        with zipfile.ZipFile(path) as archive:
            return {name: archive.read(name) for name in archive.namelist()}
    return without_seconds(path)


def _timeless(part):
    return {name: value for name, value in part.items() if name not in TIMES}


def _contents(folder):
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): _content(path) for path in files}


@pytest.mark.parametrize(
    ("command", "code", "renames"), [(BENCHMARK, 3, 8), (FIT, 0, 8), (PLOT, 0, 2)]
)
def test_kills_change_no_file(folder, shell, monkeypatch, command, code, renames):
    (folder.parent / "site").mkdir()
    (folder.parent / "site" / "sitecustomize.py").write_text(AT_A_RENAME)
    words = [*command.split(), "--out", "out", "--quiet"]

    def finish():
        process = shell(*words)
        _, stderr = process.communicate()
        assert process.returncode == code, stderr
        return _contents(folder)

    started = time.monotonic()
    expected = finish()
    length = time.monotonic() - started
    for turn in range(KILLS):
        if turn % 4 < 2:
            shutil.rmtree(folder / "out")
        with monkeypatch.context() as patch:
            if turn % 2:
                patch.setenv("KILL_AT_RENAME", str(random.randrange(renames)))
            process = shell(*words)
        if turn % 2 == 0:
            time.sleep(random.uniform(0.3, 1.0) * length)
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        assert finish() == expected


def test_two_processes_on_one_store_end_with_the_same_files(folder, shell):
    words = [*BENCHMARK.split(), "--quiet", "--store", "store"]
    processes = [shell(*words, "--out", out) for out in ("one", "two")]
    for process in processes:
        process.communicate()
    assert [process.returncode for process in processes] == [3, 3]
    assert _contents(folder / "one").keys() >= {"table.csv", "table.md", "table.tex"}
    for name in ("table.csv", "table.md", "table.tex", "summary.json"):
        assert (folder / "one" / name).read_bytes() == (folder / "two" / name).read_bytes()
    assert list((folder / "store").glob("*.tmp")) == []
