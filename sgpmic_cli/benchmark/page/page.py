"""The HTML report of a benchmark on one page. The paper's Table 2 has additional sections."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from sgpmic_cli.benchmark.compare.comparison import METRICS
from sgpmic_cli.benchmark.compare.paper import table2
from sgpmic_cli.benchmark.compare.significance import Comparison, our_scores, published_scores
from sgpmic_cli.benchmark.compare.verdicts import Verdict
from sgpmic_cli.benchmark.page.critical_difference import method_title, rankings
from sgpmic_cli.benchmark.page.grid import grid_section
from sgpmic_cli.benchmark.page.results import (
    FITTED,
    OWN_METHOD,
    Table2Results,
    css_class,
    dataset_title,
    read_results,
)
from sgpmic_cli.benchmark.tables.benchmark_summary import WINS, caveat_sentences
from sgpmic_cli.benchmark.tables.formats import TITLES, plain
from sgpmic_cli.data import load
from sgpmic_cli.data.registry import entry, names
from sgpmic_cli.pages.markup import (
    Html,
    Section,
    document,
    items,
    paragraph,
    picture,
    table,
    tag,
    texts,
)
from sgpmic_cli.paper.figures.catalogue import Figure, known

TITLE = "SGP-MIC reproduced: every number of Table 2 compared with ours"
LEAD = (
    "This page repeats the clustering experiments of “Clustering based on Mixtures of Sparse "
    "Gaussian Processes” (arXiv 2303.13665) and compares every printed number with ours."
)


def table2_page(folder: Path, printed: Path | None = None) -> str:
    """Return the HTML page about the results in a folder; see `read_results`."""
    results = read_results(folder, printed)
    methods = {result.method_name for result in results.run}
    datasets = {result.dataset for result in results.run}
    title = f"Benchmark of {len(methods)} methods on {len(datasets)} data sets"
    lead = _headline(results)
    sections = [
        Section("summary", "Summary", _summary(results)),
        Section("table", "Table", grid_section(results)),
        Section("significance", "Significance", _significance(results)),
        Section("environment", "Environment", _environment(results)),
    ]
    if results.figures is not None:
        title, lead = TITLE, f"{lead} {LEAD}"
        shown = [figure for figure in known().values() if figure.in_all]
        figures = [_figure(results.figures, figure) for figure in shown]
        sections.insert(2, Section("figures", "Figures", figures))
        protocol = Section("protocol", "Protocol and errors", _protocol(results))
        sections.insert(4, protocol)
    return document(title, lead, sections, script="details.js")


def _figure(folder: Path, figure: Figure) -> Html:
    """Return a figure with its title and caption, or the command that draws it."""
    path = folder / f"{figure.name}.png"
    if path.is_file():
        content = picture(path, figure.title, figure.caption)
    else:
        command = tag("code", f"sgpmic plot {figure.name}")
        content = tag("p", "Not drawn yet: ", command, " draws it.")
    return tag("article", tag("h3", figure.title), content, id=figure.name)


def _environment(results: Table2Results) -> list[Html]:
    """Return the manifest of the benchmark."""
    manifest = results.manifest
    run = [
        [name, _value(value)]
        for name, value in manifest.items()
        if name not in ("data", "versions")
    ]
    data = [[name, tag("code", digest)] for name, digest in manifest["data"].items()]
    return [
        table(["", ""], run, caption="The run"),
        table(["", "version"], manifest["versions"].items(), caption="Versions"),
        table(["", "SHA-256 of values and labels"], data, caption="Data"),
    ]


def _value(value: Any) -> str:
    """Format a nested value in one line."""
    if isinstance(value, dict):
        return "; ".join(f"{name}: {_value(each)}" for name, each in value.items())
    if isinstance(value, list):
        return ", ".join(map(_value, value))
    if isinstance(value, float):
        return f"{value:.1f}"
    return "–" if value is None else str(value)


def _headline(results: Table2Results) -> str:
    """Return one sentence on the numbers whose data are the paper's, or on the benchmark."""
    if not results.printed:
        return f"Means and standard deviations of {results.repeats} runs."
    counted = results.summary
    percent = 100.0 / max(1, counted["judged"])
    data = "numbers on the paper's data" if results.of_paper else "printed numbers that were run"
    return (
        f"Of {counted['judged']} {data}, "
        f"{percent * counted['within_one_point']:.0f} % are within one point of the printed number "
        f"and {percent * counted['differ']:.0f} % differ."
    )


