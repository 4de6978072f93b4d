"""The sections of the HTML page about a benchmark, and the page of one without a paper."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from sgpmic_cli.benchmark.compare import LEVEL, METRICS, OWN_METRICS, ROW, SHOWN, Verdict, rows_of
from sgpmic_cli.benchmark.counts import beside_best, caveat_sentences, summary
from sgpmic_cli.benchmark.methods import Methods
from sgpmic_cli.benchmark.tables import (
    BESIDE_NOTE,
    TITLES,
    methods_table,
    read_document,
    reading,
    signed,
    with_texts,
)
from sgpmic_cli.data.registry import find
from sgpmic_cli.pages import Html, Section, box, document, fill, items, table, templates

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
    def rows(self) -> list[tuple[str, int]]:
        """Data sets and percentages: the printed rows, then other rows that were run."""
        rows = pd.concat([self.printed, self.table])[ROW].drop_duplicates()
        return list(rows.itertuples(index=False, name=None))

    @cached_property
    def counts(self) -> dict[str, Any]:
        """The counts of verdicts and wins."""
        return summary(self.table, self.printed, self.metrics)

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
    shown = with_texts(report.table)
    cells = _by_place(shown, metric)
    printed = {} if report.printed is None else _by_place(report.printed, metric)
    scores = shown.pivot(index="cell", columns="metric", values="ours")
    rows, previous = [], None
    for dataset, percentage in report.rows:
        places = [(dataset, percentage, method) for method in report.columns]
        row = [
            _cell(report, metric, place, cells.get(place), printed.get(place), scores)
            for place in places
        ]
        run = (cells[place].row for place in places if place in cells)
        q = next(run, "(?)").rpartition(" ")[2]
        title = f"{dataset_title(dataset)} {percentage} % {q}"
        rows.append(part("row" if dataset == previous else "first_row", title=title, cells=row))
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
    return part(
        "cell",
        verdict=verdict,
        css=css_class(verdict),
        anchor=re.sub(r"[^\w.-]+", "-", "-".join([metric, *map(str, place)])),
        place="/".join(map(str, place)),
        mean="" if ours is None or pd.isna(ours.mean) else f"{ours.mean:.4f}",
        numbers=numbers,
        details=_details(report, metric, place, ours, scores),
    )


def _number(cell: Any, otherwise: str) -> object:
    if cell is None or pd.isna(cell.mean):
        return otherwise
    return part("number", mean=f"{cell.mean:.2f}", std=f"{cell.std:.2f}")


def _details(report: Report, metric: str, place: Place, cell: Any, scores: pd.DataFrame) -> Html:
    """Return the tooltip of a cell."""
    dataset, percentage, method = place
    title = f"{report.title(method)} on {dataset_title(dataset)}, {percentage} %"
    if cell is None:
        return part("details", title=title, content=Html("<p>Not run.</p>"))
    own = scores.loc[cell.cell]
    facts = {TITLES[metric]: own[metric], "verdict": cell.verdict}
    if report.printed is not None:
        printed = f"{cell.paper}, {cell.paper_repeats:.0f} runs"
        facts["printed"] = "no number" if pd.isna(cell.paper_mean) else printed
    if not pd.isna(cell.difference):
        interval = f"95 % interval {cell.low:.2f} to {cell.high:.2f}"
        facts["difference"] = f"{cell.off}, {interval}"
    facts["runs"] = f"{cell.repeats}, {cell.failed} failed"
    facts["run time"] = "–" if pd.isna(cell.seconds) else f"{cell.seconds:.2f} s"
    facts |= {TITLES[name]: own[name] for name in SHOWN if name != metric}
    if cell.settings:
        facts["settings"] = ", ".join(f"{name} = {value}" for name, value in cell.settings.items())
    listed = [fill("<dt>$name</dt><dd>$it</dd>", name=name, it=it) for name, it in facts.items()]
    notes = [fill("<p>$note</p>", note=cell.note)] if cell.note else []
    return part("details", title=title, content=part("facts", facts=listed, notes=notes))


def dataset_title(name: str) -> str:
    """Return the name of a data set on the page; a registered one is capitalised."""
    if find(name) is None:
        return name
    return name.upper() if name in ("wdbc", "bc", "cmc") else name[:1].upper() + name[1:]


def css_class(verdict: str) -> str:
    """Return the CSS class of a verdict."""
    return "v-" + verdict.replace(" ", "-")
