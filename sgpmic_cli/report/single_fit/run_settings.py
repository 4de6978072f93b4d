"""What the fit was asked for, and the parameters of the estimator."""

from collections.abc import Mapping
from typing import Any

from sgpmic_cli._version import __version__
from sgpmic_cli.report.markup import Html, section, table
from sgpmic_cli.single_fit.fitting import Fitted


def run_settings(fitted: Fitted, arguments: Mapping[str, Any]) -> Html:
    """Both as tables."""
    asked = [
        [name, value]
        for name, value in arguments.items()
        if value is not None and not isinstance(value, dict)
    ]
    given = [
        [name, value]
        for name, value in fitted.model.get_params().items()
        if name not in ("callback", "memory")
    ]
    if fitted.scores is not None:
        asked += [[f"score: {name}", f"{value:.2f}"] for name, value in fitted.scores.items()]
    return section(
        "settings",
        "Settings",
        table(
            ["", ""],
            [["sgpmic", __version__], *asked, ["columns scaled", fitted.summary()["scale"]]],
            caption="The run",
        ),
        table(
            ["parameter", "value"], given, caption=f"The estimator, {type(fitted.model).__name__}"
        ),
    )
