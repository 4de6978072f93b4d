"""Rows to cluster, and what a model says about them."""

import hashlib
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from sgpmic_cli._typing import Array, BoolArray, Indices
from sgpmic_cli.row_blocks import row_blocks
from sgpmic_cli.tables.notation import to_number
from sgpmic_cli.tables.options import TextFormat

if TYPE_CHECKING:
    from sgpmic_cli.tables.recipe import TableRecipe


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows to cluster and, if known, their classes."""

    name: str
    Y: np.ndarray  # (N, P) float64, C order, read-only; may be mapped from a file
    labels: np.ndarray | None  # (N,) int64 into class_names, read-only
    class_names: tuple[str, ...]
    feature_names: tuple[str, ...]
    recipe: "TableRecipe | None" = None  # None for tables that are not read from a user's file
    frame: pd.DataFrame | None = None  # the table of the user as it was read, with all its rows
    format: TextFormat = TextFormat()  # of the user's file
    row_numbers: np.ndarray | None = None  # (N,) row of the frame, from 1
    ids: tuple[str, ...] | None = None  # names of the rows
    notes: tuple[str, ...] = ()  # how the file was read

    def __post_init__(self) -> None:
        if self.Y.flags.writeable or self.Y.dtype != np.float64 or not self.Y.flags.c_contiguous:
            # Adding zero turns -0.0 into 0.0, so that equal values have equal bytes.
            Y = np.add(self.Y, 0.0, dtype=np.float64, order="C")
            Y.setflags(write=False)
            object.__setattr__(self, "Y", Y)
        if self.labels is not None:
            labels = np.array(self.labels, dtype=np.int64)
            labels.setflags(write=False)
            object.__setattr__(self, "labels", labels)

    @cached_property
    def sha256(self) -> str:
        """Hash of values and labels, by which runs are keyed."""
        digest = hashlib.sha256(f"{self.Y.shape[0]} x {self.Y.shape[1]}\n".encode())
        for rows in row_blocks(len(self.Y)):
            digest.update((self.Y[rows] + 0.0).astype("<f8", copy=False).tobytes())
        if self.labels is not None:
            digest.update(self.labels.astype("<i8", copy=False).tobytes())
        return digest.hexdigest()

    @classmethod
    def from_classes(
        cls,
        name: str,
        Y: np.ndarray,
        classes: Sequence[str] | None,
        feature_names: Sequence[str],
        **fields: Any,
    ) -> "Rows":
        """Create a data set from class names, which `number_classes` numbers."""
        labels, names = (None, ()) if classes is None else number_classes(classes)
        return cls(name, Y, labels, names, tuple(feature_names), **fields)

    @property
    def n_classes(self) -> int:
        """Number of known classes; 0 if the data set has none."""
        return len(self.class_names)

    @property
    def classes(self) -> list[str] | None:
        """Class name of each row."""
        return None if self.labels is None else [self.class_names[label] for label in self.labels]

    def part(self, rows: slice) -> "Rows":
        """Return some of the rows."""
        names = ("Y", "labels", "row_numbers", "ids")
        whole = {name: getattr(self, name) for name in names}
        parts: Any = {name: None if each is None else each[rows] for name, each in whole.items()}
        return replace(self, **parts)

    def with_note(self, note: str) -> "Rows":
        """Return the data set with one more note."""
        return replace(self, notes=(*self.notes, note))

    def without(self, columns: Collection[str]) -> "Rows":
        """Return the data set without some of its columns."""
        kept = [name for name in self.feature_names if name not in columns]
        Y = self.Y[:, [self.feature_names.index(name) for name in kept]]
        return replace(self, Y=Y, feature_names=tuple(kept), recipe=None)


@dataclass(frozen=True, eq=False)
class RowResults:
    """Clusters, probabilities, latent points and densities of rows.

    A row without any value has the label -1, and NaN for all numbers.

    Attributes
    ----------
    labels : ndarray of shape (n_samples,)
        Cluster of each row.
    probabilities : ndarray of shape (n_samples, n_clusters)
        Probability of each cluster.
    points, variances : ndarray of shape (n_samples, Q)
        Means and variances of the latent points.
    log_density : ndarray of shape (n_samples,)
        Lower bound on the log density of each row in the scaled columns.
    unusual : ndarray of shape (n_samples,)
        Whether a row is unlike the training rows: its log density is more than three interquartile
        ranges below the first quartile of theirs.
    """

    labels: Indices
    probabilities: Array
    points: Array
    variances: Array
    log_density: Array
    unusual: BoolArray

    def part(self, rows: Any) -> "RowResults":
        """Return some of the rows."""
        return RowResults(**{name: array[rows] for name, array in vars(self).items()})


def number_classes(classes: Sequence[str]) -> tuple[Indices, tuple[str, ...]]:
    """Return the class of each row as an index (N,), and the names of the classes in order.

    Numbers come first, by value, then words. If all names are numbers, equal numbers such as 1 and
    1.0 are one class.
    """
    parsed = {name: to_number(name) for name in classes}
    values = {name: x for name, x in parsed.items() if x is not None and not np.isnan(x)}
    first: dict[float, str] = {}
    same = {name: first.setdefault(value, name) for name, value in values.items()}
    if len(values) < len(parsed):
        same = {name: name for name in parsed}
    order = sorted({*same.values()}, key=lambda name: (name not in values, values.get(name), name))
    index = {name: i for i, name in enumerate(order)}
    return np.array([index[same[name]] for name in classes]), tuple(order)
