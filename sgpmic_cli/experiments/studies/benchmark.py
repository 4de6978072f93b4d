"""The benchmark: methods on data sets, our numbers beside the paper's."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sgpmic_cli._typing import PathLike
from sgpmic_cli.experiments.compare.comparison import Result, compare_cell
from sgpmic_cli.experiments.plan.study import Study
from sgpmic_cli.experiments.run.pipeline import FinishedStudy, run_study, write_study
from sgpmic_cli.experiments.run.run_options import RunOptions
from sgpmic_cli.experiments.tables.benchmark_files import benchmark_files, trace_csv


@dataclass(frozen=True)
class Benchmark:
    """The finished table, and the runs behind it."""

    results: list[Result]
    runs: FinishedStudy

    def document(self) -> dict[str, Any]:
        """The one JSON document of the command."""
        study = self.runs.prepared.study
        return {
            "protocol": study.protocol,
            "repeats": study.repeats,
            "seed": study.seed,
            "cells": [cell.document() for cell in self.results],
        }


def benchmark(
    study: Study, options: RunOptions = RunOptions(), *, out: PathLike, with_trace: bool = False
) -> Benchmark:
    """Run or resume a benchmark and write its tables and manifest into `out`.

    With `with_trace` also trace.csv: the losses and bounds of every run, step by step.
    """
    runs = run_study(study, options, out)
    finished = Benchmark([compare_cell(outcome, runs.prepared.protocol) for outcome in runs.outcomes], runs)
    files = benchmark_files(finished.results, finished.document())
    if with_trace:
        files["trace.csv"] = trace_csv(runs.records.values())
    write_study(Path(out), files, runs)
    return finished
