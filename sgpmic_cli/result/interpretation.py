"""Interpret a fit: how sure the clusters are, what to do next, typical and doubtful rows."""

import shlex
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from sgpmic_cli._typing import BoolArray
from sgpmic_cli.clustering.clusters.cluster_number import plausible_in_words
from sgpmic_cli.clustering.clusters.discrete_columns import effective_values
from sgpmic_cli.clustering.clusters.label_constants import FEW_VALUES
from sgpmic_cli.errors import UsageError
from sgpmic_cli.estimator_base.prediction import Features
from sgpmic_cli.result import answer
from sgpmic_cli.result.fitting import FitProgressCallback, Fitted
from sgpmic_cli.result.profile import computed_columns
from sgpmic_cli.tables.columns import TOO_MANY
from sgpmic_cli.tables.encoder import TableEncoder
from sgpmic_cli.tables.rows import Rows

FAIR = 0.7  # least stability of clusters that come back in halves of the rows
CERTAIN = 0.99  # rows with a higher probability are not doubtful
N_DIFFERING = 3  # features of a row that are named


def numbers_tried(fitted: Fitted) -> list[dict[str, Any]]:
    """Return the scores of each number of clusters; empty if the number was given."""
    tried: Any = fitted.model.selection_
    return [] if tried is None else tried.to_dict("records")


def numbers_scored(fitted: Fitted) -> list[dict[str, Any]]:
    """Return those of the numbers that were not ruled out before they had a score."""
    return [row for row in numbers_tried(fitted) if row["score"] or row["n_clusters"] == 1]


def numbers_table(fitted: Fitted) -> tuple[list[str], list[list[str]]]:
    """Return heading and rows of the table of the numbers that were tried, for people.

    Columns without a value say nothing.
    """
    tried = numbers_scored(fitted)
    names = [name for name in tried[0] if any(row[name] for row in tried)]
    names_shown = {"n_clusters": "clusters", "stability": "halves agree"}
    heading = [names_shown.get(name, name.replace("_", " ")) for name in names]
    rows = [[_shown(row[name]) for name in names] for row in tried]
    for row, each in zip(rows, tried, strict=True):
        row.append("chosen" * (each["n_clusters"] == fitted.model.n_clusters_))
    return [*heading, ""], rows


def _shown(value: float | bool) -> str:
    if isinstance(value, bool):
        return "yes" if value else ""
    return str(value) if isinstance(value, int) else f"{value:.3f}" if value else "–"


def answer_headline(fitted: Fitted) -> str:
    """Return the answer of a fit: which rows are groups, and what the others are."""
    if fitted.groups is None:  # the paper's model has no verdicts
        return choice_in_words(fitted)
    return answer.answer_sentence(
        fitted.groups,
        fitted.prediction.labels,
        fitted.verdicts,
        fitted.group_names,
        fitted.cluster_names,
    )


def groups_in_words(fitted: Fitted) -> Iterator[tuple[int, int, str, list[str]]]:
    """Yield number, rows, verdict and features of each surviving group that is not a cluster."""
    if fitted.groups is None or fitted.groups.max() < 0:
        return
    for g in answer.found_again(fitted.groups, fitted.prediction.labels)[1]:
        if g >= 0:
            verdict = {"verdict": "group", "depth": fitted.model.group_depths_[g]}
            rows = int((fitted.groups == g).sum())
            features = fitted.group_profile.in_words(g + 1)
            yield g, rows, answer.verdict_in_words(verdict), features


def how_sure(fitted: Fitted) -> Iterator[str]:
    """Yield sentences about the verdicts, refits, columns that explain clusters, and the number."""
    m = len(fitted.model.cluster_sizes_)
    if fitted.group_names:
        found = "this group" if len(fitted.group_names) == 1 else "each of these groups"
        yield f"Most refits to random halves of the rows find {found} again."
    if m > 1:
        yield stability_in_words(fitted)
        if sentence := answer.explained(fitted.conditions, m):
            yield sentence
        if fitted.without is not None:
            columns = answer.explaining_columns(fitted.conditions)
            yield answer.without_columns(columns, fitted.prediction.labels, fitted.without.labels_)
    if fitted.groups is not None:
        yield choice_in_words(fitted)
    if m > 1 and fitted.verdicts:
        groups = [{"verdict": "group", "depth": depth} for depth in fitted.model.group_depths_]
        yield answer.meaning_of([*groups, *fitted.verdicts]) + _columns_without_part(fitted.data)


