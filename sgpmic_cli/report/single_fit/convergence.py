"""How the fit went."""

from pathlib import Path

from sgpmic_cli.report.markup import Html, picture, section
from sgpmic_cli.single_fit.fitting import Fitted


def convergence(fitted: Fitted, figures: Path) -> Html:
    """The bound, round by round."""
    model = fitted.model
    ended = "converged" if model.converged_ else "ended because all rounds were done"
    return section(
        "convergence",
        "Convergence",
        picture(
            figures / "convergence.png",
            "Lower bound by round",
            f"The bound on the log likelihood that the fit climbs. It {ended} after {model.n_iter_} rounds, in "
            f"{fitted.seconds:.1f} s, at {model.lower_bound_:.2f}.",
        ),
    )
