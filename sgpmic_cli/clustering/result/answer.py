"""Put the answer of a fit into sentences: groups, continuum, and columns that explain clusters."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from sgpmic_cli._typing import Indices
from sgpmic_cli.clustering.model.clusters.single_column import Condition


def headline(
    groups: Indices,
    labels: Indices,
    verdicts: Sequence[Mapping[str, Any]],
    names: Sequence[str] = (),
) -> str:
    """Return one or two sentences that say which rows are groups and what the others are.

    Parameters
    ----------
    groups : ndarray of shape (N,)
        Surviving group of each row, or -1 (`SGPMIC.groups_`).
    labels : ndarray of shape (N,)
        Cluster of each row.
    verdicts : sequence of mappings
        Verdict of each cluster (`SGPMIC.verdicts_`).
    names : sequence of str
        A name for each group, such as "high wage". Empty if there are none.
    """
    number = int(groups.max()) + 1
    if not number:
        return _without_groups(labels, verdicts)
    sizes = [_rows(groups == g) for g in range(number)]
    if names:
        sizes = [f"{size} ({name})" for size, name in zip(sizes, names, strict=True)]
    text = f"{sizes[0]} are a group" if number == 1 else f"{number} groups: {_listed(sizes)}"
    main = _main_groups(groups, labels)
    if (groups == -1).any():
        rest, slices = _rows(groups == -1), main.count(-1)
        cut = f", cut into {slices} slices" if slices > 1 else ""
        text += f"; the other {rest} are one continuum{cut}"
    further = [size for g, size in enumerate(sizes) if main.count(g) > 1]
    if further:
        text += f". Several clusters are slices of one group: {_listed(further)}"
    return f"{text}."


def explained(conditions: Sequence[Condition], n_clusters: int) -> str | None:
    """Return a sentence about clusters that one column explains, or None if there are none."""
    if not conditions:
        return None
    columns = list(dict.fromkeys(condition.column for condition in conditions))
    if len(columns) == 1 and len(conditions) >= n_clusters - 1:
        found = f"The column {columns[0]!r} alone explains the clusters"
    else:
        found = "A single column explains " + _listed([f"cluster {c.cluster}" for c in conditions])
    details = _listed([f"cluster {c.cluster} is {c}" for c in conditions])
    return f"{found}: {details}. Leave it out to see what else there is."


def _without_groups(labels: Indices, verdicts: Sequence[Mapping[str, Any]]) -> str:
    kinds = [verdict["verdict"] for verdict in verdicts]
    n, m = f"{len(labels):,} rows", len(kinds)
    if m == 1:
        return f"No group stands out: the {n} are one continuum."
    if all(kind == "slice" for kind in kinds):
        return f"No group stands out: the {n} are one continuum, cut into {m} slices."
    parts = []
    for kind, one, several in (
        ("group", "is separated by a valley", "are separated by valleys"),
        ("slice", "is a slice of a continuum", "are slices of a continuum"),
        ("too few rows to say", "has too few rows to say", "have too few rows to say"),
    ):
        if number := kinds.count(kind):
            again = ", but not found again in halves of the rows" if kind == "group" else ""
            words = f"1 cluster {one}" if number == 1 else f"{number} clusters {several}"
            parts.append(words + again)
    return f"No group stands out in the {n}: {'; '.join(parts)}."


def _main_groups(groups: Indices, labels: Indices) -> list[int]:
    """Return for each cluster with rows the group, or -1, that has most of its rows."""
    found = [np.bincount(groups[labels == m] + 1) for m in np.unique(labels)]
    return [int(counts.argmax()) - 1 for counts in found]


def _rows(member: np.ndarray) -> str:
    return f"{np.count_nonzero(member):,} rows"


def _listed(words: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(words[:-1]), words[-1]]))
