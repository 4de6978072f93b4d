"""All sentences about a result: the answer, how sure it is, advice, and what to do next."""

import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from sgpmic_cli._typing import Indices
from sgpmic_cli.clustering.clusters.discrete_columns import effective_values
from sgpmic_cli.clustering.clusters.label_constants import FEW_VALUES
from sgpmic_cli.result.profile import computed_columns, repeated_texts, scaling_advice
from sgpmic_cli.result.result import Result, found_again
from sgpmic_cli.result.rules import Condition
from sgpmic_cli.tables.options import plural

FEW = "too few rows to say"  # a verdict
MEANING = {
    "group": "Group: a valley of the density separates it from every neighbour.",
    "slice": "Slice: a part of a continuum; no valley separates it from a neighbour, so that the "
    "border between them is a convention.",
    FEW: "Too few rows: a valley could not be told from chance.",
}
MOST_NAMED = 4  # clusters of a kind whose names are in the headline
NO_VALLEY = 0.995  # a density in between that rounds to that of the lower peak, a valley of 0 %
VALLEY = (
    "The percentage says how far the density falls in the shallowest valley, from the lower of "
    "the two peaks beside it: 100 % is an empty gap."
)
NOT_CALIBRATED = (
    "The probabilities of a row are the mean of its ten nearest rows. They do not include that "
    "another fit may find other clusters, so they are not calibrated."
)
FAIR = 0.7  # least stability of clusters that come back in halves of the rows


def headline(result: Result) -> str:
    """Return the answer: which rows are groups, and what the others are."""
    groups, labels = result.groups, result.results.labels
    if groups is None:  # nobody judged the clusters
        return choice_in_words(result)
    number, filled = int(groups.max()) + 1, np.unique(labels)
    if not number:
        return _without_groups(result, filled.tolist())
    # For each cluster with rows the group, or -1, that has most of its rows.
    main = [int(np.bincount(groups[labels == m] + 1).argmax()) - 1 for m in filled]
    parts = []
    for g, name in enumerate(result.group_names):
        cut = f", in {main.count(g)} clusters" * (main.count(g) > 1)
        parts.append(f"{_rows(groups == g)} ({name}{cut})")
    text = f"{parts[0]} are a group" if number == 1 else f"{number} groups: {enumeration(parts)}"
    if (groups == -1).any():
        others = filled[np.equal(main, -1)]
        text += _others(_rows(groups == -1), [result.verdicts[m]["verdict"] for m in others])
    return f"{text}."


def _others(rest: str, kinds: Sequence[str]) -> str:
    """Say what the rows without a group are, given the verdicts of their clusters."""
    several, other = len(kinds) > 1, f"; the other {rest} are"
    if not kinds:  # their clusters have more rows of groups
        return f"{other} outside"
    if set(kinds) == {"slice"}:
        return f"{other} one continuum" + f", cut into {len(kinds)} slices" * several
    if "group" in kinds and several:
        return f"; in the other {rest}, valleys separate clusters, but not again in refits"
    if not several:
        return f"{other} one cluster" + f", {FEW} whether it is a group" * (FEW in kinds)
    slices = " or slices" * ("slice" in kinds)
    return f"{other} {len(kinds)} clusters, {FEW} whether they are groups{slices}"


def _without_groups(result: Result, clusters: Sequence[int]) -> str:
    kinds = [result.verdicts[m]["verdict"] for m in clusters]
    names, n = [result.cluster_names[m] for m in clusters], len(kinds)
    rows = f"in the {len(result.results.labels):,} rows"
    if n == 1:
        return f"No group stands out {rows}."
    if set(kinds) == {"slice"}:
        return f"No group stands out {rows}: they are cut into {n} slices{_in_brackets(names)}."
    if set(kinds) == {FEW}:
        return f"{n} clusters {rows}{_in_brackets(names)}, {FEW} whether they are groups."
    found, again = f"No group is certain {rows}", ", but not again in refits"
    if FEW in kinds:  # refits say even less
        found, again = f"{n} clusters {rows}", ""
    parts = []
    for kind, one, several in (
        ("group", f"is separated by a valley{again}", f"are separated by valleys{again}"),
        ("slice", "is a slice of a continuum", "are slices of a continuum"),
        (FEW, f"has {FEW} whether it is a group", f"have {FEW} whether they are groups"),
    ):
        own = [name for name, each in zip(names, kinds, strict=True) if each == kind]
        if own:
            clusters_of_kind = f"{plural(len(own), 'cluster')}{_in_brackets(own)}"
            parts.append(f"{clusters_of_kind} {one if len(own) == 1 else several}")
    return f"{found}: {'; '.join(parts)}."


def how_sure(result: Result) -> Iterator[str]:
    """Yield sentences about the verdicts, refits, columns that explain clusters, and the number."""
    m, labels = len(result.sizes), result.results.labels
    if result.group_names:
        found = "this group" if len(result.group_names) == 1 else "each of these groups"
        yield f"Most refits to random halves of the rows find {found} again."
    if m > 1:
        yield stability_in_words(result)
        if result.facts.get("method") == "sgp-mic":
            yield NOT_CALIBRATED
        if result.conditions:
            yield explained(result.conditions, m)
        if result.refit is not None:
            yield without_columns(result.explaining_columns, labels, result.refit.labels)
    if result.groups is not None:
        yield choice_in_words(result)
    if m > 1 and result.verdicts:
        yield meaning_of([*result.group_verdicts, *result.verdicts]) + _columns_without_part(result)


