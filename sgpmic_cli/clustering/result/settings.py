"""Create the estimator that the options of a fit describe, and name these options."""

import re
import shlex
from collections.abc import Mapping
from typing import Any, Literal

from sgpmic_cli.clustering.model.estimator import SGPMIC
from sgpmic_cli.data.dataset import Dataset
from sgpmic_cli.data.registry import find
from sgpmic_cli.errors import UsageError
from sgpmic_cli.paper.model.estimator import PaperSGPMIC
from sgpmic_cli.text import as_option_value

Setting = Literal["default", "paper"]
Model = SGPMIC | PaperSGPMIC

ESTIMATORS: Mapping[Setting, type[Model]] = {"default": SGPMIC, "paper": PaperSGPMIC}
# Options of `sgpmic fit` whose name differs from the parameter of the estimator.
OPTIONS = {
    "n_clusters": "clusters",
    "n_components": "dims",
    "n_inducing": "inducing",
    "max_iter": "iterations",
    "n_init": "init",
    "n_resamples": "resamples",
}
# Arguments of a fit that need not be repeated: the defaults of the options.
USUAL = {
    "setting": "default",
    "seed": 0,
    "n_jobs": 1,
    "device": "cpu",
    "encode": "one-hot",
    "decimal": ".",
}
PAPER_VARIANCE = 95.0  # percent of the variance that sets the latent dimensions


def default_missing(setting: Setting) -> str:
    """Return the default treatment of missing values: "model" if the estimator allows NaN."""
    return "model" if ESTIMATORS[setting]().__sklearn_tags__().input_tags.allow_nan else "median"


def option(parameter: str) -> str:
    """Return the option of `sgpmic fit` that sets a parameter of the estimator."""
    return f"--{OPTIONS.get(parameter, parameter.replace('_', '-'))}"


def with_options(sentence: str) -> str:
    """Replace parameters in a message of the estimator, such as n_clusters=3, by options."""
    return re.sub(rf"\b({'|'.join(OPTIONS)})=", lambda found: f"{option(found[1])} ", sentence)


def fit_command(arguments: Mapping[str, Any], **changed: Any) -> str:
    """Return the command line of a fit, with changed arguments.

    `arguments` are those of the manifest: `dataset`, the options of the model, and `table` with the
    fields of `TableOptions`.
    """
    table = dict(arguments.get("table") or {})
    usual = {**USUAL, "missing": default_missing(arguments.get("setting", "default"))}
    given = {**table, **table.pop("format", {}), **arguments, **changed}
    words = ["sgpmic", "fit", shlex.quote(given["dataset"])]
    for name, value in given.items():
        if name in ("dataset", "table", "format") or value in (None, (), usual.get(name)):
            continue
        if name in ("columns", "drop"):
            word = as_option_value(value)
        elif isinstance(value, tuple):  # a range of numbers
            word = "-".join(map(str, value))
        else:
            word = "tab" if value == "\t" else shlex.quote(str(value))
        words += [option(name), word]
    return " ".join(words)


def estimator_for(
    data: Dataset,
    setting: Setting,
    *,
    clusters: int | tuple[int, int] | Literal["auto"] | None = None,
    dims: int | Literal["auto"] | None = None,
    variance: float | None = None,
    inducing: int | None = None,
    **settings: Any,
) -> Model:
    """Create an estimator. Options that are None keep the estimator's default.

    With setting="paper" the number of clusters defaults to the number of classes, as in the paper.
    The other settings are parameters of the estimator.
    """
    if dims is not None and variance is not None:
        raise UsageError(
            f"--dims {dims} and --variance {variance:g} both set the latent dimensions: give one "
            "of them."
        )
    if variance is not None and not 1.0 <= variance < 100.0:
        raise UsageError(
            f"--variance {variance:g}: give a percentage from 1 to below 100, such as 95."
        )
    _check_settings(setting, settings)
    if setting == "paper":
        if dims == "auto" or not isinstance(clusters, int | None):
            raise UsageError(
                "the paper's model does not choose numbers: give, for example, --clusters 3 and "
                "--dims 2, or leave --setting paper out."
            )
        if clusters is None and data.labels is None:
            raise UsageError(
                f"the number of classes in {data.name} is unknown: give the number of clusters, "
                "such as --clusters 3, or name the column of classes with --label COLUMN."
            )
        clusters = data.n_classes if clusters is None else clusters
        variance = PAPER_VARIANCE if dims is None and variance is None else variance
        if inducing is None:
            registered = find(data.name)
            usual = registered.inducing if registered else PaperSGPMIC().n_inducing
            inducing = min(usual, len(data.Y))
    given: dict[str, Any] = {
        "n_clusters": clusters,
        "n_components": dims if variance is None else variance / 100.0,
        "n_inducing": inducing,
    }
    known = {name: value for name, value in given.items() if value is not None}
    return ESTIMATORS[setting](**known, **settings)


def _check_settings(setting: Setting, settings: Mapping[str, Any]) -> None:
    """Raise UsageError for a setting that the estimator does not have."""
    for name in sorted(settings.keys() - ESTIMATORS[setting]().get_params().keys()):
        owner, remedy = (
            ("default", "drop it, or leave --setting paper out")
            if setting == "paper"
            else ("paper's", "add --setting paper, or drop it")
        )
        given = f"{option(name)} {settings[name]}"
        raise UsageError(f"{given} belongs to the {owner} model: {remedy}.")
