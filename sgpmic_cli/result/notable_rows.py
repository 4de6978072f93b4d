"""Rows to look at: typical, unusual and doubtful ones, by their names."""

import numpy as np

from sgpmic_cli._typing import BoolArray
from sgpmic_cli.result.result import Result
from sgpmic_cli.tables.rows import Rows
from sgpmic_cli.text import shortened

DOUBTFUL = 0.6  # rows whose cluster has a lower probability lie between clusters
N_DIFFERING = 3  # features of a row that are named
CONSPICUOUS = 1.0  # standard deviations from the mean of the cluster


def row_name(rows: Rows, row: int) -> str:
    """Return the id of a row, or its number in the file."""
    if rows.ids is not None:
        return shortened(rows.ids[row])
    return f"row {row + 1 if rows.row_numbers is None else rows.row_numbers[row]}"


def typical_rows(result: Result, member: BoolArray, most: int) -> list[int]:
    """Return the densest rows among the more certain half of the rows in `member` (N,).

    Rows that lack more values than half of the others, or have rarer categories, are not typical.
    """
    Y, rows = result.rows.Y, np.flatnonzero(member)
    missing = np.isnan(Y[rows]).sum(axis=1)
    rows = rows[missing <= np.median(missing)]
    ones = np.nan_to_num(Y[rows][:, result.profile.is_category])
    common = ones @ ones.mean(axis=0)  # fractions of the rows with the categories of each row
    rows = rows[common >= np.median(common)]
    certainty = result.results.probabilities[rows].max(axis=1)
    rows = rows[certainty >= np.median(certainty)]
    densest = np.argsort(-result.results.log_density[rows], kind="stable")[:most]
    return [int(row) for row in rows[densest]]


def unusual_rows(result: Result, most: int) -> list[tuple[str, int, list[str]]]:
    """Return name, cluster and conspicuous values of the most unusual rows.

    These are the values that differ most from the mean of the cluster. Of a text column, only the
    category of the row counts.
    """
    profile, labels, found = result.profile, result.results.labels, []
    rows = np.flatnonzero(result.results.unusual)
    rows = rows[np.argsort(result.results.log_density[rows], kind="stable")[:most]]
    spread = np.where(profile.spread > 0, profile.spread, 1.0)
    for row in rows.tolist():
        values, means = result.rows.Y[row], profile.means[labels[row]]
        size = np.nan_to_num(np.abs(values - means) / spread)
        size[profile.is_category & (values < 0.5)] = 0.0
        zeros = profile.is_fraction & (values == 0.0)
        means = np.where(zeros, 1.0 - means, means)  # of a flag, the fraction of its value
        words = [
            f"{profile.cell(j, values[j])} (its cluster {profile.shown(j, means[j])})"
            for j in np.argsort(-size, kind="stable")[:N_DIFFERING].tolist()
            if size[j] >= CONSPICUOUS
        ]
        words = words or ["no single value; their combination is unusual"]
        found.append((row_name(result.rows, row), int(labels[row]), words))
    return found


def doubtful_rows(
    result: Result, most: int
) -> tuple[int, list[tuple[str, int, float, int, float]]]:
    """Return how many rows lie between clusters, and those with the least probable clusters.

    Each has its name, cluster, probability, second cluster and its probability.
    """
    S = result.results.probabilities
    best = S.max(axis=1)
    rows = [int(row) for row in np.argsort(best, kind="stable") if best[row] < DOUBTFUL]
    return len(rows), [
        (row_name(result.rows, row), int(a), float(S[row, a]), int(b), float(S[row, b]))
        for row in rows[:most]
        for a, b in [np.argsort(-S[row], kind="stable")[:2]]
    ]
