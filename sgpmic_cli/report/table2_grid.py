"""The section "Table 2": our number above the paper's in every cell, with details in a tooltip."""

import re
from collections.abc import Mapping

from sgpmic_cli.experiments.compare.comparison import METRICS, Result
from sgpmic_cli.experiments.compare.counts import best, is_best
from sgpmic_cli.experiments.compare.paper import Published, Stat, published
from sgpmic_cli.experiments.compare.verdicts import Verdict
from sgpmic_cli.experiments.tables.formats import TITLES, plain, signed
from sgpmic_cli.report.markup import Html, box, section, tag
from sgpmic_cli.report.table2_results import Place, Table2Results, dataset_title, method_title
from sgpmic_cli.report.table2_summary import css_class, legend


def grid_section(results: Table2Results) -> Html:
    """Return one table for each metric."""
    return section(
        "table2",
        "Table 2",
        tag(
            "p",
            f"Upper line: mean and standard deviation of our {results.repeats} runs; the best of "
            "a row is bold. Lower line: printed mean and standard deviation, and the sign of the "
            "verdict. Point at a cell, tap it, or select it with the tab key to see its "
            "confidence interval, runs, failures, run time, settings and notes. Escape closes "
            "the details.",
        ),
        legend(results),
        *(_table(results, metric) for metric in METRICS),
    )


def _table(results: Table2Results, metric: str) -> Html:
    heading = [tag("th", "data set, variance (Q)", scope="col")]
    heading += [tag("th", method_title(method), scope="col") for method in results.methods]
    body = []
    previous = None
    for dataset, variance in results.rows:
        places = [(dataset, variance, method) for method in results.methods]
        top = best(results.ours(place, metric) for place in places)
        title = f"{dataset_title(dataset)} {variance} % ({_q(results, places)})"
        name = tag("th", title, scope="row")
        cells = [_cell(results, place, metric, top) for place in places]
        body.append(tag("tr", name, *cells, class_="first" if dataset != previous else None))
        previous = dataset
    caption = f"{TITLES[metric]} in percent"
    head = tag("thead", tag("tr", *heading))
    content = tag("table", tag("caption", caption), head, tag("tbody", *body), class_="grid")
    return box(content, caption)


def _q(results: Table2Results, places: list[Place]) -> str:
    """Return the Q of the runs of a row, or ? if there are none."""
    found = [results.cells[place].q for place in places if place in results.cells]
    return "?" if not found or found[0] is None else str(found[0])


def _cell(results: Table2Results, place: Place, metric: str, top: float | None) -> Html:
    verdict = results.verdict(place, metric)
    ours, paper = results.ours(place, metric), results.paper(place, metric)
    std = None if ours is None else results.cells[place].ours[metric].std
    upper = verdict if ours is None else Html(f"{ours:.2f}<small>±{std:.2f}</small>")
    difference = "–" if ours is None or paper is None else signed(ours - paper)
    return tag(
        "td",
        tag("b" if is_best(ours, top) else "span", upper, class_="ours"),
        tag("span", _printed(metric, place), f" {verdict.sign}", class_="paper"),
        tag("span", difference, class_="difference"),
        _details(results, place, metric),
        class_=f"cell {css_class(verdict)}",
        id=anchor(metric, place),
        tabindex="0",
        data_place="/".join(map(str, place)),
        data_verdict=str(verdict),
        data_ours="" if ours is None else f"{ours:.4f}",
    )


def anchor(metric: str, place: Place) -> str:
    """Return the anchor of a cell, such as acc-iris-95-pca-fcm."""
    return re.sub(r"[^\w.-]+", "-", "-".join([metric, *map(str, place)]))


def _printed(metric: str, place: Place) -> Html:
    printed = published(metric, *place)
    if printed is None:
        return Html("–")
    return Html(f"{printed.mean:.2f}<small>±{printed.std:.2f}</small>")


def _details(results: Table2Results, place: Place, metric: str) -> Html:
    """Return the tooltip of a cell."""
    dataset, variance, method = place
    title = tag("strong", f"{method_title(method)} on {dataset_title(dataset)}, {variance} %")
    cell = results.cells.get(place)
    if cell is None:
        text = tag("p", f"{Verdict.NOT_RUN.capitalize()}.")
        return tag("div", title, text, class_="tip", role="tooltip")
    facts = [
        (f"{TITLES[metric]}, ours", _stat(cell.ours[metric]) or "–"),
        ("paper", _stat(cell.printed[metric]) or "not printed"),
        ("verdict", str(cell.verdict[metric])),
        *_difference(cell, metric),
        ("runs", f"{cell.repeats}, {cell.failed} failed"),
        ("run time", "–" if cell.duration.mean is None else f"{cell.duration.mean:.2f} s"),
    ]
    others = [name for name in cell.ours if name not in METRICS]
    facts += [(TITLES[name], _stat(cell.ours[name]) or "–") for name in others]
    if cell.settings:
        facts.append(("settings", _settings(cell.settings)))
    if cell.grid:
        points = [(_settings(each["settings"]), Stat(**each[metric])) for each in cell.grid]
        tried = (f"{settings}: {plain(stat)}" for settings, stat in points)
        facts.append(("settings tried", "; ".join(tried)))
    listed = [part for name, value in facts for part in (tag("dt", name), tag("dd", value))]
    note = [tag("p", cell.note)] if cell.note else []
    return tag("div", title, tag("dl", *listed), *note, class_="tip", role="tooltip")


def _settings(settings: Mapping[str, object]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in settings.items())


def _difference(cell: Result, metric: str) -> list[tuple[str, str]]:
    """Return the difference from the paper with its confidence interval, if there is one."""
    difference = cell.difference(metric)
    if difference is None or cell.printed[metric] is None:
        return []
    low, high = difference.interval()
    return [("difference", f"{signed(difference.value)}, 95 % interval {low:.2f} to {high:.2f}")]


def _stat(stat: Stat | Published | None) -> str:
    return "" if stat is None or stat.mean is None else f"{stat.mean:.2f} ± {stat.std:.2f}"
