"""A result: clusters of the rows of a table, from any method, and what is known about them."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from sgpmic_cli._typing import Array, Indices
from sgpmic_cli.result.profile import ENOUGH_ROWS, Profile, profile_of
from sgpmic_cli.result.rules import RIGHT, Rule, rules_of
from sgpmic_cli.tables.rows import RowResults, Rows

SAME = 0.95  # rank correlation of a column that follows another one
OVERLAP = 0.75  # Jaccard index of a cluster that is found again (Hennig 2007)


class Refit(NamedTuple):
    """Clusters of the same rows (N,) without some columns, and their mean overlap with refits."""

    labels: Indices
    overlap: float | None


@dataclass(eq=False)
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
    def rules(self) -> list[Rule | None]:
        """The rule of each cluster; None for a cluster without a simple description."""
        several = len(self.sizes) > 1
        return rules_of(self.rows, self.results.labels, self.profile) if several else [None]

    @property
    def explained(self) -> list[Rule]:
        """The rules of the clusters that a single column explains."""
        return [rule for rule in self.rules if rule and rule.explained_by]

    @cached_property
    def explaining_columns(self) -> list[str]:
        """Columns that alone explain clusters, with those that follow them (SAME).

        There are none if further columns explain the same clusters.
        """
        if not self.explained:
            return []
        features, found = self.profile.features_of, dict[str, None]()
        ranks = pd.DataFrame(self.rows.Y[:: 1 + len(self.rows.Y) // ENOUGH_ROWS]).rank().to_numpy()
        for name in dict.fromkeys(rule.explained_by[0] for rule in self.explained):
            found[name] = None
            alike = np.abs([_correlations(ranks, j) for j in features[name]])
            for other, js in features.items():
                if (alike[:, js].max(axis=1) >= SAME).all():
                    found[other] = None
        further = {name for rule in self.explained for name in rule.explained_by} - found.keys()
        return [] if further else [*found]

    @cached_property
    def cluster_names(self) -> list[str]:
        """A name for each cluster: those given, or rules that hold for most of their rows.

        The only cluster without a rule is the rest if few rows break the rules of the others.
        """
        named, astray = [rule.name if rule else "" for rule in self.rules], 0.0
        for rule in filter(None, self.rules):
            wrong = 1.0 - rule.recall + rule.recall * (1.0 / rule.precision - 1.0)
            astray += self.sizes[rule.cluster] * wrong * bool(rule.name)
        if named.count("") == 1 < len(named):
            last = named.index("")
            named[last] = "the rest" if astray <= (1.0 - RIGHT) * self.sizes[last] else ""
        return list(self.names) or [name or f"cluster {m}" for m, name in enumerate(named)]

    @cached_property
    def scores(self) -> dict[str, float] | None:
        """All scores against the classes; None without classes."""
        if self.rows.labels is None:
            return None
        from sgpmic_cli.scores import score_all  # not needed without classes

        return score_all(self.rows.labels, self.results.labels)


def _correlations(Y: Array, j: int) -> Array:
    """Return the correlations of all columns (P,) with column j, over the rows that have both."""
    mask = np.isnan(Y) | np.isnan(Y[:, [j]])
    x, y = np.ma.array(np.broadcast_to(Y[:, [j]], Y.shape), mask=mask), np.ma.array(Y, mask=mask)
    x, y = x - x.mean(axis=0), y - y.mean(axis=0)
    squares = (x**2).sum(axis=0) * (y**2).sum(axis=0)
    return np.asarray(((x * y).sum(axis=0) / np.ma.sqrt(squares)).filled(np.nan))


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
