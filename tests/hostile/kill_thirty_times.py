"""Kill benchmark, fit and plot thirty times with SIGKILL, ten times during the final renames.

`make kill-test` runs this file, which is too slow for the test suite. After each kill the same
command runs again. Its files must then equal those of a run without a kill.
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

BENCHMARK = "benchmark --dataset iris,wine --methods pca-fcm,ppca-fcm,aml --repeats 4 --n-jobs 2"
FIT = "fit iris --iterations 3 --inducing 10 --force"
PLOT = "plot figure1 critical-difference"
TIMES = ("finished", "seconds_of_this_call", "seconds_of_all_runs", "seconds", "runs", "checksum")
# Runs in the process itself: kill it at one of the renames that put the files into place.
AT_A_RENAME = """
import os, signal
replace, left = os.replace, int(os.environ.get("KILL_AT_RENAME", "1000"))
def counted(*paths):
    global left
    if ".sgpmic-finished-" in str(paths[0]):
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


@pytest.mark.parametrize(
    ("command", "at_a_rename", "renames"), [(BENCHMARK, 4, 8), (FIT, 4, 8), (PLOT, 2, 2)]
)
def test_ten_kills_change_no_file(folder, shell, monkeypatch, command, at_a_rename, renames):
    (folder.parent / "site").mkdir()
    (folder.parent / "site" / "sitecustomize.py").write_text(AT_A_RENAME)
    words = [*command.split(), "--out", "out", "--quiet"]

    def finish():
        process = shell(*words)
        _, stderr = process.communicate()
        assert (process.returncode, stderr) == (0, "")
        files = (path for path in sorted(folder.rglob("*")) if path.is_file())
        return {str(path.relative_to(folder)): _content(path) for path in files}

    started = time.monotonic()
    expected = finish()
    length = time.monotonic() - started
    for turn in range(10):
        if turn % 2:
            shutil.rmtree(folder / "out")
        if turn < at_a_rename:
            with monkeypatch.context() as patch:
                patch.setenv("KILL_AT_RENAME", str(random.randrange(renames)))
                process = shell(*words)
        else:
            process = shell(*words)
            time.sleep(random.uniform(0.3, 1.0) * length)
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        found = finish()
        names = found.keys() | expected.keys()
        assert [name for name in names if found.get(name) != expected.get(name)] == []
