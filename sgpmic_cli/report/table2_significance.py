"""The section "Significance": Friedman test and Nemenyi's critical difference."""

from sgpmic_cli.experiments.compare.significance import Comparison
from sgpmic_cli.experiments.tables.formats import TITLES
from sgpmic_cli.figures.critical_difference import rankings
from sgpmic_cli.report.markup import Html, items, paragraph, table
from sgpmic_cli.report.table2_results import OWN_METHOD, Table2Results, method_title


def significance_section(results: Table2Results) -> list[Html]:
    """Return the mean ranks and the results of the tests."""
    found = {
        f"{TITLES[metric]}, {side}": ranking
        for metric in results.metrics
        for side, ranking in rankings(results.run, metric, results.printed).items()
    }
    if not found:
        return [paragraph("no_ranks")]
    ranks = {name: _mean_ranks(each) for name, each in found.items()}
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


def _mean_ranks(comparison: Comparison) -> dict[str, float]:
    return dict(zip(comparison.methods, comparison.mean_ranks, strict=True))


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
    ranks = _mean_ranks(comparison)
    if OWN_METHOD not in ranks:
        return text
    own = ranks[OWN_METHOD]
    apart = [method_title(method) for method, rank in ranks.items() if abs(rank - own) > width]
    others = f"only from {', '.join(apart)}" if apart else "from no other method"
    return f"{text} SGP-MIC, with mean rank {own:.2f}, differs significantly {others}."
