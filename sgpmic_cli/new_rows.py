"""Assign new rows to the clusters of a fitted model, block by block."""

from pathlib import Path
from typing import Any

import numpy as np

from sgpmic_cli.errors import UsageError
from sgpmic_cli.fitting import Report, no_report
from sgpmic_cli.result.tables import append_rows, row_numbers
from sgpmic_cli.result.words import unusual_notes
from sgpmic_cli.row_blocks import row_blocks
from sgpmic_cli.scores import score_all
from sgpmic_cli.tables.read import default_names
from sgpmic_cli.tables.recipe import TableRecipe
from sgpmic_cli.tables.rows import Rows


def recipe_of(model: Any) -> TableRecipe:
    """Return the recipe of a model. A model that was fitted to an array takes plain numbers."""
    if model.encoder_ is not None:
        return model.encoder_.recipe_
    names = [str(name) for name in getattr(model, "feature_names_in_", [])]
    columns = names or default_names(model.n_features_in_)
    return TableRecipe.of_numbers(columns, named=bool(names))


def assign_rows(model: Any, rows: Rows, folder: Path, report: Report = no_report) -> dict[str, Any]:
    """Assign the rows of a table, and write labels.csv and embedding.csv.

    Return the content of the command's JSON output.
    """
    labels = np.empty(len(rows.Y), dtype=np.intp)
    probability, n_unusual = 0.0, 0
    for part in row_blocks(len(labels)):
        some = rows.part(part)
        try:
            found = model.row_results(some)
        except UsageError as error:
            raise UsageError(f"{rows.name} cannot be assigned to clusters: {error}") from None
        append_rows(folder, row_numbers(some), some.ids, found)
        labels[part] = found.labels
        n_unusual += int(found.unusual.sum())
        probability += float(found.probabilities.max(axis=1).sum())
        report(part.stop, None, f"assigned {part.stop} rows")
    n, sizes = len(labels), np.bincount(labels, minlength=model.n_clusters_)
    return {
        "dataset": rows.name,
        "rows": n,
        "clusters": len(sizes),
        "sizes": sizes.tolist(),
        "dims": model.embedding_.shape[1],
        "mean_probability": probability / n,
        "unusual_rows": n_unusual,
        "scores": None if rows.labels is None else score_all(rows.labels, labels),
        "notes": [*rows.notes, *unusual_notes(n_unusual, n, "rows of the model")],
    }
