"""The files that a benchmark leaves: tables, the table in the paper's shape, the summary, the documents."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from sgpmic_cli.experiments.compare.comparison import GridPoint, Result
from sgpmic_cli.experiments.run.records import Record
from sgpmic_cli.experiments.tables.formats import as_json, csv_text, digits
from sgpmic_cli.experiments.tables.paper_layout import shape_latex, shape_markdown
from sgpmic_cli.experiments.tables.ranking import ranking_markdown
from sgpmic_cli.experiments.tables.result_tables import latex, markdown, tidy_csv
from sgpmic_cli.experiments.tables.summary import summary, summary_markdown

# The table in every form that it is written in. A new format is one file with a function from results to text, and one
# line here.
FORMATS: dict[str, Callable[[Sequence[Result]], str]] = {
    "table.csv": tidy_csv,
    "table.md": markdown,
    "table.tex": latex,
    "table2.md": shape_markdown,
    "table2.tex": shape_latex,
    "ari.md": ranking_markdown,
}
GRID_FILE, TRACE_FILE = "lambda.csv", "trace.csv"
FILES = (
    *FORMATS,
    "summary.json",
    "summary.md",
    "benchmark.json",
    GRID_FILE,
    TRACE_FILE,
)  # all that may be written
GRID = [
    "dataset",
    "variance",
    "q",
    "method",
    "settings",
    "chosen",
    "metric",
    "mean",
    "std",
    "repeats",
    "failed",
]
TRACE = ["dataset", "q", "method", "settings", "repeat", "curve", "step", "value"]


def benchmark_files(results: Sequence[Result], document: Mapping[str, Any]) -> dict[str, str]:
    """The files of a benchmark by their names, the manifest not among them."""
    counted = summary(results)
    files = {name: render(results) for name, render in FORMATS.items()}
    files |= {"summary.json": as_json(counted), "summary.md": summary_markdown(counted)}
    files["benchmark.json"] = as_json(document)
    if any(result.grid for result in results):
        files[GRID_FILE] = grid_csv(results)
    return files


def grid_csv(results: Sequence[Result]) -> str:
    """The whole curve of every method with a grid, and which of its points the labels chose."""
    rows: list[list[Any]] = []
    for result in results:
        for point in result.grid:
            rows += _point(result, point)
    return csv_text(GRID, rows)


def _point(result: Result, point: GridPoint) -> list[list[Any]]:
    varied = json.dumps(point.settings, sort_keys=True)
    chosen = "yes" if result.chose(point) else "no"
    place = [result.dataset, result.variance, result.q, result.method, varied, chosen]
    return [
        [*place, metric, digits(stat.mean, 4), digits(stat.std, 4), result.repeats, point.failed]
        for metric, stat in point.stats.items()
    ]


def trace_csv(records: Iterable[Record]) -> str:
    """What the fits watched while they ran: losses of the networks, the bound of the model. One line a step."""
    rows: list[list[Any]] = []
    for record in sorted(
        records, key=lambda record: (record.dataset, record.method, record.q, record.key)
    ):
        settings = json.dumps(record.settings, sort_keys=True)
        place = [record.dataset, record.q, record.method, settings, record.repeat]
        for curve, values in record.trace.items():
            rows += [[*place, curve, step, value] for step, value in enumerate(values, start=1)]
    return csv_text(TRACE, rows)
