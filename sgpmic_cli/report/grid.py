"""Table 2: ours over the paper's number in every cell, and all that is known about the cell when pointed at."""

from typing import Any

from sgpmic_cli.experiments.compare.comparison import METRICS
from sgpmic_cli.experiments.compare.paper import table2
from sgpmic_cli.experiments.compare.wins import best
from sgpmic_cli.experiments.tables.formats import TITLES
from sgpmic_cli.report.curve import curve
from sgpmic_cli.report.markup import Html, box, section, tag
from sgpmic_cli.report.results import NOT_RUN, Place, Results, dataset_title, title_of
from sgpmic_cli.report.summary import SIGNS, css, legend


def grid(results: Results) -> Html:
    """One table for each metric."""
    n = results.document.get("repeats", "?")
    return section(
        "table2",
        "Table 2",
        tag(
            "p",
            f"Upper line: our mean of {n} runs and their standard deviation, the best of a row in bold. Lower line: "
            "the printed mean and the verdict's sign. Point at a cell, tap it, or reach it with the tab key for runs, "
            "failures, seconds, settings and notes.",
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
        name = tag("th", f"{dataset_title(dataset)} {variance} % ({_q(results, places)})", scope="row")
        first = "first" if dataset != before else None
        before = dataset
        body.append(tag("tr", name, *(_cell(results, place, metric, top) for place in places), class_=first))
    caption = f"{TITLES[metric]} in percent"
    content = tag(
        "table", tag("caption", caption), tag("thead", tag("tr", *heading)), tag("tbody", *body), class_="grid"
    )
    return box(content, caption)


def _q(results: Results, places: list[Place]) -> str:
    """Q as it was run; nothing was run where it is unknown."""
    found = [results.cells[place]["q"] for place in places if place in results.cells]
    return "?" if not found or found[0] is None else str(found[0])


def _cell(results: Results, place: Place, metric: str, top: float | None) -> Html:
    verdict = results.verdict(place, metric)
    ours, printed = results.ours(place, metric), results.paper(place, metric)
    upper = verdict if ours is None else Html(f"{ours:.2f}<small>±{results.cells[place][metric]['std']:.2f}</small>")
    lower = f"{'–' if printed is None else f'{printed:.2f}'} {SIGNS[verdict]}"
    is_best = ours is not None and round(ours, 2) == top
    return tag(
        "td",
        tag("b" if is_best else "span", upper, class_="ours"),
        tag("span", lower, class_="paper"),
        _details(results, place, metric),
        class_=f"cell {css(verdict)}",
        tabindex="0",
        data_place="/".join(map(str, place)),
    )


def _details(results: Results, place: Place, metric: str) -> Html:
    dataset, variance, method = place
    title = tag("strong", f"{title_of(method)} on {dataset_title(dataset)}, {variance} %")
    cell = results.cells.get(place)
    if cell is None:
        return tag("div", title, tag("p", f"{NOT_RUN.capitalize()}."), class_="tip", role="tooltip")
    facts = [
        (f"{TITLES[metric]}, ours", _stat(cell[metric])),
        ("paper", _printed(place, metric)),
        ("verdict", cell["verdict"][metric]),
        ("runs", f"{cell['repeats']}, {cell['failed']} failed"),
        ("one run", "–" if cell["seconds"] is None else f"{cell['seconds']:.2f} s"),
        ("ARI", _stat(cell["ari"])),
        ("Hungarian ACC", _stat(cell["acc_hungarian"])),
    ]
    if cell["settings"]:
        facts.append(("settings", ", ".join(f"{name} = {value}" for name, value in cell["settings"].items())))
    listed = [part for name, value in facts for part in (tag("dt", name), tag("dd", value))]
    extra = [curve(cell["grid"], metric, cell["settings"])] if cell.get("grid") else []
    note = [tag("p", cell["note"])] if cell["note"] else []
    return tag("div", title, tag("dl", *listed), *extra, *note, class_="tip", role="tooltip")


def _stat(stat: dict[str, Any]) -> str:
    return "–" if stat["mean"] is None else f"{stat['mean']:.2f} ± {stat['std']:.2f}"


def _printed(place: Place, metric: str) -> str:
    found = table2().get((metric, *place))
    return "not printed" if found is None else f"{found.mean:.2f} ± {found.std:.2f}"
