"""Classify rows by their density under the model: typical and unusual rows."""

import numpy as np

from sgpmic_cli._typing import Array, Indices

FENCE = 3.0  # interquartile ranges below the first quartile, the outer fence of a box plot


def unusual_below(log_density: Array) -> float:
    """Return the log density below which a row is unlike the training rows."""
    first, third = np.percentile(log_density, [25, 75])
    return float(first - FENCE * (third - first))


def typicality(log_density: Array, labels: Indices) -> Array:
    """Return for each row the fraction of rows of its cluster that are not more typical."""
    found = np.empty(len(labels))
    for cluster in np.unique(labels):
        rows = np.flatnonzero(labels == cluster)
        ordered = np.sort(log_density[rows])
        found[rows] = np.searchsorted(ordered, log_density[rows], side="right") / len(rows)
    return found


def unusual_notes(n: int, n_rows: int, others: str) -> list[str]:
    """Return a note if there are unusual rows; `others` are the rows that they do not resemble."""
    if not n:
        return []
    rows = f"1 of {n_rows} rows resembles" if n == 1 else f"{n} of {n_rows} rows resemble"
    return [f"{rows} nothing {others}: see the column 'unusual' in labels.csv."]
