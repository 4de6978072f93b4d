"""The benchmark: methods on data sets, our numbers beside the paper's."""

from dataclasses import dataclass
from pathlib import Path

from sgpmic_cli._typing import PathLike
from sgpmic_cli.experiments.compare.comparison import compare_cell
from sgpmic_cli.experiments.compare.result_file import ResultTable
from sgpmic_cli.experiments.plan.study import Study
from sgpmic_cli.experiments.run.pipeline import FinishedStudy, run_study, write_study
from sgpmic_cli.experiments.run.run_options import RunOptions
from sgpmic_cli.experiments.tables.benchmark_files import (
    FILES,
    TRACE_FILE,
    benchmark_files,
    trace_csv,
)


@dataclass(frozen=True)
class Benchmark(ResultTable):
    """The finished table, and the runs behind it."""

    runs: FinishedStudy


def benchmark(
    study: Study, options: RunOptions = RunOptions(), *, out: PathLike, with_trace: bool = False
) -> Benchmark:
    """Run or resume a benchmark and write its tables and manifest into `out`.

    With `with_trace` also trace.csv: the losses and bounds of every run, step by step.
    """
    runs = run_study(study, options, out, FILES)
    results = [compare_cell(outcome) for outcome in runs.outcomes]
    finished = Benchmark(study.protocol, study.repeats, study.seed, results, runs)
    files = benchmark_files(finished.results, finished.document())
    if with_trace:
        files[TRACE_FILE] = trace_csv(runs.records.values())
    write_study(Path(out), files, runs)
    return finished
