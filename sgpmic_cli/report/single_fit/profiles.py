"""What makes each cluster: its striking features, and all of them as a map."""

from pathlib import Path

from sgpmic_cli.figures.fit_plots import MOST_FEATURES
from sgpmic_cli.report.markup import Html, picture, section, table, tag
from sgpmic_cli.single_fit.fitting import Fitted


def profiles(fitted: Fitted, figures: Path) -> Html:
    """The features that set each cluster apart, and the heat map."""
    profile = fitted.profile
    lines = [
        [f"cluster {m}", size, "; ".join(profile.in_words(m)) or "nothing stands out"]
        for m, size in enumerate(profile.sizes.tolist())
    ]
    left = len(profile.features) - MOST_FEATURES
    more = f" {left} features that differ less are in profile.csv only." if left > 0 else ""
    return section(
        "profiles",
        "What makes a cluster",
        table(
            ["", "rows", "what sets it apart"], lines, caption="Each cluster beside all other rows"
        ),
        tag(
            "p",
            "Means of numbers, shares of categories; those of all other rows in brackets, as “elsewhere”.",
        ),
        picture(
            figures / "profile.png",
            "Features by cluster",
            "Mean of every feature in every cluster, in the units of the file, shares of categories in percent. The "
            "colour tells how far the mean is from that of all other rows, in standard deviations."
            + more,
        ),
    )
