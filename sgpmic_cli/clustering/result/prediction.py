"""Assign new rows to the clusters of a fitted model, and write their tables."""

import copy
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from sgpmic_cli import row_blocks
from sgpmic_cli._typing import PathLike
from sgpmic_cli.clustering.model import estimator
from sgpmic_cli.clustering.result.fitting import AssignProgress
from sgpmic_cli.clustering.result.row_density import unusual_notes
from sgpmic_cli.clustering.result.row_tables import append_rows
from sgpmic_cli.clustering.result.settings import Model
from sgpmic_cli.data.dataset import class_numbers
from sgpmic_cli.errors import UsageError
from sgpmic_cli.files.output_folder import settle
from sgpmic_cli.scores import score_all
from sgpmic_cli.tables.encoder import EncodedTable
from sgpmic_cli.tables.recipe import Rows, TableRecipe, unify_numbers


def load_model(path: PathLike, n_jobs: int = -1) -> Model:
    """Load a model file, or the model in a folder that `sgpmic fit` wrote.

    The result of `predict` does not depend on `n_jobs`.
    """
    path = Path(path)
    settle(path if path.is_dir() else path.parent)
    model = estimator.load(path / "model.npz" if path.is_dir() else path, every_row=False)
    return model.set_params(n_jobs=n_jobs)


def recipe_of(model: Model) -> TableRecipe:
    """Return the recipe of a model. A model that was fitted in Python takes plain numbers."""
    if hasattr(model, "encoder_"):
        return model.encoder_.recipe_
    names = [str(name) for name in getattr(model, "feature_names_in_", [])]
    columns = names or [f"column_{j + 1}" for j in range(model.n_features_in_)]
    means = model.offset_[None, :]
    # The medians of the training rows are not known, so missing values are an error.
    return replace(TableRecipe.of_numbers(means, columns, named=bool(names)), missing="error")


def predict(
    model: Model,
    rows: EncodedTable,
    folder: Path,
    progress: Callable[[AssignProgress], None] = lambda _: None,
) -> dict[str, Any]:
    """Assign the rows of a table block by block, and write labels.csv and embedding.csv.

    Return the content of the command's JSON output. Of each row, only the numbers of its cluster
    and its class are kept.
    """
    names = getattr(model, "feature_names_in_", None)
    model = copy.copy(model)
    model.__dict__.pop("encoder_", None)  # the rows are encoded already
    sizes = np.zeros(len(model.weights_), dtype=np.int64)
    threshold = getattr(model, "unusual_below_", None)  # None for a model fitted in Python
    probability, done, n_unusual = 0.0, 0, 0
    clusters: list[np.ndarray] = []
    classes: list[np.ndarray] = []
    found_classes: dict[str, int] = {}  # in order of appearance
    for block in _equal_blocks(rows, row_blocks.ROWS):
        try:
            X = block.Y if names is None else pd.DataFrame(block.Y, columns=names, copy=False)
            located = model._locate(X, done)
        except ValueError as error:
            raise UsageError(f"{rows.name} cannot be assigned to clusters: {error}") from None
        strange = None
        if threshold is not None:
            strange = located.log_density < threshold
            n_unusual += int(strange.sum())
        append_rows(folder, block.row_numbers, block.ids, located.S, located.points, strange)
        labels = located.S.argmax(axis=1)
        sizes += np.bincount(labels, minlength=len(sizes))
        probability += float(located.S.max(axis=1).sum())
        if block.classes is not None:
            found = [found_classes.setdefault(name, len(found_classes)) for name in block.classes]
            classes.append(np.array(found, dtype=np.int32))
            clusters.append(labels.astype(np.int32))
        done += len(block.Y)
        progress(AssignProgress(done, None))
    return {
        "dataset": rows.name,
        "rows": done,
        "clusters": len(sizes),
        "sizes": sizes.tolist(),
        "dims": model.embedding_.shape[1],
        "mean_probability": probability / done,
        "unusual_rows": None if threshold is None else n_unusual,
        "scores": _scores(list(found_classes), classes, clusters) if classes else None,
        "notes": [*rows.notes, *unusual_notes(n_unusual, done, "that the model was fitted to")],
    }


def _scores(
    names: list[str], classes: list[np.ndarray], clusters: list[np.ndarray]
) -> dict[str, float]:
    """Compute the scores. The same number may have several names, such as 1 and 1.0."""
    unified = unify_numbers(names)
    numbers = class_numbers(unified)
    final = np.array([numbers[name] for name in unified])
    return score_all(final[np.concatenate(classes)], np.concatenate(clusters))


def _equal_blocks(blocks: Iterable[Rows], size: int) -> Iterator[Rows]:
    """Regroup rows into blocks of equal size; the last may be smaller.

    Rows of a block share matrix products, whose last digits can depend on the other rows. Equal
    blocks make the result independent of how the file is read.
    """
    rest: list[Rows] = []
    for block in blocks:
        rest.append(block)
        if sum(len(part.Y) for part in rest) >= size:
            joined = Rows.joined(rest)
            end = len(joined.Y) // size * size
            yield from (joined.part(slice(first, first + size)) for first in range(0, end, size))
            rest = [joined.part(slice(end, None))]
    if rest and len((last := Rows.joined(rest)).Y):
        yield last
