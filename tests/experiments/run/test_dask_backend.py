"""A real Dask scheduler with real worker processes on this machine."""

import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest
from small_studies import small_benchmark

from sgpmic_cli.errors import SgpmicError, UsageError
from sgpmic_cli.experiments.plan.cells import plan_cells, plan_runs
from sgpmic_cli.experiments.plan.methods import resolve
from sgpmic_cli.experiments.plan.protocol import protocol_named
from sgpmic_cli.experiments.plan.table_data import load_table_data
from sgpmic_cli.experiments.run import dask_backend
from sgpmic_cli.experiments.run.dask_backend import compute_here, records_of_workers, scheduler_of

distributed = pytest.importorskip("distributed", reason="the extra sgpmic[dask] is not installed")
pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")

HERE = Path(__file__)
METHODS = ["toy_methods:Slow", "pca-fcm", "isomap-fcm"]
TABLES = (
    "table.csv",
    "table.md",
    "table.tex",
    "table2.md",
    "table2.tex",
    "summary.json",
    "summary.md",
)
START_SECONDS = 120


class Cluster:
    """A scheduler and workers as processes; the workers live in a folder of their own, without the parent's disk."""

    def __init__(self, folder, **environment):
        self.folder = folder
        self.file = folder / "scheduler.json"
        paths = os.pathsep.join([str(HERE.parents[1]), str(HERE.parents[3])])
        self.environment = {**os.environ, "PYTHONPATH": paths, **environment}
        self.processes = [
            self._start("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard")
        ]
        self._until(self.file.exists)
        self.client = distributed.Client(scheduler_file=str(self.file), set_as_default=False)
        self.address = self.client.scheduler.address

    def _start(self, kind, *arguments):
        command = [
            sys.executable,
            "-m",
            "dask",
            kind,
            "--scheduler-file",
            str(self.file),
            *arguments,
        ]
        return subprocess.Popen(
            command,
            env=self.environment,
            cwd=self.folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def add_workers(self, count):
        home = self.folder / "worker"
        home.mkdir(exist_ok=True)
        options = [
            "--nthreads",
            "1",
            "--no-nanny",
            "--no-dashboard",
            "--local-directory",
            str(home),
        ]
        started = [self._start("worker", "--host", "127.0.0.1", *options) for _ in range(count)]
        self.processes += started
        self.client.wait_for_workers(count, timeout=START_SECONDS)
        return started

    def close(self):
        self.client.close()
        for process in reversed(self.processes):
            if process.poll() is None:
                process.kill()
            process.wait()

    def _until(self, condition):
        limit = time.monotonic() + START_SECONDS
        while not condition():
            assert time.monotonic() < limit, "the scheduler did not start"
            time.sleep(0.05)


@pytest.fixture
def start(tmp_path):
    clusters = []

    def begin(**environment):
        folder = tmp_path / f"cluster{len(clusters)}"
        folder.mkdir()
        clusters.append(Cluster(folder, **environment))
        return clusters[-1]

    yield begin
    for each in clusters:
        each.close()


@pytest.mark.slow
def test_one_of_two_workers_is_killed_and_nothing_is_lost(tmp_path, start):
    arguments = {"datasets": ["iris", "wine"], "variances": [95], "methods": METHODS, "repeats": 12}
    small_benchmark(**arguments, out=tmp_path / "here")
    running = start()
    victim, survivor = running.add_workers(2)
    out, store = tmp_path / "there", tmp_path / "store"
    finished = []

    def work():
        finished.append(
            small_benchmark(
                **arguments, out=out, store=store, backend="dask", scheduler=running.address
            )
        )

    thread = threading.Thread(target=work)
    thread.start()
    while thread.is_alive() and len(list(store.glob("*.json"))) < 5:
        time.sleep(0.005)
    assert thread.is_alive()
    victim.send_signal(signal.SIGKILL)
    thread.join(timeout=START_SECONDS)
    assert not thread.is_alive()
    assert survivor.poll() is None
    assert finished[0].runs.computed == len(list(store.glob("*.json"))) == 2 * len(METHODS) * 12
    for name in TABLES:
        assert (out / name).read_bytes() == (tmp_path / "here" / name).read_bytes()
    assert not (store / "memory").exists()  # workers keep shared work on their own disk


@pytest.mark.slow
def test_runs_that_take_down_their_workers_end_with_a_sentence(tmp_path, start):
    running = start(DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES="0")
    running.add_workers(1)  # one worker takes the batches in their order
    methods = ["toy_methods:Halves", "toy_methods:WorkerKiller"]
    with pytest.raises(SgpmicError, match=r"one worker after the other died.*goes on from here"):
        small_benchmark(
            ["iris"],
            [95],
            methods,
            out=tmp_path,
            repeats=3,
            backend="dask",
            scheduler=running.address,
        )
    assert len(list((tmp_path / "runs").glob("*.json"))) == 3


@pytest.mark.slow
def test_a_run_that_takes_down_its_process_leaves_the_worker_alive(tmp_path, start):
    running = start()
    (worker,) = running.add_workers(1)
    methods = ["toy_methods:Deadly", "toy_methods:Halves"]
    finished = small_benchmark(
        ["iris"], [95], methods, out=tmp_path, repeats=2, backend="dask", scheduler=running.address
    )
    assert worker.poll() is None
    assert finished.runs.failed == 2
    assert "its process ended itself with exit code 1" in finished.results[0].note


def test_no_scheduler_at_the_address_is_a_wrong_argument(tmp_path, monkeypatch):
    monkeypatch.setattr(dask_backend, "CONNECT_SECONDS", 0.5)
    with pytest.raises(UsageError, match=r"no Dask scheduler answers at 'tcp://127\.0\.0\.1:9'"):
        small_benchmark(
            ["iris"],
            [95],
            ["pca-fcm"],
            out=tmp_path,
            repeats=1,
            backend="dask",
            scheduler="tcp://127.0.0.1:9",
        )


@pytest.mark.parametrize(
    ("backend", "scheduler", "sentence"),
    [
        ("dusk", None, r"did you mean 'dask'\?"),
        ("dask", None, "add scheduler=tcp"),
        ("loky", "tcp://h:1", "add backend=dask"),
    ],
)
def test_backend_and_scheduler_go_together(backend, scheduler, sentence):
    with pytest.raises(UsageError, match=sentence):
        scheduler_of(backend, scheduler)


@pytest.mark.parametrize(
    ("threads", "code", "sentence"),
    [
        (2, None, "workers of one thread each"),
        (1, "older", "another version of toy_methods:Halves"),
    ],
)
@pytest.mark.slow
def test_a_worker_that_would_give_other_numbers_refuses(
    tmp_path, monkeypatch, threads, code, sentence
):
    class Worker:
        address = "tcp://worker"
        local_directory = str(tmp_path)

        class state:
            nthreads = threads

    monkeypatch.setattr(distributed, "get_worker", lambda: Worker)
    cells = plan_cells(
        load_table_data(["iris"], [95]), resolve(["toy_methods:Halves"]), protocol_named("as-run")
    )
    (run,) = plan_runs(cells, 1, 0)
    with pytest.raises(SgpmicError, match=sentence):
        compute_here([replace(run, code=code or run.code)])
    Worker.state.nthreads = 1
    assert compute_here([run])[0].ok


def test_without_dask_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(UsageError, match=r"pip install 'sgpmic\[dask\]'"):
        next(records_of_workers([], "tcp://127.0.0.1:9"))
