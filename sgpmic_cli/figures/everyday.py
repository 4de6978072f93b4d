"""The study on data of every kind as dots: a line for each data set, a dot for each method at its mean ARI."""

from collections.abc import Sequence
from pathlib import Path

from sgpmic_cli.experiments.compare.comparison import Result
from sgpmic_cli.experiments.plan.methods import known
from sgpmic_cli.experiments.studies.everyday import GROUPS, OURS
from sgpmic_cli.experiments.tables.ranking import METRIC
from sgpmic_cli.figures.style import FAINT, INK, PAGE, canvas, look

LINE = 0.2  # inches from one data set to the next
GAP = 0.8  # lines between two groups


def draw_study(stem: Path, results: Sequence[Result]) -> None:
    """Draw PNG and PDF."""
    methods = list(dict.fromkeys(result.method for result in results))
    means = {(result.dataset, result.method): result.ours[METRIC].mean for result in results}
    places, titles, y = {}, {}, 0.0
    for title, sets in GROUPS.items():
        titles[title] = y - 0.75
        for name in sets:
            places[name] = y
            y += 1.0
        y += GAP
    with canvas(stem, width=PAGE, height=LINE * y + 0.9) as figure:
        axes = figure.subplots()
        axes.set_ylim(y - GAP, -1.2)
        axes.set_xlim(-8, 103)
        for line in places.values():
            axes.plot([0, 100], [line, line], color=FAINT, linewidth=0.4, zorder=0)
        for index, method in enumerate(methods):
            colour, marker = (INK, "*") if method == OURS else look(index)
            drawn = [
                (mean, line)
                for name, line in places.items()
                if (mean := means.get((name, method))) is not None
            ]
            axes.plot(
                [mean for mean, _ in drawn],
                [line for _, line in drawn],
                linestyle="",
                marker=marker,
                color=colour,
                markersize=8 if method == OURS else 4.5,
                alpha=0.9,
                zorder=2 if method == OURS else 3,
                label=known()[method].label,
                clip_on=False,
            )
        for title, line in titles.items():
            axes.text(-8, line, title, fontsize=7, fontstyle="italic", va="center")
        axes.set_yticks(list(places.values()), list(places))
        axes.tick_params(axis="y", length=0)
        axes.spines["left"].set_visible(False)
        axes.set_xlabel(
            "adjusted Rand index, %, mean over the repeats; the number of clusters told to all but HDBSCAN"
        )
        figure.legend(loc="outside upper center", ncols=len(methods))
