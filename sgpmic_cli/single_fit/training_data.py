"""A model that was fitted in Python and its rows, in the form that reports and profiles use."""

import copy
from typing import cast

import numpy as np
from sklearn.utils.validation import check_is_fitted

from sgpmic_cli._typing import Table
from sgpmic_cli.data.dataset import Dataset
from sgpmic_cli.data.intake.recipe import TableRecipe
from sgpmic_cli.data.intake.table_encoder import TableEncoder
from sgpmic_cli.model.interface import LatentClusterer
from sgpmic_cli.model.paper.estimator import PaperSGPMIC
from sgpmic_cli.single_fit.fitting import Fitted
from sgpmic_cli.single_fit.settings import Model, Setting


def dataset_of(model: LatentClusterer, X: Table, name: str = "X") -> Dataset:
    """Return rows that a fitted model accepts as a data set."""
    check_is_fitted(model)
    Y = np.asarray(model._validated(X, reset=False))
    given = getattr(model, "feature_names_in_", None)
    names = [f"column_{j + 1}" for j in range(Y.shape[1])] if given is None else list(given)
    if hasattr(model, "encoder_"):  # it was fitted to a raw table
        recipe = model.encoder_.recipe_
    else:
        recipe = TableRecipe.of_numbers(Y, names, named=given is not None)
    return Dataset.from_classes(name, Y, None, names, names_made_up=given is None, recipe=recipe)


def fitted_of(model: Model, X: Table, name: str) -> Fitted:
    """Return a model with its training rows. Raise ValueError if their number differs."""
    data = dataset_of(model, X, name)
    if len(data.Y) != len(model.labels_):
        raise ValueError(
            f"X must be the rows of the fit: it has {len(data.Y)} rows, not {len(model.labels_)}."
        )
    setting: Setting = "paper" if isinstance(model, PaperSGPMIC) else "default"
    model = copy.copy(model)
    model.encoder_ = TableEncoder.of(cast(TableRecipe, data.recipe))
    return Fitted(model, setting, data, seed=0, seconds=None, rounds=[])
