"""Rules that describe a cluster: one condition on a column, or two.

A condition is `=` for a category or one of two numbers, `<=` or `>` for a threshold of other
numbers. Each column offers those of each relation that agree best with the cluster by the adjusted
Rand index. So a column has one threshold for a cluster, whether it is named, explained or
described. The rule is the best of these conditions or the best pair of them. With candidates C
(c, N) in 0 and 1 and the cluster y (N,), the hits of every pair are C diag(y) C', and its sizes
C C'. A rule must be right for most of its rows (RIGHT), and rarer in other clusters (APART).

If a single condition reproduces a cluster, then the cluster says nothing that the column did not
say before: the column explains it.
"""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from sgpmic_cli._typing import Array, BoolArray, Indices
from sgpmic_cli.result.profile import Profile, as_date
from sgpmic_cli.tables.rows import Rows
from sgpmic_cli.text import shortened

EXPLAINS = 0.9  # adjusted Rand index between a cluster and the rows of a condition
MOST_ROWS = 100_000  # that decide about rules
MOST_CONDITIONS = 24  # that are combined: those that agree best
RIGHT = 0.8  # a convention: fraction of the rows of a rule that are in the cluster
EXACT = 0.98  # a convention: recall and precision of a name without "mostly"
APART = 0.5  # a convention: fraction of the cluster with the rule minus that of all other rows
WORTH = 0.02  # gain of the adjusted Rand index that a second condition must bring
LONGEST_NAME = 40  # characters of a feature in a rule


class Rule(NamedTuple):
    """One or two conditions that hold for most rows of a cluster and for few others."""

    cluster: int
    words: str  # such as "wage > 250", or "kind=new" as in the names of features
    recall: float  # fraction of the cluster that fulfils it
    precision: float  # fraction of the rows that fulfil it that are in the cluster
    explained_by: tuple[str, ...] = ()  # columns each of which explains the cluster, the best first

    @property
    def coverage(self) -> str:
        """Recall and precision in words."""
        return f"{percent(self.recall)} of the cluster, {percent(self.precision)} right"

    @property
    def name(self) -> str:
        """The rule as the name of the cluster, or "" if too few rows of the cluster fulfil it."""
        if self.recall < RIGHT:
            return ""
        return self.words if min(self.recall, self.precision) >= EXACT else f"mostly {self.words}"


class _Condition(NamedTuple):
    agreement: float
    column: str
    feature: int
    relation: str
    value: float

    def holds(self, Y: Array) -> BoolArray:
        """Return the rows that fulfil it. A missing value does not."""
        values = Y[:, self.feature]
        if self.relation == "=":
            return np.asarray(values == self.value)
        return np.asarray(values <= self.value if self.relation == "<=" else values > self.value)


def rules_of(data: Rows, labels: Indices, profile: Profile) -> list[Rule | None]:
    """Return the best rule of every cluster, or None if no rule is good enough.

    Of columns that agree equally well, the one that differs most in `profile` is taken. Of two
    clusters, the column that agrees best with both is taken. Of long tables, evenly spaced rows
    decide.
    """
    shown = np.linspace(0, len(labels) - 1, min(len(labels), MOST_ROWS)).astype(np.intp)
    Y, labels = data.Y[shown], labels[shown]
    sizes = np.bincount(labels, minlength=len(profile.sizes))
    found: list[list[_Condition]] = [[] for _ in sizes]
    both: dict[str, float] = defaultdict(float)
    for name, features in profile.features_of.items():
        for relation, js, values, counts in _conditions(profile, Y, labels, features):
            agreement = _agreement(counts, sizes).round(9)
            for m, top in enumerate(agreement.argmax(axis=0).tolist()):
                value = values[top] if relation == "=" else between(*values[top : top + 2])
                each = _Condition(agreement[top, m], name, js[top], relation, value)
                found[m].append(each)
                both[name] += each.agreement if len(sizes) == 2 else 0.0
    for conditions in found:
        conditions.sort(key=lambda each: (-both[each.column], -each.agreement))
    return [_rule(profile, Y, labels == m, m, each) for m, each in enumerate(found)]


def _conditions(
    profile: Profile, Y: Array, labels: Indices, features: list[int]
) -> Iterator[tuple[str, list[int], list[float], Array]]:
    """Yield relation, features (V,), values and rows in each cluster (V, M) of conditions.

    Thresholds lie between a value and the next one.
    """
    j, n_clusters = features[0], len(profile.sizes)
    if profile.is_category[j]:
        counts = np.nan_to_num(Y[:, features]).T @ np.eye(n_clusters)[labels]
        yield "=", features, [1.0] * len(features), counts
        return
    codes, values = pd.factorize(Y[:, j], sort=True)
    counts, known = np.zeros((len(values), n_clusters)), values.tolist()
    np.add.at(counts, (codes[codes >= 0], labels[codes >= 0]), 1.0)
    if 0 < len(known) <= 2:
        yield "=", [j] * len(known), known, counts
    elif known:
        below = np.cumsum(counts, axis=0)
        yield "<=", [j] * len(known), known, below[:-1]
        yield ">", [j] * len(known), known, below[-1:] - below[:-1]


def _rule(
    profile: Profile, Y: Array, member: BoolArray, cluster: int, conditions: list[_Condition]
) -> Rule | None:
    """Return the best rule for the rows in `member`, given conditions, the preferred ones first."""
    explaining = [each.column for each in conditions if each.agreement >= EXPLAINS]
    conditions = [each for each in conditions if each.agreement > 0.0][:MOST_CONDITIONS]
    if not conditions:
        return None
    C = np.array([each.holds(Y) for each in conditions], dtype=np.float64)
    hit, covered, n = (C * member) @ C.T, C @ C.T, np.bincount(member, minlength=2)
    recall, elsewhere = hit / n[1], (covered - hit) / n[0]
    good = (hit >= RIGHT * covered) & (recall - elsewhere >= APART)
    counts = np.stack([covered - hit, hit], axis=-1).reshape(-1, 2)
    agreement = np.where(good, _agreement(counts, n)[:, 1].reshape(good.shape), 0.0)
    if not good.any():
        return None
    single, pair = int(good.diagonal().argmax()), np.unravel_index(agreement.argmax(), good.shape)
    alone = agreement[single, single]
    i, k = (single, single) if alone >= min(EXPLAINS, agreement[pair] - WORTH) else sorted(pair)
    words = " and ".join(_in_words(profile, conditions[part]) for part in dict.fromkeys((i, k)))
    columns = [conditions[single].column, *explaining] if alone >= EXPLAINS else []
    right = hit[i, k] / covered[i, k]
    return Rule(cluster, words, recall[i, k], right, tuple(dict.fromkeys(columns)))


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
    if 1e6 <= abs(value) < 1e15:
        return f"{value / 1e6:.12g} million"
    return f"{value + 0.0:.12g}"  # not -0


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


def percent(fraction: float) -> str:
    """Return a percentage; only all rows are 100 %, and only none are 0 %."""
    shown = f"{100.0 * fraction:.0f}"
    if (shown == "100" and fraction < 1.0) or (shown == "0" and fraction > 0.0):
        shown = "over 99" if shown == "100" else "under 1"
    return f"{shown} %"


def _in_words(profile: Profile, condition: _Condition) -> str:
    j, value = condition.feature, condition.value
    if profile.is_category[j]:
        return shortened(profile.features[j], LONGEST_NAME)
    relation = "=" if condition.relation == "=" else f" {condition.relation} "
    name = shortened(profile.columns[j], LONGEST_NAME)
    return f"{name}{relation}{as_date(value) if profile.is_date[j] else threshold(value)}"
