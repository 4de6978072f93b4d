import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.datasets import make_moons
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from sgpmic_cli.clustering.clusters import valleys
from sgpmic_cli.clustering.clusters.valleys import (
    P_VALUES,
    STATISTICS,
    find_valleys,
    nearest_rows,
    p_value,
    power,
)


def two_gaussians(distance, n=500, columns=3, seed=0):
    X = np.random.RandomState(seed).randn(n, columns)
    labels = (np.arange(n) < n // 2).astype(int)
    X[:, 0] += distance * labels
    return X / X.std(axis=0), labels


def cut(X, k):
    return KMeans(k, n_init=3, random_state=0).fit_predict(X)


def found(X, labels):
    return find_valleys(X, labels, nearest_rows(X))


def ring(n=800, angle=2 * np.pi, columns=2, seed=0):
    random = np.random.RandomState(seed)
    place = angle * random.rand(n)
    X = 0.1 * random.randn(n, columns)
    X[:, 0] += np.cos(place)
    X[:, 1] += np.sin(place)
    return X / X.std(axis=0)


def clustered_statistics(draw, columns, number):
    random, statistics = np.random.RandomState(0), []
    for _ in range(number):
        X = draw(random, (500, columns))
        labels = cut(X, 2)
        [t] = valleys.projections(X, labels, valleys.folds(labels, 0)).values()
        statistics.append(valleys.deepest_valley(t)[0])
    return np.array(statistics)


@pytest.mark.parametrize("columns", [1, 5])
def test_p_values_are_those_of_clustered_uniform_clouds(columns):
    drawn = clustered_statistics(lambda random, shape: random.random_sample(shape), columns, 300)
    for level in (0.5, 0.2, 0.05):
        error = np.sqrt(level * (1 - level) / 300)
        rate = np.mean([p_value(statistic, columns) < level for statistic in drawn])
        assert rate == pytest.approx(level, abs=3 * error)


def test_other_densities_with_one_mode_have_smaller_statistics():
    for draw in (np.random.RandomState.standard_normal, np.random.RandomState.standard_exponential):
        statistics = clustered_statistics(draw, 2, 100)
        assert max(statistics) < STATISTICS[1, P_VALUES == 0.05]


def test_a_valley_between_gaussians_is_found_with_its_depth():
    [valley] = found(*two_gaussians(4.0, n=2000))
    assert (valley.one, valley.other) == (0, 1)
    assert valley.p_value == pytest.approx(0.001)
    # Density half-way, relative to a peak: 2 exp(-2) = 0.27, and more as a mean over the windows.
    assert 0.2 < valley.depth < 0.45


@pytest.mark.parametrize("k", [2, 3])
def test_slices_of_a_gaussian_have_no_valley(k):
    X = np.random.RandomState(1).randn(600, 3)
    assert all(valley.p_value > 0.05 for valley in found(X, cut(X, k)))


@pytest.mark.parametrize(("k", "columns"), [(2, 2), (3, 2), (2, 5)])
def test_a_ring_has_a_way_around_the_valley(k, columns, monkeypatch):
    X = ring(columns=columns)
    assert all(valley.p_value > 0.05 for valley in found(X, cut(X, k)))
    monkeypatch.setattr(valleys, "_runs_around", lambda *_: False)
    assert all(valley.p_value < 0.05 for valley in found(X, cut(X, k)))


@pytest.mark.parametrize("angle", [np.pi, 1.5 * np.pi, 2 * np.pi])
@pytest.mark.parametrize(("rows", "columns", "k"), [(400, 5, 3), (500, 10, 2), (1500, 20, 3)])
def test_curves_in_columns_of_noise_have_no_valley(angle, rows, columns, k):
    for seed in range(3):
        X = ring(rows, angle, columns, seed)
        labels = cut(X, k)
        separated = [v[:2] for v in found(X, labels) if v.p_value < 0.05]
        # The ends of an arc may face each other across empty space, but no piece has only gaps.
        assert len(separated) < k - 1


def test_outliers_do_not_hide_a_valley():
    for seed in range(3):
        random = np.random.RandomState(seed)
        labels = np.arange(300) % 2
        X = random.standard_t(3, (300, 5))
        X[:, 0] += 8.0 * labels
        [valley] = found(X / X.std(axis=0), labels)
        assert valley.p_value == pytest.approx(P_VALUES[-1])


def test_clusters_of_any_shape_are_separated_by_empty_space():
    X, labels = make_moons(600, noise=0.05, random_state=0)
    [valley] = found(X, labels)
    assert valley.p_value == P_VALUES[-1]
    assert valley.depth == 0.0


def test_clusters_with_equal_means_can_be_separated_by_empty_space():
    place = 2 * np.pi * np.arange(300) / 300
    circle = np.column_stack([np.cos(place), np.sin(place)])
    [valley] = found(np.vstack([circle, 3.0 * circle]), np.repeat([0, 1], 300))
    assert valley.depth == 0.0
    [valley] = found(np.vstack([circle, circle]), np.repeat([0, 1], 300))
    assert valley.p_value > 0.05


def test_rows_of_a_third_cluster_do_not_fill_the_valley():
    random = np.random.RandomState(0)
    centres = np.array([[-2.5, 0.0], [2.5, 0.0], [0.0, 4.5]])
    labels = np.repeat([0, 1, 2], [250, 250, 1500])
    X = centres[labels] + random.randn(2000, 2)
    between = {(valley.one, valley.other): valley for valley in found(X, labels)}
    assert between[0, 1].p_value < 0.05


def test_directions_are_fitted_without_the_rows_that_are_tested():
    # With as many columns as rows, some direction separates any labels of random rows.
    random = np.random.RandomState(0)
    p_values = []
    for _ in range(10):
        X = random.randn(80, 60)
        p_values += [valley.p_value for valley in found(X, random.randint(0, 2, 80))]
    assert min(p_values) > 0.05


def test_projections_are_those_of_shrunk_discriminants_without_the_fifth_that_is_projected():
    X, labels = two_gaussians(4.0)
    X = X @ np.random.RandomState(1).randn(3, 3)
    fold = valleys.folds(labels, 0)
    [t] = valleys.projections(X, labels, fold).values()
    assert np.bincount(fold).tolist() == [100] * 5
    # Ledoit and Wolf's shrinkage of so many rows is below 0.1, and 0.1 is the least that is used.
    rule = LinearDiscriminantAnalysis("lsqr", 0.1).fit(X[fold > 0], labels[fold > 0])
    low, high = rule.decision_function(rule.means_)
    expected = 2.0 * (rule.decision_function(X[fold == 0]) - low) / (high - low) - 1.0
    np.testing.assert_allclose(t[fold == 0], expected)


@pytest.mark.parametrize(("rows", "empty"), [(8, False), (11, True)])
def test_empty_space_is_seen_around_clusters_of_more_than_ten_rows(rows, empty):
    X = np.random.RandomState(0).randn(100 + rows, 5)
    X[100:] += 100.0
    [valley] = found(X, np.repeat([0, 1], [100, rows]))
    assert (valley.p_value == P_VALUES[-1]) == empty


def test_power_is_the_rate_at_which_clear_valleys_are_found():
    assert power(30, 0.05, 3) < 0.5 < power(60, 0.05, 3) < power(200, 0.05, 3)
    assert power(60, 0.005, 3) < power(60, 0.05, 3) < power(60, 0.05, 1)
    results = [found(*two_gaussians(4.0, n=120, seed=seed))[0] for seed in range(40)]
    rate = np.mean([valley.p_value < 0.05 for valley in results])
    assert rate == pytest.approx(power(60, 0.05, 3), abs=0.2)
