"""k-means of every number of clusters against scikit-learn."""

import numpy as np
from sklearn.cluster import KMeans

from sgpmic_cli.clustering.clusters.nested_means import lloyd
from sgpmic_cli.data import load


def test_labels_and_centres_are_those_of_scikit_learn():
    Y, rng = load("iris").Y[::3], np.random.RandomState(0)
    for _ in range(5):
        start = Y[rng.permutation(50)[:3]]
        theirs = KMeans(3, init=start, n_init=1, tol=0.0).fit(Y)
        labels, centres = lloyd(Y, start)
        np.testing.assert_array_equal(labels, theirs.labels_)
        np.testing.assert_allclose(centres, theirs.cluster_centers_)


def test_no_cluster_is_empty():
    Y, rng = np.repeat(np.eye(2), 10, axis=0), np.random.RandomState(0)
    Y[0] = [0.9, 0.1]
    for _ in range(8):
        assert set(lloyd(Y, Y[rng.permutation(20)[:3]])[0]) == {0, 1, 2}
