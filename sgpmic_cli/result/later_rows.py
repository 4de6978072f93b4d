"""Rows that come after a fit: assign them to the clusters."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from sgpmic_cli import row_blocks
from sgpmic_cli.errors import UsageError
from sgpmic_cli.estimator_base.latent_clusterer import LatentClusterer
from sgpmic_cli.estimator_base.prediction import Features
from sgpmic_cli.result.fitting import AssignProgress
from sgpmic_cli.result.result_tables import append_rows, unusual_notes
from sgpmic_cli.scores import score_all
from sgpmic_cli.tables.encoder import EncodedTable
from sgpmic_cli.tables.recipe import Block, TableRecipe, unify_numbers
from sgpmic_cli.tables.rows import class_numbers


def recipe_of(model: LatentClusterer) -> TableRecipe:
    """Return the recipe of a model. A model that was fitted to an array takes plain numbers."""
    if model.encoder_ is not None:
        return model.encoder_.recipe_
    names = [str(name) for name in getattr(model, "feature_names_in_", [])]
    columns = names or [f"column_{j + 1}" for j in range(model.n_features_in_)]
    return TableRecipe.of_numbers(columns, named=bool(names))


def assign_rows(
    model: LatentClusterer,
    rows: EncodedTable,
    folder: Path,
    progress: Callable[[AssignProgress], None] = lambda _: None,
) -> dict[str, Any]:
    """Assign the rows of a table block by block, and write labels.csv and embedding.csv.

    Return the content of the command's JSON output. Of each row, only the numbers of its cluster
    and its class are kept.
    """
    sizes = np.zeros(model.n_clusters_, dtype=np.int64)
    probability, done, n_unusual = 0.0, 0, 0
    clusters: list[np.ndarray] = []
    classes: list[np.ndarray] = []
    class_names: dict[str, int] = {}  # in order of appearance
    for block in _equal_blocks(rows, row_blocks.ROWS):
        try:
            prediction = model.prediction(Features(block.Y, model.encoder_, done))
        except UsageError as error:
            raise UsageError(f"{rows.name} cannot be assigned to clusters: {error}") from None
        append_rows(folder, block.row_numbers, block.ids, prediction)
        n_unusual += int(prediction.unusual.sum())
        sizes += np.bincount(prediction.labels, minlength=len(sizes))
        probability += float(prediction.probabilities.max(axis=1).sum())
        if block.classes is not None:
            numbers = [class_names.setdefault(name, len(class_names)) for name in block.classes]
            classes.append(np.array(numbers, dtype=np.int32))
            clusters.append(prediction.labels.astype(np.int32))
        done += len(block.Y)
        progress(AssignProgress(done, None))
    return {
        "dataset": rows.name,
        "rows": done,
        "clusters": len(sizes),
        "sizes": sizes.tolist(),
        "dims": model.embedding_.shape[1],
        "mean_probability": probability / done,
        "unusual_rows": n_unusual,
        "scores": _scores(list(class_names), classes, clusters) if classes else None,
        "notes": [*rows.notes, *unusual_notes(n_unusual, done, "rows of the model")],
    }


def _scores(
    names: list[str], classes: list[np.ndarray], clusters: list[np.ndarray]
) -> dict[str, float]:
    """Compute the scores. The same number may have several names, such as 1 and 1.0."""
    unified = unify_numbers(names)
    numbers = class_numbers(unified)
    final = np.array([numbers[name] for name in unified])
    return score_all(final[np.concatenate(classes)], np.concatenate(clusters))


def _equal_blocks(blocks: Iterable[Block], size: int) -> Iterator[Block]:
    """Regroup rows into blocks of equal size; the last may be smaller.

    Rows of a block share matrix products, whose last digits can depend on the other rows. Equal
    blocks make the result independent of how the file is read.
    """
    rest: list[Block] = []
    for block in blocks:
        rest.append(block)
        if sum(len(part.Y) for part in rest) >= size:
            joined = Block.joined(rest)
            end = len(joined.Y) // size * size
            yield from (joined.part(slice(first, first + size)) for first in range(0, end, size))
            rest = [joined.part(slice(end, None))]
    if rest and len((last := Block.joined(rest)).Y):
        yield last
