"""Are the methods different at all: Friedman's test and Nemenyi's critical difference, the paper's numbers and ours."""

from sgpmic_cli.experiments.compare.comparison import METRICS
from sgpmic_cli.experiments.compare.significance import (
    Comparison,
    compare_methods,
    compare_sides,
    our_scores,
    published_scores,
)
from sgpmic_cli.experiments.tables.formats import TITLES
from sgpmic_cli.figures.catalogue import known
from sgpmic_cli.report.gallery import figure_or_command
from sgpmic_cli.report.markup import Html, items, section, table, tag
from sgpmic_cli.report.results import Results, title_of

OWN = "sgp-mic"


def ranks(results: Results) -> Html:
    """Mean ranks, the tests in words, and the diagram."""
    found: dict[str, Comparison] = {}
    for metric in METRICS:
        sides = compare_sides(published_scores(metric), our_scores(results.table.results, metric))
        if sides is None:
            printed = compare_methods(published_scores(metric))
            assert printed is not None
            found[f"{TITLES[metric]}, paper"] = printed
        else:
            found[f"{TITLES[metric]}, paper"], found[f"{TITLES[metric]}, ours"] = sides
    by_method = {
        name: dict(zip(each.methods, each.mean_ranks, strict=True)) for name, each in found.items()
    }
    order = dict.fromkeys(method for each in found.values() for method in each.methods)
    rows = [
        [
            title_of(method),
            *(
                f"{column[method]:.2f}" if method in column else "–"
                for column in by_method.values()
            ),
        ]
        for method in order
    ]
    return section(
        "significance",
        "Are the differences real?",
        tag(
            "p",
            "Every data set counts once, by its row at 95 % of the variance (Yale by its only one), since the rows of "
            "a data set are not independent. Only methods with a number for each of them can be ranked: paper and "
            "ours are ranked among the same methods on the same data sets, and a method that lacks a number on "
            "either side is left out of both. The paper has no number for DEC where Q = 1. Rank 1 is best.",
        ),
        tag(
            "p",
            "Our own ranks compare methods whose open settings were in part chosen by the printed scores, hence by "
            "labels: they do not say which method is better on new data.",
        ),
        table(["mean rank", *found], rows, caption="Mean ranks over the data sets"),
        items(f"{name}: {_sentence(each)}" for name, each in found.items()),
        figure_or_command(results.figures, known()["critical-difference"]),
    )


def _sentence(comparison: Comparison) -> str:
    n, width = len(comparison.datasets), comparison.critical_difference
    p = "p < 0.001" if comparison.p_value < 0.001 else f"p = {comparison.p_value:.3f}"
    text = f"Friedman χ² = {comparison.statistic:.1f} over {n} data sets, {p}; critical difference {width:.2f}."
    if comparison.omitted:
        text += f" Not ranked, since numbers are missing: {', '.join(map(title_of, comparison.omitted))}."
    if OWN not in comparison.methods:
        return text
    by_method = dict(zip(comparison.methods, comparison.mean_ranks, strict=True))
    apart = [
        title_of(method) for method, rank in by_method.items() if abs(rank - by_method[OWN]) > width
    ]
    others = f"only from {', '.join(apart)}" if apart else "from no other method"
    return f"{text} SGP-MIC, with mean rank {by_method[OWN]:.2f}, differs significantly {others}."
