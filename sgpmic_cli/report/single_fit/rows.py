"""The rows that show what a cluster is, and those between two."""

from sgpmic_cli.report.markup import Html, section, table, tag
from sgpmic_cli.single_fit.fitting import Fitted
from sgpmic_cli.single_fit.interpretation import doubtful_rows, typical_rows

TYPICAL, DOUBTFUL = 5, 20


def rows(fitted: Fitted) -> Html:
    """Both tables."""
    sizes = fitted.outcome.sizes.tolist()
    typical = [
        [f"cluster {m}", ", ".join(typical_rows(fitted, m, TYPICAL))]
        for m, size in enumerate(sizes)
        if size
    ]
    doubtful = [
        [
            row.name,
            row.first,
            f"{row.first_probability:.2f}",
            row.second,
            f"{row.second_probability:.2f}",
        ]
        for row in doubtful_rows(fitted, DOUBTFUL)
    ]
    heading = ["row", "cluster", "probability", "or cluster", "probability"]
    return section(
        "rows",
        "Typical and doubtful rows",
        table(["", "nearest to the centre"], typical, caption="The most typical rows"),
        table(heading, doubtful, caption="The most doubtful rows")
        if doubtful
        else tag(
            "p",
            "No row is in doubt: each belongs to its cluster with a probability of 0.99 or more.",
        ),
    )
