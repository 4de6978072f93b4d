"""k-means of every number of clusters against scikit-learn."""

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.cluster import KMeans

from sgpmic_cli.clustering.clusters import nested_means
from sgpmic_cli.clustering.clusters.nested_means import NestedMeans, lloyd
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


def test_each_start_is_the_beginning_of_one_sequence(monkeypatch):
    """With distant groups of rows, k-means++ takes one centre from each of them in turn."""
    X = (
        np.random.RandomState(0).standard_normal((120, 2))
        + 100.0 * np.arange(4).repeat(30)[:, None]
    )
    means = NestedMeans(X, 4, 3, 0)
    assert [len(start) for start in means.starts] == [4, 4, 4]
    for start in means.starts:
        assert sorted(cdist(start + X.mean(axis=0), X).argmin(axis=1) // 30) == [0, 1, 2, 3]
    labels = means.labels(4)
    np.testing.assert_array_equal(labels, labels[::30].repeat(30))
    np.testing.assert_array_equal(means.predict(4, X), labels)
    asked = []
    monkeypatch.setattr(
        nested_means, "lloyd", lambda Y, start: asked.append(start) or lloyd(Y, start)
    )
    means.fit(2)
    np.testing.assert_array_equal(asked, [start[:2] for start in means.starts])
