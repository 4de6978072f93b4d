"""Kill and interrupt real processes, and run two at once on one store."""

import os
import random
import signal
import time

import pytest
from small_studies import small_benchmark

METHODS = ["pca-fcm", "isomap-fcm", "aml", "toy_methods:Flaky"]
REPEATS = 10
N_JOBS_KILLED = ("2", "1")
TABLES = ("table.csv", "table.md", "table.tex", "table2.md", "summary.json")


@pytest.fixture
def start(shell):
    """Return a function that starts the benchmark."""
    study = f"benchmark --dataset iris,wine --variance 95 --repeats {REPEATS} --quiet".split()
    study += ["--methods", ",".join(METHODS)]
    return lambda out, store, n_jobs="2": shell(
        *study, "--out", out, "--store", store, "--n-jobs", n_jobs
    )


def _wait_for_records(process, store, more):
    """Wait until the store has `more` records more; return whether the process still runs."""
    before = len(list(store.glob("*.json")))
    while process.poll() is None and len(list(store.glob("*.json"))) < before + more:
        time.sleep(0.002)
    return process.poll() is None


def _read(out):
    return {name: (out / name).read_bytes() for name in TABLES}


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    out = tmp_path_factory.mktemp("uninterrupted")
    small_benchmark(["iris", "wine"], [95], METHODS, out=out, repeats=REPEATS)
    return _read(out)


@pytest.mark.slow
def test_a_study_killed_at_random_moments_ends_with_the_same_bytes(tmp_path, start, expected):
    out, store = tmp_path / "out", tmp_path / "store"
    rng = random.Random(12)
    kills = 0
    for n_jobs in N_JOBS_KILLED:
        process = start(out, store, n_jobs)
        if _wait_for_records(process, store, rng.randint(1, 25)):
            time.sleep(rng.uniform(0, 0.05))
            os.killpg(process.pid, signal.SIGKILL)
            kills += 1
        process.communicate()
        assert not any((out / name).exists() for name in TABLES)
    assert kills == len(N_JOBS_KILLED)
    kept = len(list(store.glob("*.json")))
    last = start(out, store)
    last.communicate()
    assert last.returncode == 3  # the flaky method
    assert 0 < kept < len(list(store.glob("*.json"))) == 2 * len(METHODS) * REPEATS
    assert _read(out) == expected


@pytest.mark.slow
def test_two_processes_on_one_store_end_with_the_same_bytes(tmp_path, start, expected):
    outs = [tmp_path / "one", tmp_path / "two"]
    processes = [start(out, tmp_path / "store") for out in outs]
    for process in processes:
        process.communicate()
    assert [process.returncode for process in processes] == [3, 3]
    assert [_read(out) for out in outs] == [expected, expected]
    assert list((tmp_path / "store").glob("*.tmp")) == []
