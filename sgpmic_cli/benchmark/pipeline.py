"""Run a benchmark: plan, run, compare, render."""

from pathlib import Path
from typing import Any

import pandas as pd

from sgpmic_cli._typing import PathLike
from sgpmic_cli.benchmark.compare import best_settings, compare, has_print
from sgpmic_cli.benchmark.counts import summary
from sgpmic_cli.benchmark.documents import document
from sgpmic_cli.benchmark.plan import Study
from sgpmic_cli.benchmark.render import tables
from sgpmic_cli.benchmark.run import RunOptions, Runs, run_study, write_study


def run_benchmark(
    study: Study,
    options: RunOptions = RunOptions(),
    *,
    out: PathLike,
    printed: pd.DataFrame | None = None,
) -> tuple[Runs, pd.DataFrame, dict[str, Any]]:
    """Run or resume a benchmark and write its tables and manifest into `out`.

    Return the runs, their comparison (see `compare`), also with printed numbers if there are any,
    and its JSON document.
    """
    runs = run_study(study, options, out)
    table = best_settings(compare(runs.frame, study.methods, printed))
    content = document(study, table)
    files = {
        "table.csv": tables.tidy_csv(table),
        "table.md": tables.markdown(table),
        "benchmark.json": tables.as_json(content),
    }
    if has_print(table):
        counts = summary(table, printed)
        files["summary.json"] = tables.as_json(counts)
        files["summary.md"] = tables.summary_markdown(counts)
    write_study(Path(out), files, runs)
    return runs, table, content
