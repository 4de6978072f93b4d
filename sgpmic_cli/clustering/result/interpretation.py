"""Interpret a fit: the choice of the number of clusters, representative and doubtful rows."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from sgpmic_cli.clustering.model.clusters.cluster_number import plausible_in_words
from sgpmic_cli.clustering.result.fitting import Fitted
from sgpmic_cli.data.dataset import Dataset

CLEAR = 0.5  # a second score below this fraction of the best makes the choice clear ...
CLOSE = 0.9  # ... and one above this fraction makes it close
STABLE, FAIR = 0.85, 0.7  # least stability of clusters that are called so
UNSTABLE = "The clusters are not stable; do not rely on them"
BLOCK = 1 << 22  # values that are compared at once
CERTAIN = 0.99  # rows with a higher probability are not doubtful
N_DIFFERING = 3  # features of a row that are named


def numbers_tried(fitted: Fitted) -> list[dict[str, Any]]:
    """Return the scores of each number of clusters; empty if the number was given."""
    return fitted.model.selection_ or []


def numbers_table(fitted: Fitted) -> tuple[list[str], list[list[str]]]:
    """Return heading and rows of the table of the numbers that were tried, for people."""
    tried = numbers_tried(fitted)
    heading = [name.replace("n_", "").replace("_", " ") for name in tried[0]]
    return heading, [[_shown(value) for value in row.values()] for row in tried]


def _shown(value: float | bool) -> str:
    if isinstance(value, bool):
        return "yes" if value else ""
    return str(value) if isinstance(value, int) else f"{value:.3f}"


def choice_in_words(fitted: Fitted) -> str:
    """Describe the number of clusters, how it was chosen and how clear the choice is."""
    m, tried = len(fitted.model.weights_), numbers_tried(fitted)
    clusters = f"{m} cluster{'s' * (m != 1)}"
    if not tried:
        of_classes = fitted.setting == "paper" and m == fitted.data.n_classes
        return f"{clusters}, {'the number of classes' if of_classes else 'as asked for'}."
    low, high = tried[0]["n_clusters"], tried[-1]["n_clusters"]
    if fitted.model.no_clusters_:
        numbers = "2 clusters do not" if high == 2 else f"no number from 2 to {high} does"
        return (
            "No clusters were found. A number of clusters must separate the rows clearly better "
            f"than random data of the same spread, and {numbers}. This does not prove that there "
            "are no groups."
        )
    numbers = f"{low} and {high}" if high == low + 1 else f"{low} to {high}"
    how = ", but they are not stable" if _is_unstable(fitted) else f"; {_clearness(m, tried)}"
    text = f"{clusters}, chosen among {numbers}{how}."
    also = plausible_in_words(tried, m)
    return f"{text} {also}." if also else text


def number_to_compare(fitted: Fitted) -> int | None:
    """Return the number of clusters to look at next, or None if no other number was tried.

    This is the plausible number with the best score, or the best of all if no other is plausible.
    It is below the chosen number if the clusters are doubtful.
    """
    m = len(fitted.model.weights_)
    if fitted.model.no_clusters_:
        return 2
    most = m if _is_unstable(fitted) or fitted.model.twins_ else np.inf
    rows = [row for row in numbers_tried(fitted) if row["n_clusters"] != m]
    rows = [row for row in rows if 1 < row["n_clusters"] <= most]
    rows = [row for row in rows if row["plausible"]] or rows
    best = max(rows, key=lambda row: row["score"], default=None)
    return None if best is None else best["n_clusters"]


def _is_unstable(fitted: Fitted) -> bool:
    return fitted.stability is not None and fitted.stability < FAIR


def _clearness(m: int, tried: Sequence[dict[str, Any]]) -> str:
    """Return how clear the choice of m clusters is."""
    score = {row["n_clusters"]: row["score"] for row in tried if row["n_clusters"] > 1}
    drop = {row["n_clusters"]: row["gap_drop"] for row in tried}
    if 0.0 < drop[m] == max(drop.values()):
        return f"gaps separate the rows into {m} parts"
    own = score.pop(m)
    next_best = max(score.values(), default=None)
    if next_best is None:
        return f"{m} clusters separate the rows clearly better than random data"
    if next_best > own:
        return "the smallest number that is about as good as the best"
    if next_best >= CLOSE * own:
        return "a close call"
    return f"a {'clear' if next_best < CLEAR * own else 'fair'} choice"


def stability_in_words(fitted: Fitted) -> str:
    """Describe how well refits of random halves of the rows find the clusters again."""
    stability, each = fitted.stability, getattr(fitted.model, "stability_", None)
    if stability is None or each is None:
        return "The stability of the clusters was not measured."
    names = {STABLE: "The clusters are stable", FAIR: "The clusters are fairly stable"}
    words = next((name for least, name in names.items() if stability >= least), UNSTABLE)
    weak = [str(m) for m in np.flatnonzero(each < FAIR) if fitted.model.cluster_sizes_[m]]
    if weak and stability >= FAIR:
        words = "Not all clusters are stable"
    refits = fitted.model.get_params()["n_resamples"]
    found = (
        f"{words}: stability {stability:.2f} of 1. The clustering was repeated on {refits} random "
        f"halves of the rows, and the clusters overlapped with these by {100 * stability:.0f} % on "
        "average."
    )
    if stability < FAIR:
        return found
    if weak:
        plural = len(weak) > 1
        found += f" Cluster{'s' * plural} {', '.join(weak)} {'are' if plural else 'is'} not stable."
    return f"{found} Stable clusters need not be the groups you have in mind."


def row_name(data: Dataset, row: int) -> str:
    """Return the id of a row, or its number in the file."""
    if data.ids is not None:
        return data.ids[row]
    return f"row {row + 1 if data.row_numbers is None else data.row_numbers[row]}"


def typical_rows(fitted: Fitted, cluster: int, most: int) -> list[str]:
    """Return the names of the densest rows among the more certain half of a cluster."""
    rows = np.flatnonzero(fitted.model.labels_ == cluster)
    if len(rows):
        certainty = fitted.model.responsibilities_[rows, cluster]
        rows = rows[certainty >= np.median(certainty)]
    densest = rows[np.argsort(-fitted.log_density[rows], kind="stable")[:most]]
    return [row_name(fitted.data, int(row)) for row in densest]


def unusual_rows(fitted: Fitted, most: int) -> list[tuple[str, int, list[str]]]:
    """Return name, cluster and conspicuous values of the most unusual rows."""
    profile, labels = fitted.profile, fitted.model.labels_
    rows = np.flatnonzero(fitted.unusual)
    rows = rows[np.argsort(fitted.log_density[rows], kind="stable")[:most]]
    found = []
    for row, values in zip(rows.tolist(), differing_values(fitted, rows), strict=True):
        cluster = int(labels[row])
        words = [
            f"{profile.features[j]}{profile.value(j, value)} "
            f"(its cluster {profile.shown(j, profile.means[cluster, j])})"
            for j, value in values
        ]
        found.append((row_name(fitted.data, row), cluster, words))
    return found


def differing_values(fitted: Fitted, rows: np.ndarray) -> Iterator[list[tuple[int, float]]]:
    """Yield for each row the features that differ most from the mean of its cluster.

    Features are numbers of the profile, with the value of the row in the units of the file. Of a
    text column, only the category of the row counts.
    """
    profile, data, labels = fitted.profile, fitted.data, fitted.model.labels_
    spread = np.where(profile.spread > 0, profile.spread, 1.0)
    step = max(1, BLOCK // len(spread))
    for part in (rows[first : first + step] for first in range(0, len(rows), step)):
        values = data.Y[part]
        size = np.nan_to_num(np.abs(values - profile.means[labels[part]]) / spread)
        size[profile.is_category & (values < 0.5)] = 0.0
        order = np.argsort(-size, axis=1, kind="stable")[:, :N_DIFFERING]
        for n, features in enumerate(order.tolist()):
            yield [(j, float(values[n, j])) for j in features if size[n, j] > 0.0]


def doubtful_rows(fitted: Fitted, most: int) -> list[tuple[str, int, float, int, float]]:
    """Return name, cluster, probability, second cluster and its probability of doubtful rows.

    The row with the least probable cluster is the first.
    """
    S = fitted.model.responsibilities_
    if S.shape[1] < 2:
        return []
    best = S.max(axis=1)
    rows = [int(row) for row in np.argsort(best, kind="stable")[:most] if best[row] < CERTAIN]
    return [
        (row_name(fitted.data, row), int(a), float(S[row, a]), int(b), float(S[row, b]))
        for row in rows
        for a, b in [np.argsort(-S[row], kind="stable")[:2]]
    ]