def explained(conditions: Sequence[Condition], n_clusters: int) -> str:
    """Return a sentence about clusters that one column explains."""
    columns = {condition.column for condition in conditions}
    if len(columns) > 1 or len(conditions) < n_clusters - 1:
        found = enumeration([f"cluster {c.cluster} ({c.words})" for c in conditions])
        return f"A single column explains {found}."
    found = enumeration([f"cluster {c.cluster} is {c.words}" for c in conditions])
    return f"The column {columns.pop()!r} alone explains the clusters: {found}."


def without_columns(columns: Sequence[str], labels: Indices, again: Indices) -> str:
    """Return a sentence that says which clusters (N,) a fit without some columns finds again."""
    without = f"Without {_quoted(columns)},"
    kept, lost = found_again(labels, again)
    if (number := int(again.max()) + 1) == 1:
        return f"{without} no clusters are found."
    if not lost:
        return f"{without} the same clusters are found: other columns show them as well."
    if not kept:
        return f"{without} none of the clusters is found again, but {number} others."
    return f"{without} {_numbered(kept)} found again; {_numbered(lost)} not."


def choice_in_words(result: Result) -> str:
    """Describe the number of clusters and how it was chosen."""
    m, tried = len(result.sizes), numbers_scored(result)
    clusters = plural(m, "cluster")
    if not tried:
        of_classes = result.groups is None and m == result.rows.n_classes
        source = "as given" if result.names else "as asked for"
        return f"{clusters}, {'the number of classes' if of_classes else source}."
    low, high = tried[0]["n_clusters"], tried[-1]["n_clusters"]
    if m == 1:
        why = "What the columns of few values share does not divide the rows."
        if any(row["reference"] for row in tried):
            numbers = "2 clusters do not" if high == 2 else f"no number from 2 to {high} does"
            why = (
                "A number of clusters must separate the rows clearly better than random data of "
                f"the same spread, and {numbers}."
            )
        return f"No clusters were found. {why} This does not prove that there are no groups."
    if high == low:
        return f"{clusters}, the only number that was tried."
    others = [str(row["n_clusters"]) for row in plausible_others(result)]
    also = f" Plausible as well: {', '.join(others)}." if others else ""
    return f"{clusters}, chosen among {low} {'and' if high == low + 1 else 'to'} {high}.{also}"


def plausible_others(result: Result) -> list[dict[str, Any]]:
    """Return the numbers that are plausible but were not chosen."""
    tried, m = numbers_scored(result), len(result.sizes)
    return [row for row in tried if row["plausible"] and row["n_clusters"] != m]


def stability_in_words(result: Result) -> str:
    """Describe how well refits of random halves of the rows find the clusters again."""
    stability, by_cluster = result.overlap, result.stability
    if stability is None or by_cluster is None:
        return "How well halves of the rows find the clusters again was not measured."
    text = f"In clusterings of {result.n_refits} random halves of the rows, the clusters come back"
    if stability < FAIR:
        return f"{text} with an overlap of only {100 * stability:.0f} %: do not rely on them."
    text += f" with an overlap of {100 * stability:.0f} %"
    weak = [m for m in np.flatnonzero(by_cluster < FAIR) if result.sizes[m]]
    if weak:
        exceptions = [f"cluster {m} ({100 * by_cluster[m]:.0f} %)" for m in weak]
        text += f", except for {enumeration(exceptions)}"
    only_slices = {verdict["verdict"] for verdict in result.verdicts} == {"slice"}
    return f"{text}{'; that does not make slices groups' * only_slices}."


def advice(result: Result) -> list[str]:
    """Return sentences about options that may improve the result, and about unusual rows."""
    texts = []
    if result.facts.get("scale") != "standard":
        texts += scaling_advice(result.rows)
    if not result.conditions:  # which say more
        for name, fraction in repeated_texts(result.rows, result.results.labels).items():
            share = f"{100 * fraction:.0f} % of the rows"
            texts.append(f"in {name!r}, {share} have the main text of their cluster.")
    unusual = result.results.unusual
    return [*texts, *unusual_notes(int(unusual.sum()), len(unusual), "rows of the table")]


def unusual_notes(n: int, n_rows: int, others: str) -> list[str]:
    """Return a note if there are unusual rows; `others` are the rows that they are unlike."""
    if not n:
        return []
    rows = f"1 of {n_rows} rows is" if n == 1 else f"{n} of {n_rows} rows are"
    return [f"{rows} unlike most {others}: {'it is' if n == 1 else 'they are'} marked as unusual."]


def columns_to_drop(result: Result) -> list[str]:
    """Return the columns that explain or repeat clusters, if other columns of the file remain."""
    texts = repeated_texts(result.rows, result.results.labels)
    columns = result.explaining_columns or [*texts]
    return columns if result.rows.recipe and result.n_columns > len(columns) else []


