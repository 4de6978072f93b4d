"""All sentences about a result: the answer, how sure it is, advice, and what to do next."""

import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from sgpmic_cli._typing import Indices
from sgpmic_cli.result.profile import (
    columns_with_two_peaks,
    computed_columns,
    has_few_values,
    repeated_texts,
)
from sgpmic_cli.result.result import Result, found_again
from sgpmic_cli.result.rules import Rule
from sgpmic_cli.tables.options import plural

FEW = "too few rows to say"  # a verdict
FEW_VALUES = (
    "At least half of the columns have few values, and groups cannot be told from combinations of "
    "few values"
)
MEANING = {
    "group": "Group: independent views of the rows agree that it is apart from the others.",
    "slice": "Slice: nothing shows that it is apart from the others; its border is a convention.",
    FEW: "Too few rows: groups could not be told from chance.",
}
MOST_NAMED = 4  # clusters or columns in a sentence
NOT_CALIBRATED = (
    "The probabilities of a row are the mean of its ten nearest rows. They do not include that "
    "another fit may find other clusters, so they are not calibrated."
)
FAIR = 0.7  # least overlap with parts of the rows of clusters that one can rely on
SIMILAR_SCORE = 0.9  # of the best score, a convention: such numbers of clusters are plausible


def headline(result: Result) -> str:
    """Return the answer: the groups in the rows, or that there are none, and what is doubtful."""
    if not result.verdicts:  # nobody judged the clusters
        return choice_in_words(result)
    labels, kinds = result.results.labels, [verdict["verdict"] for verdict in result.verdicts]
    filled = np.unique(labels).tolist()
    groups = [m for m in filled if kinds[m] == "group"]
    others = [m for m in filled if kinds[m] != "group"]
    rows = f"the {len(labels):,} rows"
    if not groups:
        return f"{_without_groups(result, filled, rows)}.{_weakness(result)}"
    found = [f"{result.sizes[m]:,} rows ({result.cluster_names[m]})" for m in groups]
    text = f"{plural(len(groups), 'group')} in {rows}: {enumeration(found)}"
    if others:
        rest = sum(int(result.sizes[m]) for m in others)
        cut = f" are cut into {len(others)} slices" if len(others) > 1 else " are one slice"
        text += f"; the other {rest:,} rows{cut}"
    return f"{text}.{_vanishing(result)}{_weakness(result)}"


def _without_groups(result: Result, clusters: Sequence[int], rows: str) -> str:
    names = [result.cluster_names[m] for m in clusters]
    known = [name for m, name in zip(clusters, names, strict=True) if name != f"cluster {m}"]
    if len(known) < len(names):
        known.append(f"{len(names) - len(known)} without a simple description")
    brackets = f" ({'; '.join(known)})" * (len(names) <= MOST_NAMED)
    slices = f"cut into {len(names)} slices{brackets}"
    if {result.verdicts[m]["verdict"] for m in clusters} == {FEW}:
        found = f"{plural(len(names), 'cluster')} in {rows}{brackets}"
        return f"{found}, {FEW} whether they are groups"
    if has_few_values(result.rows):
        return f"{FEW_VALUES}: {rows} are {slices if len(names) > 1 else 'not divided'}"
    cut = f", {slices}" if len(names) > 1 else ""
    return f"No groups in {rows}: they are one continuum{cut}"


def _vanishing(result: Result) -> str:
    """Return a sentence after a space if no group is found again without some columns."""
    if result.refit is None or found_again(result.results.labels, result.refit.labels)[0]:
        return ""
    return f" Without {_quoted(result.explaining_columns)} they are not found."


def _weakness(result: Result) -> str:
    """Return a sentence after a space if clusters do not come back in parts of the rows."""
    if result.stability is None or result.overlap is None:
        return ""
    weak = [m for m in np.flatnonzero(result.stability < FAIR).tolist() if result.sizes[m]]
    doubted = [f"cluster {m} (overlap {100 * result.stability[m]:.0f} %)" for m in weak]
    if result.overlap < FAIR:
        doubted = [f"them (overlap {100 * result.overlap:.0f} %)"]
    if not doubted:
        return ""
    return f" Do not rely on {enumeration(doubted)}: random parts of the rows show others."


