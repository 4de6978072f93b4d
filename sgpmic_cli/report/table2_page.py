"""The HTML report of a benchmark on one page. The paper's Table 2 has additional sections."""

from pathlib import Path
from typing import Any

from sgpmic_cli.figures.catalogue import Figure, known
from sgpmic_cli.report.markup import Html, Section, document, picture, table, tag
from sgpmic_cli.report.table2_grid import grid_section
from sgpmic_cli.report.table2_protocol import protocol_section
from sgpmic_cli.report.table2_results import Table2Results, read_results
from sgpmic_cli.report.table2_summary import headline, significance_section, summary_section

TITLE = "SGP-MIC reproduced: every number of Table 2 compared with ours"
LEAD = (
    "This page repeats the clustering experiments of “Clustering based on Mixtures of Sparse "
    "Gaussian Processes” (arXiv 2303.13665) and compares every printed number with ours."
)


def table2_page(folder: Path, printed: Path | None = None) -> str:
    """Return the HTML page about the results in a folder; see `read_results`."""
    results = read_results(folder, printed)
    methods = {result.method for result in results.run}
    datasets = {result.dataset for result in results.run}
    title = f"Benchmark of {len(methods)} methods on {len(datasets)} data sets"
    lead = headline(results)
    sections = [
        Section("summary", "Summary", summary_section(results)),
        Section("table", "Table", grid_section(results)),
        Section("significance", "Significance", significance_section(results)),
        Section("environment", "Environment", _environment(results)),
    ]
    if results.figures is not None:
        title, lead = TITLE, f"{lead} {LEAD}"
        shown = [figure for figure in known().values() if figure.in_all]
        figures = [_figure(results.figures, figure) for figure in shown]
        sections.insert(2, Section("figures", "Figures", figures))
        protocol = Section("protocol", "Protocol and errors", protocol_section(results))
        sections.insert(4, protocol)
    return document(title, lead, sections, script="details.js")


def _figure(folder: Path, figure: Figure) -> Html:
    """Return a figure with its title and caption, or the command that draws it."""
    path = folder / f"{figure.name}.png"
    if path.is_file():
        content = picture(path, figure.title, figure.caption)
    else:
        command = tag("code", f"sgpmic plot {figure.name}")
        content = tag("p", "Not drawn yet: ", command, " draws it.")
    return tag("article", tag("h3", figure.title), content, id=figure.name)


def _environment(results: Table2Results) -> list[Html]:
    """Return the manifest of the benchmark."""
    manifest = results.manifest
    run = [
        [name, _value(value)]
        for name, value in manifest.items()
        if name not in ("data", "versions")
    ]
    data = [[name, tag("code", digest)] for name, digest in manifest["data"].items()]
    return [
        table(["", ""], run, caption="The run"),
        table(["", "version"], manifest["versions"].items(), caption="Versions"),
        table(["", "SHA-256 of values and labels"], data, caption="Data"),
    ]


def _value(value: Any) -> str:
    """Format a nested value in one line."""
    if isinstance(value, dict):
        return "; ".join(f"{name}: {_value(each)}" for name, each in value.items())
    if isinstance(value, list):
        return ", ".join(map(_value, value))
    if isinstance(value, float):
        return f"{value:.1f}"
    return "–" if value is None else str(value)
