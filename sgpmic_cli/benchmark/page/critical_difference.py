"""Draw mean ranks by ACC, of the paper's numbers and of ours.

Bars join methods that Nemenyi's test does not distinguish.
"""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sgpmic_cli.benchmark.compare.comparison import Result, read_table
from sgpmic_cli.benchmark.compare.paper import Printed, table2
from sgpmic_cli.benchmark.compare.significance import (
    Comparison,
    compare_methods,
    compare_sides,
    our_scores,
    published_scores,
)
from sgpmic_cli.benchmark.plan.methods import known
from sgpmic_cli.data.registry import entry, names
from sgpmic_cli.figure_style import COLOURS, INK, as_drawn, canvas
from sgpmic_cli.paper.figures.plot_options import PlotOptions

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDTH, LINE = 5.4, 0.17  # inches: of the figure, and from one label to the next
METRIC = "acc"
DIFFERENT = [name for name in names() if entry(name).data_differ]
TITLES = {"paper": "numbers printed in the paper", "ours": "our runs"}


def critical_difference(stem: Path, options: PlotOptions) -> list[str]:
    """Draw a diagram of the printed numbers, and one of ours if the table was computed."""
    path = options.results / "table2" / "benchmark.json"
    diagrams, notes = rankings(read_table(path).results if path.exists() else [], METRIC), []
    if "ours" not in diagrams:
        notes.append(
            f"only the paper's numbers are ranked, because {str(path)!r} is absent or has too few "
            "methods or data sets: a benchmark of all of them into its folder computes ours."
        )
    heights = [_height(comparison) for comparison in diagrams.values()]
    with canvas(stem, width=WIDTH, height=sum(heights)) as figure:
        rows = figure.subplots(len(diagrams), 1, squeeze=False, height_ratios=heights)[:, 0]
        for axes, (side, comparison) in zip(rows, diagrams.items(), strict=True):
            _draw(axes, TITLES[side], comparison)
    return notes


def rankings(
    results: Sequence[Result], metric: str, printed: Printed | None = None
) -> dict[str, Comparison]:
    """Rank the methods by the printed numbers and by ours, on the same rows and methods.

    Data sets whose public data differ from the paper's are left out. If the rest is too small for a
    ranking, rank each side that is large enough alone. `printed` replaces the numbers of the paper.
    """
    paper = published_scores(table2() if printed is None else printed, metric)
    paper = paper[~paper.index.isin(DIFFERENT, level="dataset")]
    ours = our_scores(results, metric)
    if sides := compare_sides(paper, ours):
        return dict(zip(("paper", "ours"), sides, strict=True))
    alone = {"paper": compare_methods(paper), "ours": compare_methods(ours)}
    return {side: found for side, found in alone.items() if found is not None}


@cache
def _labels() -> dict[str, str]:
    """Return the labels of all methods; cached because `known` searches the installed packages."""
    return {name: method.label for name, method in known().items()}


def method_title(method: str) -> str:
    """Return the name of a method in figures and on the page."""
    return _labels().get(method, method)


def _height(comparison: Comparison) -> float:
    """Return the inches of title, axis, bars, half of the labels, and the note below."""
    lines = (len(comparison.methods) + 1) // 2 + 1
    return 0.85 + LINE * (len(comparison.cliques()) * 0.6 + lines)


def _draw(axes: "Axes", title: str, comparison: Comparison) -> None:
    """Draw ranks along x. One unit of y is one line of text, downwards from the axis."""
    n, width, cliques = (
        len(comparison.methods),
        comparison.critical_difference,
        comparison.cliques(),
    )
    p = comparison.p_value
    tested = f"Friedman {'p < 0.001' if p < 0.001 else f'p = {p:.3f}'}"
    rows = f"{len(comparison.datasets)} data sets"
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
    ranks = comparison.mean_ranks
    bar: Any = {"color": COLOURS[0], "linewidth": 2.6, "solid_capstyle": "butt"}
    for i, (start, end) in enumerate(cliques):
        axes.plot([ranks[start] - 0.08, ranks[end] + 0.08], [0.55 + 0.6 * i] * 2, **bar)
    for i, (name, rank) in enumerate(zip(comparison.methods, ranks, strict=True)):
        left = i < half
        y = first_label + (float(i) if left else n - 0.5 - i)
        edge = 1.0 - 0.04 * n if left else 1.04 * n
        label = as_drawn(method_title(name))
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
    axes.text((n + 1) / 2, first_label + half, _note(comparison), **note)


def _note(comparison: Comparison) -> str:
    """Name the data sets and the methods that are not ranked."""
    different = ", ".join(map(str.capitalize, DIFFERENT))
    parts = [f"without {different}, whose data are not the paper's"]
    if comparison.omitted:
        omitted = as_drawn(", ".join(map(method_title, comparison.omitted)), most=200)
        parts.append(f"not ranked, since numbers are missing: {omitted}")
    return "; ".join(parts)