def choice_in_words(fitted: Fitted) -> str:
    """Describe the number of clusters and how it was chosen."""
    m, tried = fitted.model.n_clusters_, numbers_scored(fitted)
    clusters = f"{m} cluster{'s' * (m != 1)}"
    if not tried:
        of_classes = fitted.method == "sgp-mic" and m == fitted.data.n_classes
        source = "as given" if fitted.given_names else "as asked for"
        return f"{clusters}, {'the number of classes' if of_classes else source}."
    low, high = tried[0]["n_clusters"], tried[-1]["n_clusters"]
    if fitted.model.no_clusters_:
        if any(row["reference"] for row in tried):
            numbers = "2 clusters do not" if high == 2 else f"no number from 2 to {high} does"
            why = (
                "A number of clusters must separate the rows clearly better than random data of "
                f"the same spread, and {numbers}."
            )
        else:
            why = "What the columns of few values share does not divide the rows."
        return f"No clusters were found. {why} This does not prove that there are no groups."
    numbers = f"{low} and {high}" if high == low + 1 else f"{low} to {high}"
    also = plausible_in_words(tried, m)
    if high == low:
        return f"{clusters}, the only number that was tried."
    return f"{clusters}, chosen among {numbers}." + f" {also}." * bool(also)


def stability_in_words(fitted: Fitted) -> str:
    """Describe how well refits of random halves of the rows find the clusters again."""
    stability, by_cluster = fitted.stability, getattr(fitted.model, "stability_", None)
    if stability is None or by_cluster is None:
        return "How well halves of the rows find the clusters again was not measured."
    refits = fitted.model.get_params()["n_resamples"]
    text = f"In clusterings of {refits} random halves of the rows, the clusters "
    if stability < FAIR:
        text += f"come back with an overlap of only {100 * stability:.0f} %"
        return f"{text}: do not rely on them."
    text += f"come back with an overlap of {100 * stability:.0f} %"
    weak = [m for m in np.flatnonzero(by_cluster < FAIR) if fitted.model.cluster_sizes_[m]]
    if weak:
        exceptions = [f"cluster {m} ({100 * by_cluster[m]:.0f} %)" for m in weak]
        text += f", except for {answer.enumeration(exceptions)}"
    only_slices = {verdict["verdict"] for verdict in fitted.verdicts} == {"slice"}
    return f"{text}{'; that does not make slices groups' * only_slices}."


def next_steps(fitted: Fitted, out: Path, command: Callable[..., str]) -> Iterator[tuple[str, str]]:
    """Yield sentences with a command for each, those that concern this table first.

    `command` returns the command line of the fit with changed arguments.
    """
    m, other = len(fitted.model.cluster_sizes_), number_to_compare(fitted)
    unstable = _is_unstable(fitted.stability)
    if (columns := fitted.columns_to_drop) and _worth_dropping(fitted):
        words = f"Leave {_quoted(columns)} out to see what else there is:"
        yield words, command(drop=tuple(columns), out=f"{out}-without")
    if columns := computed_columns(fitted.data):
        before = "it" if len(columns) == 1 else "them"
        words = f"Leave out {_quoted(columns)}, which can be computed from columns before {before}:"
        yield words, command(drop=tuple(columns), out=f"{out}-once")
    if other is not None:
        words = f"Compare with {other} clusters, which are about as good:"
        yield words, command(clusters=other, out=f"{out}-{other}")
    elif unstable and not numbers_tried(fitted):
        words = "Random halves of the rows have other clusters. Let the number be chosen:"
        yield words, command(clusters=None, out=f"{out}-auto")
    elif m == 1 or unstable:
        words = "Divide the rows into a number of clusters that you have a reason for:"
        yield words, command(clusters="NUMBER", out=f"{out}-divided")
    if m > 1 and not unstable:
        words = "Assign new rows; the file needs no preparation:"
        yield words, f"sgpmic predict {shlex.quote(str(out))} NEW.csv"
    if (column := _naming_column(fitted.data)) is not None:
        yield f"Name the rows by {column!r}:", command(name=column, out=f"{out}-named")


def _naming_column(data: Rows) -> str | None:
    """Return the first column of too many texts for categories, if nothing names the rows."""
    if data.ids is not None or data.recipe is None:
        return None
    roles = (role for role in data.recipe.roles if role.taken_as == "left out")
    return next((role.name for role in roles if TOO_MANY in role.why), None)


def _columns_without_part(data: Rows) -> str:
    """Return a sentence about columns of few values after a space, or an empty string."""
    few = effective_values(data.Y) < FEW_VALUES
    columns = np.arange(len(few)) if data.recipe is None else data.recipe.column_of_feature
    number, n_columns = len(np.unique(columns[few])), len(np.unique(columns))
    if not number:
        return ""
    if number == n_columns:
        return " The columns have too few different values to show a valley, so this says little."
    have = "has" if number == 1 else "have"
    return f" {number} of {n_columns} columns {have} too few different values to show a valley."


def _quoted(columns: Sequence[str]) -> str:
    return answer.enumeration([repr(name) for name in columns])


def _worth_dropping(fitted: Fitted) -> bool:
    """Return whether a fit without columns may show other clusters that come back in halves."""
    again = fitted.without
    if again is None:
        return True
    lost = answer.found_again(fitted.prediction.labels, again.labels_)[1]
    return again.n_clusters_ > 1 and bool(lost) and not _is_unstable(answer.mean_stability(again))


