"""Third-party methods: classes of the user, entry points, and methods that misbehave."""

import json

import pytest
from command_checks import processes_of
from command_line import one_sentence
from small_studies import local_cluster

pytestmark = pytest.mark.slow
REASONS = {
    "toy_methods:Exits": "its process ended with exit code 7",
    "toy_methods:Crashes": "its process was ended by SIGSEGV, a crash in native code",
    "toy_methods:Killed": "its process was ended by SIGKILL, probably out of memory",
    "toy_methods:Interrupts": "KeyboardInterrupt: no reason was given",
    "toy_methods:Wordless": "Strange: no reason was given",
    "toy_methods:Hangs": "it took longer than the limit of 6 s",
    "toy_methods:Hungry": "MemoryError",
    "toy_methods:Talking": "SystemExit: \\x1b[31mgood bye",
    "exits_at_import:Any": "SystemExit: 5",
}
LIMITS = ["--timeout", "6", "--memory-limit", "500MB"]


@pytest.fixture
def cluster(folder):
    """The address of a Dask scheduler with one worker."""
    with local_cluster(folder.parent) as running:
        yield running.scheduler_address


@pytest.mark.parametrize("way", ["one job", "two jobs", "dask"])
def test_misbehaving_methods_fail_and_the_others_are_computed(folder, shell, way, request):
    where = {"one job": ["--n-jobs", "1"], "two jobs": ["--n-jobs", "2"]}.get(way)
    if where is None:
        where = ["--backend", "dask", "--scheduler", request.getfixturevalue("cluster")]
    harmless = ["toy_methods:Garbles", "toy_methods:Rude", "sklearn.cluster:OPTICS"]
    methods = ",".join(["pca-fcm", *REASONS, *harmless])
    arguments = ["--dataset", "iris", "--methods", methods, "--repeats", "1", "--out", "out"]
    process = shell("benchmark", *arguments, "--json", *LIMITS, *where)
    stdout, stderr = process.communicate(timeout=300)
    assert process.returncode == 3, stderr
    assert one_sentence(stderr) == (
        "sgpmic: 9 of 13 runs failed; the notes say why, and --retry-failed runs them again."
    )
    cells = {cell["method"]: cell for cell in json.loads(stdout)["cells"]}
    assert cells["pca-fcm"]["verdict"]["acc"] == "exact"
    for method, reason in REASONS.items():
        assert cells[method]["failed"] == 1
        assert cells[method]["note"].startswith(f"All 1 runs failed: {reason}"), method
    assert [cells[method]["failed"] for method in harmless] == [0, 0, 0]
    assert (folder / "out" / "table.csv").exists()
    assert processes_of(process.pid) == []
    assert not list(folder.rglob(".sgpmic-*"))


def test_a_method_that_kills_its_worker_ends_the_benchmark_with_a_sentence(folder, shell):
    methods = "pca-fcm,toy_methods:WorkerKiller"
    arguments = ["--dataset", "iris", "--methods", methods, "--repeats", "1", "--out", "out"]
    process = shell("benchmark", *arguments, "--n-jobs", "2")
    _, stderr = process.communicate(timeout=120)
    assert process.returncode == 1, stderr
    assert "a worker process died" in one_sentence(stderr)
    assert processes_of(process.pid) == []


def test_own_class_and_entry_point_are_computed_again_after_an_edit(folder, shell):
    code = "from sklearn.cluster import KMeans\n\n\nclass Mine(KMeans):\n    pass\n"
    installed = folder.parent / "site" / "theirs-1.0.dist-info"
    installed.mkdir(parents=True)
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: theirs\nVersion: 1.0\n")
    (installed / "entry_points.txt").write_text("[sgpmic.methods]\ntheirs = theirs:Mine\n")
    for path in (folder / "mine.py", installed.parent / "theirs.py"):
        path.write_text(code)
    arguments = ["--dataset", "my.csv,iris", "--label", "kind", "--methods", "mine:Mine,theirs"]

    def run():
        process = shell("benchmark", *arguments, "--repeats", "1", "--out", "out", "--json")
        stdout, stderr = process.communicate(timeout=120)
        assert process.returncode == 0, stderr
        cells = {(cell["dataset"], cell["method"]): cell for cell in json.loads(stdout)["cells"]}
        return {place: cell["acc"]["mean"] for place, cell in cells.items()}, stderr

    scores, _ = run()
    assert scores["my.csv", "mine:Mine"] == scores["my.csv", "theirs"] == 100.0
    assert scores["iris", "mine:Mine"] == pytest.approx(89.33, abs=1.0)
    (folder / "helper.py").write_text("")
    assert "2 runs computed, 2 reused" in run()[1]
