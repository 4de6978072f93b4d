"""How new rows get their clusters."""

import shlex
from pathlib import Path

from sgpmic_cli.report.markup import Html, section, tag
from sgpmic_cli.single_fit.fitting import Fitted


def predicting(fitted: Fitted, out: Path) -> Html:
    """The command, and the same in Python."""
    code = (
        "from sgpmic_cli import SGPMIC\n\n"
        f"model = SGPMIC.load({str(out / 'model.npz')!r})\n"
        f"model.predict(X)  # X: the {fitted.model.n_features_in_} features, prepared as the model's recipe says"
    )
    return section(
        "predict",
        "New rows",
        tag(
            "p",
            "A file of new rows may be as raw as this one: columns in any order, others beside them, values missing.",
        ),
        tag("pre", tag("code", f"sgpmic predict {shlex.quote(str(out))} NEW.csv")),
        tag("p", "In Python:"),
        tag("pre", tag("code", code)),
    )
