"""Kill benchmark, fit and plot thirty times with SIGKILL, ten times during the final renames.

`make kill-test` runs this script, which is too slow for the test suite. After each kill the same
command runs again. Its files must then equal those of a run without a kill.
"""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

from judging import without_seconds

ROOT = Path(__file__).parents[2]
COMMANDS = {
    "benchmark": "benchmark --dataset iris,wine --methods pca-fcm,ppca-fcm,aml --repeats 4 "
    "--n-jobs 2 --out out",
    "fit": "fit iris --iterations 3 --inducing 10 --out out --force",
    "plot": "plot figure1 critical-difference --out out",
}
TIMES = ("finished", "seconds_of_this_call", "seconds_of_all_runs", "seconds", "runs", "checksum")
# Runs in the process itself: kill it at one of the renames that put the files into place.
AT_A_RENAME = """
import os, signal, sys
replace, left = os.replace, int(sys.argv.pop(1))
def counted(*paths):
    global left
    if ".sgpmic-finished-" in str(paths[0]):
        left -= 1
        if left < 0:
            os.kill(os.getpid(), signal.SIGKILL)
    replace(*paths)
os.replace = counted
from sgpmic_cli.__main__ import main
main()
"""


def _start(words, folder, moves=None):
    python = ["-m", "sgpmic_cli"] if moves is None else ["-c", AT_A_RENAME, str(moves)]
    return subprocess.Popen(
        [sys.executable, *python, *words.split(), "--quiet"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def _content(path):
    """Return the content of a file without times."""
    if path.suffix == ".json":
        return _timeless(json.loads(path.read_text()))
    if path.suffix == ".npz":
        with zipfile.ZipFile(path) as archive:
            return {name: archive.read(name) for name in archive.namelist()}
    return without_seconds(path)


def _timeless(content):
    if isinstance(content, dict):
        return {name: _timeless(value) for name, value in content.items() if name not in TIMES}
    return [_timeless(each) for each in content] if isinstance(content, list) else content


def _left(folder):
    return {
        str(path.relative_to(folder)): _content(path)
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def main():
    """Kill and compare. Return the number of differences."""
    wrong, rng = 0, random.Random()
    with tempfile.TemporaryDirectory() as name:
        for command in sys.argv[1:] or COMMANDS:
            words = COMMANDS[command]
            folder = Path(name, command)
            folder.mkdir()
            started = time.monotonic()
            assert _start(words, folder).wait() == 0
            length, expected = time.monotonic() - started, _left(folder)
            aimed = {"benchmark": 4, "fit": 4, "plot": 2}[command]
            for turn in range(10):
                if turn % 2:
                    shutil.rmtree(folder / "out")
                moves = rng.randrange(8 if command != "plot" else 2) if turn < aimed else None
                process = _start(words, folder, moves)
                if moves is None:
                    time.sleep(rng.uniform(0.3, 1.0) * length)
                    os.killpg(process.pid, signal.SIGKILL)
                process.communicate()
                again = _start(words, folder)
                _, said = again.communicate()
                found = _left(folder)
                differing = {
                    name
                    for name in found.keys() | expected.keys()
                    if found.get(name) != expected.get(name)
                }
                failure = [
                    *sorted(differing),
                    *([said.strip() or "exit code"] if again.returncode or said else []),
                ]
                wrong += bool(failure)
                where = f"at rename {moves}" if moves is not None else "at a random moment"
                print(
                    f"{command} {turn}: killed {where}: {', '.join(failure) or 'equal'}", flush=True
                )
    return wrong


if __name__ == "__main__":
    sys.exit(main())
