import numpy as np
import pytest

from sgpmic_cli.clustering.clusters.columns import (
    discrete_features,
    effective_values,
    numeric_features,
    rounding_variance,
    two_peaks,
    values_repeat,
)

RANDOM = np.random.RandomState(0)
EQUAL_STEPS = np.repeat(np.arange(4.0), 50)
MANY_ZEROS = np.r_[np.zeros(180), np.arange(1.0, 21.0)]


def test_the_effective_number_of_values_is_that_of_equally_frequent_ones():
    missing = np.where(np.arange(200) % 5 == 0, np.nan, EQUAL_STEPS)
    columns = np.column_stack([EQUAL_STEPS, missing, np.arange(200.0), MANY_ZEROS])
    wanted = [4.0, 4.0, 200.0, 200**2 / (180**2 + 20)]
    np.testing.assert_allclose(effective_values(columns), wanted)
    jittered = columns + 1e-9 * RANDOM.standard_normal(columns.shape)
    np.testing.assert_allclose(effective_values(jittered), wanted)


def test_columns_of_few_effective_values_are_discrete_and_of_many_values_numeric():
    Y = np.column_stack([EQUAL_STEPS, np.arange(200.0), MANY_ZEROS, EQUAL_STEPS])
    columns = np.array([0, 1, 2, 1])  # the last one is a feature of the second column
    assert discrete_features(Y, columns).tolist() == [True, True, True, True]
    assert discrete_features(Y[:, :3], columns[:3]).tolist() == [True, False, True]
    assert numeric_features(Y).tolist() == [False, True, True, False]
    few = np.arange(8.0)[:, None]  # a different value in every row
    assert not discrete_features(few, np.zeros(1, dtype=int)).any()
    assert discrete_features(few // 4, np.zeros(1, dtype=int)).all()


def test_the_rounding_variance_is_that_of_equal_steps():
    steps = RANDOM.randint(0, 4, 100_000)
    exact = RANDOM.random_sample(100_000) + steps  # rounds down to the steps
    wanted = np.var(exact - steps) / np.var(steps)
    assert rounding_variance(steps[:, None])[0] == pytest.approx(wanted, rel=0.02)
    assert rounding_variance(np.zeros((9, 1)))[0] == 1.0


def test_values_repeat_if_most_entries_share_their_value():
    assert values_repeat(np.r_[np.zeros(60), np.arange(1.0, 41.0)])
    assert not values_repeat(np.r_[np.zeros(40), np.arange(1.0, 61.0)])


def eruptions(n=270, seed=0):
    """Return durations with two peaks, like those of Old Faithful."""
    random = np.random.RandomState(seed)
    short = random.random_sample(n) < 0.36
    return np.where(short, 2.0 + 0.27 * random.randn(n), 4.3 + 0.42 * random.randn(n))


@pytest.mark.parametrize("seed", range(5))
def test_mixtures_with_a_valley_have_two_peaks(seed):
    low, high = two_peaks(eruptions(seed=seed))
    assert low == pytest.approx(2.0, abs=0.2)
    assert high == pytest.approx(4.3, abs=0.3)
    with_gaps = np.where(np.arange(270) % 4 == 0, np.nan, eruptions(seed=seed))
    assert two_peaks(with_gaps) is not None
    assert two_peaks(np.r_[np.random.RandomState(seed).randn(300), np.full(5, 9.0)]) is None


@pytest.mark.parametrize("n", [60, 300, 2000])
def test_columns_with_one_peak_or_repeated_values_have_no_two_peaks(n):
    for seed in range(10):
        random = np.random.RandomState(seed)
        heaped = np.where(random.random_sample(n) < 0.6, 10 * random.randint(2, 8, n), 0)
        for column in (
            random.standard_normal(n),
            random.random_sample(n),
            random.standard_exponential(n),
            random.standard_t(3, n),
            heaped + np.where(heaped == 0, 20 + 50 * random.random_sample(n), 0.0),
            np.where(random.random_sample(n) < 0.5, 0.0, 8.0),
        ):
            assert two_peaks(column) is None


def test_too_few_rows_have_no_peaks():
    assert two_peaks(eruptions(49)) is None
    assert two_peaks(np.zeros(100)) is None
