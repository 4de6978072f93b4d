"""Interpret a fit: the choice of the number of clusters, representative and doubtful rows."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from sgpmic_cli.data.dataset import Dataset
from sgpmic_cli.model.clusters.cluster_number import plausible_in_words
from sgpmic_cli.single_fit.fitting import Fitted

CLEAR = 0.5  # a second score below this fraction of the best makes the choice clear ...
CLOSE = 0.9  # ... and one above this fraction makes it close
CERTAIN = 0.99  # rows with a higher probability are not doubtful


class Doubtful(NamedTuple):
    """A row between two clusters."""

    name: str
    first: int
    first_probability: float
    second: int
    second_probability: float


def numbers_tried(fitted: Fitted) -> list[dict[str, Any]]:
    """Return the scores of each number of clusters; empty if the number was given."""
    return list(getattr(fitted.model, "selection_", None) or [])


def choice_in_words(fitted: Fitted) -> str:
    """Describe the number of clusters, how it was chosen and how certain the choice is."""
    m, tried = len(fitted.model.weights_), numbers_tried(fitted)
    clusters = f"{m} cluster{'s' * (m != 1)}"
    if not tried:
        return f"{clusters}, as asked for."
    low, high = tried[0]["n_clusters"], tried[-1]["n_clusters"]
    if fitted.model.no_clusters_:
        return (
            f"The data show no clusters: no number from {low} to {high} separates them better than "
            "it separates data of the same covariance without clusters. All rows are one group."
        )
    also = plausible_in_words(tried, m)
    text = f"{clusters}, chosen among {low} to {high}; {_certainty(m, tried)}."
    return f"{text} {also}." if also else text


def _certainty(m: int, tried: Sequence[dict[str, Any]]) -> str:
    score = {row["n_clusters"]: row["score"] for row in tried if row["n_clusters"] > 1}
    drop = {row["n_clusters"]: row["gap_drop"] for row in tried}
    others = {number: value for number, value in score.items() if number != m}
    if not others:
        return "there was no other number to choose"
    second = max(others, key=others.__getitem__)
    own, next_best = score[m], others[second]
    scores = f"score {own:.2f}, the next best number, {second}, has {next_best:.2f}"
    if next_best > own and 0.0 < drop[m] == max(drop.values()):
        return f"gaps separate the rows into {m} parts, which a silhouette does not show ({scores})"
    if next_best > own:
        return f"the smallest number that is about as good as the best ({scores})"
    if next_best >= CLOSE * own:
        return f"a close call ({scores})"
    return f"a {'clear' if next_best < CLEAR * own else 'fair'} choice ({scores})"


def row_name(data: Dataset, row: int) -> str:
    """Return the id of a row, or its number in the file."""
    if data.ids is not None:
        return data.ids[row]
    return f"row {row + 1 if data.row_numbers is None else data.row_numbers[row]}"


def typical_rows(fitted: Fitted, cluster: int, most: int = 3) -> list[str]:
    """Return the names of the rows nearest to the centre of a cluster in the latent space.

    The distance is the Mahalanobis distance of the cluster.
    """
    model = fitted.model
    rows = np.flatnonzero(model.labels_ == cluster)
    difference = model.embedding_[rows] - model.means_[cluster]
    precision = np.linalg.inv(model.covariances_[cluster])
    distance = np.einsum("nq,qr,nr->n", difference, precision, difference)
    nearest = rows[np.argsort(distance, kind="stable")[:most]]
    return [row_name(fitted.data, int(row)) for row in nearest]


def doubtful_rows(fitted: Fitted, most: int = 10) -> list[Doubtful]:
    """Return the rows with the least probable cluster assignment, the most doubtful first."""
    S = fitted.model.responsibilities_
    if S.shape[1] < 2:
        return []
    best = S.max(axis=1)
    rows = [int(row) for row in np.argsort(best, kind="stable")[:most] if best[row] < CERTAIN]
    return [
        Doubtful(row_name(fitted.data, row), int(a), float(S[row, a]), int(b), float(S[row, b]))
        for row in rows
        for a, b in [np.argsort(-S[row], kind="stable")[:2]]
    ]
