"""Assign new rows to the clusters of a fitted model, and write their tables."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from sgpmic_cli import row_blocks
from sgpmic_cli._typing import Array, PathLike
from sgpmic_cli.data.dataset import class_numbers
from sgpmic_cli.data.intake.columns import unify_numbers
from sgpmic_cli.data.intake.recipe import Prepared, TableRecipe
from sgpmic_cli.data.loading import NewRows
from sgpmic_cli.errors import UsageError
from sgpmic_cli.files.atomic import settle
from sgpmic_cli.model import model_file
from sgpmic_cli.scores import score_all
from sgpmic_cli.single_fit.fitting import Placing
from sgpmic_cli.single_fit.row_tables import append_rows
from sgpmic_cli.single_fit.settings import Model


@dataclass
class Predicted:
    """Summary of all assigned rows. Only clusters and classes are kept for each row."""

    dataset: str
    dims: int
    sizes: np.ndarray  # (M,) rows of each cluster
    certainty: float = 0.0  # sum of the probabilities of the assigned clusters
    clusters: list[np.ndarray] = field(default_factory=list)  # of the rows with known classes
    classes: list[np.ndarray] = field(default_factory=list)  # numbered in order of appearance
    class_numbers: dict[str, int] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    scores: dict[str, float] | None = None

    def count(self, S: Array, classes: Sequence[str] | None) -> None:
        """Add rows with probabilities S (n, M)."""
        labels = S.argmax(axis=1)
        self.sizes += np.bincount(labels, minlength=len(self.sizes))
        self.certainty += float(S.max(axis=1).sum())
        if classes is not None:
            numbers = self.class_numbers
            found = [numbers.setdefault(name, len(numbers)) for name in classes]
            self.classes.append(np.array(found, dtype=np.int32))
            self.clusters.append(labels.astype(np.int32))

    def finish(self, notes: list[str]) -> None:
        """Compute the scores if all rows have classes."""
        self.notes = notes
        if sum(map(len, self.classes)) == self.sizes.sum():
            names = unify_numbers(list(self.class_numbers))
            number = class_numbers(names)
            final = np.array([number[name] for name in names])
            classes, clusters = np.concatenate(self.classes), np.concatenate(self.clusters)
            self.scores = score_all(final[classes], clusters)

    def summary(self) -> dict[str, Any]:
        """Return the content of the command's JSON output as plain values."""
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


def load_model(path: PathLike, n_jobs: int = -1) -> Model:
    """Load a model file, or the model in a folder that `sgpmic fit` wrote.

    The result of `predict` does not depend on `n_jobs`.
    """
    path = Path(path)
    settle(path if path.is_dir() else path.parent)
    model = model_file.load(path / "model.npz" if path.is_dir() else path, every_row=False)
    return model.set_params(n_jobs=n_jobs)


def recipe_of(model: Model) -> TableRecipe:
    """Return the recipe of a model. A model that was fitted in Python takes plain numbers."""
    found: TableRecipe | None = getattr(model, "recipe_", None)
    if found is not None:
        return found
    names = [str(name) for name in getattr(model, "feature_names_in_", [])]
    columns = names or [f"column_{j + 1}" for j in range(model.n_features_in_)]
    means = model.offset_[None, :]
    # The medians of the training rows are not known, so missing values are an error.
    return replace(TableRecipe.of_numbers(means, columns, named=bool(names)), missing="error")


def predict(
    model: Model, rows: NewRows, folder: Path, progress: Callable[[Placing], None] | None = None
) -> Predicted:
    """Assign the rows of a table block by block, and write labels.csv and embedding.csv."""
    names = getattr(model, "feature_names_in_", None)
    n_clusters, dims = len(model.weights_), model.embedding_.shape[1]
    predicted = Predicted(rows.name, dims, np.zeros(n_clusters, dtype=np.int64))
    done = 0
    for block in _equal_blocks(rows, row_blocks.ROWS):
        try:
            X = block.Y if names is None else pd.DataFrame(block.Y, columns=names, copy=False)
            located = model._locate(X, done)
        except ValueError as error:
            raise UsageError(f"{rows.name} cannot be assigned to clusters: {error}") from None
        append_rows(folder, block.row_numbers, block.ids, located.S, located.points)
        predicted.count(located.S, block.classes)
        done += len(block.Y)
        if progress is not None:
            progress(Placing(done, None))
    predicted.finish(rows.notes)
    return predicted


def _equal_blocks(blocks: Iterable[Prepared], size: int) -> Iterator[Prepared]:
    """Regroup rows into blocks of equal size; the last may be smaller.

    Rows of a block share matrix products, whose last digits can depend on the other rows. Equal
    blocks make the result independent of how the file is read.
    """
    rest: list[Prepared] = []
    for block in blocks:
        rest.append(block)
        if sum(len(part.Y) for part in rest) >= size:
            joined = Prepared.joined(rest)
            end = len(joined.Y) // size * size
            yield from (joined.part(slice(first, first + size)) for first in range(0, end, size))
            rest = [joined.part(slice(end, None))]
    if rest and len((last := Prepared.joined(rest)).Y):
        yield last
