"""The rows that a user passes in Python, as a data set."""

import numpy as np

from sgpmic_cli._typing import Table
from sgpmic_cli.data.dataset import Dataset
from sgpmic_cli.model.interface import LatentClusterer


def dataset_of(model: LatentClusterer, X: Table, name: str = "X") -> Dataset:
    """Return rows that a fitted model accepts as a data set."""
    Y = model._validated(X, reset=False)
    names = getattr(model, "feature_names_in_", None)
    features = [f"column {j + 1}" for j in range(Y.shape[1])] if names is None else names
    return Dataset.from_classes(
        name, np.asarray(Y), None, [str(each) for each in features], names_made_up=names is None
    )