def _summary(results: Table2Results) -> list[Html]:
    """Return the counts of verdicts on the printed numbers, and the wins."""
    if not results.printed:
        return [_wins(results)]
    counted = results.summary
    numbers = {
        "printed": len(results.printed),
        "compared": counted["compared"],
        "repeated": counted["compared"] - counted["distinct"],
    }
    tiles = [
        tag(
            "div",
            tag("b", count),
            tag("span", verdict),
            class_=f"tile {css_class(verdict)}",
            title=Verdict(verdict).meaning,
        )
        for verdict, count in counted["verdicts"].items()
    ]
    fitted = paragraph("fitted_settings", fitted=FITTED)
    methods = {method_title(name): counts for name, counts in counted["by_method"].items()}
    datasets = {dataset_title(name): counts for name, counts in counted["by_dataset"].items()}
    return [
        paragraph("printed_numbers", **numbers),
        tag("div", *tiles, class_="tiles"),
        paragraph("verdicts", equivalent=counted["equivalent"]),
        fitted if results.of_paper else items(caveat_sentences(counted)),
        _verdict_table(results, methods, "Verdicts by method"),
        _verdict_table(results, datasets, "Verdicts by data set"),
        _wins(results),
        paragraph("wins"),
    ]


def _verdict_table(
    results: Table2Results, groups: Mapping[str, Mapping[str, int]], caption: str
) -> Html:
    """Return the counts of verdicts in each group, as a coloured bar and as numbers."""
    used = list(results.summary["verdicts"])
    rows = [
        [name, _bar(counts), *(counts.get(verdict, "") for verdict in used)]
        for name, counts in groups.items()
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


def _wins(results: Table2Results) -> Html:
    """Return in how many rows each method is the best, in our numbers and in the paper's."""
    columns = {
        f"{TITLES[metric]}, {WINS[side]}": wins
        for metric, sides in results.summary["wins"].items()
        for side, wins in sides.items()
        if side == "ours" or any(key[0] == metric for key in results.printed)
    }
    finished = {result.method_name for result in results.run}
    rows = [
        [method_title(method), *(wins.get(method, "–") for wins in columns.values())]
        for method in results.methods
        if method in finished
    ]
    caption = f"Wins in {results.summary['rows']} distinct rows; equal cells all win"
    return table(["", *columns], rows, caption=caption)


def _significance(results: Table2Results) -> list[Html]:
    """Return the mean ranks and the results of the tests."""
    found = {
        f"{TITLES[metric]}, {side}": ranking
        for metric in results.metrics
        for side, ranking in rankings(results.run, metric, results.printed).items()
    }
    if not found:
        return [paragraph("no_ranks")]
    ranks = {
        name: dict(zip(each.methods, each.mean_ranks, strict=True)) for name, each in found.items()
    }
    methods = dict.fromkeys(method for column in ranks.values() for method in column)
    rows = [
        [
            method_title(method),
            *(f"{each[method]:.2f}" if method in each else "–" for each in ranks.values()),
        ]
        for method in methods
    ]
    notes = ("ranks", "paper_ranks", "fitted_ranks") if results.of_paper else ("ranks",)
    return [
        *map(paragraph, notes),
        table(["mean rank", *found], rows, caption="Mean ranks over the data sets"),
        items(f"{name}: {_sentence(each)}" for name, each in found.items()),
    ]


def _sentence(comparison: Comparison) -> str:
    width = comparison.critical_difference
    p = "p < 0.001" if comparison.p_value < 0.001 else f"p = {comparison.p_value:.3f}"
    text = (
        f"Friedman χ² = {comparison.statistic:.1f} over {len(comparison.datasets)} data sets, {p}; "
        f"critical difference {width:.2f}."
    )
    if comparison.omitted:
        omitted = ", ".join(map(method_title, comparison.omitted))
        text += f" Not ranked because numbers are missing: {omitted}."
    ranks = dict(zip(comparison.methods, comparison.mean_ranks, strict=True))
    if OWN_METHOD not in ranks:
        return text
    own = ranks[OWN_METHOD]
    apart = [method_title(method) for method, rank in ranks.items() if abs(rank - own) > width]
    others = f"only from {', '.join(apart)}" if apart else "from no other method"
    return f"{text} SGP-MIC, with mean rank {own:.2f}, differs significantly {others}."


def _protocol(results: Table2Results) -> list[Html]:
    """Return the protocol, the errors in the paper, and the cells that equal a single cluster."""
    notes, counted = texts()["protocol"], results.summary
    differences = [
        [text.format(fitted=FITTED) for text in each.values()] for each in notes["differences"]
    ]
    # The paper counts its wins in the cells that it prints.
    wins = [
        f"{counted['wins'][metric]['ours_in_printed_cells'].get(OWN_METHOD, 0)} times by "
        f"{TITLES[metric]}"
        for metric in METRICS
    ]
    return [
        paragraph("protocol", protocol=results.protocol),
        table(
            ["", "as run", "as stated", "evidence"],
            differences,
            caption="Differences between numbers and text",
        ),
        tag("h3", "Other errors"),
        items(notes["errors"]),
        tag("h3", "Best in 7 of 22"),
        paragraph("best_of_22", rows=counted["rows"], wins=" and ".join(wins)),
        *_as_stated(results),
        tag("h3", "Cells at the level of a single cluster"),
        paragraph("single_cluster"),
        table(
            ["", "largest class (%)", "printed cells", "ours"],
            _single_cluster_cells(results),
            caption="ACC cells equal to the fraction of the largest class",
        ),
    ]


def _as_stated(results: Table2Results) -> list[Html]:
    """Return the columns of SGP-MIC under both protocols, if both have been run."""
    if not results.as_stated:
        return []
    rows = []
    for place, cell in results.as_stated.items():
        as_run = results.cells.get(place)
        row = [f"{dataset_title(place[0])} {place[1]} %"]
        for metric in METRICS:
            ours = as_run.ours[metric] if as_run else None
            row += [plain(ours), plain(cell.ours[metric]), plain(cell.paper[metric])]
        rows.append(row)
    sides = ("as run", "as stated", "paper")
    heading = ["", *(f"{TITLES[metric]}, {side}" for metric in METRICS for side in sides)]
    return [
        tag("h3", "SGP-MIC as run and as stated"),
        paragraph("as_stated"),
        table(heading, rows, caption="SGP-MIC under both protocols"),
    ]


def _single_cluster_cells(results: Table2Results) -> list[list[object]]:
    """Return the printed cells and ours whose ACC equals the fraction of the largest class."""
    sides = published_scores(table2(), "acc"), our_scores(results.run, "acc")
    rows: list[list[object]] = []
    for name in names():
        found = entry(name)
        if not found.in_paper or found.kind != "bundled":
            continue
        labels = load(name).labels
        assert labels is not None
        largest = 100.0 * np.bincount(labels).max() / len(labels)
        printed, ours = (_at_level(scores, name, largest) for scores in sides)
        if printed or ours:
            rows.append([dataset_title(name), f"{largest:.2f}", printed or "–", ours or "–"])
    return rows


def _at_level(scores: pd.DataFrame, dataset: str, level: float) -> str:
    """List the cells of a data set at a level, as in "VAE-FCM 50, 95 %; SDC 99 %"."""
    near = (scores[scores.index.isin([dataset], level="dataset")] - level).abs() < 0.01
    variances = {method: near.index[near[method]].get_level_values("variance") for method in near}
    return "; ".join(
        f"{method_title(str(method))} {', '.join(map(str, found))} %"
        for method, found in variances.items()
        if len(found)
    )
