"""Profile the clusters: their features compared with all other rows, in the units of the file."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
import pandas as pd

from sgpmic_cli._typing import Indices
from sgpmic_cli.clustering.clusters.columns import (
    discrete_features,
    mostly_discrete,
    two_peaks,
)
from sgpmic_cli.row_blocks import moments, row_blocks
from sgpmic_cli.tables.recipe import Column, TableRecipe
from sgpmic_cli.tables.rows import Rows
from sgpmic_cli.text import shortened

MAX_DISTINGUISHING = 3  # features that describe a cluster
MOST = 0.5  # fraction of known cells in a cluster that its categories may describe
MIN_DIFFERENCE = 0.2  # standard deviations; smaller differences are not mentioned
PURE = 0.95  # clusters repeat a text column if this fraction of rows has the main text ...
COMMON = 0.9  # ... unless one text is more common than this among all rows
ENOUGH_ROWS = 10_000  # for the columns that follow from others
ROUNDING = 1e-3  # standard deviations of what rounding adds to a computed column


@dataclass(frozen=True)
class Profile:
    """Means and standard deviations of F features in M clusters.

    The mean of a category is its fraction of the known cells, and so is that of a flag, a column of
    zeros and ones. Categories describe no cluster in which most of their cells are missing.
    """

    features: tuple[str, ...]
    columns: tuple[str, ...]  # (F,) column of the file behind each feature
    is_category: np.ndarray  # (F,)
    is_fraction: np.ndarray  # (F,) of categories, and of flags, which are called column=1
    is_date: np.ndarray  # (F,) whether the values are days since 1970
    sizes: np.ndarray  # (M,)
    certainty: np.ndarray  # (M,)
    means: np.ndarray  # (M, F); NaN for a cluster without rows
    spread: np.ndarray  # (F,) standard deviations of all rows
    spreads: np.ndarray  # (M, F)
    elsewhere: np.ndarray  # (M, F) means of the rows of all other clusters
    differences: np.ndarray  # (M, F) means minus elsewhere, in standard deviations of all rows

    def distinguishing(self, cluster: int, most: int = MAX_DISTINGUISHING) -> list[int]:
        """Return the features that distinguish a cluster from all other rows, largest first.

        A text column is represented by one category, since the fractions of the others follow.
        """
        higher, chosen = np.nan_to_num(self.differences[cluster]), dict[str, int]()
        size = np.abs(higher)
        # Of two categories with equal differences, prefer the one that is more common here.
        for j in np.lexsort([-higher, -np.round(size, 9)]).tolist():
            if size[j] >= MIN_DIFFERENCE:
                chosen.setdefault(self.columns[j], j)
        return list(chosen.values())[:most]

    def in_words(self, cluster: int) -> list[str]:
        """Describe each distinguishing feature of a cluster in a few words."""
        means, others, found = self.means[cluster], self.elsewhere[cluster], []
        for j in self.distinguishing(cluster):
            here, elsewhere = self.distinct_texts(j, means[j], others[j])
            found.append(f"{self.features[j]} {here} (elsewhere {elsewhere})")
        return found

    def distinct_texts(self, j: int, one: float, other: float) -> tuple[str, str]:
        """Return two values of feature j as texts, with as many digits as make them differ."""
        texts = self.shown(j, one), self.shown(j, other)
        if texts[0] != texts[1] or one == other or self.is_date[j]:
            return texts
        unit, factor = (" %", 100.0) if self.is_fraction[j] else ("", 1.0)
        for digits in range(3, 16):
            texts = f"{factor * one:.{digits}g}{unit}", f"{factor * other:.{digits}g}{unit}"
            if texts[0] != texts[1]:
                break
        return texts

    def shown(self, j: int, value: float) -> str:
        """Return a mean of feature j as text: a percentage, a date or a number."""
        if np.isnan(value):
            return "–"
        if self.is_fraction[j]:
            return f"{100 * value:.0f} %"
        if self.is_date[j] and np.isfinite(value):
            return as_date(value, time=bool(self.spread[j] < 1.0))
        return readable(value, self.spread[j])

    def category(self, j: int) -> str:
        """Return the text that feature j is about."""
        return self.features[j].removeprefix(f"{self.columns[j]}=")

    def cell(self, j: int, value: float) -> str:
        """Return column and value of a row as text."""
        if self.is_category[j]:
            return self.features[j]
        name = shortened(self.columns[j])
        return f"{name}={value:g}" if self.is_fraction[j] else f"{name} {self.shown(j, value)}"

    @property
    def by_difference(self) -> list[int]:
        """All features, those that differ most between clusters first."""
        size = np.nan_to_num(np.abs(self.differences)).max(axis=0)
        return [int(j) for j in np.argsort(-size, kind="stable")]

    @cached_property
    def features_of(self) -> dict[str, list[int]]:
        """The features of each column in the order of the file; the same order of columns."""
        found: dict[str, list[int]] = {}
        for j in self.by_difference:
            found.setdefault(self.columns[j], []).append(j)
        return {name: sorted(features) for name, features in found.items()}


def profile_of(data: Rows, S: np.ndarray) -> Profile:
    """Compute the profile of clusters with responsibilities S (N, M)."""
    recipe = data.recipe or TableRecipe.of_numbers(data.feature_names)
    used = [column for column in recipe.columns for _ in column.feature_names]
    is_category = np.array([column.categories != () for column in used])
    labels, m = S.argmax(axis=1), S.shape[1]
    sizes = np.bincount(labels, minlength=m)

    def blocks(cluster: int) -> Iterator[np.ndarray]:
        for rows in row_blocks(len(data.Y)):
            yield data.Y[rows][labels[rows] == cluster]

    inside = [moments(partial(blocks, k)) for k in range(m)]
    counts, means, squares = (np.array(parts) for parts in zip(*inside, strict=True))
    sums, total = counts * np.nan_to_num(means), counts.sum(axis=0)
    with np.errstate(invalid="ignore"):  # NaN of a cluster without values stays NaN
        between = counts * np.nan_to_num(means - sums.sum(axis=0) / total) ** 2
        spread, others = np.sqrt((squares + between).sum(axis=0) / total), 1.0 - np.eye(m)
        spreads, elsewhere = np.sqrt(squares / counts), (others @ sums) / (others @ counts)
    differences = (means - elsewhere) / np.where(spread > 0, spread, 1.0)
    differences[is_category & (counts < MOST * sizes[:, None])] = 0.0
    is_flag = ~is_category & (spread > 0)
    for rows in row_blocks(len(data.Y)):
        is_flag &= (np.isnan(data.Y[rows]) | np.isin(data.Y[rows], (0.0, 1.0))).all(axis=0)
    names = zip(map(shortened, data.feature_names), is_flag.tolist(), strict=True)
    return Profile(
        tuple(name + "=1" * flag for name, flag in names),
        tuple(column.name for column in used),
        is_category,
        is_category | is_flag,
        np.array([_is_day(column) for column in used]),
        sizes,
        np.bincount(labels, S.max(axis=1), m) / np.maximum(sizes, 1),
        means,
        spread,
        spreads,
        elsewhere,
        differences,
    )


def _is_day(column: Column) -> bool:
    notation = getattr(column, "notation", None)
    return notation is not None and notation.is_day


def as_date(days: float, *, time: bool = False) -> str:
    """Return days since 1970 as a date of any year, with the time of day if asked for."""
    moment = np.datetime64(round(days * 1440), "m")
    return str(moment if time else moment.astype("datetime64[D]")).replace("T", " ")


def readable(value: float, spread: float) -> str:
    """Format a number with three digits, or as many as a difference of `spread` needs.

    A whole number is written as it is.
    """
    if not np.isfinite(value) or (value == round(value) and abs(value) < 1e6):
        return f"{value + 0.0:.0f}"  # not -0
    size = int(np.floor(np.log10(abs(value))))
    if 6 <= size < 15:
        return f"{float(f'{value:.3g}') / 1e6:.12g} million"
    if size >= 15 or size < -4:
        return f"{value:.2e}"
    needed = -int(np.floor(np.log10(spread))) if spread > 0 else 0
    return f"{value:.{max(0, 2 - size, needed)}f}"


def repeated_texts(data: Rows, labels: Indices) -> dict[str, float]:
    """Return the text columns that the clusters repeat.

    The values are the fractions of rows that have the main text of their cluster. Rows with a
    missing cell are counted and do not have it.
    """
    found: dict[str, float] = {}
    if data.recipe is None or len(np.unique(labels)) < 2:
        return found
    for c, column in enumerate(data.recipe.columns):
        if column.categories:
            ones = pd.DataFrame(np.nan_to_num(data.Y[:, data.recipe.column_of_feature == c]))
            counts = ones.groupby(labels).sum().to_numpy() / len(ones)
            repeated = float(counts.max(axis=1).sum())
            if repeated >= PURE and counts.sum(axis=0).max() <= COMMON:
                found[column.name] = repeated
    return found


def computed_columns(data: Rows) -> list[str]:
    """Return the columns of a file that are linear functions of the columns before them.

    Examples are a sale price, which is a price less a discount, and a flag for one of the stores.
    """
    Y = data.Y[:: 1 + len(data.Y) // ENOUGH_ROWS]
    if data.recipe is None or len(Y) <= Y.shape[1]:
        return []
    spread = np.nanstd(Y, axis=0)
    scaled = np.nan_to_num((Y - np.nanmean(Y, axis=0)) / np.where(spread > 0, spread, 1.0))
    # The diagonal has the part of each feature that is orthogonal to all features before it.
    new = np.abs(np.diag(np.linalg.qr(scaled, mode="r"))) / np.sqrt(len(scaled))
    owners = data.recipe.column_of_feature
    return [
        column.name
        for c, column in enumerate(data.recipe.columns)
        if new[owners == c].max() < ROUNDING
    ]


def has_few_values(data: Rows) -> bool:
    """Return whether at least half of the columns have few values, as far as values count."""
    recipe = data.recipe or TableRecipe.of_numbers(data.feature_names)
    Y, columns = data.Y[:: 1 + len(data.Y) // ENOUGH_ROWS], recipe.column_of_feature
    return mostly_discrete(discrete_features(Y, columns), columns)


def columns_with_two_peaks(data: Rows) -> list[tuple[str, str, str]]:
    """Return the columns of numbers whose density has two peaks, and both peaks in words."""
    recipe, found = data.recipe or TableRecipe.of_numbers(data.feature_names), []
    Y = data.Y[:: 1 + len(data.Y) // ENOUGH_ROWS]
    for j, owner in enumerate(recipe.column_of_feature):
        column, values = recipe.columns[owner], Y[:, j]
        peaks = None if column.categories else two_peaks(values)
        if peaks is not None:
            low, high = (readable(peak, float(np.nanstd(values))) for peak in peaks)
            found.append((column.name, low, high))
    return found
