"""The number of clusters: the evidence, and the choice."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.datasets import make_circles
from sklearn.metrics import silhouette_score

from sgpmic_cli import SGPMIC
from sgpmic_cli.clustering.model.cluster_fit import numbers_to_try
from sgpmic_cli.clustering.model.clusters.cluster_number import _silhouette, choose_number
from sgpmic_cli.clustering.model.clusters.cluster_space import shared_dimensions, used_features
from sgpmic_cli.clustering.model.clusters.discrete_columns import discrete_features


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


def plausible(X):
    return [row["n_clusters"] for row in selection(X).table if row["plausible"]]


def test_four_blobs_are_four():
    rng = np.random.RandomState(2)
    centres = np.repeat(rng.standard_normal((4, 3)), 50, axis=0)
    assert chosen(0.1 * rng.standard_normal((200, 3)) + centres) == 4


def test_rings_are_two_though_k_means_shows_more():
    assert chosen(make_circles(300, noise=0.04, factor=0.4, random_state=0)[0]) == 2


def test_a_splinter_that_lasts_longer_does_not_hide_two_spirals():
    rng = np.random.RandomState(9)  # eleven rows near the end of one spiral are isolated
    turn = np.sqrt(rng.rand(200)) * 3 * np.pi * 0.9 + 0.8
    arm = np.c_[turn * np.cos(turn), turn * np.sin(turn)] / 8
    assert chosen(np.r_[arm, -arm] + 0.03 * rng.standard_normal((400, 2))) == 2


@pytest.mark.parametrize("sample", ["standard_normal", "random_sample"])
def test_a_cloud_is_one_cluster(sample):
    X = getattr(np.random.RandomState(1), sample)((200, 4))
    assert chosen(X) == 1
    assert chosen(X, [2, 3, 4]) in (2, 3, 4)


@pytest.mark.parametrize(("distance", "number"), [(0.0, 1), (6.0, 2)])
def test_a_row_far_away_is_no_cluster(distance, number):
    Y = np.random.RandomState(0).standard_normal((200, 4))
    Y[:100] += distance
    Y[0] = 50.0
    assert chosen(Y) == number


def test_a_skewed_cloud_is_one_cluster():
    assert chosen(np.random.RandomState(3).gamma(1.0, size=(500, 5)), range(1, 9)) == 1


@pytest.mark.parametrize("n_columns", [2, 3])
def test_clusters_in_one_column_show_beside_columns_without_any(n_columns):
    Y = np.random.RandomState(0).standard_normal((300, n_columns))
    Y[:, 0] += 5.0 * (np.arange(300) % 2)
    assert chosen(Y) == 2


@pytest.mark.parametrize(("distance", "number"), [(0.0, 1), (6.0, 2)])
def test_independent_flags_are_no_clusters(distance, number):
    random = np.random.RandomState(0)
    Y = random.standard_normal((300, 4)) + distance * (np.arange(300) % 2)[:, None]
    assert chosen(np.c_[Y, random.random_sample((300, 2)) < 0.5]) == number


def test_flags_that_agree_are_clusters():
    wrong = np.random.RandomState(0).random_sample((300, 8)) < 0.05
    assert chosen(1.0 * (wrong != (np.arange(300) % 2)[:, None])) > 1


def test_plausible_numbers_are_those_nearly_as_good():
    random = np.random.RandomState(1)
    cloud = random.standard_normal((200, 2))
    assert plausible(cloud) == [1]
    far = 12.0 * np.array([[0, 0], [0, 1], [1, 0], [1, 1]])[np.arange(200) % 4]
    assert plausible(cloud + far) == [4]
    square = np.indices((7, 7)).reshape(2, 49).T
    pairs = np.array([[0, 0], [0, 8.5], [40, 40], [40, 48.5]])  # 2.5 steps of the square apart
    assert {2, 4} <= set(plausible(np.vstack([square + corner for corner in pairs])))


def test_two_rows_are_no_evidence():
    model = fit(np.array([[0.0, 1.0], [5.0, 3.0]]))
    assert (model.n_clusters_, model.no_clusters_) == (1, True)


def fit(X, n_clusters="auto", **parameters):
    return SGPMIC(n_clusters, max_iter=1, optimizer_steps=1, random_state=0, **parameters).fit(X)


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


def test_the_score_takes_half_of_the_reference_from_the_silhouette():
    random = np.random.RandomState(0)
    X = random.standard_normal((200, 2)) + 4.0 * (np.arange(200) % 2)[:, None]
    for row in selection(X).table[1:]:
        assert row["reference"] > 0.1
        assert row["score"] == pytest.approx(row["silhouette"] - 0.5 * row["reference"])


def test_a_single_row_is_no_cluster_of_flags():
    wrong = np.random.RandomState(0).random_sample((300, 8)) < 0.05
    flags = 1.0 * (wrong != (np.arange(300) % 2)[:, None])
    far = np.r_[np.zeros(299), 40.0]
    assert chosen(np.c_[flags, far, far]) == 2


@pytest.mark.parametrize("m", [2, 5, 20])
def test_silhouettes_are_those_of_scikit_learn(m):
    X = np.round(np.random.RandomState(0).standard_normal((40, 2)), 1)
    X[:3] += 50.0 * np.arange(1, 4)[:, None]  # clusters of one row
    value, labels = _silhouette(X, cdist(X, X), m, 0, n_init=2)
    assert value == pytest.approx(silhouette_score(X, labels))
