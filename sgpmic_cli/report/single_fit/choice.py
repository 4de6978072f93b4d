"""How many clusters there are, how that was chosen, and how sure each of them is."""

from pathlib import Path

from sgpmic_cli.report.markup import Html, items, picture, section, table, tag
from sgpmic_cli.single_fit.fitting import Fitted
from sgpmic_cli.single_fit.interpretation import choice_in_words, numbers_tried

LIFETIME = (
    "Lifetime: over how wide a range of distances, in logs, the rows fall into so many parts by gaps alone; parts of "
    "any shape show there that a silhouette cannot see."
)


def choice(fitted: Fitted, figures: Path) -> Html:
    """The sentence, warnings, the clusters, and the numbers tried."""
    outcome = fitted.outcome
    clusters = [
        [
            f"cluster {m}",
            size,
            f"{100 * size / outcome.sizes.sum():.0f} %",
            f"{certainty:.3f}" if size else "–",
        ]
        for m, (size, certainty) in enumerate(
            zip(outcome.sizes.tolist(), outcome.certainty.tolist(), strict=True)
        )
    ]
    parts = [tag("p", tag("strong", choice_in_words(fitted)))]
    if remarks := [*fitted.remarks, *fitted.advice]:
        parts.append(items(remarks))
    parts.append(table(["", "rows", "share", "certainty"], clusters, caption="The clusters"))
    parts.append(
        tag(
            "p",
            "Certainty is the mean probability with which the rows of a cluster belong to it; 1 is best.",
        )
    )
    if tried := numbers_tried(fitted):
        parts.append(
            picture(
                figures / "numbers-tried.png",
                "Silhouette against the number of clusters",
                "Silhouette of k-means for every number tried, beside that of clouds of the same covariance that have "
                "no clusters. A number counts for more the further the two are apart.",
            )
        )
        names = [name for name in tried[0] if name != "n_clusters"]
        lines = [[row["n_clusters"], *(f"{row[name]:.3f}" for name in names)] for row in tried]
        parts.append(table(["clusters", *names], lines, caption="The numbers tried"))
        parts.append(
            tag(
                "p",
                "Score: silhouette less a part of the reference; the highest wins, of near ties the smallest number. ",
                LIFETIME if "lifetime" in names else "",
            )
        )
    return section("clusters", "How many clusters", *parts)
