"""Run a benchmark: methods on data sets, with our numbers beside the paper's."""

import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from sgpmic_cli._typing import PathLike
from sgpmic_cli.benchmark.compare.comparison import Result
from sgpmic_cli.benchmark.plan.cells import Study
from sgpmic_cli.benchmark.run.pipeline import FinishedStudy, RunOptions, run_study, write_study
from sgpmic_cli.benchmark.run.records import Record
from sgpmic_cli.benchmark.tables.benchmark_summary import summary, summary_markdown
from sgpmic_cli.benchmark.tables.formats import as_json, csv_text
from sgpmic_cli.benchmark.tables.result_tables import (
    latex,
    markdown,
    ranking_markdown,
    shape_markdown,
    tidy_csv,
)

# The formats of the table. A new format is a function from results to text, and one line here.
FORMATS: dict[str, Callable[[Sequence[Result]], str]] = {
    "table.csv": tidy_csv,
    "table.md": markdown,
    "table.tex": latex,
    "table2.md": shape_markdown,
    "ari.md": ranking_markdown,
}


def benchmark(
    study: Study, options: RunOptions = RunOptions(), *, out: PathLike, with_trace: bool = False
) -> FinishedStudy:
    """Run or resume a benchmark and write its tables and manifest into `out`.

    With `with_trace`, also write trace.csv: the losses and bounds of every run by iteration.
    """
    finished = run_study(study, options, out)
    counted = summary(finished.results)
    files = {name: render(finished.results) for name, render in FORMATS.items()}
    files |= {"summary.json": as_json(counted), "summary.md": summary_markdown(counted)}
    files["benchmark.json"] = as_json(finished.document())
    if with_trace:
        files["trace.csv"] = trace_csv(finished.records.values())
    write_study(Path(out), files, finished)
    return finished


def trace_csv(records: Iterable[Record]) -> str:
    """Return the losses and bounds of the fits, one line for each iteration."""
    heading = ["dataset", "q", "method", "settings", "repeat", "curve", "step", "value"]
    rows: list[list[Any]] = []
    for record in sorted(records, key=lambda each: (each.dataset, each.method, each.q, each.key)):
        settings = json.dumps(record.settings, sort_keys=True)
        place = [record.dataset, record.q, record.method, settings, record.repeat]
        for curve, values in record.trace.items():
            rows += [[*place, curve, step, value] for step, value in enumerate(values, start=1)]
    return csv_text(heading, rows)
