"""Groups that two views of the rows agree about."""

from functools import cache

import numpy as np
import pytest
from sklearn.datasets import make_blobs, make_circles, make_moons
from sklearn.metrics import adjusted_rand_score

from sgpmic_cli.clustering.clusters import groups
from sgpmic_cli.clustering.clusters.groups import BY_GAPS, BY_VIEWS, Groups, Views, neighbour_map


def noise(*shape, seed=0):
    return np.random.RandomState(seed).standard_normal(shape)


def spirals(n=200):
    random = np.random.RandomState(9)
    turn = np.sqrt(random.rand(n)) * 3 * np.pi * 0.9 + 0.8
    arm = np.c_[turn * np.cos(turn), turn * np.sin(turn)] / 8
    return np.r_[arm, -arm] + 0.03 * random.standard_normal((2 * n, 2)), np.repeat([0, 1], n)


def beside_a_cloud(fraction, n=300):
    inside = np.arange(n) < fraction * n
    return noise(n, 3) + 6.0 * inside[:, None], inside


def beside_noise(column):
    """Return a column beside three columns of a cloud."""
    return np.c_[noise(len(column), 3, seed=1), column]


N = 160
HALF = np.random.RandomState(2).random_sample(N) < 0.5
FEW = np.arange(N) < 9
AGES = 40.0 + 12.0 * noise(N, seed=3)
TABLES = {
    "blobs": lambda: make_blobs(N, 3, centers=4, cluster_std=0.7, random_state=1),
    "moons": lambda: make_moons(N, noise=0.06, random_state=0),
    "rings": lambda: make_circles(240, noise=0.05, factor=0.4, random_state=0),
    "small group": lambda: beside_a_cloud(0.05),
    "few rows of a column": lambda: (beside_noise(noise(N) + 12.0 * FEW), FEW),
    "measured column": lambda: (beside_noise(noise(N) + 12.0 * HALF), HALF),
}
CLOUDS = {
    "Gaussian": noise(N, 3),
    "uniform": np.random.RandomState(0).random_sample((N, 3)),
    "heavy tails": np.random.RandomState(0).standard_t(3, (N, 3)),
    "price points": beside_noise(np.random.RandomState(0).choice([10, 20, 50, 100], N)),
    "codes": beside_noise(np.where(HALF, 0.0, 8.0)),
    "mostly imputed": beside_noise(np.where(noise(N) < 0.5, 0.0, 7.0 + noise(N, seed=3))),
    "heaped ages": beside_noise(
        np.where(HALF, 10, 1) * ((40 + 12 * noise(N, seed=3)) / np.where(HALF, 10, 1)).round()
    ),
}


@cache
def views(name):
    X = 1.0 * (CLOUDS[name] if name in CLOUDS else TABLES[name]()[0])
    return Views((X - X.mean(axis=0)) / X.std(axis=0))


@pytest.mark.parametrize("name", TABLES)
def test_groups_of_any_shape_and_size_are_those_that_views_agree_about(name):
    found, labels = views(name).groups(), TABLES[name]()[1]
    assert adjusted_rand_score(found.labels, labels) > 0.9
    assert found.number == labels.max() + 1
    assert found.evidence == (BY_GAPS if name == "rings" else BY_VIEWS)
    np.testing.assert_array_equal(found.divide(found.points, found.number), found.labels)


@pytest.mark.parametrize("name", CLOUDS)
def test_clouds_and_columns_of_repeated_values_have_no_groups(name):
    assert views(name).groups() is None


def test_repeated_values_count_if_other_columns_show_the_groups():
    X = beside_noise(np.where(HALF, 0.0, 8.0))
    X[:, :2] += 3.0 * HALF[:, None]
    found = Views((X - X.mean(axis=0)) / X.std(axis=0)).groups()
    assert adjusted_rand_score(found.labels, HALF) > 0.99


def test_views_that_agree_less_say_nothing(monkeypatch):
    cloud = views("Gaussian")
    best = max(found.score for found in cloud.divisions)
    assert 0.0 < best < groups.AGREEMENT
    monkeypatch.setattr(groups, "AGREEMENT", best)
    monkeypatch.setattr(groups, "AGAIN", 0.0)
    monkeypatch.setattr(groups, "_of_one_column", lambda *_: False)
    assert cloud.groups().score == best


