"""What a fitted model says about rows, and rows that a table encoder has turned into numbers."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from sgpmic_cli._typing import Array, BoolArray, Indices
from sgpmic_cli.tables.encoder import TableEncoder

LEFT_OUT = -1  # label of a row without any value, as of noise in scikit-learn


class Features(NamedTuple):
    """Rows that were encoded before, such as those of a file that is read in blocks.

    `fit` and `prediction` take them in place of a data frame.
    """

    Y: Array  # (n, F), NaN for missing values
    encoder: TableEncoder | None  # the fitted encoder of the table; None for an array of numbers
    first_row: int = 0  # number of rows before these in their table


class Located(NamedTuple):
    """Latent points and variances (n, Q), cluster probabilities (n, M) and log densities (n,)."""

    points: Array
    variances: Array
    S: Array
    log_density: Array

    @classmethod
    def joined(cls, parts: Sequence["Located"]) -> "Located":
        """Return the rows of all parts."""
        return cls(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))


@dataclass(frozen=True, eq=False)
class Prediction:
    """Clusters, probabilities, latent points and densities of rows.

    A row without any value has the label -1, and NaN for all numbers.

    Attributes
    ----------
    labels : ndarray of shape (n_samples,)
        Cluster of each row.
    probabilities : ndarray of shape (n_samples, n_clusters)
        Probability of each cluster.
    embedding, variances : ndarray of shape (n_samples, Q)
        Means and variances of the latent points.
    log_density : ndarray of shape (n_samples,)
        Lower bound on the log density of each row in the scaled columns.
    unusual : ndarray of shape (n_samples,)
        Whether a row is unlike the training rows: its log density is more than three interquartile
        ranges below the first quartile of theirs.
    """

    labels: Indices
    probabilities: Array
    embedding: Array
    variances: Array
    log_density: Array
    unusual: BoolArray

    @classmethod
    def of(cls, located: Located, unusual_below: float) -> "Prediction":
        """Derive the labels and the unusual rows."""
        points, variances, S, log_density = located
        return cls(most_probable(S), S, points, variances, log_density, log_density < unusual_below)

    def part(self, rows: Any) -> "Prediction":
        """Return some of the rows."""
        return Prediction(**{name: array[rows] for name, array in vars(self).items()})


def most_probable(S: Array) -> Indices:
    """Return the most probable cluster of each row (n,), -1 for NaN."""
    labels = S.argmax(axis=1)
    labels[np.isnan(S[:, 0])] = LEFT_OUT
    return labels


def with_left_out(values: Array, left_out: Indices) -> Array:
    """Insert NaN, or -1 among integers, for rows that were left out, at these places."""
    if not len(left_out):
        return values
    n, empty = len(values) + len(left_out), -1 if values.dtype.kind == "i" else np.nan
    result = np.full((n, *values.shape[1:]), empty)
    result[np.delete(np.arange(n), left_out)] = values
    return result
