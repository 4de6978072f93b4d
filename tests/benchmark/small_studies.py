"""Run small studies in the tests. Keywords go to the study or to the options of its runs."""

from dataclasses import fields

import pytest

from sgpmic_cli.benchmark.plan.cells import Study, plan_cells, plan_runs
from sgpmic_cli.benchmark.plan.methods import resolve
from sgpmic_cli.benchmark.plan.table_data import load_table_data
from sgpmic_cli.benchmark.run.pipeline import RunOptions, prepare
from sgpmic_cli.benchmark.studies.benchmark_study import benchmark
from sgpmic_cli.paper.sweep_study import sweep, sweep_study


def prepared(datasets, variances, methods, **keywords):
    """Plan a study without computing it."""
    return prepare(*_parts(datasets, variances, methods, keywords))


def small_benchmark(datasets, variances, methods, *, out, **keywords):
    """Run a benchmark in this process."""
    study, options = _parts(datasets, variances, methods, {"n_jobs": 1, **keywords})
    return benchmark(study, options, out=out)


def prepared_sweep(axis, datasets, values, methods, variance=None, **keywords):
    """Plan a sweep."""
    study, options = _parts(datasets, ["all"], methods, keywords)
    return prepare(sweep_study(axis, values, study, variance), options)


def small_sweep(axis, datasets, values, methods, *, out, **keywords):
    """Run a sweep in this process."""
    study, options = _parts(datasets, ["all"], methods, {"n_jobs": 1, **keywords})
    return sweep(axis, values, study, options, out=out)


def _parts(datasets, variances, methods, keywords):
    asked = {field.name for field in fields(Study)}
    study = {name: value for name, value in keywords.items() if name in asked}
    options = {name: value for name, value in keywords.items() if name not in asked}
    return Study(datasets, variances, methods, **study), RunOptions(**options)


def local_cluster(folder, n_workers=1):
    """Start a Dask scheduler with worker processes on this machine."""
    distributed = pytest.importorskip("distributed")
    local = {"threads_per_worker": 1, "dashboard_address": None, "silence_logs": 50}
    return distributed.LocalCluster(n_workers, local_directory=str(folder / "workers"), **local)


def planned_runs(methods, repeats=1, datasets=("iris",), variances=(95,), protocol="as-run"):
    """Plan the runs of a small table."""
    tables = load_table_data(datasets, variances)
    return plan_runs(plan_cells(tables, resolve(methods), protocol), repeats, 0)
