"""Mean ranks on a line, in the paper's numbers and in ours; bars join what Nemenyi's test does not tell apart."""

from pathlib import Path
from typing import TYPE_CHECKING

from sgpmic_cli.data.registry import entry, names
from sgpmic_cli.experiments.compare.result_file import read_results
from sgpmic_cli.experiments.compare.significance import (
    Comparison,
    compare_methods,
    compare_sides,
    our_scores,
    published_scores,
)
from sgpmic_cli.experiments.plan.methods import known
from sgpmic_cli.figures.plot_options import PlotOptions
from sgpmic_cli.figures.style import COLOURS, INK, as_drawn, canvas

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDTH, LINE = 5.4, 0.17  # inches: of the figure, and from one label to the next
METRIC = "acc"
PRINTED = "numbers printed in the paper"


def critical_difference(stem: Path, options: PlotOptions) -> list[str]:
    """One diagram for the printed numbers, and one for ours where the table has been computed."""
    printed = compare_methods(published_scores(METRIC))
    assert printed is not None
    diagrams, remarks = {PRINTED: printed}, []
    path = options.results / "table2" / "benchmark.json"
    if path.exists():
        sides = both_sides(path, METRIC)
        if sides is None:
            remarks.append(
                f"{str(path)!r} has too few methods or data sets to be ranked: only the paper's are."
            )
        else:
            diagrams = dict(zip((PRINTED, "our runs"), sides, strict=True))
    else:
        remarks.append(
            f"there is no {str(path)!r}, so only the paper's numbers are ranked: a benchmark of all data sets, "
            "variances and methods into that folder computes ours."
        )
    heights = [_height(comparison) for comparison in diagrams.values()]
    with canvas(stem, width=WIDTH, height=sum(heights)) as figure:
        rows = figure.subplots(len(diagrams), 1, squeeze=False, height_ratios=heights)[:, 0]
        for axes, (title, comparison) in zip(rows, diagrams.items(), strict=True):
            _draw(axes, title, comparison)
    return remarks


def both_sides(path: Path, metric: str) -> tuple[Comparison, Comparison] | None:
    """Ranks of the printed numbers and of ours, on the same rows and methods so that both can be read together."""
    return compare_sides(published_scores(metric), our_scores(read_results(path), metric))


def _height(comparison: Comparison) -> float:
    """Title and axis, bars, half of the labels on either side, and the line of what was left out."""
    lines = (len(comparison.methods) + 1) // 2 + 1
    return 0.85 + LINE * (len(comparison.cliques()) * 0.6 + lines)


def _draw(axes: "Axes", title: str, comparison: Comparison) -> None:
    """Ranks run along x; y counts lines of text downwards from the axis of ranks."""
    n = len(comparison.methods)
    p_value = "p < 0.001" if comparison.p_value < 0.001 else f"p = {comparison.p_value:.3f}"
    differ = [name for name in comparison.datasets if name in names() and entry(name).data_differ]
    axes.set_title(
        f"Mean ranks by ACC, {title}: {len(comparison.datasets)} data sets, Friedman {p_value}",
        loc="left",
        pad=4,
    )
    half = (n + 1) // 2
    cliques = comparison.cliques()
    first_label = 0.9 + 0.6 * len(cliques)
    axes.set_xlim(1 - 0.3 * n, n + 0.3 * n)
    axes.set_ylim(first_label + half - 0.4 + 1, -3.3)
    axes.axis("off")
    axes.plot([1, n], [0, 0], color=INK, linewidth=0.8)
    for place in range(1, n + 1):
        axes.plot([place, place], [0, -0.25], color=INK, linewidth=0.8)
        text = f"{place} = best" if place == 1 else str(place)
        axes.text(place, -0.4, text, ha="center", va="bottom", fontsize=7)
    width = comparison.critical_difference
    axes.plot([1, 1 + width], [-2.0, -2.0], "|-", color=INK, linewidth=0.8, markersize=5)
    axes.text(
        1 + width / 2,
        -2.15,
        f"critical difference {width:.2f}",
        ha="center",
        va="bottom",
        fontsize=7,
    )
    for i, (start, end) in enumerate(cliques):
        spread = [comparison.mean_ranks[start] - 0.08, comparison.mean_ranks[end] + 0.08]
        axes.plot(
            spread, [0.55 + 0.6 * i] * 2, color=COLOURS[0], linewidth=2.6, solid_capstyle="butt"
        )
    titles = {name: method.label for name, method in known().items()}
    equal = [
        sum(abs(rank - other) < 0.05 for other in comparison.mean_ranks[:i])
        for i, rank in enumerate(comparison.mean_ranks)
    ]
    for i, (name, rank) in enumerate(zip(comparison.methods, comparison.mean_ranks, strict=True)):
        left = i < half
        y = first_label + (float(i) if left else n - 0.5 - i)
        edge = 1.0 - 0.04 * n if left else 1.04 * n
        spot = rank + 0.07 * equal[i]  # equal ranks side by side
        axes.plot([rank, spot, spot, edge], [0, 0.2, y, y], color=INK, linewidth=0.6)
        text = as_drawn(titles.get(name, name.upper()))
        axes.text(
            edge + (-0.1 if left else 0.1),
            y,
            f"{text}  {rank:.2f}" if left else f"{rank:.2f}  {text}",
            ha="right" if left else "left",
            va="center",
            fontsize=7,
            fontweight="bold" if name == "sgp-mic" else "normal",
        )
    remarks = (
        [f"the data of {', '.join(map(str.capitalize, differ))} are not the paper's"]
        if differ
        else []
    )
    if comparison.omitted:
        left_out = ", ".join(as_drawn(titles.get(name, name)) for name in comparison.omitted)
        remarks.append(f"not ranked, since numbers are missing: {left_out}")
    if remarks:
        axes.text(
            (n + 1) / 2,
            first_label + half,
            "; ".join(remarks),
            ha="center",
            va="center",
            fontsize=6,
        )
