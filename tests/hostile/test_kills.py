"""Kill commands at random moments: finished runs are kept, and no file is broken.

The same command again gives the files of a run without a kill. `make kill-test` kills each command
fifteen times.
"""

import json
import os
import random
import re
import shutil
import signal
import time
import zipfile
from contextlib import suppress

import pytest

pytestmark = pytest.mark.slow
KILLS = int(os.environ.get("KILLS", "2"))
# The flaky method fails in some runs, so that the command ends with exit code 3.
METHODS = "pca-fcm,ppca-fcm,aml,toy_methods:Flaky"
BENCHMARK = f"benchmark --dataset iris,wine --methods {METHODS} --repeats 4 --n-jobs 2"
FIT = "fit iris --clusters 3 --force"
RUNS = "out/runs/runs.jsonl"
TIMES = ("finished", "seconds_of_this_call", "seconds_of_all_runs", "seconds", "runs")


def _content(path):
    """Return the content of a file without times."""
    if path.suffix == ".json":
        return json.loads(path.read_text(), object_hook=_timeless)
    if path.suffix == ".jsonl":  # the order of the runs is that of their ends
        return {row["key"]: row for row in _whole_lines(path)}
    if path.suffix == ".npz":
        with zipfile.ZipFile(path) as archive:
            return {name: archive.read(name) for name in archive.namelist()}
    content = path.read_bytes()
    return re.sub(rb", in [\d.]+ s,", b"", content) if path.suffix == ".html" else content


def _whole_lines(path):
    """Return the stored runs; a kill can tear the line that is being written."""
    rows = []
    for line in path.read_bytes().splitlines():
        with suppress(ValueError):
            rows.append(json.loads(line, object_hook=_timeless))
    return rows


def _timeless(part):
    return {name: value for name, value in part.items() if name not in TIMES}


def _contents(folder):
    """Return the content of all files without the temporary ones and those of joblib.Memory."""
    files = (path for path in folder.rglob("*") if path.is_file() and "joblib" not in path.parts)
    names = {str(path.relative_to(folder)): path for path in files}
    return {name: _content(path) for name, path in names.items() if ".sgpmic-tmp-" not in name}


@pytest.mark.parametrize(("command", "code"), [(BENCHMARK, 3), (FIT, 0)])
def test_kills_lose_no_run_and_break_no_file(folder, shell, command, code):
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
        if turn % 2 == 0:
            shutil.rmtree(folder / "out")
        process = shell(*words)
        time.sleep(random.uniform(0.3, 1.0) * length)
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        left = _contents(folder)  # reads every file
        assert left.keys() <= expected.keys()
        runs = left.get(RUNS, {})
        assert runs == {key: expected[RUNS][key] for key in runs}
        assert finish() == expected
        if RUNS in expected:  # each run was computed once
            assert len(_whole_lines(folder / RUNS)) == len(expected[RUNS])
        assert not list(folder.rglob(".sgpmic-tmp-*"))
