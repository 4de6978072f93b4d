"""The sections of the HTML page about a benchmark, and the page of one without a paper."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from sgpmic_cli.benchmark.compare import (
    METRICS,
    OWN_METRICS,
    ROW,
    SHOWN,
    Verdict,
    caveat_sentences,
    rows_of,
    summary,
)
from sgpmic_cli.benchmark.methods import Methods
from sgpmic_cli.benchmark.tables import (
    TITLES,
    methods_table,
    read_document,
    reading,
    signed,
    with_texts,
)
from sgpmic_cli.data.registry import find
from sgpmic_cli.pages import Html, Section, box, document, fill, items, table, templates
from sgpmic_cli.tables.options import plural

TABLE, MANIFEST = "benchmark.json", "manifest.json"
Place = tuple[str, int, str]  # data set, explained variance, method


@dataclass(frozen=True)
class Report:
    """The input of a page: a comparison, the printed numbers, and how it was computed."""

    table: pd.DataFrame
    printed: pd.DataFrame | None
    methods: Methods  # titles and order of the columns
    manifest: Mapping[str, Any]
    metrics: Sequence[str]
    repeats: int  # runs of a cell

    @cached_property
    def columns(self) -> list[str]:
        """The methods with a printed number, then the others that were run."""
        printed = [] if self.printed is None else self.printed["method"].unique().tolist()
        ordered = [name for name in self.methods if name in printed]
        return list(dict.fromkeys([*ordered, *printed, *self.table["method"]]))

    @cached_property
    def counts(self) -> dict[str, Any]:
        """The counts of verdicts."""
        return summary(self.table, self.metrics)

    def title(self, method: str) -> str:
        """Return the name of a method on the page."""
        return self.methods[method].label if method in self.methods else method


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
    if printed is not None and only_run:
        printed = printed.merge(numbers[[*ROW, "method"]].drop_duplicates())
        printed = None if printed.empty else printed
    if printed is None:
        metrics = OWN_METRICS
    else:
        metrics = [name for name in SHOWN if name in {*metrics, *printed["metric"]}]
    with reading(folder / MANIFEST) as manifest:
        repeats = int(manifest["arguments"]["repeats"])
        return Report(numbers, printed, methods, manifest, metrics, repeats)


def benchmark_page(report: Report) -> str:
    """Return the HTML page about a benchmark."""
    methods, datasets = (report.table[name].nunique() for name in ("method", "dataset"))
    title = f"Benchmark of {plural(methods, 'method')} on {plural(datasets, 'data set')}"
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
        return f"Means and standard deviations of {report.repeats} runs."
    counts = report.counts
    near, differ = (
        f"{100.0 * counts[name] / max(1, counts['judged']):.0f} %"
        for name in ("within_one_point", "differ")
    )
    return (
        f"Of {counts['judged']} {judged}, {near} are within one point of the printed number and "
        f"{differ} differ."
    )


def summary_section(report: Report, notes: Html) -> list[Html]:
    """Return the ranking of the methods, or the verdicts on the printed numbers."""
    if report.printed is None:
        head, rows = methods_table(report.table)
        rows = [[report.title(name), *row] for name, *row in rows]
        return [table(head, rows, caption="Methods, with the rows in which each is best")]
    counts = report.counts
    tables = [
        _verdict_table(counts, "method", report.title),
        _verdict_table(counts, "dataset", dataset_title),
    ]
    tiles = [
        part("tile", css=css_class(verdict), count=count, verdict=verdict)
        for verdict, count in counts["verdicts"].items()
    ]
    numbers = {"printed": len(report.printed), "compared": counts["compared"]}
    numbers["repeated"] = counts["compared"] - counts["distinct"]
    return [part("summary", tiles=tiles, notes=notes, tables=tables, **numbers)]


def _verdict_table(counts: Mapping[str, Any], group: str, title: Callable[[str], str]) -> Html:
    """Return the counts of the verdicts by method or by data set."""
    rows = [
        [title(name), *(verdicts.get(verdict, "") for verdict in counts["verdicts"])]
        for name, verdicts in counts[f"by_{group}"].items()
    ]
    caption = f"Verdicts by {group.replace('dataset', 'data set')} (all scores together)"
    return table(["", *counts["verdicts"]], rows, caption=caption)


def environment_section(report: Report) -> list[Html]:
    """Return the manifest of the benchmark."""
    manifest = json.dumps(report.manifest, indent=2, ensure_ascii=False)
    return [fill("<pre>$manifest</pre>", manifest=manifest)]


def part(name: str, /, **values: object) -> Html:
    """Return a part of page.html with the values filled in."""
    return fill(templates(__package__, "page.html")[name], **values)


def grid_section(report: Report) -> list[Html]:
    """Return one table for each metric."""
    parts = [part("grid", repeats=report.repeats)]
    if report.printed is not None:
        entries = [
            part("legend_entry", css=css_class(each), sign=each.sign, name=each, is_=each.meaning)
            for each in Verdict
        ]
        parts.append(part("legend", verdicts=entries))
    return [*parts, *(_grid(report, metric) for metric in report.metrics)]


def _grid(report: Report, metric: str) -> Html:
    """Return the table of a metric: the printed rows, then the others that were run."""
    shown = with_texts(report.table)
    scores = shown.pivot(index="cell", columns="metric", values="ours")
    ours = _by_place(shown, metric)
    paper = {} if report.printed is None else _by_place(report.printed, metric)
    rows, previous = [], None
    for dataset, percentage in (
        pd.concat([report.printed, report.table])[ROW].drop_duplicates().values
    ):
        places = [(dataset, percentage, method) for method in report.columns]
        cells = [
            _cell(report, metric, place, ours.get(place), paper.get(place), scores)
            for place in places
        ]
        run = next((ours[place].row for place in places if place in ours), "(?)")
        title = f"{dataset_title(dataset)} {percentage} % {run.rpartition(' ')[2]}"
        rows.append(part("row" if dataset == previous else "first_row", title=title, cells=cells))
        previous = dataset
    heading = ["data set, variance (Q)", *map(report.title, report.columns)]
    heads = [fill('<th scope="col">$name</th>', name=name) for name in heading]
    caption = f"{TITLES[metric]} in percent"
    return box(part("table", caption=caption, heads=heads, rows=rows), caption)


def _by_place(numbers: pd.DataFrame, metric: str) -> dict[Place, Any]:
    """Return the numbers of a metric by data set, explained variance and method."""
    rows = rows_of(numbers[numbers["metric"] == metric])
    return {(row.dataset, row.explained_variance, row.method): row for row in rows}


def _cell(
    report: Report, metric: str, place: Place, ours: Any, paper: Any, scores: pd.DataFrame
) -> Html:
    verdict = Verdict(ours.verdict) if ours else Verdict.NOT_RUN
    numbers = [part("best" if ours and ours.best else "ours", number=_number(ours, verdict))]
    if report.printed is not None:
        difference = signed(ours.mean - paper.mean) if ours and paper else ""
        line = {"number": _number(paper, "–"), "difference": difference or "–"}
        numbers.append(part("paper", sign=verdict.sign, **line))
    dataset, percentage, method = place
    return part(
        "cell",
        verdict=verdict,
        css=css_class(verdict),
        anchor=re.sub(r"[^\w.-]+", "-", "-".join([metric, *map(str, place)])),
        place="/".join(map(str, place)),
        mean="" if ours is None or pd.isna(ours.mean) else f"{ours.mean:.4f}",
        numbers=numbers,
        title=f"{report.title(method)} on {dataset_title(dataset)}, {percentage} %",
        facts=_facts(metric, ours, scores) if ours else Html("<p>Not run.</p>"),
    )


def _number(cell: Any, otherwise: str) -> object:
    if cell is None or pd.isna(cell.mean):
        return otherwise
    return part("number", mean=f"{cell.mean:.2f}", std=f"{cell.std:.2f}")


def _facts(metric: str, cell: Any, scores: pd.DataFrame) -> Html:
    """Return the facts of a cell for its tooltip."""
    own = {TITLES[name]: scores.at[cell.cell, name] for name in SHOWN}
    facts = {TITLES[metric]: own.pop(TITLES[metric]), "verdict": cell.verdict}
    if not pd.isna(cell.paper_mean):
        facts["printed"] = f"{cell.paper}, {cell.paper_repeats:.0f} runs"
    if not pd.isna(cell.difference):
        facts["difference"] = f"{cell.off}, 95 % interval {signed(cell.low)} to {signed(cell.high)}"
    facts["runs"] = f"{cell.repeats}, {cell.failed} failed"
    facts["run time"] = "–" if pd.isna(cell.seconds) else f"{cell.seconds:.2f} s"
    facts |= own
    if cell.settings:
        facts["settings"] = ", ".join(f"{name} = {value}" for name, value in cell.settings.items())
    listed = [fill("<dt>$name</dt><dd>$it</dd>", name=name, it=it) for name, it in facts.items()]
    return part(
        "facts", facts=listed, notes=fill("<p>$note</p>", note=cell.note) if cell.note else ""
    )


def dataset_title(name: str) -> str:
    """Return the name of a data set on the page; a registered one is capitalised."""
    if find(name) is None:
        return name
    return name.upper() if name in ("wdbc", "bc", "cmc") else name[:1].upper() + name[1:]


def css_class(verdict: str) -> str:
    """Return the CSS class of a verdict."""
    return "v-" + verdict.replace(" ", "-")
