"""Put the answer of a fit into sentences: groups, continuum, and columns that explain clusters."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from sgpmic_cli._typing import Array, Indices
from sgpmic_cli.clustering.clusters.islands import comes_back
from sgpmic_cli.result.profile import Profile, as_date, profile_of
from sgpmic_cli.result.single_column import Condition, explained_clusters
from sgpmic_cli.tables.recipe import Column, TableRecipe, TextColumn
from sgpmic_cli.tables.rows import Rows

MEANING = {
    "group": "Group: a valley of the density separates it from every neighbour.",
    "slice": "Slice: a part of a continuum; no valley separates it from a neighbour, so that the "
    "border between them is a convention.",
    "too few rows to say": "Too few rows: a valley could not be told from chance.",
}
MOST_NAMED = 4  # clusters of a kind whose names are in the headline
EXPLAINED_ROWS = 100_000  # that decide whether one column explains a cluster
NO_VALLEY = 0.995  # a density in between that rounds to that of the lower peak, a valley of 0 %
VALLEY = (
    "The percentage says how far the density falls in the shallowest valley, from the lower of "
    "the two peaks beside it: 100 % is an empty gap."
)


def answer_sentence(
    groups: Indices,
    labels: Indices,
    verdicts: Sequence[Mapping[str, Any]],
    names: Sequence[str] = (),
    cluster_names: Sequence[str] = (),
) -> str:
    """Return a sentence that says which rows are groups and what the others are.

    `groups` and `labels` (N,) are the surviving group, or -1, and the cluster of each row. `names`
    are those of the groups. `cluster_names` are for tables without any group.
    """
    number = int(groups.max()) + 1
    if not number:
        filled = np.unique(labels)
        named = [cluster_names[m] for m in filled if cluster_names]
        return _without_groups(len(labels), [verdicts[m]["verdict"] for m in filled], named)
    main = _main_groups(groups, labels)
    parts = []
    for g in range(number):
        details = [*names[g : g + 1], *([f"in {main.count(g)} clusters"] * (main.count(g) > 1))]
        parts.append(_rows(groups == g) + f" ({', '.join(details)})" * bool(details))
    text = f"{parts[0]} are a group" if number == 1 else f"{number} groups: {enumeration(parts)}"
    if (groups == -1).any():
        others = np.unique(labels)[np.equal(main, -1)]
        text += _others(_rows(groups == -1), [verdicts[m]["verdict"] for m in others])
    return f"{text}."


def _others(rest: str, kinds: Sequence[str]) -> str:
    """Say what the rows without a group are, given the verdicts of their clusters."""
    several, few = len(kinds) > 1, "too few rows to say"
    if not kinds:  # their clusters have more rows of groups
        return f"; the other {rest} are outside"
    if set(kinds) == {"slice"}:
        cut = f", cut into {len(kinds)} slices" if several else ""
        return f"; the other {rest} are one continuum{cut}"
    if "group" in kinds and several:
        return f"; in the other {rest}, valleys separate clusters, but not again in refits"
    if not several:
        return f"; the other {rest} are one cluster" + f", {few} whether it is a group" * (
            few in kinds
        )
    clusters = f"{len(kinds)} clusters, {few} whether they are groups"
    return f"; the other {rest} are {clusters}" + " or slices" * ("slice" in kinds)


def explained(conditions: Sequence[Condition], n_clusters: int) -> str | None:
    """Return a sentence about clusters that one column explains, or None if there are none."""
    if not conditions:
        return None
    columns = explaining_columns(conditions)
    if len(columns) == 1 and len(conditions) >= n_clusters - 1:
        found = f"The column {columns[0]!r} alone explains the clusters"
    else:
        found = enumeration([f"cluster {c.cluster} ({c})" for c in conditions])
        return f"A single column explains {found}."
    return f"{found}: {enumeration([f'cluster {c.cluster} is {c}' for c in conditions])}."


def explaining_columns(conditions: Sequence[Condition]) -> list[str]:
    """Return the names of the columns of conditions, each once."""
    return list(dict.fromkeys(condition.column for condition in conditions))


def without_columns(columns: Sequence[str], labels: Indices, again: Indices) -> str:
    """Return a sentence that says which clusters (N,) a fit without some columns finds again."""
    without = f"Without {enumeration([repr(name) for name in columns])},"
    kept, lost = found_again(labels, again)
    if (number := int(again.max()) + 1) == 1:
        return f"{without} no clusters are found."
    if not lost:
        return f"{without} the same clusters are found: other columns show them as well."
    if not kept:
        return f"{without} none of the clusters is found again, but {number} others."
    return f"{without} {_numbered(kept)} found again; {_numbered(lost)} not."


def mean_stability(model: Any) -> float | None:
    """Return the mean overlap of the clusters with refits, weighted by size, or None."""
    stability = getattr(model, "stability_", None)
    return None if stability is None else float(model.weights_ @ stability)


def found_again(labels: Indices, again: Indices) -> tuple[list[int], list[int]]:
    """Return the clusters (N,) that come back in others of the same rows, and those that do not."""
    clusters = np.unique(labels).tolist()
    kept = [m for m in clusters if comes_back(labels == m, again)]
    return kept, [m for m in clusters if m not in kept]


def explained_rows(data: Rows, labels: Indices, profile: Profile) -> list[Condition]:
    """Return a condition for every cluster that a single column of the table explains.

    Of columns that explain a cluster equally well, the one that differs most in `profile` is named.
    Of long tables, evenly spaced rows decide.
    """
    shown = np.linspace(0, len(labels) - 1, min(len(labels), EXPLAINED_ROWS)).astype(np.intp)
    recipe = data.recipe or TableRecipe.of_numbers(data.feature_names)
    columns = {column.name: column for column in recipe.columns}
    places: dict[str, list[int]] = {}
    for j in profile.by_difference:
        places.setdefault(profile.columns[j], []).append(j)
    Y = data.Y[shown]
    values = {name: _values(columns[name], Y[:, sorted(js)]) for name, js in places.items()}
    return [
        found._replace(value=as_date(float(found.value)))
        if found.column in profile.dates
        else found
        for found in explained_clusters(values, labels[shown], len(profile.sizes))
    ]


def group_profile(data: Rows, groups: Indices) -> Profile:
    """Return the profile of the rows without a group, number 0, and of each group after it."""
    return profile_of(data, np.eye(groups.max() + 2)[groups + 1])


def group_names(data: Rows, groups: Indices, profile: Profile) -> list[str]:
    """Return a name for each surviving group; `profile` is that of `group_profile`."""
    names = names_of(profile, explained_rows(data, groups + 1, profile))[1:]
    # Without a name, a group has its number among the groups, not that of the profile.
    return [f"group {g}" if name == f"cluster {g + 1}" else name for g, name in enumerate(names)]


def names_of(profile: Profile, conditions: Sequence[Condition]) -> list[str]:
    """Return a condition such as "wage > 250" or else a proposed name for each cluster."""
    names = profile.proposed_names()
    for condition in conditions:
        names[condition.cluster] = str(condition)
    return names


def groups_summary(
    groups: Indices, depths: Sequence[float], names: Sequence[str]
) -> list[dict[str, Any]]:
    """Return number of rows, depth of the valley and condition or name of each surviving group."""
    sizes = np.bincount(groups + 1)[1:].tolist()
    return [
        {"rows": rows, "depth": round(depth, 4), "condition": name}
        for rows, depth, name in zip(sizes, depths, names, strict=True)
    ]


def verdict_in_words(verdict: Mapping[str, Any]) -> str:
    """Return the verdict of a cluster with its valley, such as "group (valley 88 %)"."""
    kind, depth = str(verdict["verdict"]), verdict["depth"]
    if kind not in ("group", "slice"):
        return "too few rows"
    if depth is None or depth >= NO_VALLEY:
        return kind
    return f"{kind} (valley {100 * (1 - depth):.0f} %)"


def meaning_of(verdicts: Sequence[Mapping[str, Any]]) -> str:
    """Explain the verdicts that occur."""
    kinds = {verdict["verdict"] for verdict in verdicts}
    sentences = [sentence for kind, sentence in MEANING.items() if kind in kinds]
    if any("%" in verdict_in_words(verdict) for verdict in verdicts):
        sentences.append(VALLEY)
    return " ".join(sentences)


def enumeration(words: Sequence[str]) -> str:
    """Return words as an enumeration, such as "a, b and c"."""
    return " and ".join(filter(None, [", ".join(words[:-1]), words[-1]]))


def _without_groups(n_rows: int, kinds: Sequence[str], names: Sequence[str]) -> str:
    found = f"No group stands out in the {n_rows:,} rows"
    if len(kinds) == 1:
        return f"{found}."
    if set(kinds) == {"slice"}:
        return f"{found}: they are cut into {len(kinds)} slices{_in_brackets(names)}."
    found = found.replace("stands out", "is certain")
    few = "too few rows to say"
    again = ", but not again in refits"
    if few in kinds:  # refits say even less
        found, again = f"{len(kinds)} clusters in the {n_rows:,} rows", ""
        if set(kinds) == {few}:
            return f"{found}{_in_brackets(names)}, {few} whether they are groups."
    parts = []
    for kind, one, several in (
        ("group", f"is separated by a valley{again}", f"are separated by valleys{again}"),
        ("slice", "is a slice of a continuum", "are slices of a continuum"),
        (few, f"has {few} whether it is a group", f"have {few} whether they are groups"),
    ):
        if number := kinds.count(kind):
            own = [name for name, each in zip(names, kinds, strict=False) if each == kind]
            clusters = f"{number} cluster{'s' * (number > 1)}{_in_brackets(own)}"
            parts.append(f"{clusters} {one if number == 1 else several}")
    return f"{found}: {'; '.join(parts)}."


def _in_brackets(names: Sequence[str]) -> str:
    return f" ({'; '.join(names)})" * (0 < len(names) <= MOST_NAMED)


def _main_groups(groups: Indices, labels: Indices) -> list[int]:
    """Return for each cluster with rows the group, or -1, that has most of its rows."""
    found = [np.bincount(groups[labels == m] + 1) for m in np.unique(labels)]
    return [int(counts.argmax()) - 1 for counts in found]


def _rows(member: np.ndarray) -> str:
    return f"{np.count_nonzero(member):,} rows"


def _numbered(clusters: Sequence[int]) -> str:
    """Return "cluster 1 is" or "clusters 1 and 3 are"."""
    if len(clusters) == 1:
        return f"cluster {clusters[0]} is"
    return f"clusters {enumeration([str(m) for m in clusters])} are"


def _values(column: Column, features: Array) -> Any:
    """Return the values of a column: texts of categories and of two numbers, or numbers."""
    if isinstance(column, TextColumn):
        categories = np.array(column.categories, dtype=object)
        texts = pd.Series(categories[np.nan_to_num(features).argmax(axis=1)])
        return texts.where(~np.isnan(features[:, 0]))
    values = pd.Series(features[:, 0])
    return values if values.nunique() > 2 else values.map("{:g}".format, na_action="ignore")
