import numpy as np
import pytest
from scipy.optimize import rosen, rosen_der
from sklearn.cluster import KMeans

from sgpmic_cli.data import load
from sgpmic_cli.paper.methods.unca import UNCA, kmeans
from sgpmic_cli.paper.methods.unca.projection import Point, descend
from sgpmic_cli.scores import purity


def evaluated(objective, x):
    value, gradient = objective(x)
    return Point(x, value, gradient())


def rosenbrock(x):
    return rosen(x), lambda: rosen_der(x)


def test_rosenbrock_decreases_in_every_line_search():
    point, values = descend(rosenbrock, evaluated(rosenbrock, np.array([-1.2, 1.0, 0.5])), 200)
    assert np.all(np.diff(values) < 0)
    assert point.value == values[-1] == rosen(point.x) < 1e-8
    np.testing.assert_array_equal(point.gradient, rosen_der(point.x))


def test_weighted_labels_are_those_of_scikit_learn():
    U, times, rng = load("iris").Y[::3], 1.0 + np.arange(50) % 3, np.random.RandomState(0)
    for _ in range(5):
        centres = U[rng.permutation(50)[:3]]
        expected = KMeans(3, init=centres, n_init=1, tol=0.0).fit(U, sample_weight=times).labels_
        assert np.array_equal(kmeans(U, times, centres), expected)


def test_fewer_distinct_rows_than_clusters():
    Y = np.repeat(np.array([[0.0], [5.0]]), 4, axis=0)
    labels = UNCA(3, 1, n_iter=3, random_state=0).fit_predict(Y)
    assert len(set(labels[:4])) == 1
    assert labels[0] != labels[4]


def test_separated_clusters_are_found():
    rng = np.random.RandomState(0)
    groups = np.repeat(np.arange(3), 40)
    Y = 4.0 * np.eye(3)[groups] + 0.3 * rng.standard_normal((120, 3))
    assert purity(groups, UNCA(3, 2, lam=10.0, random_state=0).fit_predict(Y)) == 100.0


@pytest.mark.slow
def test_strong_penalty_finds_the_groups_of_iris():
    """The printed mean is 86.20 with a standard deviation of 3.82."""
    data = load("iris")
    fits = [UNCA(3, 2, lam=100.0, random_state=s).fit_predict(data.Y) for s in range(3)]
    assert np.mean([purity(data.labels, labels) for labels in fits]) > 86.20 - 3.82