def next_steps(result: Result, out: Path, command: Callable[..., str]) -> Iterator[tuple[str, str]]:
    """Yield sentences with a command for each, those that concern this table first.

    `command` returns the command line of the fit with changed arguments.
    """
    m, other = len(result.sizes), number_to_compare(result)
    unstable = _is_unstable(result.overlap)
    if (columns := columns_to_drop(result)) and _worth_dropping(result):
        words = f"Leave {_quoted(columns)} out to see what else there is:"
        yield words, command(drop=tuple(columns), out=f"{out}-without")
    if columns := computed_columns(result.rows):
        before = "it" if len(columns) == 1 else "them"
        words = f"Leave out {_quoted(columns)}, which can be computed from columns before {before}:"
        yield words, command(drop=tuple(columns), out=f"{out}-once")
    if other is not None:
        words = f"Compare with {other} clusters, which are about as good:"
        yield words, command(clusters=other, out=f"{out}-{other}")
    elif unstable and not result.selection:
        words = "Random halves of the rows have other clusters. Let the number be chosen:"
        yield words, command(clusters=None, out=f"{out}-auto")
    elif m == 1 or unstable:
        words = "Divide the rows into a number of clusters that you have a reason for:"
        yield words, command(clusters="NUMBER", out=f"{out}-divided")
    if m > 1 and not unstable:
        words = "Assign new rows; the file needs no preparation:"
        yield words, f"sgpmic predict {shlex.quote(str(out))} NEW.csv"


def number_to_compare(result: Result) -> int | None:
    """Return the plausible number of clusters to look at next, or None.

    It is below the chosen number if the clusters are doubtful.
    """
    m, unstable = len(result.sizes), _is_unstable(result.overlap)
    doubtful = unstable or result.facts.get("overlapping_pairs")
    numbers = [row for row in plausible_others(result) if row["n_clusters"] > 1]
    rows = [row for row in numbers if row["n_clusters"] < m or not doubtful]
    best = max(rows, key=lambda row: row["score"], default=None)
    return None if best is None else best["n_clusters"]


def numbers_scored(result: Result) -> list[dict[str, Any]]:
    """Return the numbers tried without those that were ruled out before they had a score."""
    return [row for row in result.selection if row["score"] or row["n_clusters"] == 1]


def numbers_table(result: Result) -> tuple[list[str], list[list[str]]]:
    """Return heading and rows of the table of the numbers that were tried, for people.

    Columns without a value say nothing.
    """
    tried = numbers_scored(result)
    names = [name for name in tried[0] if any(row[name] for row in tried)]
    names_shown = {"n_clusters": "clusters", "stability": "halves agree"}
    heading = [names_shown.get(name, name.replace("_", " ")) for name in names]
    rows = [[_shown(row[name]) for name in names] for row in tried]
    for row, each in zip(rows, tried, strict=True):
        row.append("chosen" * (each["n_clusters"] == len(result.sizes)))
    return [*heading, ""], rows


def _shown(value: float | bool) -> str:
    if isinstance(value, bool):
        return "yes" if value else ""
    return str(value) if isinstance(value, int) else f"{value:.3f}" if value else "–"


def groups_beside_clusters(result: Result) -> list[int]:
    """Return the surviving groups that are not clusters."""
    if result.groups is None:
        return []
    return [g for g in found_again(result.groups, result.results.labels)[1] if g >= 0]


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


def _in_brackets(names: Sequence[str]) -> str:
    return f" ({'; '.join(names)})" * (0 < len(names) <= MOST_NAMED)


def _rows(member: np.ndarray) -> str:
    return f"{np.count_nonzero(member):,} rows"


def _numbered(clusters: Sequence[int]) -> str:
    """Return "cluster 1 is" or "clusters 1 and 3 are"."""
    if len(clusters) == 1:
        return f"cluster {clusters[0]} is"
    return f"clusters {enumeration([str(m) for m in clusters])} are"


def _columns_without_part(result: Result) -> str:
    """Return a sentence about columns of few values after a space, or an empty string."""
    few, recipe = effective_values(result.rows.Y) < FEW_VALUES, result.rows.recipe
    if not few.any():
        return ""
    columns = np.arange(len(few)) if recipe is None else recipe.column_of_feature
    number, n_columns = len(np.unique(columns[few])), len(np.unique(columns))
    if number == n_columns:
        return " The columns have too few different values to show a valley, so this says little."
    have = "has" if number == 1 else "have"
    return f" {number} of {n_columns} columns {have} too few different values to show a valley."


def _quoted(columns: Sequence[str]) -> str:
    return enumeration([repr(name) for name in columns])


def _worth_dropping(result: Result) -> bool:
    """Return whether a fit without columns may show other clusters that come back in halves."""
    if result.refit is None:
        return True
    again, overlap = result.refit
    lost = found_again(result.results.labels, again)[1]
    return again.max() > 0 and bool(lost) and not _is_unstable(overlap)


def _is_unstable(stability: float | None) -> bool:
    return stability is not None and stability < FAIR