def number_to_compare(fitted: Fitted) -> int | None:
    """Return the plausible number of clusters to look at next, or None.

    It is below the chosen number if the clusters are doubtful.
    """
    m = fitted.model.n_clusters_
    most = m if _is_unstable(fitted.stability) or fitted.model.overlapping_pairs_ else np.inf
    rows = [row for row in numbers_tried(fitted) if row["plausible"]]
    rows = [row for row in rows if 1 < row["n_clusters"] <= most and row["n_clusters"] != m]
    best = max(rows, key=lambda row: row["score"], default=None)
    return None if best is None else best["n_clusters"]


def _is_unstable(stability: float | None) -> bool:
    return stability is not None and stability < FAIR


def with_refit(fitted: Fitted, progress: FitProgressCallback = lambda _: None) -> Fitted:
    """Repeat a fit without the columns that explain clusters, if there are any.

    The map takes most of the time and does not change the clusters, so it is not fitted. Rows
    beyond `max_rows` would have to be assigned again, so a table with such rows is not repeated.
    """
    recipe, columns = fitted.data.recipe, answer.explaining_columns(fitted.conditions)
    too_many = len(fitted.data.Y) > getattr(fitted.model, "max_rows", 0)
    if recipe is None or not columns or not fitted.columns_to_drop or too_many:
        return fitted
    progress(f"the same without {', '.join(columns)}")
    kept = [column.name not in columns for column in recipe.columns]
    others = replace(recipe, columns=tuple(np.array(recipe.columns, dtype=object)[kept]))
    Y = fitted.data.Y[:, np.array(kept)[recipe.column_of_feature]]
    same = {**fitted.model.get_params(), "max_iter": 1, "callback": None}
    model = type(fitted.model)(**same)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            model.fit(Features(Y, TableEncoder.from_recipe(others)))
        except UsageError:  # the other columns cannot be clustered
            return fitted
    return replace(fitted, without=model)


def row_name(data: Rows, row: int) -> str:
    """Return the id of a row, or its number in the file."""
    if data.ids is not None:
        return data.ids[row]
    return f"row {row + 1 if data.row_numbers is None else data.row_numbers[row]}"


def typical_rows(fitted: Fitted, member: BoolArray, most: int) -> list[int]:
    """Return the densest rows among the more certain half of the rows in `member` (N,).

    Rows that lack more values than half of the others, or have rarer categories, are not typical.
    """
    prediction, rows = fitted.prediction, np.flatnonzero(member)
    missing = np.isnan(fitted.data.Y[rows]).sum(axis=1)
    rows = rows[missing <= np.median(missing)]
    ones = np.nan_to_num(fitted.data.Y[rows][:, fitted.profile.is_category])
    common = ones @ ones.mean(axis=0)  # fractions of the rows with the categories of each row
    rows = rows[common >= np.median(common)]
    certainty = prediction.probabilities[rows].max(axis=1)
    rows = rows[certainty >= np.median(certainty)]
    densest = rows[np.argsort(-prediction.log_density[rows], kind="stable")[:most]]
    return [int(row) for row in densest]


def unusual_rows(fitted: Fitted, most: int) -> list[tuple[str, int, list[str]]]:
    """Return name, cluster and conspicuous values of the most unusual rows."""
    profile, labels = fitted.profile, fitted.prediction.labels
    rows = np.flatnonzero(fitted.prediction.unusual)
    rows = rows[np.argsort(fitted.prediction.log_density[rows], kind="stable")[:most]]
    described = []
    for row, values in zip(rows.tolist(), differing_values(fitted, rows), strict=True):
        cluster = int(labels[row])
        words = [
            f"{profile.features[j]}{profile.value(j, value)} "
            f"(its cluster {profile.shown(j, profile.means[cluster, j])})"
            for j, value in values
        ]
        described.append((row_name(fitted.data, row), cluster, words))
    return described


def differing_values(fitted: Fitted, rows: np.ndarray) -> Iterator[list[tuple[int, float]]]:
    """Yield for each row the features that differ most from the mean of its cluster.

    Features are numbers of the profile, with the value of the row in the units of the file. Of a
    text column, only the category of the row counts.
    """
    profile, values = fitted.profile, fitted.data.Y[rows]
    means = profile.means[fitted.prediction.labels[rows]]
    size = np.nan_to_num(np.abs(values - means) / np.where(profile.spread > 0, profile.spread, 1.0))
    size[profile.is_category & (values < 0.5)] = 0.0
    order = np.argsort(-size, axis=1, kind="stable")[:, :N_DIFFERING]
    for n, features in enumerate(order.tolist()):
        yield [(j, float(values[n, j])) for j in features if size[n, j] > 0.0]


def doubtful_rows(fitted: Fitted, most: int) -> list[tuple[str, int, float, int, float]]:
    """Return name, cluster, probability, second cluster and its probability of doubtful rows.

    The row with the least probable cluster is the first.
    """
    S = fitted.prediction.probabilities
    if S.shape[1] < 2:
        return []
    best = S.max(axis=1)
    rows = [int(row) for row in np.argsort(best, kind="stable")[:most] if best[row] < CERTAIN]
    return [
        (row_name(fitted.data, row), int(a), float(S[row, a]), int(b), float(S[row, b]))
        for row in rows
        for a, b in [np.argsort(-S[row], kind="stable")[:2]]
    ]
