"""Conditions on columns that describe a cluster: one that explains it, or the best rule of two.

If one split of a column, or one of its categories, reproduces a cluster, then the cluster says
nothing that the column did not say before.

A rule has one or two conditions: `<=` and `>` at thresholds of a number, and `=` for a category.
All pairs of them are compared by F1, the harmonic mean of precision and recall. The F1 of a rule
counts as 0 unless at least RIGHT of its rows are in the cluster. With candidates C (c, N) in 0
and 1 and the cluster y (N,), the hits of every pair are C diag(y) C', and its sizes C C'.
"""

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from sgpmic_cli._typing import Array, BoolArray, Indices
from sgpmic_cli.result.profile import Profile, as_date
from sgpmic_cli.tables.rows import Rows

LEAST_AGREEMENT = 0.9  # adjusted Rand index between a cluster and the rows of a condition
EXPLAINED_ROWS = 100_000  # that decide whether one column explains a cluster
MOST_SEARCHED_ROWS = 4000  # a larger table is searched in a subsample and measured in full
MOST_RULE_COLUMNS = 12  # those that distinguish the cluster most
THRESHOLDS = 30  # of a column: half at its quantiles, half in its widest gaps
RIGHT = 0.8  # a convention: fraction of the rows of a rule that are in the cluster
WORTH = 0.02  # gain of F1 that a second condition must bring


class Condition(NamedTuple):
    """A condition on one column that holds for nearly all rows of a cluster and for few others."""

    cluster: int
    column: str
    words: str  # such as "wage > 250", or "kind=new" as in the names of features
    agreement: float


def explaining_conditions(data: Rows, labels: Indices, profile: Profile) -> list[Condition]:
    """Return the best condition of every cluster that a single column explains.

    Columns of numbers are split, and texts and columns of two numbers have categories. Rows with
    missing values do not fulfil any condition. Of columns that explain a cluster equally well, the
    one that differs most in `profile` is named. Of long tables, evenly spaced rows decide.
    """
    shown = np.linspace(0, len(labels) - 1, min(len(labels), EXPLAINED_ROWS)).astype(np.intp)
    Y, labels, best = data.Y[shown], labels[shown], dict[int, Condition]()
    sizes = np.bincount(labels, minlength=len(profile.sizes))
    for name, features in profile.features_of.items():
        for relation, known, both in _conditions(profile, Y, labels, features):
            agreement = _agreement(both, sizes)
            for m in np.flatnonzero(agreement.max(axis=0, initial=0.0) >= LEAST_AGREEMENT).tolist():
                top = int(agreement[:, m].argmax())
                if m not in best or agreement[top, m] > best[m].agreement:
                    words = f"{name}={known[top]}"
                    if relation != "=":
                        words = _in_words(profile, features[0], relation, between(*known[top]))
                    best[m] = Condition(m, name, words, agreement[top, m])
    return [best[m] for m in sorted(best)]


def _conditions(
    profile: Profile, Y: Array, labels: Indices, features: list[int]
) -> list[tuple[str, list[Any], Array]]:
    """Return relation, values (or pairs to split) and rows in each cluster (V, M) of conditions."""
    j, n_clusters = features[0], len(profile.sizes)
    if profile.is_category[j]:
        counts = np.nan_to_num(Y[:, features]).T @ np.eye(n_clusters)[labels]
        return [("=", [profile.category(j) for j in features], counts)]
    codes, values = pd.factorize(Y[:, j], sort=True)
    counts, known = np.zeros((len(values), n_clusters)), values.tolist()
    np.add.at(counts, (codes[codes >= 0], labels[codes >= 0]), 1.0)
    if len(known) <= 2:
        words = [as_date(v) if profile.is_date[j] else f"{v:g}" for v in known]
        return [("=", words, counts)]
    edges, below = list(pairwise(known)), np.cumsum(counts, axis=0)
    return [("<=", edges, below[:-1]), (">", edges, below[-1:] - below[:-1])]


def between(low: float, high: float) -> float:
    """Return the number of fewest digits in [low, high) next to their middle."""
    middle = low + (high - low) / 2.0
    for digits in range(1, 17):
        short = float(f"{middle:.{digits}g}")
        if low <= short < high:
            return short
    return low


def threshold(value: float) -> str:
    """Return the threshold of a condition as text, never in powers of ten below 10 ** 15."""
    return f"{value / 1e6:.12g} million" if 1e6 <= abs(value) < 1e15 else f"{value:.12g}"


