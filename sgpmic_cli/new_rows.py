"""Assign new rows to the clusters of a fitted model, block by block."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from pandas.api.types import union_categoricals

from sgpmic_cli import row_blocks
from sgpmic_cli.errors import UsageError
from sgpmic_cli.fitting import Report, no_report
from sgpmic_cli.result.tables import append_rows
from sgpmic_cli.result.words import unusual_notes
from sgpmic_cli.scores import score_all
from sgpmic_cli.tables.cells import default_names
from sgpmic_cli.tables.encoder import EncodedTable
from sgpmic_cli.tables.recipe import Block, TableRecipe, unify_numbers
from sgpmic_cli.tables.rows import class_numbers


def recipe_of(model: Any) -> TableRecipe:
    """Return the recipe of a model. A model that was fitted to an array takes plain numbers."""
    if model.encoder_ is not None:
        return model.encoder_.recipe_
    names = [str(name) for name in getattr(model, "feature_names_in_", [])]
    columns = names or default_names(model.n_features_in_)
    return TableRecipe.of_numbers(columns, named=bool(names))


def assign_rows(
    model: Any, rows: EncodedTable, folder: Path, report: Report = no_report
) -> dict[str, Any]:
    """Assign the rows of a table, and write labels.csv and embedding.csv.

    Return the content of the command's JSON output. Of each row, only the numbers of its cluster
    and its class are kept.
    """
    sizes, probability, n_unusual = np.zeros(model.n_clusters_, dtype=np.int64), 0.0, 0
    clusters: list[np.ndarray] = []
    classes: list[pd.Categorical] = []
    for block in _equal_blocks(rows, row_blocks.ROWS):
        try:
            found = model.row_results(block)
        except UsageError as error:
            raise UsageError(f"{rows.name} cannot be assigned to clusters: {error}") from None
        append_rows(folder, block.row_numbers, block.ids, found)
        n_unusual += int(found.unusual.sum())
        sizes += np.bincount(found.labels, minlength=len(sizes))
        probability += float(found.probabilities.max(axis=1).sum())
        if block.classes is not None:
            classes.append(pd.Categorical(block.classes))
            clusters.append(found.labels.astype(np.int32))
        report(int(sizes.sum()), None, f"assigned {sizes.sum()} rows")
    n = int(sizes.sum())
    return {
        "dataset": rows.name,
        "rows": n,
        "clusters": len(sizes),
        "sizes": sizes.tolist(),
        "dims": model.embedding_.shape[1],
        "mean_probability": probability / n,
        "unusual_rows": n_unusual,
        "scores": _scores(classes, clusters) if classes else None,
        "notes": [*rows.notes, *unusual_notes(n_unusual, n, "rows of the model")],
    }


def _scores(classes: list[pd.Categorical], clusters: list[np.ndarray]) -> dict[str, float]:
    """Compute the scores. The same number may have several names, such as 1 and 1.0."""
    every = union_categoricals(classes)
    names = unify_numbers(every.categories.tolist())
    numbers = class_numbers(names)
    return score_all(np.array([numbers[name] for name in names])[every.codes], np.hstack(clusters))


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
