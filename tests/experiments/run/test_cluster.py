"""Run studies on a real Dask scheduler with real worker processes on this machine."""

import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest
from small_studies import planned_runs, small_benchmark

from sgpmic_cli.errors import SgpmicError, UsageError
from sgpmic_cli.experiments.run import runner
from sgpmic_cli.experiments.run.one_run import Limits

distributed = pytest.importorskip("distributed", reason="the extra sgpmic[dask] is not installed")
pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals")

HERE = Path(__file__)
METHODS = ["toy_methods:Slow", "pca-fcm", "isomap-fcm"]
TABLES = ("table.csv", "table.tex", "table2.md", "summary.json")
START_SECONDS = 120


class Cluster:
    """A scheduler and workers as processes, with a folder of their own."""

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
        command = [sys.executable, "-m", "dask", kind, "--scheduler-file", str(self.file)]
        silent = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        return subprocess.Popen(
            [*command, *arguments], env=self.environment, cwd=self.folder, **silent
        )

    def add_workers(self, count):
        home = self.folder / "worker"
        home.mkdir(exist_ok=True)
        options = ["--nthreads", "1", "--no-nanny", "--no-dashboard", "--host", "127.0.0.1"]
        options += ["--local-directory", str(home)]
        started = [self._start("worker", *options) for _ in range(count)]
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
def test_one_of_two_workers_is_killed_and_no_run_is_lost(tmp_path, start):
    arguments = {"datasets": ["iris", "wine"], "variances": [95], "methods": METHODS, "repeats": 5}
    small_benchmark(**arguments, out=tmp_path / "here")
    running = start()
    victim, survivor = running.add_workers(2)
    out, store = tmp_path / "there", tmp_path / "store"
    cluster = {"backend": "dask", "scheduler": running.address}
    finished = []

    def work():
        finished.append(small_benchmark(**arguments, out=out, store=store, **cluster))

    thread = threading.Thread(target=work)
    thread.start()
    while thread.is_alive() and len(list(store.glob("*.json"))) < 5:
        time.sleep(0.005)
    assert thread.is_alive()
    victim.send_signal(signal.SIGKILL)
    thread.join(timeout=START_SECONDS)
    assert not thread.is_alive()
    assert survivor.poll() is None
    assert finished[0].runs.computed == len(list(store.glob("*.json"))) == 2 * len(METHODS) * 5
    for name in TABLES:
        assert (out / name).read_bytes() == (tmp_path / "here" / name).read_bytes()
    assert not (store / "memory").exists()  # workers keep shared results on their own disk


@pytest.mark.slow
def test_runs_that_kill_their_workers_end_with_one_sentence(tmp_path, start):
    running = start(DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES="0")
    (worker,) = running.add_workers(1)
    cluster = {"backend": "dask", "scheduler": running.address}
    table = {"datasets": ["iris"], "variances": [95], "out": tmp_path}
    finished = small_benchmark(
        **table, methods=["toy_methods:Leaving", "toy_methods:Halves"], repeats=2, **cluster
    )
    assert worker.poll() is None
    assert finished.runs.failed == 2
    with pytest.raises(SgpmicError, match=r"several Dask workers died.*same command resumes"):
        small_benchmark(**table, methods=["toy_methods:WorkerKiller"], repeats=1, **cluster)


@pytest.mark.parametrize(
    ("threads", "code", "sentence"),
    [
        (2, None, "start workers with --nthreads 1"),
        (1, "older", "another version of toy_methods:Halves"),
    ],
)
def test_a_worker_that_would_give_other_numbers_refuses(
    tmp_path, monkeypatch, threads, code, sentence
):
    class Worker:
        address = "tcp://worker"
        local_directory = str(tmp_path)

        class state:
            nthreads = threads

    monkeypatch.setattr(distributed, "get_worker", lambda: Worker)
    (run,) = planned_runs(["toy_methods:Halves"])
    with pytest.raises(SgpmicError, match=sentence):
        runner.compute_on_worker([replace(run, code=code or run.code)])
    Worker.state.nthreads = 1
    assert runner.compute_on_worker([run])[0].ok


def test_without_dask_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(UsageError, match=r"pip install 'sgpmic\[dask\]'"):
        next(runner.run_on_cluster([], "tcp://127.0.0.1:9", Limits(), print))
