"""The search for groups: what it looks at, and what a cluster is."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from sgpmic_cli.clustering.cluster_fit import prepare_rows
from sgpmic_cli.clustering.clusters import search as module
from sgpmic_cli.clustering.clusters.columns import two_peaks
from sgpmic_cli.clustering.clusters.groups import Groups
from sgpmic_cli.clustering.clusters.search import GroupSearch, search_groups


def noise(*shape, seed=0):
    return np.random.RandomState(seed).standard_normal(shape)


def searched(X):
    """Return a search in standardised rows, and their order in it."""
    prepared = prepare_rows((X - X.mean(axis=0)) / X.std(axis=0), np.arange(X.shape[1]))
    return prepared.search, prepared.order


def with_groups(labels, columns=3):
    """Return a search whose groups are given."""
    features = np.ones(columns, dtype=bool)
    search = GroupSearch(noise(len(labels), columns), ~features, features, np.arange(columns))
    search.groups = Groups(np.asarray(labels), search.rows, lambda *_: None, 1.0, "given")
    return search


def verdicts(groups, clusters):
    found = with_groups(groups).verdicts(np.asarray(clusters), max(clusters) + 1)
    return [each["verdict"] for each in found]


GROUPS = np.repeat([0, 1, 2], [40, 30, 30])


def test_clusters_that_consist_of_groups_are_groups():
    assert verdicts(GROUPS, GROUPS) == ["group"] * 3
    assert verdicts(GROUPS, np.minimum(GROUPS, 1)) == ["group"] * 2  # two groups in one cluster
    nearly = GROUPS.copy()
    nearly[0] = 1
    assert verdicts(GROUPS, nearly) == ["group"] * 3


def test_a_group_in_several_clusters_makes_none_of_them_a_group():
    halves = np.where(np.arange(100) < 20, 3, GROUPS)
    assert verdicts(GROUPS, halves) == ["slice", "group", "group", "slice"]
    thirds = np.where(np.arange(100) < 12, 1, GROUPS)
    assert verdicts(GROUPS, thirds) == ["slice", "slice", "group"]
    assert verdicts(GROUPS, np.where(GROUPS == 2, 3, GROUPS))[2] == "slice"  # it has no rows


def test_clusters_of_rows_without_groups_are_slices_unless_the_rows_are_few():
    search, _ = searched(noise(60, 3))
    assert search.groups is None
    labels = np.arange(60) % 2
    assert search.verdicts(labels, 2) == [{"verdict": "slice"}] * 2
    few, _ = searched(noise(12, 3))
    assert few.verdicts(labels[:12], 2) == [{"verdict": "too few rows to say"}] * 2


def test_columns_of_few_values_take_no_part():
    cells = np.random.RandomState(0).randint(0, 2, (100, 3)).astype(float)
    assert searched(cells)[0].groups is None
    inside = np.arange(100) < 40
    X = np.c_[noise(100, 2) + 7.0 * inside[:, None], cells]
    search, order = searched(X)
    assert adjusted_rand_score(search.groups.labels, inside[order]) == 1.0
    assert search.groups.number == 2


def test_groups_in_two_of_many_columns_are_found():
    inside = np.arange(100) < 40
    X = noise(100, 40)
    X[:, :2] += 7.0 * inside[:, None]
    search, order = searched(X)
    assert search._views.groups() is None
    assert adjusted_rand_score(search.groups.labels, inside[order]) > 0.95


@pytest.mark.parametrize("columns", [1, 20])
def test_a_gap_in_a_single_column_shows_groups_and_a_valley_does_not(columns):
    inside = np.arange(200) < 80
    X = noise(200, columns)
    X[:, 0] += 8.0 * inside
    search, order = searched(X)
    assert adjusted_rand_score(search.groups.labels, inside[order]) == 1.0
    X[::5, 0] = np.linspace(0.0, 8.0, 40)  # fills the gap
    assert two_peaks(X[:, 0]) is not None
    assert searched(X)[0].groups is None


def test_rows_beyond_the_subsample_have_the_group_of_the_nearest_row(monkeypatch):
    monkeypatch.setattr(module, "SAMPLE", 60)
    X, inside = noise(200, 3), np.arange(200) % 3 == 0
    X += 9.0 * inside[:, None]
    search, order = searched(X)
    assert len(search.groups.labels) == 60
    labels = search.labels(search.groups)
    np.testing.assert_array_equal(labels == labels[0], inside[order] == inside[order][0])
    on_map = search.on_map(replace(search.groups, points=search.sample[:, :2]))
    distances = np.linalg.norm(search.rows[:, None] - search.sample, axis=2)
    nearest = distances.argsort(axis=1)[:, :3]
    np.testing.assert_allclose(on_map, search.sample[nearest, :2].mean(axis=1))


def test_copies_of_a_whole_table_are_searched_once():
    X = np.round(noise(60, 3) + 9.0 * (np.arange(60) % 2)[:, None], 1)
    X[2] = X[0]  # two rows may agree, which is no copy of the table
    search, order = searched(np.repeat(X, 3, axis=0))
    once = searched(X)[0].sample
    np.testing.assert_allclose(np.sort(search.sample, axis=0), np.sort(once, axis=0))
    assert len(search.sample) == 60
    labels = search.labels(search.groups)
    assert adjusted_rand_score(labels, order // 3 % 2) == 1.0


def test_a_number_is_that_of_groups_that_some_view_shows():
    centres = 9.0 * np.eye(3)[np.arange(90) % 3]
    search, order = searched(noise(90, 3) + centres)
    found = search.of_number(3)
    assert adjusted_rand_score(found.labels, order % 3) == 1.0
    assert search.of_number(1) is None
    assert searched(noise(90, 3))[0].of_number(2) is None


def test_a_sample_of_sparse_places_has_the_rows_of_a_small_group():
    rows = np.random.RandomState(0).standard_normal((5025, 3))
    rows[:25, 0] += 12.0
    features = np.zeros(3, dtype=bool)
    counts = [
        np.count_nonzero(
            GroupSearch(rows, features, ~features, np.arange(3), sparse).sample[:, 0] > 8
        )
        for sparse in (False, True)
    ]
    assert counts[0] < 15 < counts[1]


@pytest.mark.slow
def test_a_small_group_beside_thousands_of_rows_is_found():
    rows = np.random.RandomState(0).standard_normal((3025, 3))
    rows[:25, :2] += 9.0
    features = np.zeros(3, dtype=bool)
    search = search_groups(rows, features, ~features, np.arange(3))
    assert np.sort(np.bincount(search.labels(search.groups))).tolist() == [25, 3000]
