"""Search groups in prepared rows, and say what each cluster is.

Two views that agree come first (`groups.py`), then curved sheets (`curved.py`). Neither is searched
in columns of few values, whose cells agree perfectly and mean nothing. All evidence comes from a
subsample of SAMPLE rows; the other rows join the nearest row of it.
"""

from functools import cached_property
from typing import Any

import numpy as np
from sklearn.neighbors import NearestNeighbors

from sgpmic_cli._typing import Array, BoolArray, Indices
from sgpmic_cli.clustering.clusters import SAMPLE
from sgpmic_cli.clustering.clusters.columns import two_peaks
from sgpmic_cli.clustering.clusters.curved import LEAST_COLUMNS, sheets
from sgpmic_cli.clustering.clusters.groups import AGREEMENT, FEWEST, Groups, Views

FEWEST_ROWS = 20  # of a table that is called a continuum


class GroupSearch:
    """A search for groups in weighted rows (N, P).

    `discrete` and `numeric` (P,) are the features with few effective values and with many different
    values. `columns` (P,) is the column of each feature. The answer depends on the rows alone.
    """

    def __init__(
        self,
        rows: Array,
        discrete: BoolArray,
        numeric: BoolArray,
        columns: Indices,
        sparse: bool = False,
    ):
        # Copies of a whole table say nothing. Rounded, because a change of unit splits copies.
        _, group, counts = np.unique(rows.round(6), axis=0, return_inverse=True, return_counts=True)
        order = np.argsort(group.ravel(), kind="stable")
        turn = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
        distinct = np.sort(order[turn < np.repeat(counts // counts.min(), counts)])
        weights = _sparseness(rows[distinct]) if sparse else None
        random_state, most = np.random.RandomState(0), min(SAMPLE, len(distinct))
        sample = np.sort(random_state.choice(distinct, most, replace=False, p=weights))
        self.rows, self.sample = rows, rows[sample]
        few = len(np.unique(columns[numeric])) < len(np.unique(columns)) / 2
        self._views = self._of(~discrete)
        self._numeric = None if few else self._of(numeric)
        if self._views and self._numeric and self._views.Y.shape == self._numeric.Y.shape:
            self._numeric = self._views  # with the map, which takes most of the time

    @cached_property
    def groups(self) -> Groups | None:
        """The groups that the rows show, or None."""
        if self._views is None:
            return self._sheets(None)
        return self._views.groups() or self._in_few_columns() or self._sheets(None)

    def of_number(self, number: int) -> Groups | None:
        """Return this number of groups, or None if the rows do not show them."""
        if number < 2:
            return None
        found = None if self._views is None else self._views.of_number(number)
        return self._sheets(number) if found is None else found

    def labels(self, groups: Groups) -> Indices:
        """Return the group of every row, (N,): that of the nearest row of the subsample."""
        if len(self.sample) == len(self.rows):
            return groups.labels
        search = NearestNeighbors(n_neighbors=1).fit(self.sample)
        return groups.labels[search.kneighbors(self.rows)[1][:, 0]]

    def on_map(self, groups: Groups) -> Array:
        """Return the place of every row (N, 2) on the map of the neighbours that shows groups."""
        if len(self.sample) == len(self.rows):
            return groups.points
        search = NearestNeighbors(n_neighbors=3).fit(self.sample)
        return np.asarray(groups.points[search.kneighbors(self.rows)[1]].mean(axis=1))

    def verdicts(self, labels: Indices, n_clusters: int) -> list[dict[str, Any]]:
        """Return what each cluster (N,) is: a group, a slice, or too few rows to say.

        A cluster is a group if it consists of groups. A group that lies in several clusters makes
        none of them a group.
        """
        if self.groups is None:
            few = len(self.rows) < FEWEST_ROWS
            return [{"verdict": "too few rows to say" if few else "slice"}] * n_clusters
        groups = self.labels(self.groups)
        counts = np.zeros((n_clusters, self.groups.number))
        np.add.at(counts, (labels, groups), 1)
        sizes, verdicts = counts.sum(axis=0), []
        for row in counts:
            held = row > 0.5 * sizes
            either = row.sum() + sizes[held].sum() - row[held].sum()
            is_group = row[held].sum() >= AGREEMENT * max(either, 1.0)
            verdicts.append({"verdict": "group" if is_group else "slice"})
        return verdicts

    def _of(self, features: BoolArray) -> Views | None:
        """Return the views of some features, or None if there is too little to look at."""
        if not features.any() or len(self.sample) < FEWEST_ROWS // 2:
            return None
        return Views(self.sample[:, features])

    def _in_few_columns(self) -> Groups | None:
        """Return groups in the columns with two peaks: beside many others they do not show."""
        assert self._views is not None
        peaks = np.array([two_peaks(column) is not None for column in self._views.Y.T])
        return Views(self._views.Y[:, peaks]).groups() if 0 < peaks.sum() < len(peaks) else None

    def _sheets(self, number: int | None) -> Groups | None:
        few = len(self.sample) < FEWEST_ROWS
        if few or self._numeric is None or self._numeric.Y.shape[1] < LEAST_COLUMNS:
            return None
        return sheets(self._numeric.Y, self._numeric.chart, number)


def search_groups(
    rows: Array, discrete: BoolArray, numeric: BoolArray, columns: Indices
) -> GroupSearch:
    """Return a search in a random subsample, or in one of sparse places if only that has groups.

    A random subsample has too few rows of a small group beside thousands of others.
    """
    search = GroupSearch(rows, discrete, numeric, columns)
    if len(rows) > SAMPLE and search.groups is None:
        sparse = GroupSearch(rows, discrete, numeric, columns, sparse=True)
        return search if sparse.groups is None else sparse
    return search


def _sparseness(rows: Array) -> Array:
    """Return the probability (N,) of a row to be drawn, by the distance to its neighbours."""
    distances = NearestNeighbors(n_neighbors=FEWEST).fit(rows).kneighbors()[0][:, -1]
    distances += 1e-9
    return np.asarray(distances / distances.sum())
