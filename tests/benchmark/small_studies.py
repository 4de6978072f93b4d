"""Run small studies in the tests. Keywords go to the study or to the options of its runs."""

from dataclasses import fields

import pytest

from sgpmic_cli.benchmark.pipeline import run_benchmark
from sgpmic_cli.benchmark.plan import Study, load_data, plan_cells, plan_runs
from sgpmic_cli.benchmark.run import RunOptions, prepare
from sgpmic_cli.paper.experiments.protocols import paper_suite, table2
from sgpmic_cli.paper.experiments.sweeps import sweep, sweep_study

SUITE = paper_suite()


def prepared(datasets, percentages, methods, **keywords):
    """Plan a study without computing it."""
    how, options = _parts(keywords)
    return prepare(SUITE.study(datasets, methods, percentages, **how), RunOptions(**options))


def small_benchmark(datasets, percentages, methods, *, out, printed=True, **keywords):
    """Run a benchmark in this process; return its runs and its comparison."""
    how, options = _parts({"n_jobs": 1, **keywords})
    study = SUITE.study(datasets, methods, percentages, **how)
    numbers = table2() if printed else None
    return run_benchmark(study, RunOptions(**options), out=out, printed=numbers)


def prepared_sweep(axis, datasets, values, methods, explained_variance=None, **keywords):
    """Plan a sweep."""
    how, options = _parts(keywords)
    study = sweep_study(axis, values, datasets, methods, explained_variance, **how)
    return prepare(study, RunOptions(**options))


def small_sweep(axis, datasets, values, methods, *, out, **keywords):
    """Run a sweep in this process."""
    how, options = _parts({"n_jobs": 1, **keywords})
    study = sweep_study(axis, values, datasets, methods, **how)
    return sweep(axis, study, RunOptions(**options), out=out, values=values)


def _parts(keywords):
    names = {field.name for field in fields(Study)}
    how = {name: value for name, value in keywords.items() if name in names}
    return how, {name: value for name, value in keywords.items() if name not in names}


def local_cluster(folder, n_workers=1):
    """Start a Dask scheduler with worker processes on this machine."""
    distributed = pytest.importorskip("distributed")
    local = {"threads_per_worker": 1, "dashboard_address": None, "silence_logs": 50}
    return distributed.LocalCluster(n_workers, local_directory=str(folder / "workers"), **local)


def planned_cells(datasets, percentages, methods, *, protocol="as-run", **source):
    """Plan the cells of a small table."""
    study = SUITE.study(datasets, methods, protocol=protocol)
    return plan_cells(load_data(datasets, percentages, **source), study)


def planned_runs(methods, repeats=1, datasets=("iris",), percentages=(95,)):
    """Plan the runs of a small table."""
    return plan_runs(planned_cells(datasets, percentages, methods), repeats, 0)
