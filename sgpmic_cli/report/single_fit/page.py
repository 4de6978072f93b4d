"""The page about one fit, put together from its sections."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sgpmic_cli.report.document import document
from sgpmic_cli.report.single_fit.choice import choice
from sgpmic_cli.report.single_fit.convergence import convergence
from sgpmic_cli.report.single_fit.latent_space import latent_space
from sgpmic_cli.report.single_fit.predicting import predicting
from sgpmic_cli.report.single_fit.profiles import profiles
from sgpmic_cli.report.single_fit.reading import reading
from sgpmic_cli.report.single_fit.rows import rows
from sgpmic_cli.report.single_fit.run_settings import run_settings
from sgpmic_cli.single_fit.fitting import Fitted
from sgpmic_cli.single_fit.interpretation import choice_in_words

SECTIONS = {
    "clusters": "How many clusters",
    "profiles": "What makes a cluster",
    "latent-space": "Latent space",
    "rows": "Typical and doubtful rows",
    "data": "What was read",
    "convergence": "Convergence",
    "settings": "Settings",
    "predict": "New rows",
}


def page(fitted: Fitted, figures: Path, out: Path, arguments: Mapping[str, Any]) -> str:
    """The page; `figures` holds the PNGs that were drawn, `out` is where the model will be found."""
    data = fitted.data
    return document(
        f"Clusters of {data.name}",
        f"{data.Y.shape[0]} rows, {data.Y.shape[1]} features. {choice_in_words(fitted)}",
        SECTIONS,
        [
            choice(fitted, figures),
            profiles(fitted, figures),
            latent_space(fitted, figures),
            rows(fitted),
            reading(fitted),
            convergence(fitted, figures),
            run_settings(fitted, arguments),
            predicting(fitted, out),
        ],
    )
