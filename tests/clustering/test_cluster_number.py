"""The number of clusters of the estimator: what is tried, and what decides."""

import numpy as np
import pytest

from sgpmic_cli import GroupMap
from sgpmic_cli.clustering.cluster_fit import numbers_to_try


def fit(X, n_clusters="auto", **parameters):
    return GroupMap(n_clusters, max_iter=1, optimizer_steps=1, random_state=0, **parameters).fit(X)


def test_two_rows_are_no_evidence():
    model = fit(np.array([[0.0, 1.0], [5.0, 3.0]]))
    assert (model.n_clusters_, model.no_clusters_) == (1, True)
    assert not model.selection_.drop(columns="n_clusters").to_numpy().any()


@pytest.fixture(scope="module")
def three_groups():
    return np.random.RandomState(0).standard_normal((90, 3)) + 9.0 * (np.arange(90) % 3)[:, None]


def test_groups_decide_the_number_if_the_range_has_it(three_groups):
    for n_clusters in ("auto", (2, 4)):
        model = fit(three_groups, n_clusters, n_resamples=2)
        assert (model.n_clusters_, model.no_clusters_) == (3, False)
        assert model.selection_["n_clusters"].tolist() == [3]
        assert model.selection_["score"].tolist() == [1.0]
        assert model.base_clusterings_ == (model.selection_["evidence"][0],)
        assert set(model.summary_["verdict"]) == {"group"}
        np.testing.assert_array_equal(model.stability_, 1.0)


def test_numbers_without_the_groups_are_compared_by_silhouettes(three_groups):
    model = fit(three_groups, (4, 5))
    assert model.selection_["n_clusters"].tolist() == [4, 5]
    assert "silhouette" in model.selection_
    assert sorted(model.summary_["verdict"]) == ["group", "group", "slice", "slice"]


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


@pytest.mark.parametrize(("rows", "copies", "most"), [(2, 2000, 2), (40, 1, 10), (200, 1, 15)])
def test_numbers_end_at_the_distinct_rows_and_at_a_quarter_of_the_rows(rows, copies, most):
    X = np.random.RandomState(0).standard_normal((rows, 3))
    assert numbers_to_try("auto", np.repeat(X, copies, axis=0), None) == list(range(1, most + 1))
