"""Find the shortest rule that describes a cluster: one or two conditions on columns.

Conditions are `<=` and `>` at thresholds of a number, and `=` for a category. All pairs of them are
compared by F1, the harmonic mean of precision and recall. A rule that is wrong for most of its rows
describes nothing, so its F1 counts as 0. With candidates C (c, N) in 0 and 1 and the cluster y
(N,), the hits of every pair are C diag(y) C', and its sizes C C'.
"""

from typing import NamedTuple

import numpy as np

from sgpmic_cli._typing import Array, BoolArray
from sgpmic_cli.result.profile import Profile, as_date
from sgpmic_cli.result.single_column import between, threshold

MOST_SEARCHED_ROWS = 4000  # a larger table is searched in a subsample and measured in full
MOST_RULE_COLUMNS = 12  # those that distinguish the cluster most
THRESHOLDS = 30  # of a column: half at its quantiles, half in its widest gaps
WORTH = 0.02  # gain of F1 that a second condition must bring


class ClusterRule(NamedTuple):
    """Conditions in words, the fraction of the cluster that fulfils them, and of those in it."""

    words: str
    recall: float
    precision: float

    def coverage(self, kind: str = "cluster") -> str:
        """Return recall and precision in words."""
        return f"{percent(self.recall)} of the {kind}, {percent(self.precision)} right"


def percent(fraction: float) -> str:
    """Return a percentage; only all rows are 100 %, and only none are 0 %."""
    shown = f"{100.0 * fraction:.0f}"
    if (shown == "100" and fraction < 1.0) or (shown == "0" and fraction > 0.0):
        shown = "over 99" if shown == "100" else "under 1"
    return f"{shown} %"


def best_rule(profile: Profile, Y: Array, member: BoolArray, cluster: int) -> ClusterRule | None:
    """Return the rule with the best F1 for the rows in `member`; None if no rule is mostly right.

    `cluster` is their number in the profile of Y (N, F). A row with a missing value does not fulfil
    a condition on it.
    """
    shown = np.linspace(0, len(Y) - 1, min(len(Y), MOST_SEARCHED_ROWS)).astype(int)
    columns = [profile.columns[j] for j in profile.distinguishing(cluster, MOST_RULE_COLUMNS)]
    features = [j for name in columns for j, each in enumerate(profile.columns) if each == name]
    found: list[tuple[int, str, float]] = []  # of equal rules, the first is taken
    for j in features:
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
    f1 = np.where(2.0 * hit > covered, 2.0 * hit / (covered + inside.sum()), 0.0)
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
    if profile.columns[j] in profile.dates:
        return f"{profile.features[j]} {sign} {as_date(edge)}"
    return f"{profile.features[j]} {sign} {threshold(edge)}"
