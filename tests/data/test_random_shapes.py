import numpy as np
import pytest
from scipy.spatial import KDTree

from sgpmic_cli.data import load
from sgpmic_cli.data.random_shapes import random_shape
from sgpmic_cli.data.registry import entry
from sgpmic_cli.errors import UsageError


@pytest.mark.parametrize("seed", range(12))
def test_the_nearest_row_of_almost_every_row_is_of_its_own_curve(seed):
    rows, labels = random_shape(seed)
    assert rows.shape == (len(labels), 10 if seed % 6 == 5 else 2)
    nearest = KDTree(rows).query(rows, k=2)[1][:, 1]
    assert np.mean(labels[nearest] == labels) > 0.95


def test_a_shape_is_a_data_set_with_its_seed_in_the_name():
    dataset, found = load("shape-7"), entry("shape-7")
    assert dataset.Y.shape == (found.n, found.p)
    assert len(set(dataset.labels)) == found.n_classes
    np.testing.assert_array_equal(dataset.Y, random_shape(7)[0])
    assert random_shape(13)[0].shape != dataset.Y.shape
    with pytest.raises(UsageError, match="shape-N"):
        load("shape-x")
