"""Run small studies in the tests. Keywords go to the study or to the options of its runs."""

from dataclasses import fields

from sgpmic_cli.benchmark.plan import Study, load_data, plan_cells
from sgpmic_cli.benchmark.run import RunOptions, plan_study, run_study
from sgpmic_cli.benchmark.tables import run_benchmark
from sgpmic_cli.paper.experiments.protocols import paper_suite, table2
from sgpmic_cli.paper.experiments.sweeps import sweep, sweep_study

SUITE = paper_suite()


def small_frame(methods, store, datasets=("iris",), percentages=(95,), **keywords):
    """Run a study and return the rows of its frame."""
    how, options = _parts({"n_jobs": 1, "repeats": 1, **keywords})
    study = SUITE.study(datasets, methods, percentages, **how)
    return run_study(study, RunOptions(store, **options)).frame.to_dict("records")


def small_benchmark(datasets, percentages, methods, *, out, printed=True, **keywords):
    """Run a benchmark in this process; return its runs and its comparison."""
    how, options = _parts({"n_jobs": 1, **keywords})
    study = SUITE.study(datasets, methods, percentages, **how)
    numbers = table2() if printed else None
    return run_benchmark(study, RunOptions(**options), out=out, printed=numbers)[:2]


def planned_sweep(axis, datasets, values, methods, explained_variance=None, **keywords):
    """Plan a sweep."""
    how, options = _parts(keywords)
    study = sweep_study(axis, values, datasets, methods, explained_variance, **how)
    return plan_study(study, RunOptions(**options))


def small_sweep(axis, datasets, values, methods, *, out, **keywords):
    """Run a sweep in this process."""
    how, options = _parts({"n_jobs": 1, **keywords})
    study = sweep_study(axis, values, datasets, methods, **how)
    return sweep(axis, study, RunOptions(**options), out=out, values=values)


def _parts(keywords):
    names = {field.name for field in fields(Study)}
    how = {name: value for name, value in keywords.items() if name in names}
    return how, {name: value for name, value in keywords.items() if name not in names}


def planned_cells(datasets, percentages, methods, *, protocol="as-run", **source):
    """Plan the cells of a small table."""
    study = SUITE.study(datasets, methods, protocol=protocol)
    return plan_cells(load_data(datasets, percentages, **source), study)
