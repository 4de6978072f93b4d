"""The first screen: how many printed cells came out, by method and by data set, and who wins."""

from collections import Counter
from collections.abc import Callable, Sequence

from sgpmic_cli.experiments.compare.comparison import METRICS
from sgpmic_cli.experiments.compare.paper import table2
from sgpmic_cli.experiments.compare.verdicts import LEGEND
from sgpmic_cli.experiments.compare.wins import count_wins
from sgpmic_cli.experiments.tables.formats import TITLES
from sgpmic_cli.report.markup import Html, section, table, tag
from sgpmic_cli.report.protocol import FITTED
from sgpmic_cli.report.results import NOT_RUN, Place, Results, dataset_title, title_of

MEANINGS = {**{str(verdict): meaning for verdict, meaning in LEGEND.items()}, NOT_RUN: "no run of ours yet"}

Group = Callable[[str, Place], str]


def summary(results: Results) -> Html:
    """Counts of verdicts on everything the paper prints, as tiles and as two tables, and the wins."""
    order = {method: i for i, method in enumerate(results.methods)}
    judged = [(metric, _place(rest)) for metric, *rest in table2()]
    judged.sort(key=lambda cell: order.get(cell[1][2], len(order)))  # tables list methods as the paper does
    total = Counter(results.verdict(place, metric) for metric, place in judged)
    used = [verdict for verdict in MEANINGS if total[verdict]]
    tiles = [
        tag(
            "div",
            tag("b", total[verdict]),
            tag("span", verdict),
            class_=f"tile {css(verdict)}",
            title=MEANINGS[verdict],
        )
        for verdict in used
    ]
    return section(
        "summary",
        "Summary",
        tag("p", f"The paper prints {len(judged)} numbers in its Table 2. Ours beside them:"),
        tag("div", *tiles, class_="tiles"),
        tag(
            "p",
            "Where the paper leaves a setting open, we took the one, the same for all data sets, whose column comes "
            f"closest to the printed one: for {', '.join(FITTED)}. In these columns agreement is fitted "
            "and no independent evidence.",
        ),
        _verdicts(results, judged, used, lambda _, place: title_of(place[2]), "Verdicts by method"),
        _verdicts(results, judged, used, lambda _, place: dataset_title(place[0]), "Verdicts by data set"),
        _wins(results),
    )


def legend(results: Results) -> Html:
    """What the verdicts mean, each in its colour."""
    used = {
        results.verdict((*row, method), metric)
        for row in results.rows
        for method in results.methods
        for metric in METRICS
    }
    entries = [
        tag("li", tag("span", f"{SIGNS[verdict]} {verdict}", class_=f"key {css(verdict)}"), f" {meaning}")
        for verdict, meaning in MEANINGS.items()
        if verdict in used
    ]
    return tag("ul", *entries, class_="legend")


SIGNS = {
    "exact": "=",
    "match": "≈",
    "better": "▲",
    "worse": "▼",
    "new": "∗",
    "data differ": "≠",
    "failed": "✕",
    "unavailable": "–",
    NOT_RUN: "·",
}


def css(verdict: str) -> str:
    """The class of a verdict."""
    return "v-" + verdict.replace(" ", "-")


def _place(parts: Sequence) -> Place:
    dataset, variance, method = parts
    return dataset, variance, method


def _verdicts(
    results: Results, judged: Sequence[tuple[str, Place]], used: Sequence[str], group: Group, caption: str
) -> Html:
    """One line for each group: a bar in the colours of the verdicts, and their numbers."""
    counts: dict[str, Counter[str]] = {}
    for metric, place in judged:
        counts.setdefault(group(metric, place), Counter())[results.verdict(place, metric)] += 1
    rows = [[name, _bar(found, used), *(found[verdict] or "" for verdict in used)] for name, found in counts.items()]
    return table(["", "", *used], rows, caption=f"{caption} (ACC and NMI together)")


def _bar(found: Counter[str], used: Sequence[str]) -> Html:
    whole = found.total()
    parts = [
        tag("i", class_=css(verdict), style=f"width:{100 * found[verdict] / whole:.2f}%")
        for verdict in used
        if found[verdict]
    ]
    words = ", ".join(f"{found[verdict]} {verdict}" for verdict in used if found[verdict])
    return tag("div", *parts, class_="bar", role="img", aria_label=words)


def _wins(results: Results) -> Html:
    """How often each method is the best of its row, of the cells that were run, so that both sides can be compared."""
    run = [[(*row, m) for m in results.methods if (*row, m) in results.cells] for row in results.rows]
    methods = [method for method in results.methods if any(place[2] == method for row in run for place in row)]
    printed = {method for _, _, _, method in table2()}
    columns = {}
    for metric in METRICS:
        ours = count_wins({place[2]: results.ours(place, metric) for place in row} for row in run)
        paper = count_wins({place[2]: results.paper(place, metric) for place in row} for row in run)
        columns[f"{TITLES[metric]}, ours"] = ours
        columns[f"{TITLES[metric]}, paper"] = {method: paper[method] for method in methods if method in printed}
    rows = [[title_of(method), *(won.get(method, "–") for won in columns.values())] for method in methods]
    there = sum(map(bool, run))
    return table(["", *columns], rows, caption=f"Best of how many of the {there} rows; equal cells all win")
