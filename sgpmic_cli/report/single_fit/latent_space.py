"""The rows in the latent space."""

from pathlib import Path

from sgpmic_cli.report.markup import Html, picture, section
from sgpmic_cli.single_fit.fitting import Fitted


def latent_space(fitted: Fitted, figures: Path) -> Html:
    """The figure of the latent points."""
    q = fitted.model.embedding_.shape[1]
    shown = " Of its dimensions the two principal axes of the points are shown." if q > 2 else ""
    regions = (
        " Shaded are the regions that hold 50 and 90 % of a cluster's probability there."
        if q > 1
        else ""
    )
    return section(
        "latent-space",
        "Latent space",
        picture(
            figures / "embedding.png",
            "Latent space",
            f"Every row at its place in the latent space of {q} dimension{'s' * (q > 1)} that the model has learned "
            f"together with the clusters.{shown}{regions}",
        ),
    )
