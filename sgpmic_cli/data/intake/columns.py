"""The two kinds of columns that a recipe uses, and the conversion of their cells to numbers."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from sgpmic_cli.data.intake.notations import Notation
from sgpmic_cli.data.intake.raw_table import MISSING, Cells, to_number

# Variance of a text column relative to a number column. Equal texts form tight groups, which
# clusterings follow more than the same variance spread out. Half of the variance is the choice of
# Hennig and Liao (J. R. Statist. Soc. C, 2013).
TEXT_WEIGHT = 0.5


def unify_numbers(classes: Sequence[str]) -> list[str]:
    """Give equal numbers the same spelling, such as 1 and 1.0, if all classes are numbers."""
    parsed = [to_number(name) for name in classes]
    if any(number is None or np.isnan(number) for number in parsed):
        return list(classes)
    first: dict[float | None, str] = {}
    return [first.setdefault(number, name) for number, name in zip(parsed, classes, strict=True)]


@dataclass(frozen=True)
class NumberColumn:
    """A column of numbers."""

    name: str
    median: float  # of the known values; replaces missing values if missing="median"
    spread: float  # standard deviation of the known values
    notation: Notation | None = None  # how texts are read, if they are not plain numbers

    @classmethod
    def learn(
        cls, name: str, values: np.ndarray, notation: Notation | None = None
    ) -> "NumberColumn":
        """Create the column from its values, NaN for missing ones."""
        known = values[~np.isnan(values)]
        constant = len(known) < 2 or np.ptp(known) == 0.0
        spread = 0.0 if constant else float(np.std(known, ddof=1))
        return cls(name, float(np.median(known)), spread, notation)

    @property
    def feature_names(self) -> list[str]:
        """Name of the one feature."""
        return [self.name]

    def encode(self, cells: Cells) -> tuple[np.ndarray, np.ndarray]:
        """Return the features (N, 1), NaN if missing, and which cells are invalid (N,)."""
        if self.notation is None:
            return cells.numbers[:, None], cells.invalid
        numbers, texts = self.notation.read(cells.texts), np.char.lower(cells.texts.astype(str))
        return numbers[:, None], np.isnan(numbers) & ~np.isin(texts, list(MISSING))

    def fill_value(self) -> np.ndarray:
        """Return the replacement of a missing value (1,)."""
        return np.array([self.median])


@dataclass(frozen=True)
class TextColumn:
    """A column of few distinct texts, one-hot encoded."""

    name: str
    categories: tuple[str, ...]  # in alphabetical order
    most_common: str  # replaces missing values if missing="median"
    spread: float  # square root of the summed variances of the features over TEXT_WEIGHT

    @classmethod
    def learn(cls, name: str, cells: np.ndarray) -> "TextColumn":
        """Create the column from its texts, "" for missing ones."""
        counts = Counter(cells[cells != ""])
        total = sum(counts.values())
        variances = [count / total * (1.0 - count / total) for count in counts.values()]
        variance = sum(variances) * total / max(total - 1, 1)
        categories = tuple(sorted(counts))
        most_common = max(categories, key=counts.__getitem__)
        return cls(name, categories, most_common, float(np.sqrt(variance / TEXT_WEIGHT)))

    @property
    def feature_names(self) -> list[str]:
        """Return column=text for each of the texts."""
        return [f"{self.name}={category}" for category in self.categories]

    def encode(self, cells: Cells) -> tuple[np.ndarray, np.ndarray]:
        """Return zeros and ones (N, k), NaN if missing, and which texts are unknown (N,)."""
        known = cells.categories
        index = pd.Index(self.categories).get_indexer(pd.Index(known, dtype=object))
        ones = np.eye(len(self.categories))[index]
        ones[index < 0] = np.nan
        return ones, (index < 0) & (known != "")

    def fill_value(self) -> np.ndarray:
        """Return the replacement of a missing text (k,)."""
        return np.array([float(category == self.most_common) for category in self.categories])


Column = NumberColumn | TextColumn
