"""Misbehaving methods fail with their reasons and do not affect other methods."""

import json
import os
import subprocess
import sys
import time

import pytest
from judging import ROOT, one_sentence, processes_of

from sgpmic_cli.code_version import code_version

pytestmark = pytest.mark.slow
REASONS = {
    "misbehaving:Exits": "its process ended itself with exit code 7",
    "misbehaving:Crashes": "its process was ended by SIGSEGV, a crash in native code",
    "misbehaving:Killed": "its process was ended by SIGKILL, most likely for want of memory",
    "misbehaving:Interrupts": "KeyboardInterrupt: no reason was given",
    "misbehaving:Wordless": "Strange: no reason was given",
    "misbehaving:Hangs": "it took longer than the limit of 6 s",
    "misbehaving:Hungry": "MemoryError",
    "misbehaving:Leaves": "SystemExit: \\x1b[31mgood bye",
    "misbehaving:Garbles": "its process answered with something that is no outcome of a run",
    "exits_at_import:Any": "SystemExit: 5",
}
LIMITS = ["--timeout", "6", "--memory-limit", "500MB"]


@pytest.fixture
def cluster(folder):
    """Start a Dask scheduler with one worker on the loopback address."""
    pytest.importorskip("distributed")
    file = folder.parent / "scheduler.json"
    paths = os.pathsep.join([str(ROOT), str(ROOT / "tests" / "hostile")])
    processes = []

    def start(words):
        command = [sys.executable, "-m", "dask", *words.split(), "--scheduler-file", str(file)]
        processes.append(
            subprocess.Popen(
                [*command, "--host", "127.0.0.1", "--no-dashboard"],
                env={**os.environ, "PYTHONPATH": paths},
                cwd=folder.parent,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
        )

    start("scheduler --port 0")
    while not file.exists():
        time.sleep(0.05)
    start("worker --nthreads 1 --no-nanny --local-directory w")
    yield json.loads(file.read_text())["address"]
    for process in processes:
        process.kill()
        process.wait()


@pytest.mark.parametrize("way", ["one job", "two jobs", "dask"])
def test_misbehaving_methods_fail_and_others_succeed(folder, shell, way, request):
    where = {"one job": ["--n-jobs", "1"], "two jobs": ["--n-jobs", "2"]}.get(way)
    if where is None:
        where = ["--backend", "dask", "--scheduler", request.getfixturevalue("cluster")]
    methods = ",".join(["pca-fcm", *REASONS, "misbehaving:Rude"])
    arguments = f"--dataset iris --methods {methods} --repeats 1 --out out --json".split()
    process = shell("benchmark", *arguments, *LIMITS, *where)
    printed, said = process.communicate(timeout=300)
    assert process.returncode == 3, said
    assert one_sentence(said) == (
        "sgpmic: 10 of 12 runs failed; the notes say why, and --retry-failed runs them again."
    )
    cells = {cell["method"]: cell for cell in json.loads(printed)["cells"]}
    assert cells["pca-fcm"]["verdict"]["acc"] == "exact"
    for method, reason in REASONS.items():
        assert cells[method]["failed"] == 1
        assert cells[method]["note"].startswith(f"All 1 runs failed: {reason}"), method
    assert cells["misbehaving:Rude"]["failed"] == 0  # data, folder and output are unchanged
    assert (folder / "out" / "table.csv").exists()
    assert processes_of(process.pid) == []
    assert not list(folder.rglob(".sgpmic-*"))


def test_memory_parameter_of_scikit_learn_methods_is_not_set(folder, shell):
    methods = "sklearn.cluster:AgglomerativeClustering,sklearn.cluster:OPTICS"
    arguments = ["--dataset", "iris", "--methods", methods, "--repeats", "1", "--out", "out"]
    process = shell("benchmark", *arguments, "--quiet")
    _, said = process.communicate(timeout=120)
    assert (process.returncode, said) == (0, "")


def test_code_version_covers_files_beside_the_method(tmp_path):
    (tmp_path / "own_method.py").write_text(
        "import own_helper\nfrom own_package import part\n\n\nclass Mine: ...\n"
    )
    (tmp_path / "own_package").mkdir()
    for name in ("own_helper.py", "own_package/__init__.py", "own_package/part.py", "apart.py"):
        (tmp_path / name).write_text("value = 1\n")
    code = "from sgpmic_cli.code_version import code_version; print(code_version('own_method'))"

    def version():
        done = subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(tmp_path)])},
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout

    versions = [version()]
    for name in ("own_helper.py", "own_package/part.py"):
        (tmp_path / name).write_text("value = 2\n")
        versions.append(version())
    assert len(set(versions)) == 3
    (tmp_path / "apart.py").write_text("value = 2\n")
    (tmp_path / "own_helper.py").write_text("value = 2  # the same\n")
    assert version() == versions[-1]


def test_code_version_does_not_import_the_method(tmp_path, monkeypatch):
    (tmp_path / "explosive").mkdir()
    (tmp_path / "explosive" / "__init__.py").write_text("raise SystemExit('imported')\n")
    (tmp_path / "explosive" / "inner.py").write_text("x = 1\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert len(code_version("explosive.inner")) == 16
    assert "explosive" not in sys.modules
