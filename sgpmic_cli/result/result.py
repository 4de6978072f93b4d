"""A result: clusters of the rows of a table, from any method, and what is known about them."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from sgpmic_cli._typing import Array, Indices
from sgpmic_cli.result.profile import Profile, profile_of
from sgpmic_cli.result.rules import Condition, explaining_conditions
from sgpmic_cli.tables.rows import RowResults, Rows

OVERLAP = 0.75  # Jaccard index of a cluster that is found again (Hennig 2007)


class Refit(NamedTuple):
    """Clusters of the same rows (N,) without some columns, and their mean overlap with refits."""

    labels: Indices
    overlap: float | None


@dataclass(frozen=True, eq=False)
class Result:
    """Clusters of the rows of a table. Whatever a method does not know is None or empty."""

    rows: Rows  # those with values
    results: RowResults  # of these rows
    names: tuple[str, ...] = ()  # of the clusters; empty if they are proposed
    mixture: tuple[Array, Array] | None = None  # means (M, Q) and covariances of the clusters
    verdicts: list[dict[str, Any]] = field(default_factory=list)  # of the clusters
    stability: Array | None = None  # (M,) overlap of each cluster with refits
    overlap: float | None = None  # mean of the stability, weighted by size
    n_refits: int = 0
    selection: list[dict[str, Any]] = field(default_factory=list)  # numbers of clusters tried
    refit: Refit | None = None  # without the columns that explain clusters
    facts: dict[str, Any] = field(default_factory=dict)  # about the method and its fit
    trace: pd.DataFrame | None = None  # the bound after each update of a fit
    warnings: list[str] = field(default_factory=list)

    @property
    def sizes(self) -> Indices:
        """Number of rows of each cluster (M,)."""
        return self.profile.sizes

    @property
    def n_columns(self) -> int:
        """Number of columns of the table that take part."""
        recipe = self.rows.recipe
        return self.rows.Y.shape[1] if recipe is None else len(recipe.columns)

    @cached_property
    def profile(self) -> Profile:
        """Features of the clusters."""
        return profile_of(self.rows, self.results.probabilities)

    @cached_property
    def conditions(self) -> list[Condition]:
        """The conditions of the clusters that a single column explains."""
        if len(self.sizes) == 1:
            return []
        return explaining_conditions(self.rows, self.results.labels, self.profile)

    @property
    def explaining_columns(self) -> list[str]:
        """Columns that explain clusters, each once."""
        return list(dict.fromkeys(condition.column for condition in self.conditions))

    @cached_property
    def cluster_names(self) -> list[str]:
        """A condition or a name for each cluster."""
        return list(self.names) or names_of(self.profile, self.conditions)

    @cached_property
    def scores(self) -> dict[str, float] | None:
        """All scores against the classes; None without classes."""
        if self.rows.labels is None:
            return None
        from sgpmic_cli.scores import score_all  # not needed without classes

        return score_all(self.rows.labels, self.results.labels)


def names_of(profile: Profile, conditions: list[Condition]) -> list[str]:
    """Return a condition such as "wage > 250" or else a proposed name for each cluster."""
    names = profile.proposed_names()
    for condition in conditions:
        names[condition.cluster] = condition.words
    return names


def found_again(labels: Indices, again: Indices) -> tuple[list[int], list[int]]:
    """Return the clusters (N,) that come back in others of the same rows, and those that do not.

    A negative number in `again` is no cluster.
    """
    clusters, codes = np.unique(labels, return_inverse=True)
    common, inside = np.zeros((len(clusters), int(again.max()) + 1)), again >= 0
    np.add.at(common, (codes[inside], again[inside]), 1)
    either = np.bincount(codes)[:, None] + common.sum(axis=0) - common
    back = (common >= OVERLAP * either).any(axis=1)
    return clusters[back].tolist(), clusters[~back].tolist()
