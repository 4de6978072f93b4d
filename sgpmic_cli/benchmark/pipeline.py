"""Run a benchmark: plan, run, compare, render."""

import json
from pathlib import Path
from typing import Any

import pandas as pd

from sgpmic_cli._typing import PathLike
from sgpmic_cli.benchmark.compare import best_settings, compare, has_print, rows_of
from sgpmic_cli.benchmark.counts import summary
from sgpmic_cli.benchmark.documents import document
from sgpmic_cli.benchmark.plan import Study
from sgpmic_cli.benchmark.render import tables
from sgpmic_cli.benchmark.run import FinishedStudy, RunOptions, run_study, write_study


def run_benchmark(
    study: Study,
    options: RunOptions = RunOptions(),
    *,
    out: PathLike,
    printed: pd.DataFrame | None = None,
    with_trace: bool = False,
) -> tuple[FinishedStudy, pd.DataFrame]:
    """Run or resume a benchmark and write its tables and manifest into `out`.

    Return the runs and their comparison (see `compare`), also with printed numbers if there are any
    (see `read_printed`). `with_trace` adds trace.csv, the losses and bounds by iteration.
    """
    finished = run_study(study, options, out)
    table = best_settings(compare(finished.runs, study.methods, printed))
    files = {
        "table.csv": tables.tidy_csv(table),
        "table.md": tables.markdown(table),
        "table.tex": tables.latex(table),
        "benchmark.json": tables.as_json(document(study, table)),
    }
    if has_print(table):
        counts = summary(table, printed)
        files["summary.json"] = tables.as_json(counts)
        files["summary.md"] = tables.summary_markdown(counts)
    if with_trace:
        files["trace.csv"] = _trace_csv(finished.distinct_runs)
    write_study(Path(out), files, finished)
    return finished, table


def _trace_csv(runs: pd.DataFrame) -> str:
    """Return the losses and bounds of the fits, one line for each iteration."""
    heading = ["dataset", "q", "method", "settings", "repeat", "curve", "step", "value"]
    rows: list[list[Any]] = []
    for run in rows_of(runs.sort_values(["dataset", "method", "q", "key"])):
        settings = json.dumps(run.settings, sort_keys=True)
        place = [run.dataset, run.q, run.method, settings, int(run.repeat)]
        for curve, values in run.trace.items():
            rows += [[*place, curve, step, value] for step, value in enumerate(values, start=1)]
    return tables.csv_text(heading, rows)
