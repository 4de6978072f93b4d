"""What makes a cluster: its features beside those of all other rows, in the units of the file."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from sgpmic_cli.data.dataset import Dataset
from sgpmic_cli.data.intake.columns import NumberColumn, TextColumn
from sgpmic_cli.data.intake.recipe import TableRecipe
from sgpmic_cli.model.outcome import Outcome
from sgpmic_cli.row_blocks import mean_and_variance, row_blocks
from sgpmic_cli.single_fit.row_tables import write_csv

MOST_STRIKING = 3  # features that stand for a cluster
NOTICEABLE = 0.2  # standard deviations; less sets nothing apart


@dataclass(frozen=True)
class Profile:
    """Means and spreads of F features in M clusters; a feature that is a category has shares for means."""

    features: tuple[str, ...]
    columns: tuple[str, ...]  # (F,) of the file, that the features were made of
    is_category: np.ndarray  # (F,)
    sizes: np.ndarray  # (M,)
    certainty: np.ndarray  # (M,)
    means: np.ndarray  # (M, F); NaN for a cluster without rows
    spreads: np.ndarray  # (M, F)
    elsewhere: (
        np.ndarray
    )  # (M, F) means of the rows of all other clusters; NaN where there are none
    differences: np.ndarray  # (M, F) from elsewhere, in standard deviations of all rows

    def striking(self, cluster: int, most: int = MOST_STRIKING) -> list[int]:
        """The features that set a cluster apart from all other rows, the clearest first.

        At most one category of a column of text: the shares of the others follow from it.
        """
        size = np.nan_to_num(np.abs(self.differences[cluster]))
        found: dict[str, int] = {}
        # Of two categories that say the same, the one that is more common here is easier to understand.
        for j in np.lexsort([-np.nan_to_num(self.means[cluster]), -np.round(size, 9)]).tolist():
            if size[j] >= NOTICEABLE:
                found.setdefault(self.columns[j], j)
        return list(found.values())[:most]

    def in_words(self, cluster: int) -> list[str]:
        """The striking features of a cluster, each as a few words."""
        return [self._words(cluster, j) for j in self.striking(cluster)]

    def _words(self, cluster: int, j: int) -> str:
        here, there = self.means[cluster, j], self.elsewhere[cluster, j]
        if self.is_category[j]:
            return f"{self.features[j]} {100 * here:.0f} % (elsewhere {100 * there:.0f} %)"
        return f"{self.features[j]} {readable(here)} (elsewhere {readable(there)})"

    @property
    def telling(self) -> list[int]:
        """All features, those that differ most between clusters first."""
        size = np.nan_to_num(np.abs(self.differences)).max(axis=0)
        return [int(j) for j in np.argsort(-size, kind="stable")]


def profile_of(data: Dataset, labels: np.ndarray, outcome: Outcome) -> Profile:
    """Profile of the clusters of all rows."""

    def blocks(test: Callable[..., np.ndarray], cluster: int) -> Iterator[np.ndarray]:
        for rows in row_blocks(len(data.Y)):
            block = data.Y[rows][test(labels[rows], cluster)]
            yield block if data.recipe is None else block * data.recipe.divisors

    every = range(len(outcome.sizes))
    spread = np.sqrt(mean_and_variance(partial(blocks, np.greater_equal, 0))[1])
    inside = [mean_and_variance(partial(blocks, np.equal, m)) for m in every]
    means, spreads = (
        np.array([mean for mean, _ in inside]),
        np.sqrt([variance for _, variance in inside]),
    )
    elsewhere = np.array([mean_and_variance(partial(blocks, np.not_equal, m))[0] for m in every])
    with np.errstate(invalid="ignore"):  # NaN without rows stays NaN
        differences = (means - elsewhere) / np.where(spread > 0, spread, 1.0)
    made_of = [(c.name, isinstance(c, TextColumn)) for c in _columns(data) for _ in c.feature_names]
    return Profile(
        data.feature_names,
        tuple(name for name, _ in made_of),
        np.array([is_text for _, is_text in made_of]),
        outcome.sizes,
        outcome.certainty,
        means,
        spreads,
        elsewhere,
        differences,
    )


def write_profile(path: Path, profile: Profile) -> None:
    """One line for each feature of each cluster; a share for categories, mean and spread for numbers."""
    heading = [
        "cluster",
        "size",
        "certainty",
        "feature",
        "mean",
        "spread",
        "share",
        "elsewhere",
        "difference",
    ]
    rows = []
    for m, size in enumerate(profile.sizes.tolist()):
        for j, feature in enumerate(profile.features):
            mean = _cell(profile.means[m, j])
            described = (
                ["", "", mean]
                if profile.is_category[j]
                else [mean, _cell(profile.spreads[m, j]), ""]
            )
            beside = [_cell(profile.elsewhere[m, j]), _cell(profile.differences[m, j])]
            rows.append([m, size, _cell(profile.certainty[m]), feature, *described, *beside])
    write_csv(path, heading, rows)


def readable(value: float) -> str:
    """A number in three or four digits."""
    if value == 0 or not np.isfinite(value):
        return f"{value:g}"
    size = int(np.floor(np.log10(abs(value))))
    return f"{value:.2e}" if size > 6 or size < -4 else f"{value:.{max(0, 2 - size)}f}"


def _columns(data: Dataset) -> Sequence[NumberColumn | TextColumn]:
    """Columns of the file; a data set without a recipe is all numbers."""
    if data.recipe is not None:
        return data.recipe.columns
    return TableRecipe.of_numbers(data.Y, data.feature_names).columns


def _cell(value: float) -> float | str:
    return "" if np.isnan(value) else float(value)
