"""New rows under a fitted model: their clusters, probabilities and latent points."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from sgpmic_cli._typing import PathLike
from sgpmic_cli.atomic import settle
from sgpmic_cli.data.dataset import Dataset
from sgpmic_cli.errors import UsageError
from sgpmic_cli.model.paper.estimator import PaperSGPMIC
from sgpmic_cli.scores import score_all
from sgpmic_cli.single_fit.row_tables import write_embedding, write_labels

NAMELESS = re.compile(r"column_\d+")  # what the reader calls the columns of a file without a header


@dataclass(frozen=True)
class Predicted:
    """Rows of a data set as a model sees them."""

    model: PaperSGPMIC
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
        }

    def write(self, folder: Path) -> None:
        """Write the tables of the rows."""
        write_labels(folder / "labels.csv", self.S)
        write_embedding(folder / "embedding.csv", self.X)


def load_model(path: PathLike) -> PaperSGPMIC:
    """A model file, or the folder that `sgpmic fit` wrote one into."""
    path = Path(path)
    settle(path if path.is_dir() else path.parent)
    return PaperSGPMIC.load(path / "model.npz" if path.is_dir() else path)


def predict(model: PaperSGPMIC, data: Dataset) -> Predicted:
    """Place the rows of a data set, whose columns must be those that the model was fitted to."""
    rows = _columns_of_model(model, data)
    try:
        placed = model._place(rows)
    except ValueError as error:
        raise UsageError(f"{data.name} cannot be placed: {error}") from None
    return Predicted(model, data, placed.S, placed.X)


def _columns_of_model(model: PaperSGPMIC, data: Dataset) -> np.ndarray | pd.DataFrame:
    wanted = [str(name) for name in getattr(model, "feature_names_in_", [])]
    found = list(data.feature_names)
    nameless = all(map(NAMELESS.fullmatch, found)) or all(map(NAMELESS.fullmatch, wanted))
    if not nameless and wanted != found:
        raise UsageError(f"the columns of {data.name} are not those of the model: {_difference(wanted, found)}.")
    if len(found) != model.n_features_in_:
        raise UsageError(
            f"{data.name} has {len(found)} columns and the model {model.n_features_in_}: give it the columns "
            "that it was fitted to, and name the column of classes, if there is one, with label=COLUMN."
        )
    return pd.DataFrame(data.Y, columns=wanted) if wanted else data.Y


def _difference(wanted: list[str], found: list[str]) -> str:
    missing = [name for name in wanted if name not in found]
    extra = [name for name in found if name not in wanted]
    parts = [f"{_listed(missing)} missing"] if missing else []
    parts += [f"{_listed(extra)} unknown to it (label=COLUMN names a column of classes)"] if extra else []
    if parts:
        return " and ".join(parts)
    place = next(j for j, pair in enumerate(zip(wanted, found, strict=True)) if pair[0] != pair[1])
    return f"they come in another order, column {place + 1} is {found[place]!r} where it has {wanted[place]!r}"


def _listed(names: list[str], most: int = 5) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(map(repr, names[:most])) + more + (" is" if len(names) == 1 else " are")