def how_sure(result: Result) -> Iterator[str]:
    """Yield sentences about the verdicts, refits, columns that explain clusters, and the number."""
    m, labels = len(result.sizes), result.results.labels
    if result.verdicts:
        yield choice_in_words(result)
    if m > 1:
        if result.overlap is not None:
            parts = f"In clusterings of {result.n_refits} random parts of the rows, the clusters"
            yield f"{parts} come back with an overlap of {100 * result.overlap:.0f} %."
        if result.facts.get("method") == "sgp-mic":
            yield NOT_CALIBRATED
        if result.explained:
            yield explained(result.explained)
        if result.refit is not None:
            yield without_columns(result.explaining_columns, labels, result.refit.labels)
        if result.verdicts:
            yield meaning_of(result.verdicts)
    if not any(verdict["verdict"] == "group" for verdict in result.verdicts):
        for name, low, high in columns_with_two_peaks(result.rows):
            yield f"The column {name!r} has two peaks, near {low} and {high}."


def explained(rules: Sequence[Rule]) -> str:
    """Return a sentence about clusters that one column explains."""
    found = enumeration([f"cluster {rule.cluster} ({rule.words})" for rule in rules])
    more = {name for rule in rules for name in rule.explained_by}
    more -= {rule.explained_by[0] for rule in rules}
    also = f" So {'do' if len(more) > 1 else 'does'} {_quoted(sorted(more))}." if more else ""
    return f"A single column explains {found}.{also}"


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
    if tried and "evidence" in tried[0]:
        return f"{clusters}, {tried[0]['evidence']}."
    if not tried:
        of_classes = not result.verdicts and m == result.rows.n_classes
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
    """Return the numbers whose score is similar to that of the chosen one."""
    tried, m = numbers_scored(result), len(result.sizes)
    chosen = next((row.get("score", 0.0) for row in tried if row["n_clusters"] == m), 0.0)
    least, others = SIMILAR_SCORE * chosen, [row for row in tried if row["n_clusters"] != m]
    return [row for row in others if row["score"] >= least] if chosen > 0.0 else []


def advice(result: Result) -> list[str]:
    """Return sentences about options that may improve the result, and about unusual rows."""
    texts = []
    if not result.explained:  # which says more
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
    columns = result.explaining_columns
    if not result.explained:
        columns = [*repeated_texts(result.rows, result.results.labels)]
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
        words = "Random parts of the rows have other clusters. Let the number be chosen:"
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
    tried = result.selection
    return [row for row in tried if row.get("score", 1.0) or row["n_clusters"] == 1]


def numbers_table(result: Result, most: int | None = None) -> tuple[list[str], list[list[str]]]:
    """Return heading and rows of the table of the numbers that were tried, for people.

    `most` keeps the chosen number and the next best ones. Columns without a value say nothing.
    """
    tried, m = numbers_scored(result), len(result.sizes)
    names = [name for name in tried[0] if any(row[name] for row in tried)]
    heading = ["clusters" if name == "n_clusters" else name for name in names]
    best = sorted(tried, key=lambda row: (row["n_clusters"] != m, -row.get("score", 0.0)))[:most]
    rows = [
        [*(_shown(row[name]) for name in names), "chosen" * (row["n_clusters"] == m)]
        for row in sorted(best, key=lambda row: row["n_clusters"])
    ]
    return [*heading, ""], rows


def _shown(value: float | str) -> str:
    if isinstance(value, float):
        return f"{value:.3f}" if value else "–"
    return str(value)


def verdict_in_words(verdict: Mapping[str, Any]) -> str:
    """Return the verdict of a cluster, such as "group"."""
    return "too few rows" if verdict["verdict"] == FEW else str(verdict["verdict"])


def meaning_of(verdicts: Sequence[Mapping[str, Any]]) -> str:
    """Explain the verdicts that occur."""
    kinds = {verdict["verdict"] for verdict in verdicts}
    return " ".join(sentence for kind, sentence in MEANING.items() if kind in kinds)


def enumeration(words: Sequence[str]) -> str:
    """Return words as an enumeration, such as "a, b and c"."""
    return " and ".join(filter(None, [", ".join(words[:-1]), words[-1]]))


def _numbered(clusters: Sequence[int]) -> str:
    """Return "cluster 1 is" or "clusters 1 and 3 are"."""
    if len(clusters) == 1:
        return f"cluster {clusters[0]} is"
    return f"clusters {enumeration([str(m) for m in clusters])} are"


def _quoted(columns: Sequence[str]) -> str:
    more = len(columns) - MOST_NAMED
    names = [*map(repr, columns[:MOST_NAMED]), *([f"{more} more"] if more > 0 else [])]
    return enumeration(names)


def _worth_dropping(result: Result) -> bool:
    """Return whether a fit without columns may show other clusters that come back."""
    if result.refit is None:
        return True
    again, overlap = result.refit
    lost = found_again(result.results.labels, again)[1]
    return again.max() > 0 and bool(lost) and not _is_unstable(overlap)


def _is_unstable(stability: float | None) -> bool:
    return stability is not None and stability < FAIR
