"""Table 2: ours over the paper's number in every cell, and all that is known about the cell when pointed at."""

import re

from sgpmic_cli.experiments.compare.comparison import METRICS, Result, printed_cell
from sgpmic_cli.experiments.compare.counts import best, is_best
from sgpmic_cli.experiments.compare.paper import Published, published
from sgpmic_cli.experiments.compare.verdicts import SIGNS, Verdict
from sgpmic_cli.experiments.run.aggregate import Stat
from sgpmic_cli.experiments.tables.formats import TITLES, signed
from sgpmic_cli.report.curve import curve
from sgpmic_cli.report.markup import Html, box, section, tag
from sgpmic_cli.report.results import Place, Results, dataset_title, title_of
from sgpmic_cli.report.summary import css, legend


def grid(results: Results) -> Html:
    """One table for each metric."""
    return section(
        "table2",
        "Table 2",
        tag(
            "p",
            f"Upper line: our mean of {results.table.repeats} runs and their standard deviation, the best of a row in "
            "bold. Lower line: the printed mean and deviation, and the verdict's sign. Point at a cell, tap it, or "
            "reach it with the tab key for the confidence interval, runs, failures, seconds, settings and notes; "
            "Escape closes it.",
        ),
        legend(results),
        *(_table(results, metric) for metric in METRICS),
    )


def _table(results: Results, metric: str) -> Html:
    heading = [tag("th", "data set, variance (Q)", scope="col")]
    heading += [tag("th", title_of(method), scope="col") for method in results.methods]
    body = []
    before = None
    for dataset, variance in results.rows:
        places = [(dataset, variance, method) for method in results.methods]
        top = best(results.ours(place, metric) for place in places)
        name = tag(
            "th", f"{dataset_title(dataset)} {variance} % ({_q(results, places)})", scope="row"
        )
        first = "first" if dataset != before else None
        before = dataset
        body.append(
            tag("tr", name, *(_cell(results, place, metric, top) for place in places), class_=first)
        )
    caption = f"{TITLES[metric]} in percent"
    content = tag(
        "table",
        tag("caption", caption),
        tag("thead", tag("tr", *heading)),
        tag("tbody", *body),
        class_="grid",
    )
    return box(content, caption)


def _q(results: Results, places: list[Place]) -> str:
    """Q as it was run; nothing was run where it is unknown."""
    found = [results.cells[place].q for place in places if place in results.cells]
    return "?" if not found or found[0] is None else str(found[0])


def _cell(results: Results, place: Place, metric: str, top: float | None) -> Html:
    verdict = results.verdict(place, metric)
    ours, printed = results.ours(place, metric), results.paper(place, metric)
    upper = (
        verdict
        if ours is None
        else Html(f"{ours:.2f}<small>±{results.cells[place].ours[metric].std:.2f}</small>")
    )
    difference = "–" if ours is None or printed is None else signed(ours - printed)
    return tag(
        "td",
        tag("b" if is_best(ours, top) else "span", upper, class_="ours"),
        tag("span", _printed(metric, place), f" {SIGNS[verdict].text}", class_="paper"),
        tag("span", difference, class_="difference"),
        _details(results, place, metric),
        class_=f"cell {css(verdict)}",
        id=anchor(metric, place),
        tabindex="0",
        data_place="/".join(map(str, place)),
        data_verdict=str(verdict),
        data_ours="" if ours is None else f"{ours:.4f}",
    )


def anchor(metric: str, place: Place) -> str:
    """The name under which a cell can be linked to, such as acc-iris-95-pca-fcm."""
    return re.sub(r"[^\w.-]+", "-", "-".join([metric, *map(str, place)]))


def _printed(metric: str, place: Place) -> Html:
    printed = published(metric, *place)
    return (
        Html("–")
        if printed is None
        else Html(f"{printed.mean:.2f}<small>±{printed.std:.2f}</small>")
    )


def _details(results: Results, place: Place, metric: str) -> Html:
    dataset, variance, method = place
    title = tag("strong", f"{title_of(method)} on {dataset_title(dataset)}, {variance} %")
    cell = results.cells.get(place)
    if cell is None:
        return tag(
            "div", title, tag("p", f"{Verdict.NOT_RUN.capitalize()}."), class_="tip", role="tooltip"
        )
    others = [name for name in cell.ours if name not in METRICS]
    facts = [
        (f"{TITLES[metric]}, ours", _stat(cell.ours[metric]) or "–"),
        ("paper", _stat(printed_cell(cell, metric)) or "not printed"),
        ("verdict", str(cell.verdict[metric])),
        *_difference(cell, metric),
        ("runs", f"{cell.repeats}, {cell.failed} failed"),
        ("one run", "–" if cell.seconds is None else f"{cell.seconds:.2f} s"),
        *((TITLES[name], _stat(cell.ours[name]) or "–") for name in others),
    ]
    if cell.settings:
        facts.append(
            ("settings", ", ".join(f"{name} = {value}" for name, value in cell.settings.items()))
        )
    listed = [part for name, value in facts for part in (tag("dt", name), tag("dd", value))]
    extra = [curve(cell, metric)] if cell.grid else []
    note = [tag("p", cell.note)] if cell.note else []
    return tag("div", title, tag("dl", *listed), *extra, *note, class_="tip", role="tooltip")


def _difference(cell: Result, metric: str) -> list[tuple[str, str]]:
    """Ours minus the paper's with its confidence interval, where the cell has a printed number."""
    difference = cell.difference(metric)
    if difference is None or printed_cell(cell, metric) is None:
        return []
    low, high = difference.interval()
    return [("difference", f"{signed(difference.value)}, 95 % interval {low:.2f} to {high:.2f}")]


def _stat(stat: Stat | Published | None) -> str:
    return "" if stat is None or stat.mean is None else f"{stat.mean:.2f} ± {stat.std:.2f}"
