import numpy as np
import pytest
from scipy.spatial import KDTree
from sklearn.cluster import KMeans

from sgpmic_cli.data import entry, load
from sgpmic_cli.data.random_shapes import random_shape
from sgpmic_cli.errors import UsageError
from sgpmic_cli.paper.methods import PCAFCM
from sgpmic_cli.scores import purity


def test_arcs_are_unit_half_circles_that_k_means_cuts():
    dataset = load("arcs")
    assert np.bincount(dataset.labels).tolist() == [50] * 5
    for k in range(5):
        inside = dataset.Y[dataset.labels == k]
        centre = np.array([1.2 * k, 0.5 if k % 2 else 0.0])
        assert np.abs(np.linalg.norm(inside - centre, axis=1) - 1).max() < 0.25
        # No point is nearer to another arc than to its own neighbours: the eye follows each arc.
        gap = np.linalg.norm(inside[:, None] - dataset.Y[dataset.labels != k][None], axis=2).min()
        assert gap > 0.1
    for clusterer in (KMeans(5, n_init=10, random_state=0), PCAFCM(5, 2, random_state=0)):
        assert purity(dataset.labels, clusterer.fit_predict(dataset.Y)) < 75.0


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
