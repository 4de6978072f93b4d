import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.metrics import silhouette_score

from sgpmic_cli.clustering.cluster_fit import prepare_rows
from sgpmic_cli.clustering.clusters.nested_means import nested_means, silhouette
from sgpmic_cli.clustering.clusters.slices import choose_number


def selection(X, numbers=range(1, 6)):
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    prepared = prepare_rows(X, np.arange(X.shape[1]))
    found = choose_number(prepared.rows, list(numbers), prepared.shared)
    assert [row["n_clusters"] for row in found.table] == list(numbers)
    return found


def gaussian(*shape, distance=0.0):
    """Return Gaussian rows; every second one is moved."""
    X = np.random.RandomState(0).standard_normal(shape)
    return X + distance * (np.arange(shape[0]) % 2)[:, None]


def with_coins(X, number=2):
    return np.c_[X, np.random.RandomState(1).random_sample((len(X), number)) < 0.5]


def flags(groups=2, columns=8):
    wrong = np.random.RandomState(0).random_sample((300, columns)) < 0.05
    patterns = np.arange(columns) // 2 % groups == np.arange(groups)[:, None]
    return 1.0 * (wrong != patterns[np.arange(300) % groups])


CORNERS = np.array([[0.0, 0.0], [1.0, 0.3], [0.3, 1.0]])[np.arange(200) % 3]
TABLES = {
    "three blobs": (gaussian(200, 2) + 12.0 * CORNERS, 3),
    "normal cloud": (gaussian(200, 4), 1),
    "correlated cloud": (gaussian(200, 2) @ [[1.0, 0.9, 0.5], [0.0, 0.3, 0.8]], 1),
    "uniform cloud": (np.random.RandomState(0).random_sample((200, 4)), 1),
    "skewed cloud": (np.random.RandomState(0).gamma(1.0, size=(500, 5)), 1),
    "blobs that touch": (gaussian(200, 2) + 5.0 * CORNERS, 3),
    "cloud beside coins": (with_coins(gaussian(300, 4)), 1),
    "groups beside coins": (with_coins(gaussian(300, 4, distance=6.0)), 2),
    "groups beside more coins": (with_coins(gaussian(300, 3, distance=6.0), 5), 2),
    "coins": (with_coins(np.empty((300, 0)), 6), 1),
    "flags that agree": (flags(), 2),
    "three patterns of flags": (flags(3, 12), 3),
    "flags beside a cloud": (np.c_[gaussian(300, 5), flags()], 2),
}


@pytest.mark.parametrize(("X", "number"), TABLES.values(), ids=TABLES)
def test_the_number_of_slices(X, number):
    assert selection(X).chosen == number


def test_a_cloud_is_divided_only_on_request():
    assert selection(TABLES["normal cloud"][0], [2, 3, 4]).chosen in (2, 3, 4)


def test_the_table_compares_silhouettes_with_those_of_a_cloud():
    table = selection(TABLES["three blobs"][0]).table
    assert table[0] == {"n_clusters": 1, "silhouette": 0.0, "reference": 0.0, "score": 0.0}
    assert table[2]["silhouette"] > 0.6 > table[2]["reference"] > 0.2
    cloud = selection(gaussian(200, 4)).table[1:]
    for row in cloud:
        assert row["silhouette"] == pytest.approx(row["reference"], abs=0.04)


def test_the_choice_depends_on_the_rows_and_not_on_their_number(monkeypatch):
    monkeypatch.setattr("sgpmic_cli.clustering.clusters.slices.SAMPLE", 150)
    assert selection(TABLES["three blobs"][0]).chosen == 3
    assert selection(gaussian(400, 4)).chosen == 1


@pytest.mark.parametrize("m", [2, 5, 20])
def test_silhouettes_are_those_of_scikit_learn(m):
    X = np.round(np.random.RandomState(0).standard_normal((40, 2)), 1)
    X[:3] += 50.0 * np.arange(1, 4)[:, None]  # clusters of one row
    labels = nested_means(X, [m], 2, 0)[0]
    assert silhouette(cdist(X, X), labels, m) == pytest.approx(silhouette_score(X, labels))


def test_silhouettes_of_one_cluster_and_of_single_rows_are_zero():
    distances = cdist(CORNERS, CORNERS)
    assert silhouette(distances, np.zeros(200, dtype=int), 1) == 0.0
    assert silhouette(distances, np.arange(200), 200) == 0.0


def test_columns_of_very_different_units_are_compared_with_finite_clouds():
    Y = np.random.RandomState(0).standard_normal((40, 3)) * [1.0, 1.0, 1e18]
    assert np.isfinite([row["reference"] for row in choose_number(Y, [1, 2, 3], None)[1]]).all()
