"""The two kinds of columns that a recipe uses, and the numbers that it makes of their cells."""

from collections import Counter
from dataclasses import dataclass

import numpy as np
import pandas as pd

from sgpmic_cli.data.intake.cells import MISSING, MISSING_TEXT, to_number

# Variance of a column of text beside that of one of numbers. Equal texts are clumps of rows, which clusterings fall for
# more than for the same variance spread out: half of it, as Hennig and Liao have it (J. R. Statist. Soc. C, 2013).
TEXT_WEIGHT = 0.5


@dataclass(frozen=True)
class NumberColumn:
    """A column of numbers.

    Attributes
    ----------
    name : str
    median : float
        Of the values that are there; fills holes under missing="median".
    spread : float
        Their standard deviation.
    """

    name: str
    median: float
    spread: float

    @property
    def feature_names(self) -> list[str]:
        """One name: that of the column."""
        return [self.name]

    def encoded(self, cells: np.ndarray, decimal: str) -> tuple[np.ndarray, np.ndarray]:
        """The numbers (N, 1), NaN where there is none, and which cells hold something else than a number (N,)."""
        values, wrong = numbers(cells, decimal)
        return values[:, None], wrong

    def filler(self) -> np.ndarray:
        """What stands for a missing value (1,)."""
        return np.array([self.median])


@dataclass(frozen=True)
class TextColumn:
    """A column of few texts, which becomes one column of zeros and ones for each of them.

    Attributes
    ----------
    name : str
    categories : tuple of str
        The texts, in the order of the alphabet.
    most_common : str
        The one that fills holes under missing="median".
    spread : float
        What brings the zeros and ones to the weight of text: square root of their summed variances over TEXT_WEIGHT.
    """

    name: str
    categories: tuple[str, ...]
    most_common: str
    spread: float

    @property
    def feature_names(self) -> list[str]:
        """column=text for each of the texts."""
        return [f"{self.name}={category}" for category in self.categories]

    def encoded(self, cells: np.ndarray, decimal: str) -> tuple[np.ndarray, np.ndarray]:
        """Zeros and ones (N, k), NaN where there is no text, and which texts are none of the categories (N,)."""
        known = texts(cells)
        index = pd.Index(self.categories).get_indexer(pd.Index(known, dtype=object))
        ones = np.eye(len(self.categories))[
            index
        ]  # -1, the index of a stranger, takes a row that is overwritten
        ones[index < 0] = np.nan
        return ones, (index < 0) & (known != "")

    def filler(self) -> np.ndarray:
        """What stands for a missing value (k,)."""
        return np.array([float(category == self.most_common) for category in self.categories])


def numbers(cells: np.ndarray, decimal: str) -> tuple[np.ndarray, np.ndarray]:
    """Cells as numbers (N,), NaN for holes, and which of them are neither (N,), counted as holes too."""
    if cells.dtype.kind == "f":
        return cells, np.zeros(len(cells), dtype=bool)
    codes, found = pd.factorize(cells)  # every writing is converted once
    hole = np.array([text.lower() in MISSING for text in found], dtype=bool)
    read = [
        None if empty else to_number(text, decimal) for text, empty in zip(found, hole, strict=True)
    ]
    values = np.array(read, dtype=np.float64)  # None becomes NaN
    wrong = np.array([number is None for number in read], dtype=bool) & ~hole
    return values[codes], wrong[codes]


def texts(cells: np.ndarray) -> np.ndarray:
    """Cells as texts (N,), "" for holes; numbers of a Parquet file are written as whole numbers where they are."""
    if cells.dtype.kind == "f":
        return np.array(["" if np.isnan(cell) else f"{cell:.17g}" for cell in cells], dtype=object)
    codes, found = pd.factorize(cells)
    return np.array(["" if text.lower() in MISSING_TEXT else text for text in found], dtype=object)[
        codes
    ]


def number_column(name: str, values: np.ndarray) -> NumberColumn:
    """The column of these values, NaN where there is none."""
    seen = values[~np.isnan(values)]
    constant = len(seen) < 2 or np.ptp(seen) == 0.0
    return NumberColumn(
        name, float(np.median(seen)), 0.0 if constant else float(np.std(seen, ddof=1))
    )


def text_column(name: str, cells: np.ndarray) -> TextColumn:
    """The column of these texts, "" where there is none."""
    counts = Counter(cell for cell in cells if cell)
    total = sum(counts.values())
    variances = [count / total * (1.0 - count / total) for count in counts.values()]
    categories = tuple(sorted(counts))
    most_common = max(categories, key=counts.__getitem__)
    variance = sum(variances) * total / max(total - 1, 1)
    return TextColumn(name, categories, most_common, float(np.sqrt(variance / TEXT_WEIGHT)))
