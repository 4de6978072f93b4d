"""The sections of the HTML page about a benchmark, and the page of one without a paper."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from sgpmic_cli.benchmark.benchmark import read_document, reading
from sgpmic_cli.benchmark.compare import (
    LEGEND,
    METRICS,
    OWN_METRICS,
    ROW,
    SHOWN,
    Verdict,
    is_best,
    rows_of,
    with_printed,
)
from sgpmic_cli.benchmark.counts import Ranking, caveat_sentences, rank_sides, summary
from sgpmic_cli.benchmark.methods import Methods
from sgpmic_cli.benchmark.render.tables import (
    BESIDE_NOTE,
    TITLES,
    methods_table,
    plain,
    rank_sentence,
    signed,
)
from sgpmic_cli.data.registry import find
from sgpmic_cli.pages.markup import Html, Section, box, document, items, paragraph, table, tag

TABLE, MANIFEST = "benchmark.json", "manifest.json"
Place = tuple[str, int, str]  # data set, explained variance, method


@dataclass(frozen=True)
class Report:
    """The input of a page: a comparison, the printed numbers, and how it was computed."""

    table: pd.DataFrame
    printed: pd.DataFrame | None
    methods: Methods  # titles and order of the columns
    protocol: str
    repeats: int
    manifest: Mapping[str, Any]
    metrics: Sequence[str]

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
    written = read_document(folder / TABLE, methods)
    with reading(folder / MANIFEST) as manifest:
        manifest |= {name: dict(manifest.get(name, {})) for name in ("versions", "data")}
    numbers = with_printed(written.table, printed)
    if printed is not None and only_run:
        printed = printed.merge(numbers[[*ROW, "method"]].drop_duplicates())
        printed = None if printed.empty else printed
    if printed is None:
        metrics = OWN_METRICS
    else:
        metrics = [name for name in SHOWN if name in {*metrics, *printed["metric"]}]
    head = written.protocol, written.repeats, manifest
    return Report(numbers, printed, methods, *head, metrics)


def benchmark_page(report: Report) -> str:
    """Return the HTML page about a benchmark."""
    methods, datasets = (report.table[name].nunique() for name in ("method", "dataset"))
    title = f"Benchmark of {methods} methods on {datasets} data sets"
    notes = items(caveat_sentences(report.counts))
    sections = [
        Section("summary", "Summary", summary_section(report, notes)),
        Section("table", "Table", grid_section(report)),
        Section("significance", "Significance", significance_section(report, ["ranks"])),
        Section("environment", "Environment", environment_section(report)),
    ]
    lead = headline(report, "printed numbers that were run")
    return document(title, lead, sections, script="details.js")


def headline(report: Report, judged: str) -> str:
    """Return one sentence on the judged numbers, or on the benchmark if nothing is printed."""
    if report.printed is None:
        return f"Means and standard deviations of {report.repeats} runs."
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
        return [tag("p", BESIDE_NOTE), table(head, rows, caption="Methods"), _wins(report)]
    counts = report.counts
    tiles = [
        tag("div", tag("b", count), tag("span", verdict), class_=f"tile {css_class(verdict)}")
        for verdict, count in counts["verdicts"].items()
    ]
    methods = {report.title(name): verdicts for name, verdicts in counts["by_method"].items()}
    datasets = {dataset_title(name): verdicts for name, verdicts in counts["by_dataset"].items()}
    compared = counts["compared"]
    numbers = {"printed": len(report.printed), "repeated": compared - counts["distinct"]}
    return [
        paragraph("printed_numbers", compared=compared, **numbers),
        tag("div", *tiles, class_="tiles"),
        paragraph("verdicts"),
        notes,
        _verdict_table(report, methods, "Verdicts by method"),
        _verdict_table(report, datasets, "Verdicts by data set"),
        _wins(report),
        paragraph("wins"),
    ]


def _verdict_table(report: Report, groups: Mapping[str, Mapping[str, int]], caption: str) -> Html:
    """Return the counts of verdicts in each group, as a coloured bar and as numbers."""
    used = list(report.counts["verdicts"])
    rows = []
    for name, counts in groups.items():
        parts = [
            tag(
                "i", class_=css_class(verdict), style=f"width:{100 * n / sum(counts.values()):.2f}%"
            )
            for verdict, n in counts.items()
        ]
        label = ", ".join(f"{n} {verdict}" for verdict, n in counts.items())
        bar = tag("div", *parts, class_="bar", role="img", aria_label=label)
        rows.append([name, bar, *(counts.get(verdict, "") for verdict in used)])
    return table(["", "", *used], rows, caption=f"{caption} (all scores together)")


def _wins(report: Report) -> Html:
    """Return in how many rows each method is the best, in our numbers and in the paper's."""
    printed = set() if report.printed is None else set(report.printed["metric"])
    columns = {
        f"{TITLES[metric]}, {side}" if printed else TITLES[metric]: wins
        for metric, sides in report.counts["wins"].items()
        for side, wins in sides.items()
        if side == "ours" or metric in printed
    }
    run = set(report.table["method"])
    rows = [
        [report.title(method), *(wins.get(method, "–") for wins in columns.values())]
        for method in report.columns
        if method in run
    ]
    caption = f"Wins in {report.counts['rows']} distinct rows; equal cells all win"
    return table(["", *columns], rows, caption=caption)


