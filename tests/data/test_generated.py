import numpy as np
from sklearn.cluster import KMeans

from sgpmic_cli.baselines import PCAFCM
from sgpmic_cli.data import load
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
