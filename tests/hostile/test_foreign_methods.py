"""Nine misbehaving methods beside good ones: nine failed cells with their reasons, exit code 3."""

import json
import os
import subprocess
import sys
import time

import pytest
from judging import ROOT, one_sentence, processes_of

pytestmark = pytest.mark.slow
REASONS = {
    "misbehaving:Exits": "its process ended with exit code 7",
    "misbehaving:Crashes": "its process was ended by SIGSEGV, a crash in native code",
    "misbehaving:Killed": "its process was ended by SIGKILL, probably out of memory",
    "misbehaving:Interrupts": "KeyboardInterrupt: no reason was given",
    "misbehaving:Wordless": "Strange: no reason was given",
    "misbehaving:Hangs": "it took longer than the limit of 6 s",
    "misbehaving:Hungry": "MemoryError",
    "misbehaving:Leaves": "SystemExit: \\x1b[31mgood bye",
    "exits_at_import:Any": "SystemExit: 5",
}
LIMITS = ["--timeout", "6", "--memory-limit", "500MB"]


@pytest.fixture
def cluster(folder):
    """A Dask scheduler with one worker on the loopback address."""
    pytest.importorskip("distributed")
    file = folder.parent / "scheduler.json"
    paths = os.pathsep.join([str(ROOT), str(ROOT / "tests" / "hostile")])
    processes = []

    def start(kind, *arguments):
        command = [sys.executable, "-m", "dask", kind, "--scheduler-file", str(file)]
        command += ["--host", "127.0.0.1", *arguments]
        environment = {**os.environ, "PYTHONPATH": paths}
        silent = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        processes.append(subprocess.Popen(command, env=environment, cwd=folder.parent, **silent))

    start("scheduler", "--port", "0", "--no-dashboard")
    while not file.exists():
        time.sleep(0.05)
    home = ["--local-directory", str(folder.parent / "w")]
    start("worker", "--nthreads", "1", "--no-nanny", "--no-dashboard", *home)
    yield json.loads(file.read_text())["address"]
    for process in processes:
        process.kill()
        process.wait()


@pytest.mark.parametrize("way", ["one job", "two jobs", "dask"])
def test_misbehaving_methods_fail_and_the_others_are_computed(folder, shell, way, request):
    where = {"one job": ["--n-jobs", "1"], "two jobs": ["--n-jobs", "2"]}.get(way)
    if where is None:
        where = ["--backend", "dask", "--scheduler", request.getfixturevalue("cluster")]
    harmless = ["misbehaving:Garbles", "misbehaving:Rude"]
    methods = ",".join(["pca-fcm", *REASONS, *harmless])
    arguments = ["--dataset", "iris", "--methods", methods, "--repeats", "1", "--out", "out"]
    process = shell("benchmark", *arguments, "--json", *LIMITS, *where)
    printed, said = process.communicate(timeout=300)
    assert process.returncode == 3, said
    assert one_sentence(said) == (
        "sgpmic: 9 of 12 runs failed; the notes say why, and --retry-failed runs them again."
    )
    cells = {cell["method"]: cell for cell in json.loads(printed)["cells"]}
    assert cells["pca-fcm"]["verdict"]["acc"] == "exact"
    for method, reason in REASONS.items():
        assert cells[method]["failed"] == 1
        assert cells[method]["note"].startswith(f"All 1 runs failed: {reason}"), method
    assert [cells[method]["failed"] for method in harmless] == [0, 0]
    assert (folder / "out" / "table.csv").exists()
    assert processes_of(process.pid) == []
    assert not list(folder.rglob(".sgpmic-*"))


def test_scikit_learn_keeps_its_own_memory(folder, shell):
    methods = "sklearn.cluster:AgglomerativeClustering,sklearn.cluster:OPTICS"
    arguments = ["--dataset", "iris", "--methods", methods, "--repeats", "1", "--out", "out"]
    process = shell("benchmark", *arguments, "--quiet")
    _, said = process.communicate(timeout=120)
    assert (process.returncode, said) == (0, "")
