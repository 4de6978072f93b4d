import tracemalloc

import numpy as np
import pytest

from sgpmic_cli.clustering.cluster_fit import copy_groups
from sgpmic_cli.clustering.clusters.cluster_space import used_features

random = np.random.RandomState(0)
WAGE = np.exp(random.standard_normal(300))
STORE = random.randint(0, 5, 300)
NOISE = random.standard_normal(300)


def groups(*blocks):
    Y = np.column_stack(blocks)
    sizes = [np.ndim(block) and np.column_stack([block]).shape[1] for block in blocks]
    found, copies = copy_groups(Y, np.repeat(np.arange(len(sizes)), sizes))
    assert len(found) == len(copies) == Y.shape[1]
    return found.tolist(), copies.tolist()


@pytest.mark.parametrize(
    "other",
    [WAGE, -WAGE, np.log(WAGE), WAGE + 1e-9 * NOISE, np.where(STORE == 0, np.nan, WAGE)[:, None]],
    ids=["same", "reversed", "logarithm", "jitter", "missing values in both"],
)
def test_a_wage_and_its_copy_are_one_column(other):
    wage = np.where(np.isnan(np.ravel(other)), np.nan, WAGE)
    assert groups(wage, other, NOISE) == ([0, 0, 1], [2.0, 2.0, 1.0])


def test_jitter_does_not_break_ties():
    assert groups(STORE, STORE + 1e-8 * NOISE, NOISE)[0] == [0, 0, 1]


def test_a_correlated_column_is_no_copy():
    assert groups(NOISE, NOISE + 0.3 * WAGE)[0] == [0, 1]


def test_a_number_or_flag_that_follows_from_a_category_is_a_copy():
    category = np.eye(5)[STORE]
    found, copies = groups(category, STORE, STORE == 4, NOISE)
    assert found == [0] * 7 + [1]
    assert copies == [3.0] * 7 + [1.0]


def test_a_column_that_rounding_makes_constant_is_no_copy():
    assert groups(NOISE, np.eye(5)[STORE], 1e-9 * NOISE)[0] == [0] + [1] * 5 + [2]


def test_many_columns_need_no_matrix_of_all_pairs():
    Y, columns = np.random.RandomState(0).standard_normal((5, 1500)), np.arange(1500)
    tracemalloc.start()
    copy_groups(Y, columns)
    used_features(Y, columns < 0, columns)
    assert tracemalloc.get_traced_memory()[1] < 1500 * 1500 * 8
    tracemalloc.stop()
