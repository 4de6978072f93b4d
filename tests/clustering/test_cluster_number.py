import numpy as np
import pytest
from scipy.spatial.distance import cdist
from scipy.stats import norm, pearson3
from sklearn.datasets import make_circles
from sklearn.metrics import silhouette_score

from sgpmic_cli import GroupMap
from sgpmic_cli.clustering.cluster_fit import numbers_to_try
from sgpmic_cli.clustering.clusters.cluster_number import (
    _gamma_quantiles,
    agreements_of_halves,
    choose_number,
    silhouette,
)
from sgpmic_cli.clustering.clusters.cluster_space import shared_dimensions, used_features
from sgpmic_cli.clustering.clusters.discrete_columns import discrete_features
from sgpmic_cli.clustering.clusters.nested_means import NestedMeans


def selection(X, numbers=range(1, 6)):
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    columns = np.arange(X.shape[1])
    discrete = discrete_features(X, columns)
    used = used_features(X, discrete, columns)
    shared = shared_dimensions(X, discrete, used, columns, np.random.RandomState(0))
    found = choose_number(X, list(numbers), shared)
    assert [row["n_clusters"] for row in found.table] == list(numbers)
    return found


def chosen(X, numbers=range(1, 6)):
    return selection(X, numbers).chosen


def gaussian(*shape, distance=0.0):
    """Return Gaussian rows; every second one is moved."""
    X = np.random.RandomState(0).standard_normal(shape)
    return X + distance * (np.arange(shape[0]) % 2)[:, None]


def with_far_row(X):
    return np.r_[X, np.full((1, X.shape[1]), 50.0)]


def with_coins(X, number=2):
    return np.c_[X, np.random.RandomState(1).random_sample((len(X), number)) < 0.5]


def flags():
    wrong = np.random.RandomState(0).random_sample((300, 8)) < 0.05
    return 1.0 * (wrong != (np.arange(300) % 2)[:, None])


def spirals():
    rng = np.random.RandomState(9)  # eleven rows near the end of one spiral are isolated
    turn = np.sqrt(rng.rand(200)) * 3 * np.pi * 0.9 + 0.8
    arm = np.c_[turn * np.cos(turn), turn * np.sin(turn)] / 8
    return np.r_[arm, -arm] + 0.03 * rng.standard_normal((400, 2))


CORNERS = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])[np.arange(200) % 4]
TABLES = {
    "four blobs": (gaussian(200, 2) + 12.0 * CORNERS, 4),
    "rings": (make_circles(300, noise=0.04, factor=0.4, random_state=0)[0], 2),
    "spirals with a splinter": (spirals(), 2),
    "normal cloud": (gaussian(200, 4), 1),
    "uniform cloud": (np.random.RandomState(0).random_sample((200, 4)), 1),
    "skewed cloud": (np.random.RandomState(0).gamma(1.0, size=(500, 5)), 1),
    "cloud and a far row": (with_far_row(gaussian(200, 4)), 1),
    "two groups and a far row": (with_far_row(gaussian(200, 4, distance=6.0)), 2),
    "groups in one of two columns": (gaussian(300, 2, distance=np.array([5.0, 0.0])), 2),
    "groups in one of three columns": (gaussian(300, 3, distance=np.array([5.0, 0.0, 0.0])), 2),
    "cloud beside coins": (with_coins(gaussian(300, 4)), 1),
    "groups beside coins": (with_coins(gaussian(300, 4, distance=6.0)), 2),
    "groups beside more coins": (with_coins(gaussian(300, 3, distance=6.0), 5), 2),
    "flags that agree": (flags(), 2),
    "flags and a far row": (np.c_[flags(), np.eye(300)[:, [7, 7]]], 2),
}


@pytest.mark.parametrize(("X", "number"), TABLES.values(), ids=TABLES)
def test_the_number_of_clusters(X, number):
    assert chosen(X) == number


def test_a_cloud_is_divided_only_on_request():
    assert chosen(TABLES["normal cloud"][0], [2, 3, 4]) in (2, 3, 4)


def plausible(X):
    return [row["n_clusters"] for row in selection(X).table if row["plausible"]]


def test_plausible_numbers_are_those_nearly_as_good():
    assert plausible(gaussian(200, 2)) == [1]
    assert plausible(TABLES["four blobs"][0]) == [4]
    square = np.indices((7, 7)).reshape(2, 49).T
    pairs = np.array([[0, 0], [0, 8.5], [40, 40], [40, 48.5]])  # 2.5 steps of the square apart
    assert {2, 4} <= set(plausible(np.vstack([square + corner for corner in pairs])))


def test_two_rows_are_no_evidence():
    model = fit(np.array([[0.0, 1.0], [5.0, 3.0]]))
    assert (model.n_clusters_, model.no_clusters_) == (1, True)
    assert not model.selection_.drop(columns=["n_clusters", "plausible"]).to_numpy().any()


def fit(X, n_clusters="auto", **parameters):
    return GroupMap(n_clusters, max_iter=1, optimizer_steps=1, random_state=0, **parameters).fit(X)


@pytest.mark.filterwarnings("ignore:.*cluster")
def test_two_distant_groups_of_six_rows_are_two():
    rng = np.random.RandomState(0)
    model = fit(rng.standard_normal((12, 3)) + 50.0 * (np.arange(12) % 2)[:, None])
    assert model.n_clusters_ == 2
    np.testing.assert_array_equal(model.labels_ == model.labels_[0], np.arange(12) % 2 == 0)


@pytest.mark.filterwarnings("ignore:.*cluster")
@pytest.mark.parametrize("n_clusters", ["auto", (2, 4)])
def test_given_labels_decide_the_number(n_clusters):
    X = np.random.RandomState(0).standard_normal((60, 3))
    model = fit(X, n_clusters, init=np.arange(60) % 3)
    assert (model.n_clusters_, model.no_clusters_, model.selection_) == (3, False, None)


@pytest.mark.parametrize(("copies", "most"), [(2000, 2), (1, 4)])
def test_numbers_end_at_the_distinct_rows_and_at_a_tenth_of_the_rows(copies, most):
    X = np.random.RandomState(0).standard_normal((2 if copies > 1 else 40, 3))
    assert numbers_to_try("auto", np.repeat(X, copies, axis=0), None) == list(range(1, most + 1))


@pytest.mark.parametrize("m", [2, 5, 20])
def test_silhouettes_are_those_of_scikit_learn(m):
    X = np.round(np.random.RandomState(0).standard_normal((40, 2)), 1)
    X[:3] += 50.0 * np.arange(1, 4)[:, None]  # clusters of one row
    labels = NestedMeans(X, 20, 2, 0).labels(m)
    assert silhouette(cdist(X, X), labels, m) == pytest.approx(silhouette_score(X, labels))


def test_halves_with_fewer_rows_than_clusters_do_not_agree():
    X, random_state = np.arange(10.0).reshape(5, 2), np.random.RandomState(0)
    assert agreements_of_halves(X, [3], 0, random_state) == [0.0]
    pairs = np.repeat([[0.0], [9.0]], 20, axis=0)
    assert agreements_of_halves(pairs, [2, 25], 0, random_state) == [1.0, 0.0]


@pytest.mark.parametrize("skewness", [0.0, 0.5, 1.5, -1.0])
def test_skewed_references_have_quantiles_of_gamma_distributions(skewness):
    z = np.linspace(-2.0, 2.0, 9)
    exact = pearson3(skewness).ppf(norm.cdf(z))
    np.testing.assert_allclose(_gamma_quantiles(z, np.full(9, skewness)), exact, atol=0.03)
