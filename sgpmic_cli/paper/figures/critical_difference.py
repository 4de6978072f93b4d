"""Draw mean ranks by ACC, of the paper's numbers and of ours.

Bars join methods that Nemenyi's test does not distinguish.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from sgpmic_cli.benchmark.counts import Ranking, rank_methods, rank_sides, score_table
from sgpmic_cli.benchmark.documents import read_document
from sgpmic_cli.data.registry import entry, names
from sgpmic_cli.figure_style import COLOURS, INK, as_drawn, canvas
from sgpmic_cli.paper.experiments.protocols import paper_suite, table2
from sgpmic_cli.paper.figures.panels import PlotOptions

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDTH, LINE = 5.4, 0.17  # inches: of the figure, and from one label to the next
METRIC = "acc"
TITLES = {"paper": "numbers printed in the paper", "ours": "our runs"}


def critical_difference(stem: Path, options: PlotOptions) -> list[str]:
    """Draw a diagram of the printed numbers, and one of ours if the table was computed."""
    path = options.results / "table2" / "benchmark.json"
    diagrams, notes = rankings(path), []
    if "ours" not in diagrams:
        notes.append(
            f"only the paper's numbers are ranked, because {str(path)!r} is absent or has too few "
            "methods or data sets: a benchmark of all of them into its folder computes ours."
        )
    heights = [_height(ranking) for ranking in diagrams.values()]
    with canvas(stem, width=WIDTH, height=sum(heights)) as figure:
        rows = figure.subplots(len(diagrams), 1, squeeze=False, height_ratios=heights)[:, 0]
        for axes, (side, ranking) in zip(rows, diagrams.items(), strict=True):
            _draw(axes, TITLES[side], ranking)
    return notes


def rankings(path: Path) -> dict[str, Ranking]:
    """Rank the methods by the printed numbers and by those of a written benchmark, if it exists."""
    if path.exists():
        return rank_sides(read_document(path, paper_suite().methods).table, table2(), METRIC)
    alone = rank_methods(score_table(table2()[~table2()["data_differ"]], METRIC))
    assert alone is not None
    return {"paper": alone}


def _height(ranking: Ranking) -> float:
    """Return the inches of title, axis, bars, half of the labels, and the note below."""
    lines = (len(ranking.methods) + 1) // 2 + 1
    return 0.85 + LINE * (len(ranking.cliques()) * 0.6 + lines)


def _draw(axes: "Axes", title: str, ranking: Ranking) -> None:
    """Draw ranks along x. One unit of y is one line of text, downwards from the axis."""
    methods = paper_suite().methods
    n, width, cliques = (
        len(ranking.methods),
        ranking.critical_difference,
        ranking.cliques(),
    )
    p = ranking.p_value
    tested = f"Friedman {'p < 0.001' if p < 0.001 else f'p = {p:.3f}'}"
    rows = f"{len(ranking.datasets)} data sets"
    axes.set_title(f"Mean ranks by ACC, {title}: {rows}, {tested}", loc="left", pad=4)
    half = (n + 1) // 2
    first_label = 0.9 + 0.6 * len(cliques)
    axes.set_xlim(1 - 0.3 * n, n + 0.3 * n)
    axes.set_ylim(first_label + half - 0.4 + 1, -3.3)
    axes.axis("off")
    ink: Any = {"color": INK, "linewidth": 0.8}
    above: Any = {"ha": "center", "va": "bottom", "fontsize": 7}
    axes.plot([1, n], [0, 0], **ink)
    for place in range(1, n + 1):
        axes.plot([place, place], [0, -0.25], **ink)
        axes.text(place, -0.4, f"{place} = best" if place == 1 else str(place), **above)
    axes.plot([1, 1 + width], [-2.0, -2.0], "|-", markersize=5, **ink)
    axes.text(1 + width / 2, -2.15, f"critical difference {width:.2f}", **above)
    ranks = ranking.mean_ranks
    bar: Any = {"color": COLOURS[0], "linewidth": 2.6, "solid_capstyle": "butt"}
    for i, (start, end) in enumerate(cliques):
        axes.plot([ranks[start] - 0.08, ranks[end] + 0.08], [0.55 + 0.6 * i] * 2, **bar)
    for i, (name, rank) in enumerate(zip(ranking.methods, ranks, strict=True)):
        left = i < half
        y = first_label + (float(i) if left else n - 0.5 - i)
        edge = 1.0 - 0.04 * n if left else 1.04 * n
        label = as_drawn(methods[name].label if name in methods else name)
        axes.plot([rank, rank, edge], [0, y, y], color=INK, linewidth=0.6)
        axes.text(
            edge + (-0.1 if left else 0.1),
            y,
            f"{label}  {rank:.2f}" if left else f"{rank:.2f}  {label}",
            ha="right" if left else "left",
            va="center",
            fontsize=7,
            fontweight="bold" if name == "sgp-mic" else "normal",
        )
    note: Any = {"ha": "center", "va": "center", "fontsize": 6}
    axes.text((n + 1) / 2, first_label + half, _note(ranking), **note)


def _note(ranking: Ranking) -> str:
    """Name the data sets and the methods that are not ranked."""
    methods = paper_suite().methods
    different = [name.capitalize() for name in names() if entry(name).data_differ]
    parts = [f"without {', '.join(different)}, whose data are not the paper's"]
    if ranking.omitted:
        titles = (methods[name].label if name in methods else name for name in ranking.omitted)
        omitted = as_drawn(", ".join(titles), most=200)
        parts.append(f"not ranked, since numbers are missing: {omitted}")
    return "; ".join(parts)
