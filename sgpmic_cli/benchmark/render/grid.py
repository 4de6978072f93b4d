"""The section "Table" of the page: our number above the printed one, details in a tooltip."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pandas as pd

from sgpmic_cli.benchmark.compare import ROW, SHOWN, Verdict, is_best, rows_of
from sgpmic_cli.benchmark.counts import summary
from sgpmic_cli.benchmark.methods import Methods
from sgpmic_cli.benchmark.render.tables import TITLES, plain, signed
from sgpmic_cli.data.registry import find
from sgpmic_cli.pages import Html, box, fill, templates

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
    cells = _by_place(report.table.assign(best=is_best(report.table)), metric)
    printed = {} if report.printed is None else _by_place(report.printed, metric)
    texts = report.table.assign(text=list(map(plain, report.table["mean"], report.table["std"])))
    scores = texts.pivot(index="cell", columns="metric", values="text")
    rows, previous = [], None
    for dataset, percentage in report.rows:
        places = [(dataset, percentage, method) for method in report.columns]
        run = [cells[place] for place in places if place in cells]
        q = "?" if not run or pd.isna(run[0].q) else run[0].q
        row = [
            _cell(report, metric, place, cells.get(place), printed.get(place), scores)
            for place in places
        ]
        title = f"{dataset_title(dataset)} {percentage} % ({q})"
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
