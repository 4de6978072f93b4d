"""Add the rows of a file to a fitted model, and compare two fits of the same or a grown table."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment

from sgpmic_cli.clustering.model.estimator import SGPMIC
from sgpmic_cli.clustering.prediction import recipe_of
from sgpmic_cli.clustering.result_tables import append_rows, unusual_notes
from sgpmic_cli.errors import UsageError
from sgpmic_cli.estimator_base.latent_clusterer import LatentClusterer
from sgpmic_cli.estimator_base.prediction import Features
from sgpmic_cli.tables.encoder import EncodedTable
from sgpmic_cli.tables.recipe import Rows


def update(model: LatentClusterer, table: EncodedTable, folder: Path) -> dict[str, Any]:
    """Add the rows of a table to a model, and write the model and the tables of the new rows.

    Return the content of the command's JSON output.
    """
    if not isinstance(model, SGPMIC):
        raise UsageError("the paper's model takes no new rows: fit the whole table again.")
    rows = Rows.joined(list(table))
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
    notes += unusual_notes(len(update.unlike), n_new, "that the model was fitted to")
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


def compare(before: LatentClusterer, after: LatentClusterer) -> dict[str, Any]:
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