def test_the_agreement_is_the_best_rand_index_with_the_other_view():
    for name in ("small group", "Gaussian"):
        found = views(name)
        of_columns = [each for each in found.divisions if each.points is found.Y]
        of_map = [each for each in found.divisions if each.points is found.chart]
        for one, others in ((of_columns, of_map), (of_map, of_columns)):
            for each in one:
                if each.number > 1:
                    scores = [
                        adjusted_rand_score(each.labels, other.labels)
                        for other in others
                        if other.number > 1
                    ]
                    assert each.score == pytest.approx(max(scores))


def made(number, agreement, again=True):
    """Return groups along a line, which come back without a tenth of the rows or do not."""
    line = np.arange(60.0)[:, None]

    def divide(points, number):
        places = points[:, 0] if again else np.arange(len(points))[::-1] * 7
        return (places * number // 60 % number).astype(int)

    labels = (line[:, 0] * number // 60).astype(int)
    return Groups(labels, line, divide, agreement, "")


def test_the_finest_of_equal_agreements_is_taken():
    candidates = [made(2, 1.0), made(3, 1.0), made(4, 0.99), made(6, 0.5)]
    assert groups._best(candidates, 0.85).number == 3
    assert groups._best(candidates[3:], 0.85) is None


def test_groups_come_back_without_a_tenth_of_the_rows():
    assert made(3, 1.0).stability.min() > 0.95
    assert made(3, 1.0, again=False).stability.max() < 0.7
    candidates = [made(3, 1.0, again=False), made(2, 0.9)]
    assert groups._best(candidates, 0.85).number == 2
    assert groups._best(candidates[:1], 0.85) is None


def test_overlaps_are_the_largest_jaccard_indices():
    overlaps = groups.overlaps
    found = overlaps(np.array([0, 0, 0, 1, 1]), np.array([0, 0, 1, 1, 1]))
    np.testing.assert_allclose(found, [2 / 3, 2 / 3])
    np.testing.assert_allclose(overlaps(np.array([0, 0, 1, 1]), np.zeros(4, int)), 0.5)
    assert overlaps(np.arange(4), np.arange(4)[::-1]).tolist() == pytest.approx([1.0] * 4)


def test_spirals_that_no_views_agree_about_are_found_by_their_gap():
    X, labels = spirals()
    view = Views((X - X.mean(axis=0)) / X.std(axis=0))
    view.chart = noise(*X.shape)  # takes less time than a map, and shows nothing either
    found = view.groups()
    assert max(each.score for each in view.divisions) < groups.AGREEMENT
    assert found.evidence == BY_GAPS
    np.testing.assert_array_equal(found.labels == found.labels[0], labels == 0)
    np.testing.assert_array_equal(view.of_number(2).labels, found.labels)
    assert views("Gaussian").of_number(2) is None
    assert views("blobs").of_number(4).number == 4


def test_rows_of_noise_join_the_nearest_cluster():
    X, inside = beside_a_cloud(0.3)
    X = np.r_[X, [[9.0, 9.0, 9.0], [-4.0, -4.0, -4.0]]]
    labels = groups.by_density(X, 20, None)
    np.testing.assert_array_equal(labels[:300], labels[0] * inside + labels[299] * ~inside)
    assert labels[300:].tolist() == [labels[0], labels[299]]
    assert groups.by_density(noise(60, 2), 30, None).max() == 0


def test_the_map_does_not_depend_on_any_order_or_on_rounding_errors():
    X = views("blobs").Y[:80]
    chart = neighbour_map(X)
    np.testing.assert_allclose(neighbour_map(X[:, [2, 0, 1]]), chart)
    np.testing.assert_allclose(neighbour_map(X + 1e-10 * noise(*X.shape)), chart)
    np.testing.assert_array_equal(neighbour_map(X[::-1]), chart[::-1])
    assert neighbour_map(X[:, :1]).shape == (80, 2)
