"""Rows that come after a fit: assign them or add them to the model, and compare two fits."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment

from sgpmic_cli import row_blocks
from sgpmic_cli.clustering.group_map import GroupMap
from sgpmic_cli.errors import UsageError
from sgpmic_cli.estimator_base.latent_clusterer import LatentClusterer, missing_mode
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
    recipe = TableRecipe.of_numbers(model.offset_[None, :], columns, named=bool(names))
    # The medians of the training rows are not known.
    return replace(recipe, missing="model" if missing_mode(type(model)) == "model" else "error")


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


def add_rows(model: LatentClusterer, table: EncodedTable, folder: Path) -> dict[str, Any]:
    """Add the rows of a table to a model, and write the model and the tables of the new rows.

    Return the content of the command's JSON output.
    """
    if not isinstance(model, GroupMap):
        raise UsageError("the paper's model takes no new rows: fit the whole table again.")
    rows = Block.joined(list(table))
    n_new, n_old, n_clusters = len(rows.Y), len(model.labels_), model.n_clusters_
    try:
        model.update(Features(rows.Y, model.encoder_))
    except UsageError as error:
        raise UsageError(f"{table.name} cannot be added: {error}") from None
    update, notes = model.update_, list(table.notes)
    unusual = np.isin(np.arange(n_new), update.unlike)
    prediction = replace(model.training_prediction.part(slice(n_old, None)), unusual=unusual)
    groups = model.groups_[n_old:]
    append_rows(folder, rows.row_numbers, rows.ids, prediction, groups)
    model.save(folder / "model.npz")
    if update.known:
        notes.append(f"{update.known} of {n_new} rows equal a row of the model.")
    notes += unusual_notes(len(update.unlike), n_new, "rows of the model")
    for m in update.new_clusters:
        depth = model.verdicts_[m]["depth"]
        notes.append(
            f"cluster {m} is new, with {model.cluster_sizes_[m]} rows: the density around it falls "
            f"to {depth:.0%} of the lower peak or less."
        )
    if len(update.moved):
        notes.append(f"old rows that joined a new cluster: {len(update.moved)}.")
    return {
        "dataset": table.name,
        "rows": n_new,
        "rows_before": n_old,
        "clusters": model.n_clusters_,
        "clusters_before": n_clusters,
        "new_clusters": update.new_clusters,
        "sizes": np.bincount(prediction.labels, minlength=model.n_clusters_).tolist(),
        "moved_rows": (update.moved + 1).tolist(),
        "unusual_rows": len(update.unlike),
        "known_rows": update.known,
        "notes": notes,
    }


def compare_fits(before: LatentClusterer, after: LatentClusterer) -> dict[str, Any]:
    """Return what has changed between two fits, of which the second may have further rows.

    Clusters are matched so that most rows stay. Rows are matched by their position.
    """
    n, n_after = len(before.labels_), len(after.labels_)
    if n_after < n:
        raise UsageError(
            f"the second model has {n_after} rows and the first one {n}: give the smaller table "
            "first, with the same rows in the same order."
        )
    old, new = before.labels_, after.labels_[:n]
    counts = np.zeros((before.n_clusters_, after.n_clusters_), dtype=int)
    both = (old >= 0) & (new >= 0)
    np.add.at(counts, (old[both], new[both]), 1)
    match = np.full(before.n_clusters_, -1)
    pairs = [(a, b) for a, b in zip(*linear_sum_assignment(-counts), strict=True) if counts[a, b]]
    for a, b in pairs:
        match[a] = b
    sizes = counts.sum(axis=1), counts.sum(axis=0)
    changed = np.flatnonzero(both & (match[old] != new))
    roles = [{role.name: role.taken_as for role in recipe_of(m).roles} for m in (before, after)]
    names = [*roles[0], *(name for name in roles[1] if name not in roles[0])]
    found = [(name, *(role.get(name, "absent") for role in roles)) for name in names]
    return {
        "rows": n,
        "new_rows": n_after - n,
        "matched_clusters": [
            {
                "before": int(a),
                "after": int(b),
                "common_rows": int(counts[a, b]),
                "jaccard": round(counts[a, b] / (sizes[0][a] + sizes[1][b] - counts[a, b]), 4),
            }
            for a, b in pairs
        ],
        "clusters_gone": np.flatnonzero(match < 0).tolist(),
        "new_clusters": sorted({*range(after.n_clusters_)} - {int(b) for _, b in pairs}),
        "changed_rows": [
            {"row": int(i) + 1, "before": int(old[i]), "after": int(new[i])} for i in changed
        ],
        "changed_columns": [
            {"column": name, "before": a, "after": b} for name, a, b in found if a != b
        ],
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