def grid_section(report: Report) -> list[Html]:
    """Return one table for each metric: our number above the printed one, details in a tooltip."""
    parts = [paragraph("grid", repeats=report.repeats), paragraph("grid_details")]
    if report.printed is not None:
        legend = [
            tag(
                "li",
                tag("span", f"{about.sign} {verdict}", class_=f"key {css_class(verdict)}"),
                f" {about.meaning}",
            )
            for verdict, about in LEGEND.items()
        ]
        parts += [paragraph("grid_printed"), tag("ul", *legend, class_="legend")]
    return [*parts, *(_grid(report, metric) for metric in report.metrics)]


def _grid(report: Report, metric: str) -> Html:
    cells = _by_place(report.table.assign(best=is_best(report.table)), metric)
    printed = {} if report.printed is None else _by_place(report.printed, metric)
    texts = report.table.assign(text=list(map(plain, report.table["mean"], report.table["std"])))
    scores = texts.pivot(index="cell", columns="metric", values="text")
    body, previous = [], None
    for dataset, percentage in report.rows:
        places = [(dataset, percentage, method) for method in report.columns]
        run = [cells[place] for place in places if place in cells]
        q = "?" if not run or pd.isna(run[0].q) else run[0].q
        title = f"{dataset_title(dataset)} {percentage} % ({q})"
        row = [
            _cell(report, metric, place, cells.get(place), printed.get(place), scores)
            for place in places
        ]
        first = "first" if dataset != previous else None
        body.append(tag("tr", tag("th", title, scope="row"), *row, class_=first))
        previous = dataset
    heading = ["data set, variance (Q)", *map(report.title, report.columns)]
    caption = f"{TITLES[metric]} in percent"
    head = tag("thead", tag("tr", *(tag("th", name, scope="col") for name in heading)))
    content = tag("table", tag("caption", caption), head, tag("tbody", *body), class_="grid")
    return box(content, caption)


def _by_place(numbers: pd.DataFrame, metric: str) -> dict[Place, Any]:
    """Return the numbers of a metric by data set, explained variance and method."""
    rows = rows_of(numbers[numbers["metric"] == metric])
    return {(row.dataset, row.explained_variance, row.method): row for row in rows}


def _cell(
    report: Report, metric: str, place: Place, ours: Any, paper: Any, scores: pd.DataFrame
) -> Html:
    verdict = Verdict(ours.verdict) if ours else Verdict.NOT_RUN
    numbers = [tag("b" if ours and ours.best else "span", _number(ours) or verdict, class_="ours")]
    if report.printed is not None:
        difference = signed(ours.mean - paper.mean) if ours and paper else ""
        numbers += [
            tag("span", _number(paper) or "–", f" {LEGEND[verdict].sign}", class_="paper"),
            tag("span", difference or "–", class_="difference"),
        ]
    return tag(
        "td",
        *numbers,
        _details(report, metric, place, ours, scores),
        class_=f"cell {css_class(verdict)}",
        id=re.sub(r"[^\w.-]+", "-", "-".join([metric, *map(str, place)])),
        tabindex="0",
        data_place="/".join(map(str, place)),
        data_verdict=str(verdict),
        data_ours="" if ours is None or pd.isna(ours.mean) else f"{ours.mean:.4f}",
    )


def _number(cell: Any) -> Html | None:
    if cell is None or pd.isna(cell.mean):
        return None
    return Html(f"{cell.mean:.2f}<small>±{cell.std:.2f}</small>")


