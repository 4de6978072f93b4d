"""Run studies on a real Dask scheduler with real worker processes on this machine."""

import contextlib
import multiprocessing
import os
import signal
import socket
import sys
import threading
import time
from dataclasses import replace

import pytest
from small_studies import local_cluster, planned_runs, small_benchmark

from sgpmic_cli.benchmark import workers
from sgpmic_cli.benchmark.fit import Limits
from sgpmic_cli.errors import SgpmicError, UsageError

dask = pytest.importorskip("dask", reason="the extra sgpmic[dask] is not installed")
distributed = pytest.importorskip("distributed", reason="the extra sgpmic[dask] is not installed")

METHODS = ["toy_methods:Slow", "pca-fcm", "isomap-fcm"]
TABLES = ("table.csv", "table.tex", "summary.json")
MOST_SECONDS = 120


@pytest.fixture
def start(tmp_path):
    with contextlib.ExitStack() as stack:
        yield lambda n_workers: stack.enter_context(local_cluster(tmp_path, n_workers))


@pytest.mark.slow
def test_one_of_two_workers_is_killed_and_no_run_is_lost(tmp_path, start):
    arguments = {
        "datasets": ["iris", "wine"],
        "percentages": [95],
        "methods": METHODS,
        "repeats": 5,
    }
    small_benchmark(**arguments, out=tmp_path / "here")
    running = start(2)
    out, store = tmp_path / "there", tmp_path / "store"
    cluster = {"scheduler": running.scheduler_address}
    finished = []

    def work():
        finished.append(small_benchmark(**arguments, out=out, store=store, **cluster))

    thread = threading.Thread(target=work)
    thread.start()
    while thread.is_alive() and len(list(store.glob("*.json"))) < 5:
        time.sleep(0.005)
    assert thread.is_alive()
    os.kill(running.workers[0].pid, signal.SIGKILL)
    thread.join(timeout=MOST_SECONDS)
    assert not thread.is_alive()
    assert finished[0][0].computed == len(list(store.glob("*.json"))) == 2 * len(METHODS) * 5
    for name in TABLES:
        assert (out / name).read_bytes() == (tmp_path / "here" / name).read_bytes()
    assert not (store / "memory").exists()  # workers keep shared results on their own disk


@pytest.mark.slow
def test_runs_that_kill_their_workers_end_with_one_sentence(tmp_path, start):
    with dask.config.set({"distributed.scheduler.allowed-failures": 0}):
        running = start(1)
    before = running.workers[0].pid
    cluster = {"scheduler": running.scheduler_address}
    table = {"datasets": ["iris"], "percentages": [95], "out": tmp_path / "out"}
    finished, _ = small_benchmark(
        **table, methods=["toy_methods:Leaving", "toy_methods:Halves"], repeats=2, **cluster
    )
    assert running.workers[0].pid == before
    assert finished.failed == 2
    with pytest.raises(SgpmicError, match=r"workers died.*same command resumes"):
        small_benchmark(**table, methods=["toy_methods:WorkerKiller"], repeats=1, **cluster)


@pytest.mark.slow
def test_a_local_cluster_is_started_and_ended(tmp_path):
    table = {"datasets": ["iris"], "percentages": [95], "methods": ["pca-fcm"], "repeats": 2}
    small_benchmark(**table, out=tmp_path / "here")
    cluster = {"scheduler": "local", "n_jobs": 1}
    small_benchmark(**table, out=tmp_path / "there", **cluster)
    for name in TABLES:
        assert (tmp_path / "there" / name).read_bytes() == (tmp_path / "here" / name).read_bytes()
    assert not multiprocessing.active_children()


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
        workers.compute_on_worker([replace(run, code=code or run.code)])
    Worker.state.nthreads = 1
    assert workers.compute_on_worker([run])[0]["status"] == "ok"


SLOW_ADDRESSES = ["tcp://", "127.0.0.1:x", "silent", "other protocol"]


@pytest.mark.parametrize(
    "address",
    ["gopher://x", *(pytest.param(each, marks=pytest.mark.slow) for each in SLOW_ADDRESSES)],
)
def test_address_without_a_dask_scheduler_is_one_sentence(tmp_path, address):
    with socket.create_server(("127.0.0.1", 0)) as server:
        if address in ("silent", "other protocol"):
            if address == "other protocol":
                threading.Thread(target=_answer_once, args=(server,), daemon=True).start()
            address = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        cluster = {"scheduler": address, "out": tmp_path / "out"}
        with pytest.raises(UsageError, match=r"^no Dask scheduler answers[^\n]*$"):
            small_benchmark(["iris"], [95], ["pca-fcm"], repeats=1, **cluster)


def _answer_once(server):
    connection, _ = server.accept()
    with connection:
        connection.sendall(os.urandom(512))


def test_without_dask_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(UsageError, match=r"pip install 'sgpmic\[dask\]'"):
        next(workers.run_on_cluster([], "tcp://127.0.0.1:9", Limits(), print))
