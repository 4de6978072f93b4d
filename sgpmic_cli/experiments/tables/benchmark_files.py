"""The files that a benchmark leaves: tables, the table in the paper's shape, the summary, the documents."""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from sgpmic_cli.atomic import write_files
from sgpmic_cli.experiments.compare.comparison import Result
from sgpmic_cli.experiments.run.aggregate import Outcome
from sgpmic_cli.experiments.run.records import Record
from sgpmic_cli.experiments.tables.formats import as_json, csv_text, digits
from sgpmic_cli.experiments.tables.paper_layout import shape_latex, shape_markdown
from sgpmic_cli.experiments.tables.result_tables import latex, markdown, tidy_csv
from sgpmic_cli.experiments.tables.summary import summary, summary_markdown

FILES = (
    *("table.csv", "table.md", "table.tex", "table2.md", "table2.tex", "summary.json", "summary.md", "benchmark.json"),
    *("manifest.json", "lambda.csv", "trace.csv"),
)
GRID = ["dataset", "variance", "q", "method", "settings", "chosen", "metric", "mean", "std", "repeats", "failed"]
TRACE = ["dataset", "q", "method", "settings", "repeat", "curve", "step", "value"]


def write_benchmark(
    folder: Path,
    results: Sequence[Result],
    document: Mapping[str, Any],
    manifest: Mapping[str, Any],
    traced: Iterable[Record] | None = None,
) -> None:
    """Write all files of a benchmark or none; with records to trace also trace.csv."""
    counted = summary(results)
    files = {
        "table.csv": tidy_csv(results),
        "table.md": markdown(results),
        "table.tex": latex(results),
        "table2.md": shape_markdown(results),
        "table2.tex": shape_latex(results),
        "summary.json": as_json(counted),
        "summary.md": summary_markdown(counted),
        "benchmark.json": as_json(document),
        "manifest.json": as_json(manifest),
    }
    if any(result.outcome.grid for result in results):
        files["lambda.csv"] = grid_csv(results)
    if traced is not None:
        files["trace.csv"] = trace_csv(traced)
    write_files(folder, files)


def grid_csv(results: Sequence[Result]) -> str:
    """The whole curve of every method with a grid, and which of its points the labels chose."""
    rows: list[list[Any]] = []
    for result in results:
        for point in result.outcome.grid:
            rows += _point(result, point)
    return csv_text(GRID, rows)


def _point(result: Result, point: Outcome) -> list[list[Any]]:
    cell = result.outcome.cell
    varied = json.dumps({name: point.settings[name] for name in cell.method.grid}, sort_keys=True)
    chosen = "yes" if point.settings == result.outcome.settings else "no"
    place = [cell.dataset, cell.variance, cell.q, cell.method.name, varied, chosen]
    stats = {"acc": point.stats["acc"], "nmi": point.stats[result.nmi]}
    return [
        [*place, metric, digits(stat.mean, 4), digits(stat.std, 4), point.repeats, point.failed]
        for metric, stat in stats.items()
    ]


def trace_csv(records: Iterable[Record]) -> str:
    """What the fits watched while they ran: losses of the networks, the bound of the model. One line a step."""
    rows: list[list[Any]] = []
    for record in sorted(records, key=lambda record: (record.dataset, record.method, record.q, record.key)):
        settings = json.dumps(record.settings, sort_keys=True)
        place = [record.dataset, record.q, record.method, settings, record.repeat]
        for curve, values in record.trace.items():
            rows += [[*place, curve, step, value] for step, value in enumerate(values, start=1)]
    return csv_text(TRACE, rows)
