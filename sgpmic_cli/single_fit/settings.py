"""Create the estimator that the options of a fit describe."""

from collections.abc import Mapping
from typing import Any, Literal

from sgpmic_cli.data.dataset import Dataset
from sgpmic_cli.data.registry import find
from sgpmic_cli.errors import UsageError
from sgpmic_cli.model.estimator import SGPMIC
from sgpmic_cli.model.paper.estimator import PaperSGPMIC

Setting = Literal["default", "paper"]
Model = SGPMIC | PaperSGPMIC

ESTIMATORS: Mapping[Setting, type[Model]] = {"default": SGPMIC, "paper": PaperSGPMIC}
# Options of `sgpmic fit` whose name differs from the parameter of the estimator.
OPTIONS = {"max_iter": "iterations", "n_init": "init", "n_resamples": "resamples"}
PAPER_VARIANCE = 95.0  # percent of the variance that sets the latent dimensions


def default_missing(setting: Setting) -> str:
    """Return the default treatment of missing values: "model" if the estimator allows NaN."""
    return "model" if ESTIMATORS[setting]().__sklearn_tags__().input_tags.allow_nan else "median"


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
        option = f"--{OPTIONS.get(name, name.replace('_', '-'))} {settings[name]}"
        owner, remedy = (
            ("default", "drop it, or leave --setting paper out")
            if setting == "paper"
            else ("paper's", "add --setting paper, or drop it")
        )
        raise UsageError(f"{option} belongs to the {owner} model: {remedy}.")
