import numpy as np
from sklearn.cluster import KMeans

from sgpmic_cli.clustering.clusters import verdicts
from sgpmic_cli.clustering.clusters.verdicts import continuous_columns, verdicts_of


def gaussians(*sizes, distance=6.0, columns=2, seed=0):
    labels = np.repeat(np.arange(len(sizes)), sizes)
    X = np.random.RandomState(seed).randn(len(labels), columns)
    X[:, 0] += distance * labels
    return X, labels


def kinds(X, labels):
    return [each.verdict for each in verdicts_of(X, labels, labels.max() + 1)]


def test_separated_clusters_are_groups_and_slices_are_not():
    X, labels = gaussians(200, 200)
    assert kinds(X, labels) == ["group", "group"]
    halves = np.where(X[:, 1] > 0, labels, labels + 2 * (labels == 1))  # cut the second one
    halves = np.unique(halves, return_inverse=True)[1]
    assert kinds(X, halves) == ["group", "slice", "slice"]


def test_a_verdict_names_the_neighbour_with_the_weakest_evidence():
    X, labels = gaussians(300, 300, 300)
    X[labels == 2, 0] -= 2.5  # 3.5 deviations from its neighbour instead of 6
    middle = verdicts_of(X, labels, 3)[1]
    assert middle.neighbour == 2
    assert 0.2 < middle.depth < 0.9


def test_small_clusters_have_too_few_rows_by_the_power_of_the_test():
    X = np.random.RandomState(0).randn(400, 2)
    assert kinds(X[:60], (X[:60, 0] > 0).astype(int)) == ["too few rows to say"] * 2
    assert kinds(X, (X[:, 0] > 0).astype(int)) == ["slice"] * 2


def test_few_rows_suffice_if_empty_space_separates_them():
    assert kinds(*gaussians(30, 30, distance=15.0)) == ["group", "group"]


def test_a_handful_of_outliers_does_not_decide_about_the_others():
    X, labels = gaussians(200, 200)
    X, labels = np.vstack([X, [[3.0, 9.0]] * 3]), np.r_[labels, [2] * 3]
    assert kinds(X, labels) == ["group", "group", "too few rows to say"]


def test_clusters_without_rows_and_single_clusters_have_a_verdict():
    X, labels = gaussians(100, 100)
    assert verdicts_of(X, labels, 3)[2].verdict == "too few rows to say"
    assert verdicts_of(X, 0 * labels, 1) == [verdicts.ClusterVerdict("slice")]
    assert kinds(*gaussians(200, 5)) == ["too few rows to say"] * 2


def test_discrete_columns_take_no_part():
    random = np.random.RandomState(0)
    flags = random.randint(0, 2, (500, 6)).astype(float)
    labels = flags[:, 0].astype(int)
    assert continuous_columns(flags).shape == (500, 0)
    assert kinds(continuous_columns(flags), labels) == ["slice", "slice"]
    mixed = np.column_stack([flags, random.randn(500, 2)])
    assert continuous_columns(mixed).shape == (500, 2)
    assert kinds(continuous_columns(mixed), labels) == ["slice", "slice"]


def test_tied_values_are_spread_over_the_interval_that_rounds_to_them():
    whole = np.random.RandomState(0).randint(0, 20, 2000).astype(float)
    spread = continuous_columns(whole[:, None])[:, 0]
    np.testing.assert_array_equal(np.round(spread), whole)
    assert np.histogram(spread, 100)[0].min() > 0
    many = np.r_[
        whole, np.full(500, 60.0), 61.0
    ]  # rounded to 1, although the next value is 41 away
    assert continuous_columns(many[:, None])[2000:-1].min() > 59.0
    unique = 1e-4 * np.random.RandomState(0).permutation(50)[:, None]
    np.testing.assert_array_equal(continuous_columns(unique), unique)


def test_rounding_does_not_make_groups():
    X = np.round(3.0 * np.random.RandomState(0).randn(1000, 3))
    labels = KMeans(4, n_init=3, random_state=0).fit_predict(X)
    assert "group" not in kinds(continuous_columns(X), labels)


def test_values_that_differ_by_rounding_errors_are_tied():
    random = np.random.RandomState(0)
    whole = np.column_stack([random.randint(0, 2, 500), random.randint(0, 20, 500)]).astype(float)
    jittered = whole + 1e-9 * random.randn(500, 2)
    np.testing.assert_allclose(continuous_columns(jittered), continuous_columns(whole), atol=1e-7)


def test_many_columns_are_replaced_by_principal_components():
    X = np.random.RandomState(0).randn(300, 400)
    labels = (np.arange(300) < 150).astype(int)
    X[labels == 1, :100] += 1.5
    reduced = continuous_columns(X)
    assert reduced.shape == (300, verdicts.VERDICT_COLUMNS)
    assert kinds(reduced, labels) == ["group", "group"]
    assert continuous_columns(X[:20]).shape == (20, 20)
