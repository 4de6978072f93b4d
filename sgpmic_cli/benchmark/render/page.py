"""The sections of the HTML page about a benchmark, and the page of one without a paper."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd

from sgpmic_cli.benchmark.compare import LEVEL, METRICS, OWN_METRICS, ROW, SHOWN
from sgpmic_cli.benchmark.counts import beside_best, caveat_sentences
from sgpmic_cli.benchmark.documents import read_document, reading
from sgpmic_cli.benchmark.methods import Methods
from sgpmic_cli.benchmark.render.grid import (
    Report,
    css_class,
    dataset_title,
    grid_section,
    part,
)
from sgpmic_cli.benchmark.render.tables import BESIDE_NOTE, TITLES, methods_table
from sgpmic_cli.pages import Html, Section, document, fill, items, table

TABLE, MANIFEST = "benchmark.json", "manifest.json"


def read_report(
    folder: Path,
    methods: Methods,
    printed: pd.DataFrame | None,
    metrics: Sequence[str] = (*METRICS, "ari"),
    *,
    only_run: bool = False,
) -> Report:
    """Read a folder that `sgpmic benchmark` wrote, to compare it with printed numbers.

    The page has the given metrics and those with printed numbers. With `only_run`, it leaves out
    the printed numbers of cells that were not run.
    """
    numbers = read_document(folder / TABLE, methods, printed)
    with reading(folder / MANIFEST) as manifest:
        repeats = int(manifest["arguments"]["repeats"])
    if printed is not None and only_run:
        printed = printed.merge(numbers[[*ROW, "method"]].drop_duplicates())
        printed = None if printed.empty else printed
    if printed is None:
        metrics = OWN_METRICS
    else:
        metrics = [name for name in SHOWN if name in {*metrics, *printed["metric"]}]
    return Report(numbers, printed, methods, manifest, metrics, repeats)


def benchmark_page(report: Report) -> str:
    """Return the HTML page about a benchmark."""
    methods, datasets = (report.table[name].nunique() for name in ("method", "dataset"))
    title = f"Benchmark of {methods} methods on {datasets} data sets"
    notes = items(caveat_sentences(report.counts))
    sections = [
        Section("summary", "Summary", summary_section(report, notes)),
        Section("table", "Table", grid_section(report)),
        Section("environment", "Environment", environment_section(report)),
    ]
    lead = headline(report, "printed numbers that were run")
    return document(title, lead, sections, ["details.js"])


def headline(report: Report, judged: str) -> str:
    """Return one sentence on the judged numbers, or on the benchmark if nothing is printed."""
    if report.printed is None:
        runs = f"Means and standard deviations of {report.repeats} runs."
        compared = beside_best(report.table, metric := OWN_METRICS[0])
        if len(compared) < 2:
            return runs
        best, others = report.title(str(compared.index[0])), compared["p_value"].iloc[1:]
        lower = f"significantly above {(others < LEVEL).sum()} of {len(others)} other methods"
        return f"{best} has the highest mean {TITLES[metric]}, {lower}. {runs}"
    counts = report.counts
    percent = 100.0 / max(1, counts["judged"])
    return (
        f"Of {counts['judged']} {judged}, "
        f"{percent * counts['within_one_point']:.0f} % are within one point of the printed number "
        f"and {percent * counts['differ']:.0f} % differ."
    )


def summary_section(report: Report, notes: Html) -> list[Html]:
    """Return the methods beside the best of them, or the verdicts on the printed numbers."""
    if report.printed is None:
        head, rows = methods_table(report.table)
        rows = [[report.title(name), *row] for name, *row in rows]
        return [fill("<p>$note</p>", note=BESIDE_NOTE), table(head, rows, caption="Methods")]
    counts = report.counts
    methods = {report.title(name): verdicts for name, verdicts in counts["by_method"].items()}
    datasets = {dataset_title(name): verdicts for name, verdicts in counts["by_dataset"].items()}
    tables = [
        _verdict_table(report, methods, "Verdicts by method"),
        _verdict_table(report, datasets, "Verdicts by data set"),
        _wins(report),
    ]
    tiles = [
        part("tile", css=css_class(verdict), count=count, verdict=verdict)
        for verdict, count in counts["verdicts"].items()
    ]
    numbers = {"printed": len(report.printed), "compared": counts["compared"]}
    numbers["repeated"] = counts["compared"] - counts["distinct"]
    return [part("summary", tiles=tiles, notes=notes, tables=tables, **numbers)]


def _verdict_table(report: Report, groups: Mapping[str, Mapping[str, int]], caption: str) -> Html:
    """Return the counts of verdicts in each group, as a coloured bar and as numbers."""
    used = list(report.counts["verdicts"])
    rows = []
    for name, counts in groups.items():
        percent = 100 / sum(counts.values())
        parts = [
            part("bar_part", css=css_class(verdict), percent=f"{percent * n:.2f}")
            for verdict, n in counts.items()
        ]
        label = ", ".join(f"{n} {verdict}" for verdict, n in counts.items())
        bar = part("bar", label=label, parts=parts)
        rows.append([name, bar, *(counts.get(verdict, "") for verdict in used)])
    return table(["", "", *used], rows, caption=f"{caption} (all scores together)")


def _wins(report: Report) -> Html:
    """Return in how many rows each method is the best, in our numbers and in the paper's."""
    columns = {
        f"{TITLES[metric]}, {side}": wins
        for metric, sides in report.counts["wins"].items()
        for side, wins in sides.items()
        if wins
    }
    rows = [
        [report.title(method), *(wins.get(method, "–") for wins in columns.values())]
        for method in report.columns
        if method in set(report.table["method"])
    ]
    caption = f"Wins in {report.counts['rows']} distinct rows; equal cells all win"
    return table(["", *columns], rows, caption=caption)


def environment_section(report: Report) -> list[Html]:
    """Return the manifest of the benchmark."""
    manifest = json.dumps(report.manifest, indent=2, ensure_ascii=False)
    return [fill("<pre>$manifest</pre>", manifest=manifest)]
