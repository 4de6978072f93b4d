import numpy as np
import pytest
from sklearn.datasets import make_moons
from sklearn.metrics import adjusted_rand_score

from sgpmic_cli import GroupMap
from sgpmic_cli.clustering import group_map
from sgpmic_cli.clustering.clusters import islands
from sgpmic_cli.clustering.clusters.islands import surviving_groups
from sgpmic_cli.clustering.clusters.verdicts import continuous_columns


def one_cluster(X):
    return np.zeros(len(X), dtype=int)


def found(X, views=(), seed=0):
    """Return the groups of rows; the fit has one cluster, so that the search finds them."""
    return surviving_groups(X / X.std(axis=0), one_cluster(X), views, seed)


def with_island(fraction, distance=8.0, n=1500, columns=4):
    X = np.random.RandomState(0).randn(n, columns)
    inside = np.arange(n) < fraction * n
    X[inside, :2] += distance / np.sqrt(2)
    return X, inside


def test_a_small_island_is_a_group_and_the_rest_is_not():
    X, inside = with_island(0.03)
    groups = found(X)
    assert adjusted_rand_score(groups.labels, inside) > 0.95
    assert set(groups.labels[~inside]) == {-1}
    assert len(groups.depths) == 1
    assert groups.depths[0] < 0.2


def test_two_halves_with_a_gap_are_two_groups():
    X, inside = with_island(0.4)
    groups = found(X)
    assert set(groups.labels) == {0, 1}
    assert (groups.labels == 0).sum() > (groups.labels == 1).sum()
    assert adjusted_rand_score(groups.labels, inside) > 0.95


def test_groups_in_one_of_several_columns_are_found():
    X = np.random.RandomState(0).randn(1500, 6)
    X[:700, 3] += 4.0
    assert adjusted_rand_score(found(X).labels, np.arange(1500) < 700) > 0.7


def test_curved_groups_are_found_on_a_map():
    X, labels = make_moons(500, noise=0.05, random_state=0)
    assert adjusted_rand_score(found(X).labels, labels) == 1.0
    X[labels == 1, 1] -= 0.2
    hidden = np.column_stack([X, np.random.RandomState(0).randn(500, 3)])
    assert found(hidden, views=[X]).labels.max() == 1


@pytest.mark.parametrize("seed", range(3))
def test_clouds_have_no_groups(seed):
    random = np.random.RandomState(seed)
    normal = random.randn(500, 3)
    heavy = normal / np.sqrt(random.chisquare(3, (500, 1)) / 3)
    for X in (normal, heavy, random.rand(500, 3), random.exponential(size=(500, 3))):
        assert (found(X).labels == -1).all()


def test_few_rows_and_discrete_columns_have_no_groups():
    X, _ = with_island(0.5, n=12)
    assert (found(X).labels == -1).all()
    flags = np.random.RandomState(0).randint(0, 2, (300, 5)).astype(float)
    assert (surviving_groups(continuous_columns(flags), one_cluster(flags)).labels == -1).all()


def test_groups_that_any_column_left_out_hides_are_left_out(monkeypatch):
    random, inside = np.random.RandomState(0), np.arange(1000) < 500
    a, b = random.randn(2, 1000)
    X = np.column_stack([a, b, a + b + 0.3 * random.randn(1000) + 1.8 * inside])
    assert (found(X).labels == -1).all()
    monkeypatch.setattr(islands, "_survives", lambda X, way, found, seed: np.ones(2, dtype=bool))
    assert adjusted_rand_score(found(X).labels, inside) > 0.95


def test_the_depth_of_a_part_is_that_of_its_shallowest_valley():
    random = np.random.RandomState(0)
    X = random.standard_normal((900, 2))
    X[:, 0] += np.repeat([0.0, 4.0, 9.0], 300)
    nearest, partition = islands.nearest_rows(X), np.repeat([0, 1, 2], 300)
    depths = {v[:2]: v.depth for v in islands.find_valleys(X, partition, nearest, 0)}
    assert depths[0, 1] > depths[1, 2]
    found = islands._parts(X, partition, nearest, 0.05, 0)
    assert found.depths == [depths[0, 1], depths[0, 1], depths[1, 2]]


def test_the_estimator_has_verdicts_and_groups():
    X, inside = with_island(0.05, n=600)
    model = GroupMap(2, random_state=0).fit(X)
    assert [each["verdict"] for each in model.verdicts_] == ["group", "group"]
    assert adjusted_rand_score(model.groups_, inside) > 0.95


def test_rows_beyond_the_subsample_have_groups():
    X, inside = with_island(0.3, n=1200)
    with pytest.warns(UserWarning, match="subsample"):
        model = GroupMap(2, random_state=0, max_rows=400).fit(X)
    assert adjusted_rand_score(model.groups_, inside) > 0.95


def test_many_rows_of_flags_have_no_group(monkeypatch):
    monkeypatch.setattr(group_map, "VERDICT_ROWS", 50)
    flags = np.random.RandomState(0).randint(0, 2, (100, 6))
    model = GroupMap(2, random_state=0, max_iter=1).fit(flags)
    assert (model.groups_ == -1).all()
