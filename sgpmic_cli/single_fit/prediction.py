"""New rows under a fitted model: their clusters, probabilities and latent points, written as they are found."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from sgpmic_cli._typing import Array, PathLike
from sgpmic_cli.data.dataset import numbered
from sgpmic_cli.data.intake.recipe import Prepared, TableRecipe, same_numbers
from sgpmic_cli.data.loading import RowsToPlace
from sgpmic_cli.errors import UsageError
from sgpmic_cli.files.atomic import settle
from sgpmic_cli.model.estimator import SGPMIC
from sgpmic_cli.row_blocks import ROWS
from sgpmic_cli.scores import score_all
from sgpmic_cli.single_fit.fitting import Placing
from sgpmic_cli.single_fit.row_tables import row_tables
from sgpmic_cli.single_fit.settings import Model


@dataclass
class Predicted:
    """What there is to say of all rows that were placed; of each row, only what scores need is kept."""

    dataset: str
    dims: int
    sizes: np.ndarray  # (M,) rows of each cluster
    certainty: float = 0.0  # summed probabilities of the chosen clusters
    clusters: list[np.ndarray] = field(default_factory=list)  # where classes are known ...
    classes: list[np.ndarray] = field(default_factory=list)  # ... numbered as they are met
    class_numbers: dict[str, int] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    scores: dict[str, float] | None = None

    def count(self, S: Array, classes: list[str] | None) -> None:
        """Take account of rows with probabilities S (n, M)."""
        labels = S.argmax(axis=1)
        self.sizes += np.bincount(labels, minlength=len(self.sizes))
        self.certainty += float(S.max(axis=1).sum())
        if classes is not None:
            met = [self.class_numbers.setdefault(name, len(self.class_numbers)) for name in classes]
            self.classes.append(np.array(met, dtype=np.int32))
            self.clusters.append(labels.astype(np.int32))

    def finish(self, notes: list[str]) -> None:
        """Score, unless classes are missing in some rows."""
        self.notes = notes
        if sum(map(len, self.classes)) == self.sizes.sum():
            names = same_numbers(list(self.class_numbers))
            number = numbered(names)
            final = np.array([number[name] for name in names])
            self.scores = score_all(
                final[np.concatenate(self.classes)], np.concatenate(self.clusters)
            )

    def summary(self) -> dict[str, Any]:
        """What the command prints, as plain values."""
        rows = int(self.sizes.sum())
        return {
            "dataset": self.dataset,
            "rows": rows,
            "clusters": len(self.sizes),
            "sizes": self.sizes.tolist(),
            "dims": self.dims,
            "mean_probability": self.certainty / rows,
            "scores": self.scores,
            "notes": self.notes,
        }


def load_model(path: PathLike) -> Model:
    """A model file, or the folder that `sgpmic fit` wrote one into."""
    path = Path(path)
    settle(path if path.is_dir() else path.parent)
    model = SGPMIC.load_to_predict(path / "model.npz" if path.is_dir() else path)
    return model.set_params(
        n_jobs=-1
    )  # rows are placed one by one, and alike however many threads do it


def recipe_of(model: Model) -> TableRecipe:
    """How raw tables become rows for a model; one fitted in Python, or by an old version, takes plain numbers."""
    found: TableRecipe | None = getattr(model, "recipe_", None)
    if found is not None:
        return found
    names = [str(name) for name in getattr(model, "feature_names_in_", [])]
    columns = names or [f"column_{j + 1}" for j in range(model.n_features_in_)]
    means = model.offset_[
        None, :
    ]  # of the training rows; holes are refused, since their medians are not known
    return replace(TableRecipe.of_numbers(means, columns, named=bool(names)), missing="error")


def predict(
    model: Model, rows: RowsToPlace, folder: Path, progress: Callable[[Placing], None] | None = None
) -> Predicted:
    """Place the rows of a table block by block and write labels.csv and embedding.csv on the way."""
    names = getattr(model, "feature_names_in_", None)
    predicted = Predicted(
        rows.name, model.embedding_.shape[1], np.zeros(len(model.weights_), dtype=np.int64)
    )
    done = 0
    with row_tables(folder) as tables:
        for block in _regrouped(rows, ROWS):
            try:
                X = block.Y if names is None else pd.DataFrame(block.Y, columns=names, copy=False)
                placed = model._locate(X, done)
            except ValueError as error:
                raise UsageError(f"{rows.name} cannot be placed: {error}") from None
            tables.add(block.row_numbers, block.ids, placed.S, placed.points)
            predicted.count(placed.S, block.classes)
            done += len(block.Y)
            if progress is not None:
                progress(Placing(done, None))
    predicted.finish(rows.notes)
    return predicted


def _regrouped(blocks: Iterable[Prepared], size: int) -> Iterator[Prepared]:
    """The same rows in blocks of equal size, but for the last, however the file is cut.

    Rows that are placed together share matrix products, whose last digits can depend on their company.
    """
    held: list[Prepared] = []
    for block in blocks:
        held.append(block)
        if sum(len(part.Y) for part in held) >= size:
            together = Prepared.joined(held)
            whole = len(together.Y) // size * size
            yield from (
                together.part(slice(first, first + size)) for first in range(0, whole, size)
            )
            held = [together.part(slice(whole, None))]
    if held and len((last := Prepared.joined(held)).Y):
        yield last