def _agreement(both: Array, cluster: Indices) -> Array:
    """Return the adjusted Rand index (V, M) of the rows of a condition with each cluster.

    `both` (V, M) are the numbers of rows of the condition in each cluster, and `cluster` (M,) those
    of each cluster. The index is 0 if condition and cluster are apart.
    """
    n, condition = cluster.sum(), both.sum(axis=1, keepdims=True)
    parts = (both, condition - both, cluster - both, n - condition - cluster + both)
    same = sum(map(_pairs, parts))  # pairs of rows that both partitions keep together
    in_condition = _pairs(condition) + _pairs(n - condition)
    in_cluster = _pairs(cluster) + _pairs(n - cluster)
    expected = in_condition * in_cluster / _pairs(n)
    possible = (in_condition + in_cluster) / 2.0 - expected
    index = (same - expected) / np.where(possible > 0, possible, 1.0)
    return np.where((both * n > condition * cluster) & (possible > 0), index, 0.0)


def _pairs(count: Any) -> Any:
    return count * (count - 1.0) / 2.0


class ClusterRule(NamedTuple):
    """Conditions in words, the fraction of the cluster that fulfils them, and of those in it."""

    words: str
    recall: float
    precision: float

    @property
    def coverage(self) -> str:
        """Recall and precision in words."""
        return f"{percent(self.recall)} of the cluster, {percent(self.precision)} right"


def percent(fraction: float) -> str:
    """Return a percentage; only all rows are 100 %, and only none are 0 %."""
    shown = f"{100.0 * fraction:.0f}"
    if (shown == "100" and fraction < 1.0) or (shown == "0" and fraction > 0.0):
        shown = "over 99" if shown == "100" else "under 1"
    return f"{shown} %"


def best_rule(profile: Profile, Y: Array, member: BoolArray, cluster: int) -> ClusterRule | None:
    """Return the rule with the best F1 for the rows in `member`; None if no rule is RIGHT.

    `cluster` is their number in the profile of Y (N, F). A row with a missing value does not fulfil
    a condition on it.
    """
    shown = np.linspace(0, len(Y) - 1, min(len(Y), MOST_SEARCHED_ROWS)).astype(int)
    told = profile.distinguishing(cluster, MOST_RULE_COLUMNS)
    found: list[tuple[int, str, float]] = []  # of equal rules, the first is taken
    for j in (j for one in told for j in profile.features_of[profile.columns[one]]):
        if profile.is_category[j]:
            found.append((j, "=", 0.5))
        else:
            for edge in _thresholds(Y[shown, j], member[shown]):
                found += [(j, "<=", edge), (j, ">", edge)]
    inside = member[shown].astype(np.float32)
    if not found or not inside.any():
        return None
    C = np.array([_holds(Y[shown, j], sign, edge) for j, sign, edge in found], dtype=np.float32)
    hit, covered = (C * inside) @ C.T, C @ C.T
    f1 = np.where(
        hit >= RIGHT * np.maximum(covered, 1.0), 2.0 * hit / (covered + inside.sum()), 0.0
    )
    if not f1.any():
        return None
    single, pair = int(f1.diagonal().argmax()), np.unravel_index(int(f1.argmax()), f1.shape)
    chosen = {single} if f1[pair] < f1[single, single] + WORTH else {int(i) for i in pair}
    parts = [found[i] for i in sorted(chosen)]
    rows = np.all([_holds(Y[:, j], sign, edge) for j, sign, edge in parts], axis=0)
    hits, size = int(np.count_nonzero(rows & member)), int(np.count_nonzero(rows))
    words = " and ".join(_in_words(profile, *part) for part in parts)
    return ClusterRule(words, hits / np.count_nonzero(member), hits / max(size, 1))


def _holds(values: Array, sign: str, edge: float) -> BoolArray:
    return np.asarray(values <= edge if sign == "<=" else values > edge)


def _thresholds(values: Array, member: BoolArray) -> list[float]:
    """Return short numbers: between neighbouring values, or at quantiles and in the widest gaps."""
    known = np.unique(values[np.isfinite(values)])
    gaps, edges = np.arange(len(known) - 1), []
    if len(gaps) > THRESHOLDS:
        levels = np.linspace(0.02, 0.98, THRESHOLDS // 4)
        parts = [part[np.isfinite(part)] for part in (values[member], values[~member])]
        quantiles = [np.quantile(part, levels) for part in parts if len(part)]
        decimals = 1 - int(np.floor(np.log10(np.std(known))))
        edges = np.unique(np.concatenate(quantiles).round(decimals)).tolist()
        gaps = np.argsort(-np.diff(known), kind="stable")[: THRESHOLDS // 2]
    return [*edges, *(between(known[i], known[i + 1]) for i in gaps.tolist())]


def _in_words(profile: Profile, j: int, sign: str, edge: float) -> str:
    if profile.is_category[j]:
        return profile.features[j]
    shown = as_date(edge) if profile.is_date[j] else threshold(edge)
    return f"{profile.features[j]} {sign} {shown}"
