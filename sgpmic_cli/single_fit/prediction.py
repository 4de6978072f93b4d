"""New rows under a fitted model: their clusters, probabilities and latent points."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from sgpmic_cli._typing import PathLike
from sgpmic_cli.atomic import settle
from sgpmic_cli.data.dataset import Dataset
from sgpmic_cli.data.intake.recipe import TableRecipe
from sgpmic_cli.errors import UsageError
from sgpmic_cli.model.estimator import SGPMIC
from sgpmic_cli.scores import score_all
from sgpmic_cli.single_fit.row_tables import write_embedding, write_labels
from sgpmic_cli.single_fit.settings import Model


@dataclass(frozen=True)
class Predicted:
    """Rows of a data set as a model sees them."""

    model: Model
    data: Dataset
    S: np.ndarray  # (n, M)
    X: np.ndarray  # (n, Q)

    @property
    def labels(self) -> np.ndarray:
        """The most probable cluster of each row (n,)."""
        return self.S.argmax(axis=1)

    @property
    def scores(self) -> dict[str, float] | None:
        """Every score against the classes, where those are known."""
        return None if self.data.labels is None else score_all(self.data.labels, self.labels)

    def summary(self) -> dict[str, Any]:
        """What the command prints, as plain values."""
        return {
            "dataset": self.data.name,
            "rows": len(self.S),
            "clusters": self.S.shape[1],
            "sizes": np.bincount(self.labels, minlength=self.S.shape[1]).tolist(),
            "dims": self.X.shape[1],
            "mean_probability": float(self.S.max(axis=1).mean()),
            "scores": self.scores,
            "notes": list(self.data.notes),
        }

    def write(self, folder: Path) -> None:
        """Write the tables of the rows."""
        write_labels(folder / "labels.csv", self.data, self.S)
        write_embedding(folder / "embedding.csv", self.data, self.X)


def load_model(path: PathLike) -> Model:
    """A model file, or the folder that `sgpmic fit` wrote one into."""
    path = Path(path)
    settle(path if path.is_dir() else path.parent)
    return SGPMIC.load(path / "model.npz" if path.is_dir() else path)


def recipe_of(model: Model) -> TableRecipe:
    """How raw tables become rows for a model; one fitted in Python, or by an old version, takes plain numbers."""
    found: TableRecipe | None = getattr(model, "recipe_", None)
    if found is not None:
        return found
    names = [str(name) for name in getattr(model, "feature_names_in_", [])]
    columns = names or [f"column_{j + 1}" for j in range(model.n_features_in_)]
    means = model.offset_[None, :]  # of the training rows; holes are refused, since their medians are not known
    return replace(TableRecipe.of_numbers(means, columns, named=bool(names)), missing="error")


def predict(model: Model, data: Dataset) -> Predicted:
    """Place the rows of a data set that was loaded with the model's recipe."""
    names = getattr(model, "feature_names_in_", None)
    try:
        placed = model._locate(data.Y if names is None else pd.DataFrame(data.Y, columns=names))
    except ValueError as error:
        raise UsageError(f"{data.name} cannot be placed: {error}") from None
    return Predicted(model, data, placed.S, placed.points)
