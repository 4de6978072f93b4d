"""The section "Table": our number above the printed one in every cell, details in a tooltip."""

import re

from sgpmic_cli.benchmark.compare.comparison import Place, Result
from sgpmic_cli.benchmark.compare.counts import best, is_best
from sgpmic_cli.benchmark.compare.paper import Stat
from sgpmic_cli.benchmark.compare.verdicts import Verdict
from sgpmic_cli.benchmark.page.critical_difference import method_title
from sgpmic_cli.benchmark.page.results import Table2Results, css_class, dataset_title
from sgpmic_cli.benchmark.tables.formats import TITLES, plain, signed
from sgpmic_cli.pages.markup import Html, box, paragraph, tag

NOTHING = Stat()


def grid_section(results: Table2Results) -> list[Html]:
    """Return one table for each metric."""
    parts = [paragraph("grid", repeats=results.repeats), paragraph("grid_details")]
    if results.printed:
        legend = [
            tag(
                "li",
                tag("span", f"{verdict.sign} {verdict}", class_=f"key {css_class(verdict)}"),
                f" {verdict.meaning}",
            )
            for verdict in Verdict
        ]
        parts += [paragraph("grid_printed"), tag("ul", *legend, class_="legend")]
    return [*parts, *(_table(results, metric) for metric in results.metrics)]


def _table(results: Table2Results, metric: str) -> Html:
    heading = ["data set, variance (Q)", *map(method_title, results.methods)]
    body = []
    previous = None
    for dataset, variance in results.rows:
        places = [(dataset, variance, method) for method in results.methods]
        cells = {place: results.cells.get(place) for place in places}
        found = [cell for cell in cells.values() if cell]
        top = best(cell.mean(metric) for cell in found)
        q = found[0].q if found else None
        title = f"{dataset_title(dataset)} {variance} % ({'?' if q is None else q})"
        row = [_cell(results, place, cell, metric, top) for place, cell in cells.items()]
        first = "first" if dataset != previous else None
        body.append(tag("tr", tag("th", title, scope="row"), *row, class_=first))
        previous = dataset
    caption = f"{TITLES[metric]} in percent"
    head = tag("thead", tag("tr", *(tag("th", name, scope="col") for name in heading)))
    content = tag("table", tag("caption", caption), head, tag("tbody", *body), class_="grid")
    return box(content, caption)


def _cell(
    results: Table2Results, place: Place, cell: Result | None, metric: str, top: float | None
) -> Html:
    verdict = cell.verdict(metric) if cell else Verdict.NOT_RUN
    ours, paper = cell.ours[metric] if cell else NOTHING, results.printed.get((metric, *place))
    numbers = [
        tag("b" if is_best(ours.mean, top) else "span", _number(ours) or verdict, class_="ours")
    ]
    if results.printed:
        difference = signed(ours.mean - paper.mean) if ours.mean is not None and paper else "–"
        numbers += [
            tag("span", _number(paper) or "–", f" {verdict.sign}", class_="paper"),
            tag("span", difference, class_="difference"),
        ]
    unmarked = verdict is Verdict.NEW and not results.printed
    return tag(
        "td",
        *numbers,
        _details(place, cell, metric, with_printed=bool(results.printed)),
        class_="cell" if unmarked else f"cell {css_class(verdict)}",
        id=re.sub(r"[^\w.-]+", "-", "-".join([metric, *map(str, place)])),
        tabindex="0",
        data_place="/".join(map(str, place)),
        data_verdict=str(verdict),
        data_ours="" if ours.mean is None else f"{ours.mean:.4f}",
    )


def _number(stat: Stat | None) -> Html | None:
    if stat is None or stat.mean is None:
        return None
    return Html(f"{stat.mean:.2f}<small>±{stat.std:.2f}</small>")


def _details(place: Place, cell: Result | None, metric: str, *, with_printed: bool) -> Html:
    """Return the tooltip of a cell."""
    dataset, variance, method = place
    title = tag("strong", f"{method_title(method)} on {dataset_title(dataset)}, {variance} %")
    if cell is None:
        empty = tag("p", f"{Verdict.NOT_RUN.capitalize()}.")
        return tag("div", title, empty, class_="tip", role="tooltip")
    facts = {f"{TITLES[metric]}, ours": plain(cell.ours[metric])}
    if with_printed:
        paper = cell.paper[metric]
        facts["printed"] = f"{plain(paper)}, {paper.repeats} runs" if paper else "no number"
        facts["verdict"] = str(cell.verdict(metric))
    if difference := cell.difference(metric):
        low, high = difference.interval()
        interval = f"95 % interval {low:.2f} to {high:.2f}"
        facts["difference"] = f"{signed(difference.value)}, {interval}"
    facts["runs"] = f"{cell.repeats}, {cell.failed} failed"
    facts["run time"] = "–" if cell.duration.mean is None else f"{cell.duration.mean:.2f} s"
    facts |= {TITLES[name]: plain(cell.ours[name]) for name in cell.ours if name != metric}
    if cell.settings:
        facts["settings"] = ", ".join(f"{name} = {value}" for name, value in cell.settings.items())
    listed = [part for name, text in facts.items() for part in (tag("dt", name), tag("dd", text))]
    notes = [tag("p", cell.note)] if cell.note else []
    notes += [tag("pre", text) for text in cell.tracebacks]
    return tag("div", title, tag("dl", *listed), *notes, class_="tip", role="tooltip")
