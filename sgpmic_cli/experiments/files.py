"""The files that a benchmark leaves: tables, the table in the paper's shape, the summary, the documents."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sgpmic_cli.experiments.fold import Outcome
from sgpmic_cli.experiments.paper_shape import shape_latex, shape_markdown
from sgpmic_cli.experiments.result import Result
from sgpmic_cli.experiments.store import write_whole
from sgpmic_cli.experiments.summary import summary, summary_markdown
from sgpmic_cli.experiments.tables import as_json, csv_text, digits, latex, markdown, tidy_csv

GRID = ["dataset", "variance", "q", "method", "settings", "chosen", "metric", "mean", "std", "repeats", "failed"]


def write_files(
    folder: Path, results: Sequence[Result], document: Mapping[str, Any], manifest: Mapping[str, Any]
) -> None:
    """Write all files of a benchmark, each whole or not at all."""
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
    for name, text in files.items():
        write_whole(folder / name, text)


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
