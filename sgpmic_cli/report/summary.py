"""The first screen: how many printed cells came out, by method and by data set, and who wins."""

from collections.abc import Iterable, Mapping, Sequence

from sgpmic_cli.experiments.compare.comparison import METRICS, Result
from sgpmic_cli.experiments.compare.counts import (
    count_by_group,
    count_verdicts,
    distinct,
    rows_of,
    wins_by_side,
)
from sgpmic_cli.experiments.compare.paper import table2
from sgpmic_cli.experiments.compare.verdicts import LEGEND, SIGNS, Verdict
from sgpmic_cli.experiments.tables.formats import TITLES
from sgpmic_cli.experiments.tables.summary import WINS
from sgpmic_cli.experiments.tables.summary import summary as summarise
from sgpmic_cli.report.markup import Html, section, table, tag
from sgpmic_cli.report.protocol import FITTED
from sgpmic_cli.report.results import Place, Results, dataset_title, title_of


def summary(results: Results) -> Html:
    """Counts of verdicts on everything the paper prints, as tiles and as two tables, and the wins."""
    run = results.table.results
    order = {method: i for i, method in enumerate(results.methods)}
    repeated = {result.place for result in run} - {result.place for result in distinct(run)}
    judged = [
        (metric, place) for metric, *rest in table2() if (place := _place(rest)) not in repeated
    ]
    judged.sort(
        key=lambda cell: order.get(cell[1][2], len(order))
    )  # tables list methods as the paper does
    total = count_verdicts(results.verdict(place, metric) for metric, place in judged)
    tiles = [
        tag(
            "div",
            tag("b", total[verdict]),
            tag("span", verdict),
            class_=f"tile {css(verdict)}",
            title=LEGEND[Verdict(verdict)],
        )
        for verdict in total
    ]
    return section(
        "summary",
        "Summary",
        tag(
            "p",
            f"The paper prints {len(table2())} numbers in its Table 2; {len(table2()) - len(judged)} of them repeat an "
            f"experiment, with the same data and Q, and are counted once. Ours beside the other {len(judged)}:",
        ),
        tag("div", *tiles, class_="tiles"),
        tag("p", _how_judged(run)),
        tag(
            "p",
            "Where the paper leaves a setting open, we took the one, the same for all data sets, whose column comes "
            f"closest to the printed one: for {', '.join(FITTED)}. In these columns agreement shows that the numbers "
            "can be reached; it does not confirm them.",
        ),
        _verdicts(
            ((title_of(place[2]), results.verdict(place, metric)) for metric, place in judged),
            list(total),
            "Verdicts by method",
        ),
        _verdicts(
            ((dataset_title(place[0]), results.verdict(place, metric)) for metric, place in judged),
            list(total),
            "Verdicts by data set",
        ),
        *_wins(results),
    )


def takeaway(results: Results) -> str:
    """What came out, in one sentence, for the cells whose data are the paper's."""
    counted = summarise(results.table.results)
    shares = {
        name: 100.0 * counted[name] / max(1, counted["judged"])
        for name in ("within_one_point", "differ")
    }
    return (
        f"Of {counted['judged']} numbers on the paper's data {shares['within_one_point']:.0f} % come out within one "
        f"point of the printed one, and {shares['differ']:.0f} % differ."
    )


def _how_judged(run: Sequence[Result]) -> str:
    """When two numbers differ, and how many are shown not to."""
    return (
        "Two numbers differ when they are more than one point apart, and further than the spread of both means leaves "
        f"to chance. {summarise(run)['equivalent']} are shown to lie within two points by two one-sided tests."
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
        tag(
            "li",
            tag("span", f"{SIGNS[verdict].text} {verdict}", class_=f"key {css(verdict)}"),
            f" {meaning}",
        )
        for verdict, meaning in LEGEND.items()
        if verdict in used
    ]
    return tag("ul", *entries, class_="legend")


def css(verdict: str) -> str:
    """The class of a verdict."""
    return "v-" + verdict.replace(" ", "-")


def _place(parts: Sequence) -> Place:
    dataset, variance, method = parts
    return dataset, variance, method


def _verdicts(judged: Iterable[tuple[str, Verdict]], used: Sequence[str], caption: str) -> Html:
    """One line for each group of (group, verdict): a bar in the colours of the verdicts, and their numbers."""
    counts = count_by_group(judged)
    rows = [
        [name, _bar(found), *(found.get(verdict, "") for verdict in used)]
        for name, found in counts.items()
    ]
    return table(["", "", *used], rows, caption=f"{caption} (ACC and NMI together)")


def _bar(found: Mapping[str, int]) -> Html:
    whole = sum(found.values())
    parts = [
        tag("i", class_=css(verdict), style=f"width:{100 * n / whole:.2f}%")
        for verdict, n in found.items()
    ]
    words = ", ".join(f"{n} {verdict}" for verdict, n in found.items())
    return tag("div", *parts, class_="bar", role="img", aria_label=words)


def _wins(results: Results) -> list[Html]:
    """How often each method is the best of its row: ours among all, and on both sides among the printed cells."""
    run = results.table.results
    columns = {
        f"{TITLES[metric]}, {WINS[side]}": won
        for metric in METRICS
        for side, won in wins_by_side(run, metric).items()
    }
    there = {result.method for result in run}
    rows = [
        [title_of(method), *(won.get(method, "–") for won in columns.values())]
        for method in results.methods
        if method in there
    ]
    caption = (
        f"Best of how many of the {len(rows_of(distinct(run)))} distinct rows; equal cells all win"
    )
    return [
        table(["", *columns], rows, caption=caption),
        tag(
            "p",
            "Ours: best of all methods that were run. Ours, printed cells: best of the cells that have a number in the "
            "paper, to be compared with the paper's column.",
        ),
    ]
