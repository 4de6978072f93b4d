"""Run studies on a real Dask scheduler with real worker processes on this machine."""

import sys

import pytest
from small_studies import small_benchmark

from sgpmic_cli.benchmark.run import dask_cluster
from sgpmic_cli.errors import UsageError

distributed = pytest.importorskip("distributed", reason="the extra sgpmic[dask] is not installed")
LOCAL = {"dashboard_address": None, "silence_logs": 50}


@pytest.mark.slow
def test_a_cluster_gives_the_tables_of_this_process(tmp_path):
    table = {"datasets": ["iris"], "percentages": [95], "repeats": 2}
    table["methods"] = ["pca-fcm", "isomap-fcm", "toy_methods:Flaky"]
    small_benchmark(**table, out=tmp_path / "here")
    small_benchmark(**table, out=tmp_path / "started", scheduler="local")
    with distributed.LocalCluster(2, threads_per_worker=1, **LOCAL) as cluster:
        small_benchmark(**table, out=tmp_path / "there", scheduler=cluster.scheduler_address)
    expected = (tmp_path / "here/table.csv").read_bytes()
    for folder in ("started", "there"):
        assert (tmp_path / folder / "table.csv").read_bytes() == expected


@pytest.mark.slow
def test_workers_with_several_threads_are_refused():
    with (
        distributed.LocalCluster(1, threads_per_worker=2, processes=False, **LOCAL) as cluster,
        pytest.raises(UsageError, match="start them with --nthreads 1"),
        dask_cluster(cluster.scheduler_address, 1),
    ):
        pass


def test_address_without_a_dask_scheduler_is_one_sentence(tmp_path):
    cluster = {"scheduler": "gopher://x", "out": tmp_path / "out"}
    with pytest.raises(UsageError, match=r"^no Dask scheduler answers[^\n]*$"):
        small_benchmark(["iris"], [95], ["pca-fcm"], repeats=1, **cluster)


def test_without_dask_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with (
        pytest.raises(UsageError, match=r"pip install 'sgpmic\[dask\]'"),
        dask_cluster("tcp://127.0.0.1:9", 1),
    ):
        pass