def _details(report: Report, metric: str, place: Place, cell: Any, scores: pd.DataFrame) -> Html:
    """Return the tooltip of a cell."""
    dataset, percentage, method = place
    title = tag("strong", f"{report.title(method)} on {dataset_title(dataset)}, {percentage} %")
    if cell is None:
        empty = tag("p", f"{Verdict.NOT_RUN.capitalize()}.")
        return tag("div", title, empty, class_="tip", role="tooltip")
    own = scores.loc[cell.cell]
    facts = {TITLES[metric]: own[metric], "verdict": cell.verdict}
    if report.printed is not None:
        printed = f"{plain(cell.paper_mean, cell.paper_std)}, {cell.paper_repeats:.0f} runs"
        facts["printed"] = "no number" if pd.isna(cell.paper_mean) else printed
    if not pd.isna(cell.difference):
        interval = f"95 % interval {cell.low:.2f} to {cell.high:.2f}"
        facts["difference"] = f"{signed(cell.difference)}, {interval}"
    facts["runs"] = f"{cell.repeats}, {cell.failed} failed"
    facts["run time"] = "–" if pd.isna(cell.seconds) else f"{cell.seconds:.2f} s"
    facts |= {TITLES[name]: own[name] for name in SHOWN if name != metric}
    if cell.settings:
        facts["settings"] = ", ".join(f"{name} = {value}" for name, value in cell.settings.items())
    listed = [part for name, text in facts.items() for part in (tag("dt", name), tag("dd", text))]
    notes = [tag("p", cell.note)] if cell.note else []
    notes += [tag("pre", text) for text in cell.tracebacks]
    return tag("div", title, tag("dl", *listed), *notes, class_="tip", role="tooltip")


def dataset_title(name: str) -> str:
    """Return the name of a data set on the page; a registered one is capitalised."""
    if find(name) is None:
        return name
    return name.upper() if name in ("wdbc", "bc", "cmc") else name[:1].upper() + name[1:]


def css_class(verdict: str) -> str:
    """Return the CSS class of a verdict."""
    return "v-" + verdict.replace(" ", "-")


def significance_section(
    report: Report, notes: Iterable[str | Html], own_method: str | None = None
) -> list[Html]:
    """Return the mean ranks and the results of the tests, with a sentence on `own_method`."""
    rankings = {
        f"{TITLES[metric]}, {side}" if report.printed is not None else TITLES[metric]: ranking
        for metric in report.metrics
        for side, ranking in rank_sides(report.table, report.printed, metric).items()
    }
    if not rankings:
        return [tag("p", rank_sentence(None))]
    ranks = pd.DataFrame(
        {name: pd.Series(ranking.mean_ranks, ranking.methods) for name, ranking in rankings.items()}
    )
    first = next(iter(rankings.values())).methods
    order = [*first, *(method for method in ranks.index if method not in first)]
    rows = [
        [report.title(method), *("–" if pd.isna(rank) else f"{rank:.2f}" for rank in row)]
        for method, *row in ranks.loc[order].itertuples()
    ]
    return [
        *(note if isinstance(note, Html) else paragraph(note) for note in notes),
        table(["mean rank", *rankings], rows, caption="Mean ranks over the data sets"),
        items(f"{name}: {_sentence(report, each, own_method)}" for name, each in rankings.items()),
    ]


def _sentence(report: Report, ranking: Ranking, own_method: str | None) -> str:
    text = rank_sentence(ranking)
    if ranking.omitted:
        omitted = ", ".join(map(report.title, ranking.omitted))
        text += f" Not ranked because numbers are missing: {omitted}."
    ranks = dict(zip(ranking.methods, ranking.mean_ranks, strict=True))
    if own_method not in ranks:
        return text
    own, width = ranks[own_method], ranking.critical_difference
    apart = [report.title(method) for method, rank in ranks.items() if abs(rank - own) > width]
    others = f"only from {', '.join(apart)}" if apart else "from no other method"
    title = report.title(own_method)
    return f"{text} {title}, with mean rank {own:.2f}, differs significantly {others}."


def environment_section(report: Report) -> list[Html]:
    """Return the manifest of the benchmark."""
    manifest = dict(report.manifest)
    data = [[name, tag("code", digest)] for name, digest in manifest.pop("data").items()]
    versions = manifest.pop("versions").items()
    run = [[name, _value(value)] for name, value in manifest.items()]
    return [
        table(["", ""], run, caption="The run"),
        table(["", "version"], versions, caption="Versions"),
        table(["", "SHA-256 of values and labels"], data, caption="Data"),
    ]


def _value(value: Any) -> str:
    """Format a nested value in one line."""
    if isinstance(value, dict):
        return "; ".join(f"{name}: {_value(entry)}" for name, entry in value.items())
    if isinstance(value, list):
        return ", ".join(map(_value, value))
    if isinstance(value, float):
        return f"{value:.1f}"
    return "–" if value is None else str(value)
