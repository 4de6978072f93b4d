"""The two settings of SGP-MIC that a data set can be fitted with, and the estimators that the options make."""

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

from sgpmic_cli.data.dataset import Dataset
from sgpmic_cli.data.registry import entry, names
from sgpmic_cli.errors import UsageError
from sgpmic_cli.model.estimator import SGPMIC
from sgpmic_cli.model.paper.estimator import PaperSGPMIC

Setting = Literal["default", "paper"]
Model = SGPMIC | PaperSGPMIC
Clusters = int | tuple[int, int] | Literal["auto"]
Dimensions = int | Literal["auto"]

ESTIMATORS: Mapping[Setting, type[Model]] = {"default": SGPMIC, "paper": PaperSGPMIC}
PAPERS_OWN = ("kernel", "optimizer", "n_init")  # parameters that only the paper's setting has ...
DEFAULTS_OWN = ("temp_folder",)  # ... and only the default one
PAPERS_VARIANCE = 95.0


def default_missing(setting: Setting) -> str:
    """What is done with missing values unless it is said: left to the model if it can work with them, else filled."""
    return "model" if ESTIMATORS[setting]().__sklearn_tags__().input_tags.allow_nan else "median"


def estimator_for(
    data: Dataset,
    setting: Setting,
    *,
    clusters: Clusters | None,
    dims: Dimensions | None,
    variance: float | None,
    inducing: int | None,
    seed: int,
    settings: Mapping[str, Any],
) -> Model:
    """An estimator that is not fitted yet; what is None keeps its default. Classes of the data are not looked at.

    The exception is the paper's setting without a number of clusters: the paper takes that of the classes.
    """
    wanted = _dimensions(dims, variance)
    if setting == "paper":
        if wanted == "auto" or not isinstance(clusters, int | None):
            raise UsageError(
                "the paper's setting does not choose for you: say clusters=3 and dims=2, or so, or leave "
                "setting=paper out."
            )
        for name in DEFAULTS_OWN:
            if name in settings:
                raise UsageError(
                    f"{name}={settings[name]} belongs to the default setting: drop it, or setting=paper."
                )
        if settings.get("device", "cpu") != "cpu":
            raise UsageError(
                f"device={settings['device']} belongs to the default setting: drop it, or "
                "setting=paper."
            )
        if inducing is None:
            usual = entry(data.name).inducing if data.name in names() else PaperSGPMIC().n_inducing
            inducing = min(usual, len(data.Y))
        wanted = PAPERS_VARIANCE / 100.0 if wanted is None else wanted
        return PaperSGPMIC(
            _papers_clusters(data, clusters),
            wanted,
            n_inducing=inducing,
            random_state=seed,
            **{name: value for name, value in settings.items() if name != "device"},
        )
    for name in PAPERS_OWN:
        if name in settings:
            raise UsageError(
                f"{name}={settings[name]} belongs to the paper's setting: add setting=paper, or drop it."
            )
    given = {"n_clusters": clusters, "n_components": wanted, "n_inducing": inducing, **settings}
    return SGPMIC(
        random_state=seed, **{name: value for name, value in given.items() if value is not None}
    )


def _papers_clusters(data: Dataset, clusters: int | None) -> int:
    if clusters is not None:
        return clusters
    if data.labels is None:
        raise UsageError(
            f"the number of classes in {data.name} is unknown: say how many to look for, such as "
            "clusters=3, or name the column of classes with label=COLUMN."
        )
    return data.n_classes


def _dimensions(
    dims: Dimensions | None, variance: float | None
) -> int | float | Literal["auto"] | None:
    if dims is not None and variance is not None:
        raise UsageError(
            f"dims={dims} and variance={variance:g} both set the latent dimensions: give one of them."
        )
    if isinstance(dims, int) and dims < 1:
        raise UsageError(f"dims={dims}: a latent space has at least one dimension.")
    if variance is not None and not 1.0 <= variance < 100.0:
        raise UsageError(
            f"variance={variance:g}: give a percentage from 1 to below 100, such as 95."
        )
    return dims if variance is None else variance / 100.0


def full_covariances(model: Model) -> np.ndarray:
    """Covariances of the clusters in the latent space as matrices (M, Q, Q)."""
    found: np.ndarray = model.covariances_
    return found if found.ndim == 3 else np.einsum("mq,qr->mqr", found, np.eye(found.shape[1]))
