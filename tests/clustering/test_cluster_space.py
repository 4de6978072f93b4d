import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from sgpmic_cli.clustering.clusters.cluster_space import (
    ClusterSpace,
    shared_dimensions,
    used_features,
)
from sgpmic_cli.clustering.clusters.columns import discrete_features

N = 400


def standard(X):
    return (X - X.mean(axis=0)) / X.std(axis=0)


def shared(X):
    Y, columns = standard(1.0 * X), np.arange(X.shape[1])
    discrete = discrete_features(Y, columns)
    used = used_features(Y, discrete, columns)
    return shared_dimensions(Y, discrete, used, columns)


def flags(n_groups, n_columns, seed=0):
    patterns = (np.arange(n_columns) // 2 % n_groups) == np.arange(n_groups)[:, None]
    wrong = np.random.RandomState(seed).random_sample((N, n_columns)) < 0.1
    return 1.0 * (patterns[np.arange(N) % n_groups] != wrong)


def test_continuous_columns_are_their_own_space():
    Y = np.random.RandomState(0).standard_normal((N, 3))
    assert shared(Y) is None
    assert ClusterSpace.of(Y, None, 2).rows is Y


@pytest.mark.parametrize("n_groups", [2, 3, 4])
def test_groups_share_one_dimension_less_than_their_number(n_groups):
    found = shared(flags(n_groups, 4 * n_groups))
    assert (found.number, found.mostly_discrete, found.dependent) == (n_groups - 1, True, True)


def test_independent_columns_share_nothing():
    found = [shared(np.random.RandomState(seed).randint(0, 3, (N, 5))) for seed in range(20)]
    assert sum(one.dependent for one in found) <= 3  # one is expected
    assert sum(one.number > 0 for one in found) <= 3


def test_flags_beside_correlated_numbers_are_independent():
    random = np.random.RandomState(0)
    numbers = random.standard_normal((N, 1)) + 0.3 * random.standard_normal((N, 4))
    found = shared(np.c_[numbers, random.randint(0, 2, (N, 2))])
    assert (found.number, found.mostly_discrete, found.dependent) == (1, False, False)


def test_an_independent_flag_changes_nothing():
    X = flags(2, 6)
    before, after = shared(X), shared(np.c_[X, np.random.RandomState(1).randint(0, 2, N)])
    assert after.used.tolist() == [True] * 6 + [False]
    np.testing.assert_array_equal(after.projection(2)[-1], 0.0)
    np.testing.assert_allclose(after.projection(2)[:-1], before.projection(2))
    assert after.number == before.number


@pytest.mark.parametrize("n_clusters", [1, 2, 4, 9])
def test_axes_beyond_the_dimensions_of_the_means_have_the_variance_that_columns_share(n_clusters):
    X = flags(3, 9)
    found = shared(X)
    rows = (standard(X) - found.mean) @ found.projection(n_clusters)
    covariance = np.cov(standard(X).T, bias=True)
    off_diagonal = covariance - np.diag(np.diag(covariance))
    values, vectors = (part[..., ::-1] for part in np.linalg.eigh(off_diagonal))
    whole = np.diag(vectors.T @ covariance @ vectors)
    wanted = np.where(np.arange(9) < n_clusters - 1, whole, np.maximum(values, 0.0))
    np.testing.assert_allclose(rows.var(axis=0), wanted, atol=1e-9)


def test_seven_flags_hold_ten_digits():
    shown = "1110111 0010010 1011101 1011011 0111010 1101011 1101111 1010010 1111111 1111011"
    digits = np.array([[int(lamp) for lamp in digit] for digit in shown.split()])
    random = np.random.RandomState(0)
    y = random.randint(0, 10, N)
    X = digits[y] != (random.random_sample((N, 7)) < 0.05)
    found = shared(X)
    assert found.number < 9
    labels = ClusterSpace.of(standard(X), found, 10).consensus(10).labels
    assert adjusted_rand_score(y, labels) > 0.6


def test_flags_have_the_space_of_categories_with_two_levels():
    X = flags(3, 5)
    Y, columns = standard(X), np.repeat(np.arange(5), 2)
    both = np.dstack([Y, -Y]).reshape(N, 10) / np.sqrt(2.0)
    used = np.ones(10, dtype=bool)
    found = shared_dimensions(both, used, used, columns)
    one, two = (
        (rows - each.mean) @ each.projection(5) for rows, each in ((Y, shared(X)), (both, found))
    )
    np.testing.assert_allclose(np.abs(one), np.abs(two), atol=1e-6)


def test_doubled_rows_give_the_same_space():
    X = flags(3, 9)
    one, two = (shared(each).projection(3) for each in (X, np.r_[X, X]))
    np.testing.assert_allclose(np.abs(one), np.abs(two), atol=1e-9)


def test_numbers_stay_as_they_are_if_they_are_the_majority():
    random = np.random.RandomState(0)
    numbers = random.standard_normal((N, 3)) + 6.0 * (np.arange(N) % 2)[:, None]
    X = np.c_[numbers, random.randint(0, 2, N)]
    space = ClusterSpace.of(standard(X), shared(X), 2)
    np.testing.assert_allclose(space.rows[:, :3], standard(X)[:, :3], atol=1e-12)
    assert adjusted_rand_score(space.consensus(2).labels, np.arange(N) % 2) == 1.0


def test_more_clusters_than_projected_rows_use_the_columns():
    X = flags(2, 2)
    found = shared(X)._replace(axes=np.zeros((2, 2)), factors=np.ones(2))
    space = ClusterSpace.of(standard(X), found, 3)
    np.testing.assert_allclose(np.abs(space.rows), np.abs(standard(X)), atol=1e-12)
    assert space.consensus(3).names == ("k-means",)  # cells of flags have gaps
