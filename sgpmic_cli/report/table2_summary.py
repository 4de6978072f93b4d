"""The section "Summary": verdicts on the printed numbers, by method and data set, and the wins."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sgpmic_cli.experiments.compare.comparison import Place
from sgpmic_cli.experiments.compare.counts import (
    count_by_group,
    count_verdicts,
    distinct,
    rows_of,
    wins_by_side,
)
from sgpmic_cli.experiments.compare.verdicts import Verdict
from sgpmic_cli.experiments.tables.benchmark_summary import WINS, caveats, remarks, summary
from sgpmic_cli.experiments.tables.formats import TITLES
from sgpmic_cli.report.markup import Html, items, paragraph, table, tag
from sgpmic_cli.report.table2_protocol import FITTED
from sgpmic_cli.report.table2_results import Table2Results, dataset_title, method_title


def summary_section(results: Table2Results) -> list[Html]:
    """Return the counts of verdicts on all printed numbers, and the wins."""
    if not results.printed:
        return _wins(results)
    judged = _judged(results)
    verdicts = [results.verdict(place, metric) for metric, place in judged]
    total = count_verdicts(verdicts)
    tiles = [
        tag(
            "div",
            tag("b", count),
            tag("span", verdict),
            class_=f"tile {css_class(verdict)}",
            title=Verdict(verdict).meaning,
        )
        for verdict, count in total.items()
    ]
    printed = len(results.printed)
    fitted = paragraph("fitted_settings", fitted=", ".join(FITTED))
    if not results.of_paper:
        fitted = items(remarks(caveats(results.run)))
    methods = [method_title(place[2]) for _, place in judged]
    datasets = [dataset_title(place[0]) for _, place in judged]
    return [
        paragraph("printed_numbers", printed=printed, repeated=printed - len(judged)),
        tag("div", *tiles, class_="tiles"),
        paragraph("verdicts", equivalent=_counted(results)["equivalent"]),
        fitted,
        _verdict_table(zip(methods, verdicts, strict=True), list(total), "Verdicts by method"),
        _verdict_table(zip(datasets, verdicts, strict=True), list(total), "Verdicts by data set"),
        *_wins(results),
    ]


def headline(results: Table2Results) -> str:
    """Return one sentence on the numbers whose data are the paper's, or on the benchmark."""
    if not results.printed:
        return f"Means and standard deviations of {results.repeats} runs."
    counted = _counted(results)
    percent = 100.0 / max(1, counted["judged"])
    data = "numbers on the paper's data" if results.of_paper else "printed numbers that were run"
    return (
        f"Of {counted['judged']} {data}, "
        f"{percent * counted['within_one_point']:.0f} % are within one point of the printed number "
        f"and {percent * counted['differ']:.0f} % differ."
    )


def legend(results: Table2Results) -> Html:
    """Return the meaning of the verdicts on the page."""
    used = {
        results.verdict((*row, method), metric)
        for row in results.rows
        for method in results.methods
        for metric in results.metrics
    }
    entries = [
        tag(
            "li",
            tag("span", f"{verdict.sign} {verdict}", class_=f"key {css_class(verdict)}"),
            f" {verdict.meaning}",
        )
        for verdict in Verdict
        if verdict in used and (results.printed or verdict is not Verdict.NEW)
    ]
    return tag("ul", *entries, class_="legend")


def css_class(verdict: str) -> str:
    """Return the CSS class of a verdict."""
    return "v-" + verdict.replace(" ", "-")


def _counted(results: Table2Results) -> dict[str, Any]:
    return summary(results.run, results.metrics)


def _judged(results: Table2Results) -> list[tuple[str, Place]]:
    """Return metric and place of the printed numbers without repeated experiments."""
    places = {result.place for result in results.run}
    repeated = places - {result.place for result in distinct(results.run)}
    order = {method: i for i, method in enumerate(results.methods)}
    printed = [(key[0], key[1:]) for key in results.printed]
    judged = [(metric, place) for metric, place in printed if place not in repeated]
    return sorted(judged, key=lambda cell: order[cell[1][2]])


def _verdict_table(
    groups: Iterable[tuple[str, Verdict]], used: Sequence[str], caption: str
) -> Html:
    """Return the counts of verdicts in each group, as a coloured bar and as numbers."""
    rows = [
        [name, _bar(counts), *(counts.get(verdict, "") for verdict in used)]
        for name, counts in count_by_group(groups).items()
    ]
    return table(["", "", *used], rows, caption=f"{caption} (all scores together)")


def _bar(counts: Mapping[str, int]) -> Html:
    total = sum(counts.values())
    parts = [
        tag("i", class_=css_class(verdict), style=f"width:{100 * n / total:.2f}%")
        for verdict, n in counts.items()
    ]
    label = ", ".join(f"{n} {verdict}" for verdict, n in counts.items())
    return tag("div", *parts, class_="bar", role="img", aria_label=label)


def _wins(results: Table2Results) -> list[Html]:
    """Return in how many rows each method is the best, in our numbers and in the paper's."""
    columns = {
        f"{TITLES[metric]}, {WINS[side]}": wins
        for metric in results.metrics
        for side, wins in wins_by_side(results.run, metric).items()
        if side == "ours" or any(key[0] == metric for key in results.printed)
    }
    finished = {result.method for result in results.run}
    rows = [
        [method_title(method), *(wins.get(method, "–") for wins in columns.values())]
        for method in results.methods
        if method in finished
    ]
    n_rows = len(rows_of(distinct(results.run)))
    return [
        table(["", *columns], rows, caption=f"Wins in {n_rows} distinct rows; equal cells all win"),
        *([paragraph("wins")] if results.printed else []),
    ]
