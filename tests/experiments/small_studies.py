"""Studies in one line for the tests: keywords go to the study or to the options of its runs, wherever they belong."""

from dataclasses import fields

from sgpmic_cli.experiments.plan.study import Study
from sgpmic_cli.experiments.run.pipeline import prepare
from sgpmic_cli.experiments.run.run_options import RunOptions
from sgpmic_cli.experiments.studies.benchmark import benchmark
from sgpmic_cli.experiments.studies.sweeps import sweep, sweep_study


def prepared(datasets, variances, methods, **keywords):
    """The study planned and its runs looked up, nothing computed."""
    return prepare(*_parts(datasets, variances, methods, keywords))


def small_benchmark(datasets, variances, methods, *, out, **keywords):
    """A benchmark in this process."""
    study, options = _parts(datasets, variances, methods, {"n_jobs": 1, **keywords})
    return benchmark(study, options, out=out)


def prepared_sweep(axis, datasets, values, methods, variance=None, **keywords):
    """A sweep planned."""
    study, options = _parts(datasets, ["all"], methods, keywords)
    return prepare(sweep_study(axis, values, study, variance), options)


def small_sweep(axis, datasets, values, methods, *, out, **keywords):
    """A sweep in this process."""
    study, options = _parts(datasets, ["all"], methods, {"n_jobs": 1, **keywords})
    return sweep(axis, values, study, options, out=out)


def _parts(datasets, variances, methods, keywords):
    asked = {field.name for field in fields(Study)}
    study = {name: value for name, value in keywords.items() if name in asked}
    options = {name: value for name, value in keywords.items() if name not in asked}
    return Study(datasets, variances, methods, **study), RunOptions(**options)
