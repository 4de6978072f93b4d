"""A data set in memory: read-only values, integer labels, names, and a hash that stands for all of it."""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from sgpmic_cli.data.intake.recipe import TableRecipe
from sgpmic_cli.data.registry import nearest
from sgpmic_cli.errors import UsageError
from sgpmic_cli.row_blocks import row_blocks


@dataclass(frozen=True, eq=False)
class Dataset:
    """Rows to cluster and, where known, the classes they belong to."""

    name: str
    Y: np.ndarray  # (N, P) float64, C order, read-only; may be a file mapped into memory
    labels: np.ndarray | None  # (N,) int64 into class_names, read-only
    class_names: tuple[str, ...]
    feature_names: tuple[str, ...]
    names_made_up: bool = False  # since the file has none: its first line was read as data
    recipe: TableRecipe | None = (
        None  # what was done to the columns of a file; None for tables of plain numbers
    )
    row_numbers: np.ndarray | None = None  # (N,) rows of the file, from 1, where some were left out
    ids: tuple[str, ...] | None = None  # names of the rows, where a column has them
    notes: tuple[str, ...] = ()  # what a person should know of how the file was read
    sha256: str = field(init=False)  # of values and labels; run records are keyed by it

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
        object.__setattr__(self, "sha256", _digest(self.Y, self.labels))

    @classmethod
    def from_classes(
        cls,
        name: str,
        Y: np.ndarray,
        classes: Sequence[str] | None,
        feature_names: Sequence[str],
        **about: Any,
    ) -> "Dataset":
        """Number the classes 0, 1, ... in the order of their names; numbers are ordered by value.

        `about` are the further fields.
        """
        if classes is None:
            return cls(name, Y, None, (), tuple(feature_names), **about)
        number = numbered(classes)
        labels = np.array([number[class_name] for class_name in classes], dtype=np.int64)
        return cls(name, Y, labels, tuple(number), tuple(feature_names), **about)

    @property
    def n_classes(self) -> int:
        """Number of known classes; 0 where there are none."""
        return len(self.class_names)

    def without(self, columns: Iterable[str]) -> "Dataset":
        """The same rows without some columns."""
        dropped = set(columns)
        for column in sorted(dropped - set(self.feature_names)):
            raise UsageError(
                f"{self.name} has no column {column!r}{nearest(column, self.feature_names)}"
            )
        keep = [j for j, feature in enumerate(self.feature_names) if feature not in dropped]
        kept_names = tuple(self.feature_names[j] for j in keep)
        return replace(self, Y=self.Y[:, keep], feature_names=kept_names, recipe=None)

    def evenly(self) -> "Dataset":
        """The same rows with every column of numbers at equal weight, and those of text at theirs beside them."""
        recipe = self.recipe or TableRecipe.of_numbers(
            self.Y, self.feature_names, named=not self.names_made_up
        )
        even = recipe.divided_evenly()
        return replace(self, Y=self.Y * (recipe.divisors / even.divisors), recipe=even)


def numbered(classes: Iterable[str]) -> dict[str, int]:
    """Classes and their numbers 0, 1, ... in the order of their names; numbers are ordered by value."""
    return {name: index for index, name in enumerate(sorted(set(classes), key=_class_order))}


def _class_order(class_name: str) -> tuple[int, float, str]:
    # "10" comes after "9", and words after numbers.
    try:
        return 0, float(class_name), class_name
    except ValueError:
        return 1, 0.0, class_name


def _digest(Y: np.ndarray, labels: np.ndarray | None) -> str:
    digest = hashlib.sha256(f"{Y.shape[0]} x {Y.shape[1]}\n".encode())
    for rows in row_blocks(len(Y)):
        digest.update((Y[rows] + 0.0).astype("<f8", copy=False).tobytes())
    if labels is not None:
        digest.update(labels.astype("<i8", copy=False).tobytes())
    return digest.hexdigest()
