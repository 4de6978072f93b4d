"""Are the methods different at all: Friedman's test and Nemenyi's critical difference, the paper's numbers and ours."""

from sgpmic_cli.experiments.result import METRICS
from sgpmic_cli.experiments.significance import Comparison, compare_methods, document_scores, published_scores
from sgpmic_cli.experiments.tables import TITLES
from sgpmic_cli.figures.catalogue import known
from sgpmic_cli.report.gallery import figure_or_command
from sgpmic_cli.report.markup import Html, items, section, table, tag
from sgpmic_cli.report.results import Results, title_of

OWN = "sgp-mic"


def ranks(results: Results) -> Html:
    """Mean ranks, the tests in words, and the diagram."""
    found: dict[str, Comparison] = {}
    for metric in METRICS:
        printed = compare_methods(published_scores(metric))
        assert printed is not None
        found[f"{TITLES[metric]}, paper"] = printed
        # Among the same methods, so that the columns can be read side by side.
        ours = compare_methods(document_scores(results.document, metric), printed.methods)
        if ours is not None:
            found[f"{TITLES[metric]}, ours"] = ours
    by_method = {name: dict(zip(each.methods, each.mean_ranks, strict=True)) for name, each in found.items()}
    order = next(iter(found.values())).methods
    rows = [
        [title_of(method), *(f"{column[method]:.2f}" if method in column else "–" for column in by_method.values())]
        for method in order
    ]
    return section(
        "significance",
        "Are the differences real?",
        tag(
            "p",
            "Every data set counts once, by its row at 95 % of the variance (Yale by its only one), since the rows of "
            "a data set are not independent. Only methods with a number for each of them can be ranked; the paper "
            "leaves DEC out where Q = 1. Rank 1 is best.",
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
    if OWN not in comparison.methods:
        return text
    by_method = dict(zip(comparison.methods, comparison.mean_ranks, strict=True))
    apart = [title_of(method) for method, rank in by_method.items() if abs(rank - by_method[OWN]) > width]
    told = f"only from {', '.join(apart)}" if apart else "from no other method"
    return f"{text} SGP-MIC, at {by_method[OWN]:.2f}, is told apart {told}."
