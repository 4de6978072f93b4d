"""Run a benchmark: plan, run, compare, render."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd

from sgpmic_cli._typing import PathLike
from sgpmic_cli.benchmark.compare.results import compare, document, rows_of
from sgpmic_cli.benchmark.compare.summary import summary
from sgpmic_cli.benchmark.plan.study import Study
from sgpmic_cli.benchmark.render import tables
from sgpmic_cli.benchmark.render.formats import as_json, csv_text
from sgpmic_cli.benchmark.run.running import FinishedStudy, RunOptions, run_study, write_study

# The formats of the table. A new format is a function from a comparison to text, and one line here.
FORMATS: dict[str, Callable[[pd.DataFrame], str]] = {
    "table.csv": tables.tidy_csv,
    "table.md": tables.markdown,
    "table.tex": tables.latex,
    "table2.md": tables.paper_layout,
    "ari.md": tables.ranking_markdown,
}


def benchmark(
    study: Study,
    options: RunOptions = RunOptions(),
    *,
    out: PathLike,
    printed: pd.DataFrame | None = None,
    with_trace: bool = False,
) -> tuple[FinishedStudy, pd.DataFrame]:
    """Run or resume a benchmark and write its tables and manifest into `out`.

    Parameters
    ----------
    study, options : Study, RunOptions
        What is run, and how.
    out : path
        Output folder.
    printed : DataFrame or None
        Printed numbers to compare with; see `read_printed`.
    with_trace : bool
        Whether to write trace.csv as well: the losses and bounds of every run by iteration.

    Returns
    -------
    finished, table : FinishedStudy, DataFrame
        The runs, and their comparison (see `compare`).
    """
    finished = run_study(study, options, out)
    table = compare(finished.runs, study.methods, printed)
    counts = summary(table, printed)
    files = {name: render(table) for name, render in FORMATS.items()}
    files |= {"summary.json": as_json(counts), "summary.md": tables.summary_markdown(counts)}
    files["benchmark.json"] = as_json(benchmark_document(study, table))
    if with_trace:
        files["trace.csv"] = trace_csv(finished.distinct_runs)
    write_study(Path(out), files, finished)
    return finished, table


def benchmark_document(study: Study, table: pd.DataFrame) -> dict[str, Any]:
    """Return the JSON document of a benchmark."""
    head = {"protocol": study.protocol, "repeats": study.repeats, "seed": study.seed}
    return document(table, **head)


def trace_csv(runs: pd.DataFrame) -> str:
    """Return the losses and bounds of the fits, one line for each iteration."""
    heading = ["dataset", "q", "method", "settings", "repeat", "curve", "step", "value"]
    rows: list[list[Any]] = []
    for run in rows_of(runs.sort_values(["dataset", "method", "q", "key"])):
        settings = json.dumps(run.settings, sort_keys=True)
        place = [run.dataset, run.q, run.method, settings, int(run.repeat)]
        for curve, values in run.trace.items():
            rows += [[*place, curve, step, value] for step, value in enumerate(values, start=1)]
    return csv_text(heading, rows)
